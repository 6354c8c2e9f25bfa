package credentials

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Mask hides the keys in whatever is printed or written. A nil Mask hides nothing. It does not change, so that every
// stage may use it.
type Mask struct {
	// forms are by their first four bytes, the longest first; first says which two bytes a form begins with.
	forms     map[uint32][]form
	first     *[1 << 16 / 64]uint64
	variables []Variable
	// obtained are the secrets that With added, the oldest first.
	obtained []obtained
	given    []form
}

// obtained is a secret that came while the run went on.
type obtained struct {
	text  string
	forms []form
}

// mostObtained bounds how many of the secrets that came while the run went on are hidden: the newest.
const mostObtained = 500

// Variable is a shell variable that stands for a key in a curl line.
type Variable struct{ Name, Meaning string }

// secret is a text to hide.
type secret struct {
	text string
	// plain is false for a text that is hidden in its encoded forms alone.
	plain bool
}

// form is one way in which a secret can be written.
type form struct {
	text     string // what to look for
	mask     string // what stands in its place
	variable string
}

// Mask is what hides these keys.
func (k *Keys) Mask() *Mask {
	if k == nil {
		return nil
	}
	m := &Mask{}
	seen := make(map[string]bool)
	for i, one := range slices.Concat(k.keys, k.hidden) {
		for j, s := range one.secrets {
			variable := fmt.Sprintf("RESTEST_KEY_%d", i+1)
			if j > 0 {
				variable += fmt.Sprintf("_PART_%d", j+1)
			}
			m.given = append(m.given, m.formsOf(s, variable, one.meaning, seen)...)
		}
	}
	m.index()
	return m
}

// With is the mask that hides what a sign-in gave, too. In a curl line they stand as variables of the sign-in's number,
// whichever of its replies they come from.
func (m *Mask) With(login int, meaning string, secrets []string) *Mask {
	if m == nil {
		m = &Mask{}
	}
	n := &Mask{given: m.given, variables: slices.Clone(m.variables), obtained: slices.Clone(m.obtained)}
	for i, text := range secrets {
		s := secret{text: text, plain: true}
		if utf8.RuneCountInString(text) < shortest || s.hidesAsItself() || slices.ContainsFunc(n.obtained, func(o obtained) bool { return o.text == text }) {
			continue
		}
		variable := fmt.Sprintf("RESTEST_TOKEN_%d", login+1)
		if i > 0 {
			variable += fmt.Sprintf("_PART_%d", i+1)
		}
		n.obtained = append(n.obtained, obtained{text, n.formsOf(s, variable, meaning, map[string]bool{})})
	}
	n.obtained = n.obtained[max(0, len(n.obtained)-mostObtained):]
	n.index()
	return n
}

// formsOf are the ways to write a secret that were not seen before, and their variables are noted.
func (m *Mask) formsOf(s secret, variable, meaning string, seen map[string]bool) []form {
	var forms []form
	for _, written := range s.written() {
		if written.text == "" || seen[written.text] {
			continue
		}
		seen[written.text] = true
		name := variable + written.suffix
		forms = append(forms, form{written.text, written.mask, name})
		if v := (Variable{name, meaning + written.how}); !slices.Contains(m.variables, v) {
			m.variables = append(m.variables, v)
		}
	}
	return forms
}

// index sorts the forms by their first bytes. A form that is there twice is the one given first.
func (m *Mask) index() {
	if len(m.given)+len(m.obtained) == 0 {
		return
	}
	m.forms, m.first = map[uint32][]form{}, new([1 << 16 / 64]uint64)
	add := func(forms []form) {
		for _, f := range forms {
			start := startOf(f.text)
			m.forms[start] = append(m.forms[start], f)
			m.first[start&0xffff/64] |= 1 << (start % 64)
		}
	}
	add(m.given)
	for _, o := range m.obtained {
		add(o.forms)
	}
	for start := range m.forms {
		slices.SortStableFunc(m.forms[start], func(a, b form) int { return cmp.Compare(len(b.text), len(a.text)) })
	}
}

