package reporter

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
)

// curl is a command that sends a request again, or why there is none.
type curl struct {
	line string
	note string
}

// curler writes curl commands for a POSIX shell. Each is one line that can be pasted as it is: whatever does not print goes
// through printf, and a key stands as the variable that holds it.
type curler struct {
	mask     *credentials.Mask
	longest  int64
	insecure bool
	// made are the addresses of what the commands before this one make, and the variables that they set to them; fresh are
	// texts that are new each time, and the variables that hold them.
	made, fresh []variable
}

// variable is one of the shell, and the address or text in the run that its value takes the place of.
type variable struct{ stands, name string }

// series is the command of an exchange after those of its makers, a line each. Lines before them set what is new each time.
func (c curler) series(origin string, makers []messages.Maker, ex *messages.Exchange) curl {
	var lines, notes []string
	command := func(ex *messages.Exchange) (curl, bool) {
		for _, text := range freshTexts(ex.Request) {
			if slices.ContainsFunc(c.fresh, func(v variable) bool { return v.stands == text }) {
				continue
			}
			if len(c.fresh) == 0 {
				lines = append(lines, freshFunction)
			}
			name := "fresh" + strconv.Itoa(len(c.fresh)+1)
			lines = append(lines, name+"="+c.another(text))
			c.fresh = append(c.fresh, variable{text, name})
		}
		one := c.command(origin, ex)
		if one.note != "" {
			notes = append(notes, one.note)
		}
		return one, one.line != ""
	}
	for i, m := range makers {
		one, ok := command(&messages.Exchange{Request: m.Request})
		if !ok {
			return one
		}
		if name := "made" + strconv.Itoa(i+1); m.Place != "" {
			one.line = c.assigned(name, one.line, m)
			c.made = append(c.made, variable{m.Address, name})
		} else if m.Address != "" {
			notes = append(notes, "in place of "+c.mask.Text(m.Address)+" put the address of what step "+strconv.Itoa(i+1)+" makes")
		}
		lines = append(lines, one.line)
	}
	last, ok := command(ex)
	if !ok {
		return last
	}
	return curl{strings.Join(append(lines, last.line), "\n"), strings.Join(notes, "; ")}
}

// freshFunction is the line that says how to make some characters of a row.
const freshFunction = `fresh() { LC_ALL=C tr -dc "$1" </dev/urandom | head -c "$2"; }`

// freshTexts are the texts of a request that are to be new each time, as far as they stand in it just as they are.
func freshTexts(r *messages.Request) []string {
	if len(r.Fresh) == 0 {
		return nil
	}
	var texts []string
	for _, v := range r.Values() {
		if slices.Contains(r.Fresh, v.Place) && v.Part == messages.InBody && v.Form == messages.JSONText && v.Write(v.Text) == `"`+v.Text+`"` && string(r.Body[v.From+1:v.To-1]) == v.Text && printable(v.Text) {
			texts = append(texts, v.Text)
		}
	}
	return texts
}

// another is a word for another text like this one.
func (c curler) another(text string) string {
	var b strings.Builder
	for _, p := range messages.FreshPieces(text) {
		if p.Row != "" {
			fmt.Fprintf(&b, "$(fresh %s %d)", p.Row, p.Length)
		} else {
			b.WriteString(c.word(p.Text))
		}
	}
	return b.String()
}

// assigned is the command with its reply printed, and the address of what it makes put into a variable.
func (c curler) assigned(name, command string, m messages.Maker) string {
	line := "reply=$(" + command + `); printf '%s\n' "$reply"; ` + name + "="
	const lines = `printf '%s\n' "$reply" | tr -d '\r' | `
	if !strings.HasPrefix(m.Place, "/") {
		return line + "$(" + lines + `sed -n 's#^[Ll]ocation: *\(https*://[^/]*\)*##p')`
	}
	member := m.Place[strings.LastIndexByte(m.Place, '/')+1:]
	for _, c := range `\.*[]^$/"&` {
		member = strings.ReplaceAll(member, string(c), ".")
	}
	pick := "tr '{,}' '\\n\\n\\n' | sed -n " + quoted(`s/^ *"`+member+`" *: *"*\([^"]*[^" ]\)"* *$/\1/p`) + " | sed -n 1p"
	return line + c.path(m.Address[:strings.LastIndexByte(m.Address, '/')+1]) + "$(" + lines + pick + ")"
}

