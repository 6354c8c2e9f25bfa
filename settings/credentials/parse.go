package credentials

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Forms lists the forms a key can be given in, for a message.
const Forms = "key, scheme=key, header:Name=value, query:name=value, cookie:name=value, basic:user:password, bearer:token, " +
	"scheme=client:id:secret or scheme=password:user:password"

// key is one credential as it was given.
type key struct {
	// where it was given, for a message: "--auth", "RESTEST_AUTH line 2". What was given is never part of a message.
	where string
	typed bool
	// form is "" for key and scheme=key, else "header", "query", "cookie", "basic" or "bearer".
	form string
	// name is the header's, parameter's or cookie's.
	name string
	// text is what was given with the form and the name taken off.
	text string
	// meaning says what the key is for, for the one who has to give it again.
	meaning string
	// secrets are the parts of the text to hide.
	secrets []secret
}

// shortest is the length a key must have to be hidden without hiding every other word of a report.
const shortest = 4

// Parse reads the values of --auth and RESTEST_AUTH, the latter one a line. A typed key that cannot be used is an
// error; one of the environment is left out, with a warning. Neither shows the key. Typed keys win over those of the
// environment, and later ones over earlier ones.
func Parse(args []string, environment string) (*Keys, []string, error) {
	keys := &Keys{}
	var warnings []string
	var wrong []error
	for i, arg := range args {
		where := "--auth"
		if len(args) > 1 {
			where = fmt.Sprintf("--auth number %d", i+1)
		}
		if err := keys.add(where, true, arg); err != nil {
			wrong = append(wrong, err)
		}
	}
	lines := strings.Split(strings.TrimSpace(environment), "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		where := "RESTEST_AUTH"
		if len(lines) > 1 {
			where = fmt.Sprintf("RESTEST_AUTH line %d", i+1)
		}
		if err := keys.add(where, false, line); err != nil {
			warnings = append(warnings, err.Error()+"; it is left out")
		}
	}
	if len(wrong) > 0 {
		return nil, warnings, errors.Join(wrong...)
	}
	keys.spread(nil)
	return keys, warnings, nil
}

func (k *Keys) add(where string, typed bool, text string) error {
	one := &key{where: where, typed: typed, text: strings.TrimSpace(text), meaning: "the key given by " + where}
	if wrong := one.read(); wrong != "" {
		return fmt.Errorf("%s: %s", where, wrong)
	}
	k.keys = append(k.keys, one)
	return nil
}

// read takes the text apart. It returns what is wrong and what to do, "" if nothing is.
func (k *key) read() string {
	if k.text == "" {
		return "the key is empty; write " + Forms
	}
	if !utf8.ValidString(k.text) || strings.ContainsFunc(k.text, unicode.IsControl) {
		return "the key holds a control character or is not UTF-8; a request cannot carry it"
	}
	form, rest, _ := strings.Cut(k.text, ":")
	switch form {
	case "header", "query", "cookie":
		name, value, assigned := strings.Cut(rest, "=")
		value = strings.TrimSpace(value)
		if !assigned || name == "" {
			return fmt.Sprintf("the %s has no name or no value; write %s:%s=value", form, form, exampleName[form])
		}
		if form != "query" && !isToken(name) {
			return fmt.Sprintf("the %s's name holds a character it cannot; write %s:%s=value", form, form, exampleName[form])
		}
		if form == "cookie" && strings.ContainsAny(value, "; ,\"\\") {
			return "the cookie's value holds a character it cannot (RFC 6265); encode it first"
		}
		k.form, k.name, k.text = form, name, value
		k.meaning = "the value of the " + kindOfPlace[form] + " " + name
		if form == "header" {
			return k.hideHeader(value)
		}
		return k.hide(value)
	case "basic":
		if !strings.Contains(rest, ":") {
			return "the password is missing; write basic:user:password"
		}
		k.form, k.text, k.meaning = form, rest, "the password of basic authentication"
		return k.hidePassword(rest)
	case "bearer":
		k.form, k.text, k.meaning = form, strings.TrimSpace(rest), "the bearer token"
		return k.hide(k.text)
	}
	switch word, _, _ := strings.Cut(k.text, " "); strings.ToLower(word) {
	case "bearer":
		return "a bearer token is written bearer:token"
	case "basic":
		return "a name and a password are written basic:user:password"
	}
	// Which part of scheme=key is the key is known once the document is. Until then both are hidden.
	if _, after, _ := strings.Cut(k.text, "="); len(after) >= shortest {
		k.hide(after)
	}
	return k.hide(k.text)
}

var (
	exampleName = map[string]string{"header": "Name", "query": "name", "cookie": "name"}
	kindOfPlace = map[string]string{"header": "header", "query": "query parameter", "cookie": "cookie"}
)

// hide has a text kept out of what is printed. It returns why that cannot be done, "" if it can.
func (k *key) hide(text string) string {
	if utf8.RuneCountInString(text) < shortest {
		return fmt.Sprintf("the key has fewer than %d characters, too few to hide it in what is written; use a longer one", shortest)
	}
	s := secret{text: text, plain: true}
	if s.hidesAsItself() {
		return "the key looks like a masked one, so it cannot be hidden in what is written; use another"
	}
	k.secrets = append(k.secrets, s)
	return ""
}

// hidePassword hides the password of "user:password", or the name where the password is empty, and the base64 of the
// whole.
func (k *key) hidePassword(pair string) string {
	user, password, _ := strings.Cut(pair, ":")
	if password == "" {
		password = user
	}
	if wrong := k.hide(password); wrong != "" {
		return wrong
	}
	k.secrets = append(k.secrets, secret{text: pair})
	return ""
}

// hideHeader hides a header's value, without the word before a token ("Bearer", "Basic"), which may stand alone in
// what an API answers.
func (k *key) hideHeader(value string) string {
	word, token, several := strings.Cut(value, " ")
	if !several || !isToken(word) || len(token) < shortest {
		return k.hide(value)
	}
	k.meaning += ", after " + word
	wrong := k.hide(token)
	if pair, err := base64.StdEncoding.DecodeString(token); err == nil && strings.EqualFold(word, "Basic") {
		if _, password, _ := strings.Cut(string(pair), ":"); len(password) >= shortest && utf8.ValidString(password) {
			k.hide(password)
		}
	}
	return wrong
}

// isToken says whether a text is a token of RFC 9110 section 5.6.2.
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}