// startOf are the first bytes of a text, of which there are at least as many as a key has characters.
func startOf(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// next is where the first form in the text begins, from a place on, and the longest that begins there; the text's length
// and nil where there is none.
func (m *Mask) next(s string, from int) (int, *form) {
	if m.first == nil || len(s)-from < shortest {
		return len(s), nil
	}
	two := uint(s[from]) << 8
	for i := from; i+shortest <= len(s); i++ {
		// The two bytes at i; most begin no form.
		two = two>>8 | uint(s[i+1])<<8
		if m.first[two/64]&(1<<(two%64)) == 0 {
			continue
		}
		forms := m.forms[startOf(s[i:])]
		for j := range forms {
			if strings.HasPrefix(s[i:], forms[j].text) {
				return i, &forms[j]
			}
		}
	}
	return len(s), nil
}

// mostPasses bounds how often a text is gone over again because its masks made up a key together with what stands
// around them.
const mostPasses = 8

// Text hides the keys, in their plain, base64, percent-encoded and JSON-escaped forms, keeping the text's shape:
// small letters become x, capitals X, digits 0, the rest stays.
func (m *Mask) Text(s string) string {
	if m == nil {
		return s
	}
	for range mostPasses {
		masked := m.replace(s, func(f *form) string { return f.mask })
		if masked == s {
			return s
		}
		s = masked
	}
	if m.Has(s) {
		return shape(s)
	}
	return s
}

// Has says whether the text holds a key.
func (m *Mask) Has(s string) bool {
	if m == nil {
		return false
	}
	_, f := m.next(s, 0)
	return f != nil
}

// Shell is the text as one word of a POSIX shell. Any byte but NUL comes through. Each key stands as the variable
// that holds it, one of Variables.
func (m *Mask) Shell(s string) string {
	if s == "" {
		return "''"
	}
	if m == nil {
		m = &Mask{}
	}
	var b strings.Builder
	m.scan(s, func(text string) {
		if text != "" {
			b.WriteString("'" + strings.ReplaceAll(text, "'", `'\''`) + "'")
		}
	}, func(f *form) {
		b.WriteString(`"$` + f.variable + `"`)
	})
	return b.String()
}

// Template is the text with each key as ${NAME}, the variable that holds it, one of Variables.
func (m *Mask) Template(s string) string {
	return m.replace(s, func(f *form) string { return "${" + f.variable + "}" })
}

// Fill puts the keys back into what Template wrote. A variable that holds none of these keys is asked for from others,
// which give "" for one they do not know; the first that nobody knows is returned.
func (m *Mask) Fill(template string, others func(name string) string) (text, missing string) {
	known := map[string]string{}
	for _, forms := range m.forms {
		for _, f := range forms {
			known[f.variable] = f.text
		}
	}
	text = variable.ReplaceAllStringFunc(template, func(reference string) string {
		name := reference[2 : len(reference)-1]
		if value, ok := known[name]; ok {
			return value
		}
		if value := others(name); value != "" {
			return value
		}
		if missing == "" {
			missing = name
		}
		return reference
	})
	return text, missing
}

// variable is a variable of ours as Template writes it.
var variable = regexp.MustCompile(`\$\{RESTEST_[A-Z0-9_]+\}`)

// Variables are those that Shell may use, in the order of the keys: for each key the key itself, then its encoded
// forms.
func (m *Mask) Variables() []Variable {
	if m == nil {
		return nil
	}
	return m.variables
}

// VariablesIn are those that a text written by Shell or Template uses, in the same order.
func (m *Mask) VariablesIn(text string) []Variable {
	var used []Variable
	for _, v := range m.Variables() {
		if strings.Contains(text, `"$`+v.Name+`"`) || strings.Contains(text, "${"+v.Name+"}") {
			used = append(used, v)
		}
	}
	return used
}

func (m *Mask) replace(s string, with func(*form) string) string {
	if !m.Has(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	m.scan(s, func(text string) { b.WriteString(text) }, func(f *form) { b.WriteString(with(f)) })
	return b.String()
}

// scan takes a text apart, from left to right and the longest form first: between gets what stands between the
// forms, found each form.
func (m *Mask) scan(s string, between func(string), found func(*form)) {
	for from := 0; ; {
		i, f := m.next(s, from)
		between(s[from:i])
		if f == nil {
			return
		}
		found(f)
		from = i + len(f.text)
	}
}

// shape replaces letters and digits.
func shape(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsUpper(r):
			return 'X'
		case unicode.IsLetter(r), r == utf8.RuneError:
			return 'x'
		case unicode.IsDigit(r):
			return '0'
		}
		return r
	}, s)
}