// path is a path as a word: what was made before by its variable.
func (c curler) path(path string) string {
	made, word := c.leads(path)
	if rest := path[len(made):]; rest != "" {
		word += c.word(rest)
	}
	return word
}

// leads is the longest part of the path that was made before, and the word for it; "" for none.
func (c curler) leads(path string) (made, word string) {
	for _, m := range c.made {
		if rest, leads := strings.CutPrefix(path, m.stands); leads && (rest == "" || rest[0] == '/') && len(m.stands) > len(made) {
			made, word = m.stands, `"$`+m.name+`"`
		}
	}
	return made, word
}

// address is the request's target at the origin as a word: what was made before by its variable.
func (c curler) address(origin string, r *messages.Request, stands []stand) string {
	path, _, _ := strings.Cut(r.Target, "?")
	made, word := c.leads(path)
	if made == "" {
		return c.words(origin+r.Target, stands, -len(origin))
	}
	if rest := r.Target[len(made):]; rest != "" {
		word += c.words(rest, stands, len(made))
	}
	return quoted(origin) + word
}

// stand is a piece of a request's part that a variable stands for.
type stand struct {
	from, to int
	variable string
}

// stands are the pieces of the request that variables stand for: names of what was made before, and texts that are new each
// time. A name that is not written alike everywhere is told of instead.
func (c curler) stands(r *messages.Request, part messages.Part, field int) (stands []stand, note string) {
	if len(r.Named)+len(r.Fresh) == 0 {
		return nil, ""
	}
	for _, v := range r.Values() {
		if v.Part != part || v.Field != field {
			continue
		}
		one := stand{from: v.From, to: v.To}
		if v.Form == messages.JSONText {
			one.from, one.to = v.From+1, v.To-1
		}
		if i := slices.IndexFunc(c.fresh, func(f variable) bool { return f.stands == v.Text }); i >= 0 && slices.Contains(r.Fresh, v.Place) {
			one.variable = "$" + c.fresh[i].name
		} else if address := r.Names(v); address != "" {
			i := slices.IndexFunc(c.made, func(m variable) bool { return m.stands == address })
			switch {
			case i < 0:
			case url.PathEscape(v.Text) != v.Text:
				note = "in place of " + c.mask.Text(v.Text) + " put the name that " + c.made[i].name + " ends with"
			default:
				one.variable = "${" + c.made[i].name + "##*/}"
			}
		}
		if one.variable != "" {
			stands = append(stands, one)
		}
	}
	return stands, note
}

// words is s as one word of the shell in which variables stand for pieces of it; s begins at a place of its part.
func (c curler) words(s string, stands []stand, at int) string {
	var b strings.Builder
	done := 0
	for _, one := range stands {
		from, to := one.from-at, one.to-at
		if from < done {
			continue
		}
		if from > done {
			b.WriteString(c.word(s[done:from]))
		}
		b.WriteString(`"` + one.variable + `"`)
		done = to
	}
	if done < len(s) || done == 0 {
		b.WriteString(c.word(s[done:]))
	}
	return b.String()
}

