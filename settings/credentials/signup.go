package credentials

import (
	"slices"
	"strings"
	"unicode"

	"github.com/restest/restest/settings/document"
)

// OwnUser is the name of the user that a run signs up for itself.
const OwnUser = "a user of its own"

// SignUp is how a run creates a user of its own and signs in as it.
type SignUp struct {
	// Operation creates the user, Login signs it in: places among the document's operations. Login is -1 where what the
	// first answers is enough, or Basic where name and password themselves are sent.
	Operation int `json:"-"`
	Login     int `json:"-"`
	// CreatedBy and SignedInBy are the same as "METHOD /path", for a recording.
	CreatedBy  string `json:"createdBy"`
	SignedInBy string `json:"signedInBy,omitempty"`
	Basic      bool   `json:"basic,omitempty"`
	// Password and Names are the places in the first one's content: of the password, and of what names the user, each a
	// path of property names.
	Password []string   `json:"password"`
	Names    [][]string `json:"names"`
	// Fills says which place of the first one's content each place of the login's is filled from.
	Fills []Fill `json:"fills,omitempty"`
}

// Fill is a place in one content that takes its value from a place in another.
type Fill struct {
	To   []string `json:"to"`
	From []string `json:"from"`
}

var (
	signUpWords = []string{"user", "users", "register", "registration", "registrations", "signup", "account", "accounts", "member", "members", "customer", "customers"}
	signInWords = []string{"login", "logon", "signin", "session", "sessions", "token", "tokens", "auth", "authenticate", "authentication", "authorize"}
)

// SignUpOwn looks for a way to create a user and to sign in, in a document some of whose operations ask for
// credentials, and has the run take it. It says which operations that are, "" if there is none. It is for a run that
// was given no key, and is called before Bind.
func (k *Keys) SignUpOwn(doc *document.Document) string {
	scheme := wanted(doc)
	if scheme == nil {
		return ""
	}
	l := &Login{User: 0, Scheme: scheme.Name, Take: Take{From: fromAnywhere, Template: "{token}"}}
	switch {
	case scheme.Type == "apiKey":
		l.Take.In, l.Take.Name = scheme.In, scheme.Key
		switch {
		case scheme.In == "cookie":
			l.Take = Take{From: fromCookies}
		case strings.EqualFold(scheme.Key, "Authorization"):
			l.Take.Template = "Bearer {token}"
			if plainName(scheme.Name) == "token" {
				l.Take.Template = "Token {token}"
			}
		}
	case scheme.HTTP == "basic":
		l.Take = Take{}
	default:
		l.Take.In, l.Take.Name, l.Take.Template = "header", "Authorization", "Bearer {token}"
	}
	if l.SignUp = findSignUp(doc, scheme.HTTP == "basic"); l.SignUp == nil {
		return ""
	}
	k.users, k.logins, k.own = []User{{Name: OwnUser}}, []*Login{l}, true
	return l.Label(doc)
}

// wanted is the scheme that most operations ask for and one credential answers, nil if there is none.
func wanted(doc *document.Document) *document.Scheme {
	count := map[string]int{}
	var best *document.Scheme
	for _, op := range doc.Operations {
		if op.Untestable != "" || !asks(op) || len(op.Security[0]) != 1 {
			continue
		}
		s := schemeOf(doc, op.Security[0][0].Scheme)
		if s == nil || !ofAUser(s) {
			continue
		}
		if count[s.Name]++; best == nil || count[s.Name] > count[best.Name] {
			best = s
		}
	}
	return best
}

// ofAUser says whether the scheme is answered by what a user obtains by signing in, which the key of an application is
// not.
func ofAUser(s *document.Scheme) bool {
	switch s.Type {
	case "apiKey":
		name := plainName(s.Key)
		return s.In == "cookie" || strings.Contains(name, "token") || strings.Contains(name, "auth") || strings.Contains(name, "session")
	case "http":
		return s.HTTP == "basic" || s.HTTP == "bearer"
	}
	return s.Type == "oauth2" || s.Type == "openIdConnect"
}

// findSignUp is the first pair of operations that fit together, nil if there is none.
func findSignUp(doc *document.Document, basic bool) *SignUp {
	for _, create := range doc.Operations {
		if !looksLike(create, signUpWords) {
			continue
		}
		fields := textFields(create.Body)
		password := slices.IndexFunc(fields, isPassword)
		if password < 0 {
			continue
		}
		s := &SignUp{Operation: create.Index, CreatedBy: nameOf(create), Login: -1, Basic: basic, Password: fields[password]}
		for _, f := range fields {
			if names(f) {
				s.Names = append(s.Names, f)
			}
		}
		if len(s.Names) == 0 {
			continue
		}
		if basic {
			return s
		}
		for _, login := range doc.Operations {
			if login != create && looksLike(login, signInWords) {
				if fills := fit(textFields(login.Body), fields); fills != nil {
					s.Login, s.SignedInBy, s.Fills = login.Index, nameOf(login), fills
					return s
				}
			}
		}
	}
	return nil
}

