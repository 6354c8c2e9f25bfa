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
	// made are the addresses of what the commands before this one make, and the variables that they set to them.
	made []variable
}

// variable is one of the shell, and the address in the run that its value takes the place of.
type variable struct{ address, name string }

// series is the command of an exchange after those of its makers, a line each.
func (c curler) series(origin string, makers []messages.Maker, ex *messages.Exchange) curl {
	var lines, notes []string
	for i, m := range makers {
		one := c.command(origin, &messages.Exchange{Request: m.Request})
		if one.line == "" {
			return one
		}
		if one.note != "" {
			notes = append(notes, one.note)
		}
		if name := fmt.Sprintf("made%d", i+1); m.Place != "" {
			one.line = assigned(name, one.line, m)
			c.made = append(c.made, variable{m.Address, name})
		} else if m.Address != "" {
			notes = append(notes, "in place of "+c.mask.Text(m.Address)+" put the address of what line "+strconv.Itoa(i+1)+" makes")
		}
		lines = append(lines, one.line)
	}
	last := c.command(origin, ex)
	if last.line == "" {
		return last
	}
	if last.note != "" {
		notes = append(notes, last.note)
	}
	return curl{strings.Join(append(lines, last.line), "\n"), strings.Join(notes, "; ")}
}

// assigned is the command with the address of what it makes put into a variable.
func assigned(name, command string, m messages.Maker) string {
	if !strings.HasPrefix(m.Place, "/") {
		return name + "=$(" + command + ` | tr -d '\r' | sed -n 's#^[Ll]ocation: *\(https*://[^/]*\)*##p')`
	}
	member := m.Place[strings.LastIndexByte(m.Place, '/')+1:]
	for _, c := range `\.*[]^$/"&` {
		member = strings.ReplaceAll(member, string(c), ".")
	}
	pick := "tr '{,}' '\\n\\n\\n' | sed -n " + quoted(`s/^ *"`+member+`" *: *"*\([^"]*[^" ]\)"* *$/\1/p`) + " | sed -n 1p"
	return name + "=" + quoted(m.Address[:strings.LastIndexByte(m.Address, '/')+1]) + "$(" + command + " | tr -d '\\r' | " + pick + ")"
}

// address is the target at the origin as a word: what was made before by its variable.
func (c curler) address(origin, target string) string {
	path, _, _ := strings.Cut(target, "?")
	var best variable
	for _, m := range c.made {
		if rest, leads := strings.CutPrefix(path, m.address); leads && (rest == "" || rest[0] == '/') && len(m.address) > len(best.address) {
			best = m
		}
	}
	if best.name == "" {
		return c.word(origin + target)
	}
	word := quoted(origin) + `"$` + best.name + `"`
	if rest := target[len(best.address):]; rest != "" {
		word += c.word(rest)
	}
	return word
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
	for _, f := range req.Header {
		add("-H", c.field(f))
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
		switch {
		case printable(body) && secret:
			add("--data-raw", c.mask.Shell(body))
		case printable(body):
			add("--data-raw", quoted(body))
		default:
			if secret {
				body = c.mask.Text(body)
				out.note = "the body holds a key beside bytes that do not print; it stands masked"
			}
			before = printf(body) + " | "
			add("--data-binary", "@-")
		}
	}
	// The address is read by curl, the target is sent as it is where curl would change or refuse it.
	if asURL(req.Target) {
		add(c.address(origin, req.Target))
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

// printf is a command that writes s, whatever bytes it holds, in ASCII and on one line.
func printf(s string) string {
	var b strings.Builder
	b.WriteString("printf '")
	for i := range len(s) {
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
	b.WriteString("'")
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