func (c curler) command(origin string, ex *messages.Exchange) curl {
	req := ex.Request
	if int64(len(req.Body)) > c.longest {
		return curl{note: fmt.Sprintf("the request's body of %d bytes is too long for a line", len(req.Body))}
	}
	var out curl
	words := []string{"curl", "--path-as-is", "-g", "-sS", "-i"}
	add := func(w ...string) { words = append(words, w...) }
	if strings.HasPrefix(origin, "https:") {
		add("--http1.1")
		if c.insecure {
			add("-k")
		}
	}
	if len(ex.Hops) > 0 {
		add("-L")
	}
	switch {
	case req.Method != "HEAD":
		method := req.Method
		if strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			method = c.word(method)
		}
		add("-X", method)
	case req.Body == nil:
		add("--head")
	default: // --head allows no content, and without it curl waits for a body until the connection ends
		add("-X", "HEAD", "-H", quoted("Connection: close"))
	}
	note := func(text string) {
		if text != "" && !strings.Contains(out.note, text) {
			out.note = strings.TrimPrefix(out.note+"; "+text, "; ")
		}
	}
	for i, f := range req.Header {
		stands, unsaid := c.stands(req, messages.InHeader, i)
		note(unsaid)
		if len(stands) > 0 {
			add("-H", c.word(f.Name+": ")+`"`+stands[0].variable+`"`)
		} else {
			add("-H", c.field(f))
		}
	}
	// What curl would say of its own accord is not said.
	own := []string{"Accept", "User-Agent"}
	if req.Body != nil {
		own = append(own, "Content-Type")
	}
	if len(req.Body) > 1000 {
		own = append(own, "Expect")
	}
	for _, name := range own {
		if !has(req.Header, name) {
			add("-H", quoted(name+":"))
		}
	}
	if has(req.Header, "Accept-Encoding") {
		add("--compressed")
	}
	var before string
	if req.Body != nil {
		body := string(req.Body)
		secret := c.mask.Has(body)
		stands, unsaid := c.stands(req, messages.InBody, 0)
		note(unsaid)
		switch {
		case printable(body):
			add("--data-raw", c.words(body, stands, 0))
		default:
			if secret {
				body, stands = c.mask.Text(body), nil
				note("the body holds a key beside bytes that do not print; it stands masked")
			}
			before = printf(body, stands...) + " | "
			add("--data-binary", "@-")
		}
	}
	// The address is read by curl, the target is sent as it is where curl would change or refuse it.
	stands, unsaid := c.stands(req, messages.InTarget, 0)
	note(unsaid)
	if asURL(req.Target) {
		add(c.address(origin, req, stands))
	} else {
		add("--request-target", c.word(req.Target), c.word(origin+"/"))
	}
	out.line = before + strings.Join(words, " ")
	return out
}

// field is a header line as the argument of -H. A field without a value is written with a semicolon, since curl takes
// a colon alone as the wish to leave the field out.
func (c curler) field(f messages.Field) string {
	if strings.TrimSpace(f.Value) == "" {
		return c.word(f.Name + ";")
	}
	return c.word(f.Name + ": " + c.hide(f.Name, f.Value))
}

// hide is hideField, but leaves the keys of the run to be replaced by their variables.
func (c curler) hide(name, value string) string {
	if !c.mask.Has(value) {
		return hideField(name, value)
	}
	if !strings.EqualFold(name, "Cookie") {
		return value
	}
	pairs := strings.Split(value, ";")
	for i, pair := range pairs {
		if !c.mask.Has(pair) {
			pairs[i] = hideCookie(pair)
		}
	}
	return strings.Join(pairs, ";")
}

// word is s as one word of the shell.
func (c curler) word(s string) string {
	secret := c.mask.Has(s)
	switch {
	case printable(s) && secret:
		return c.mask.Shell(s)
	case printable(s):
		return quoted(s)
	case secret:
		s = c.mask.Text(s)
	}
	return `"$(` + printf(s) + `)"`
}

// quoted is s between single quotes, between which a shell leaves everything as it is.
func quoted(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// printf is a command that writes s, whatever bytes it holds, in ASCII and on one line, with variables in place of pieces.
func printf(s string, stands ...stand) string {
	var b strings.Builder
	b.WriteString("printf '")
	words := ""
	for i := 0; i < len(s); i++ {
		if len(stands) > 0 && stands[0].from == i {
			b.WriteString("%s")
			words += ` "` + stands[0].variable + `"`
			i, stands = stands[0].to-1, stands[1:]
			continue
		}
		switch ch := s[i]; {
		case ch == '\n':
			b.WriteString(`\n`)
		case ch == '%':
			b.WriteString("%%")
		case ch == '\\':
			b.WriteString(`\\`)
		case ch < ' ', ch > '~', ch == '\'', ch == '-' && i == 0: // a dash would begin an option
			fmt.Fprintf(&b, `\%03o`, ch)
		default:
			b.WriteByte(ch)
		}
	}
	b.WriteString("'" + words)
	return b.String()
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// asURL says that curl sends the target just as it is written when it is part of an address.
func asURL(target string) bool {
	if !strings.HasPrefix(target, "/") || strings.Contains(target, "#") {
		return false
	}
	if strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	_, err := url.Parse("http://h" + target)
	return err == nil
}

func has(fields []messages.Field, name string) bool {
	return slices.ContainsFunc(fields, func(f messages.Field) bool { return strings.EqualFold(f.Name, name) })
}

// exports are the lines that set the variables the commands use.
func (r *Reporter) exports(commands []string) []string {
	var lines []string
	for _, v := range r.variablesIn(strings.Join(commands, "\n")) {
		lines = append(lines, fmt.Sprintf("export %s='…'  # %s", v.Name, v.Meaning))
	}
	return lines
}
