package credentials

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// Bind finds the scheme that each key belongs to. It is called once, when the document has been read and before For,
// Mask and Missing are asked. An error has a line for each typed key that belongs nowhere; such a key of the
// environment makes a warning.
func (k *Keys) Bind(doc *document.Document) error {
	if k == nil {
		return nil
	}
	k.schemes, k.warnings, k.grants = make(map[string]Placed), nil, nil
	var wrong []error
	// Who comes later wins; the environment's, which are last, give way to the typed ones.
	var order []*key
	for _, typed := range []bool{false, true} {
		for _, one := range k.keys {
			if one.typed == typed {
				order = append(order, one)
			}
		}
	}
	for _, one := range order {
		if one.form != "" {
			continue
		}
		err := k.bind(doc, one)
		switch {
		case err == nil:
		case one.typed:
			wrong = append(wrong, err)
		default:
			k.warnings = append(k.warnings, err.Error()+"; it is left out")
		}
	}
	// A key for the kind of scheme is less than one for the scheme itself.
	named := make(map[string]bool, len(k.schemes))
	for name := range k.schemes {
		named[name] = true
	}
	for _, one := range order {
		for i := range doc.Schemes {
			if s := &doc.Schemes[i]; one.suits(s) && !named[s.Name] {
				k.schemes[s.Name] = one.authorization()
			}
		}
	}
	for _, g := range k.grants {
		l, why := g.login(doc)
		switch {
		case why == "":
		case g.typed:
			wrong = append(wrong, errors.New(g.where+": "+why))
			continue
		default:
			k.warnings = append(k.warnings, g.where+": "+why+"; it is left out")
			continue
		}
		k.logins = append(k.logins, l)
	}
	k.spread(doc)
	k.link(doc)
	return errors.Join(wrong...)
}

// Warnings are what Bind found wrong with keys of the environment.
func (k *Keys) Warnings() []string {
	if k == nil {
		return nil
	}
	return k.warnings
}

// suits says whether a key given as basic: or bearer: is of the scheme's kind.
func (k *key) suits(s *document.Scheme) bool {
	switch k.form {
	case "basic":
		return s.Type == "http" && s.HTTP == "basic"
	case "bearer":
		return s.Type == "http" && s.HTTP == "bearer" || s.Type == "oauth2" || s.Type == "openIdConnect"
	}
	return false
}

// authorization is where a key given as basic: or bearer: goes.
func (k *key) authorization() Placed {
	if k.form == "basic" {
		user, password, _ := strings.Cut(k.text, ":")
		return basic(user, password)
	}
	return authorization("Bearer " + k.text)
}

// spread finds the keys that go with every request: those with a place of their own, and basic: and bearer: ones where
// the document, if there is one, declares no such scheme.
func (k *Keys) spread(doc *document.Document) {
	k.everywhere = nil
	var all []Placed
	for _, typed := range []bool{false, true} {
		for _, one := range k.keys {
			switch {
			case one.typed != typed:
			case one.name != "":
				all = append(all, Placed{one.form, one.name, one.text})
			case one.form != "" && doc != nil && !slices.ContainsFunc(doc.Schemes, func(s document.Scheme) bool { return one.suits(&s) }):
				all = append(all, one.authorization())
			}
		}
	}
	for i, p := range all {
		if !stands(p, all[i+1:]) {
			k.everywhere = append(k.everywhere, p)
		}
	}
}

// bind finds the scheme of a key given as key or scheme=key.
func (k *Keys) bind(doc *document.Document, one *key) error {
	scheme, text, wrong := choose(doc, one.text)
	if wrong == "" && (scheme.Type == "oauth2" || scheme.Type == "openIdConnect") {
		if kind, name, secret, ok := asGrant(text); ok {
			return k.bindGrant(one, scheme, kind, name, secret)
		}
	}
	var placed Placed
	if wrong == "" {
		placed, wrong = place(scheme, text)
	}
	if wrong == "" {
		hidden := key{}
		if scheme.Type == "http" && scheme.HTTP == "basic" {
			wrong = hidden.hidePassword(text)
		} else {
			wrong = hidden.hide(text)
		}
		if wrong == "" {
			one.secrets = hidden.secrets
			one.meaning = "the key of the scheme " + scheme.Name
		}
	}
	if wrong != "" {
		return fmt.Errorf("%s: %s", one.where, wrong)
	}
	k.schemes[scheme.Name] = placed
	return nil
}