func nameOf(op *document.Operation) string { return op.Method + " " + op.Path }

// resolve finds the operations by their names. It says whether the document has them, each with content.
func (s *SignUp) resolve(doc *document.Document) bool {
	s.Operation, s.Login = -1, -1
	for _, op := range doc.Operations {
		switch name := nameOf(op); {
		case op.Body == nil || op.Untestable != "":
		case name == s.CreatedBy:
			s.Operation = op.Index
		case name == s.SignedInBy:
			s.Login = op.Index
		}
	}
	whole := len(s.Password) > 0
	for _, f := range s.Fills {
		whole = whole && len(f.To) > 0 && len(f.From) > 0
	}
	for _, n := range s.Names {
		whole = whole && len(n) > 0
	}
	return whole && s.Operation >= 0 && (s.Login >= 0) == (s.SignedInBy != "")
}

// looksLike says whether the operation is a POST to a fixed path that ends in one of the words, has content, and asks
// for no credentials.
func looksLike(op *document.Operation, endings []string) bool {
	if op.Method != "POST" || op.Untestable != "" || asks(op) || op.Body == nil || strings.Contains(op.Path, "{") {
		return false
	}
	last := wordsOf(op.Path[strings.LastIndexByte(op.Path, '/')+1:])
	return slices.ContainsFunc(last, func(w string) bool { return slices.Contains(endings, w) }) ||
		slices.Contains(endings, strings.Join(last, ""))
}

// fit finds where each field that a sign-in needs is in what signed up: a password and at least one other; nil if it is
// not there.
func fit(login, create [][]string) []Fill {
	var fills []Fill
	password, named := false, false
	for _, to := range login {
		from := slices.IndexFunc(create, func(f []string) bool { return plainName(last(f)) == plainName(last(to)) })
		switch {
		case isPassword(to):
			if from < 0 {
				from = slices.IndexFunc(create, isPassword)
			}
			password = true
		case names(to):
			if from < 0 {
				from = slices.IndexFunc(create, names)
			}
			named = true
		default:
			continue
		}
		if from >= 0 {
			fills = append(fills, Fill{to, create[from]})
		}
	}
	if !password || !named {
		return nil
	}
	return fills
}

func last(path []string) string { return path[len(path)-1] }

func isPassword(path []string) bool {
	n := plainName(last(path))
	return (strings.Contains(n, "password") || n == "passwd" || n == "pwd") && !strings.Contains(n, "old")
}

// names says whether a field names a user.
func names(path []string) bool {
	switch plainName(last(path)) {
	case "username", "user", "email", "emailaddress", "mail", "login", "loginname", "name", "nickname", "handle", "userid", "phone", "account":
		return true
	}
	return false
}

// textFields are the properties of the content that can be texts, at its top and one level down: the first media type
// that has any.
func textFields(body *document.Body) [][]string {
	if body == nil {
		return nil
	}
	for _, m := range body.Media {
		if contentKind(m.Type) == "" {
			continue
		}
		if fields := textsIn(m.Schema, nil, 0); len(fields) > 0 {
			return fields
		}
	}
	return nil
}

func textsIn(s *document.Schema, above []string, depth int) [][]string {
	if s == nil || len(above) > 1 || depth > deepest {
		return nil
	}
	var fields [][]string
	for _, p := range s.Properties {
		path := append(slices.Clone(above), p.Name)
		switch {
		case p.Schema == nil || p.Schema.ReadOnly:
		case len(p.Schema.Properties) > 0 || len(p.Schema.AllOf) > 0:
			fields = append(fields, textsIn(p.Schema, path, depth+1)...)
		case len(p.Schema.Types) == 0 || slices.Contains(p.Schema.Types, "string"):
			fields = append(fields, path)
		}
	}
	for _, part := range s.AllOf {
		fields = append(fields, textsIn(part, above, depth+1)...)
	}
	return fields
}

// wordsOf are the words of a name in small letters.
func wordsOf(name string) []string {
	var b strings.Builder
	before := rune(0)
	for _, c := range name {
		if unicode.IsUpper(c) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(c))
		before = c
	}
	return strings.FieldsFunc(b.String(), func(c rune) bool { return !unicode.IsLetter(c) })
}