// written is one way to write a secret.
type written struct {
	text, mask string
	// suffix tells the variables of one secret apart; how tells their meanings apart.
	suffix, how string
}

var base64s = []struct {
	suffix   string
	encoding *base64.Encoding
}{
	{"_BASE64", base64.StdEncoding},
	{"_BASE64_UNPADDED", base64.RawStdEncoding},
	{"_BASE64URL", base64.URLEncoding},
	{"_BASE64URL_UNPADDED", base64.RawURLEncoding},
}

// encodings are those that a key or its base64 can meet on its way into a URL, a form or JSON.
var encodings = func() []func(string) written {
	var all []func(string) written
	add := func(suffix, how string, encode func(string) string) {
		all = append(all, func(s string) written { return written{encode(s), encode(shape(s)), suffix, how} })
	}
	for i, encode := range []func(string) string{
		func(s string) string { return percent(s, "") },
		url.QueryEscape,
		url.PathEscape,
		func(s string) string { return percent(s, "!$'()*,;:@/?") },
		percentThroughout,
	} {
		suffix := fmt.Sprintf("_PERCENT_%d", i+1)
		add(suffix, ", percent-encoded", encode)
		add(suffix+"_SMALL", ", percent-encoded", func(s string) string { return smallHex(encode(s)) })
	}
	for i, escape := range []func(string) string{
		func(s string) string { return jsonText(s, false, "") },
		func(s string) string { return jsonText(s, true, "") },
		func(s string) string { return jsonText(s, false, `\u%04x`) },
		func(s string) string { return jsonText(s, true, `\u%04x`) },
		func(s string) string { return jsonText(s, false, `\u%04X`) },
	} {
		suffix := fmt.Sprintf("_JSON_%d", i+1)
		add(suffix, ", escaped for JSON", escape)
		add(suffix+"_SLASH", ", escaped for JSON", func(s string) string { return strings.ReplaceAll(escape(s), "/", `\/`) })
	}
	return all
}()

// written lists the ways to write the secret. Several may give the same text; the first is meant then.
func (s secret) written() []written {
	var all []written
	add := func(text, suffix, how string) {
		all = append(all, written{text, shape(text), suffix, how})
		for _, encode := range encodings {
			w := encode(text)
			w.suffix, w.how = suffix+w.suffix, how+w.how
			all = append(all, w)
		}
	}
	how := ", in base64"
	if s.plain {
		add(s.text, "", "")
	} else {
		how = ", with the user before it, in base64"
	}
	for _, b := range base64s {
		add(b.encoding.EncodeToString([]byte(s.text)), b.suffix, how)
	}
	return all
}

// hidesAsItself says whether the mask of the secret would be the secret.
func (s secret) hidesAsItself() bool {
	return slices.ContainsFunc(s.written(), func(w written) bool { return w.text == w.mask })
}

// percent encodes every byte but RFC 3986's unreserved ones and those kept.
func percent(s, keep string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c < utf8.RuneSelf && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) || strings.IndexByte("-._~"+keep, c) >= 0) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// percentThroughout encodes every byte.
func percentThroughout(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// smallHex writes the hexadecimal digits after each % in small letters.
func smallHex(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// jsonText escapes a text for JSON: < > & as \u003c and so on where html says so, what is not ASCII by the verb where
// there is one.
func jsonText(s string, html bool, verb string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(html)
	if encoder.Encode(s) != nil {
		return s
	}
	text := strings.TrimSuffix(b.String(), "\n")
	text = text[1 : len(text)-1]
	if verb == "" {
		return text
	}
	var ascii strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf {
			ascii.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&ascii, verb, unit)
		}
	}
	return ascii.String()
}