// bindGrant takes in a key that says how to obtain a token.
func (k *Keys) bindGrant(one *key, scheme *document.Scheme, kind, name, secret string) error {
	hidden := key{}
	if secret != "" || kind == "password" {
		if wrong := hidden.hide(secret); wrong != "" {
			return fmt.Errorf("%s: %s", one.where, wrong)
		}
	}
	one.secrets, one.meaning = hidden.secrets, "the secret of the client for the scheme "+scheme.Name
	i := slices.IndexFunc(k.grants, func(g *grant) bool { return g.scheme.Name == scheme.Name })
	if i < 0 {
		i = len(k.grants)
		k.grants = append(k.grants, &grant{scheme: scheme, where: one.where, typed: one.typed})
	}
	if g := k.grants[i]; kind == "client" {
		g.id, g.secret = name, secret
		_, pair, _ := strings.Cut(basicClient(name, secret).Value, " ")
		if text, err := base64.StdEncoding.DecodeString(pair); err == nil && secret != "" {
			one.secrets = append(one.secrets, secretPair(string(text)))
		}
	} else {
		g.user, g.password = name, secret
		one.meaning = "the password of the user for the scheme " + scheme.Name
	}
	return nil
}

// secretPair is a name and a password that are hidden as their base64.
func secretPair(pair string) secret { return secret{text: pair} }

// choose finds which scheme a text belongs to, and the key in it.
func choose(doc *document.Document, text string) (scheme *document.Scheme, key, wrong string) {
	for i := range doc.Schemes {
		s := &doc.Schemes[i]
		if after, ours := strings.CutPrefix(text, s.Name+"="); ours && (scheme == nil || len(s.Name) > len(scheme.Name)) {
			scheme, key = s, after
		}
	}
	if scheme != nil {
		return scheme, key, ""
	}

	// The = at the end of a key in base64 belongs to the key. What stands before another one may be a key too, so it
	// is not shown.
	if before, after, assigned := strings.Cut(text, "="); assigned && strings.Trim(after, "=") != "" {
		wrong := "the document has no security scheme of the name before the ="
		names := schemeNames(doc)
		switch meant := settings.Suggest(before, names); {
		case meant != "":
			return nil, "", wrong + "; did you mean " + meant + "?"
		case len(names) == 0:
			return nil, "", wrong + ", nor any other; write header:Name=value"
		default:
			return nil, "", wrong + "; it has " + strings.Join(names, ", ") + " (a key that holds an = is written scheme=key)"
		}
	}

	switch fit := fitting(doc); len(fit) {
	case 1:
		return fit[0], text, ""
	case 0:
		return nil, "", "no operation asks for a key; to send it all the same, write header:Name=value, query:name=value or cookie:name=value"
	default:
		names := make([]string, len(fit))
		for i, s := range fit {
			names[i] = s.Name
		}
		return nil, "", "the key fits several schemes, " + strings.Join(names, ", ") + "; write scheme=key"
	}
}

// fitting are the schemes a key can be for that operations which can be tested ask for; those that a token of OAuth
// answers only where there is no other.
func fitting(doc *document.Document) []*document.Scheme {
	asked := make(map[string]bool)
	for _, op := range doc.Operations {
		for _, alternative := range op.Security {
			for _, r := range alternative {
				asked[r.Scheme] = asked[r.Scheme] || op.Untestable == ""
			}
		}
	}
	var keys, tokens []*document.Scheme
	for i := range doc.Schemes {
		s := &doc.Schemes[i]
		switch {
		case !asked[s.Name]:
		case s.Type == "apiKey" || s.Type == "http":
			keys = append(keys, s)
		case s.Type == "oauth2" || s.Type == "openIdConnect":
			tokens = append(tokens, s)
		}
	}
	if len(keys) > 0 {
		return keys
	}
	return tokens
}

// place puts a key where the scheme wants it.
func place(s *document.Scheme, key string) (placed Placed, wrong string) {
	switch s.Type {
	case "apiKey":
		if s.In == "cookie" && strings.ContainsAny(key, "; ,\"\\") {
			return Placed{}, "the key of the scheme " + s.Name + " goes in a cookie and holds a character that cannot (RFC 6265); encode it first"
		}
		return Placed{s.In, s.Key, key}, ""
	case "http":
		switch s.HTTP {
		case "basic":
			user, password, both := strings.Cut(key, ":")
			if !both {
				return Placed{}, "the scheme " + s.Name + " is basic authentication; write " + s.Name + "=user:password"
			}
			return basic(user, password), ""
		case "bearer", "":
			return authorization("Bearer " + key), ""
		}
		return authorization(strings.ToUpper(s.HTTP[:1]) + s.HTTP[1:] + " " + key), ""
	case "oauth2", "openIdConnect":
		return authorization("Bearer " + key), ""
	}
	return Placed{}, "the scheme " + s.Name + " is of type " + s.Type + ", which no key answers"
}

func schemeNames(doc *document.Document) []string {
	names := make([]string, len(doc.Schemes))
	for i, s := range doc.Schemes {
		names[i] = s.Name
	}
	return names
}
