package document

import (
	"slices"
	"strings"
)

// readSchemes reads the security schemes, in the order of the document.
func (l *loader) readSchemes(top at) {
	l.schemes = map[string]bool{}
	pointer := "/components/securitySchemes"
	if l.dialect == v20 {
		pointer = "/securityDefinitions"
	}
	schemes, ok := top.follow(pointer)
	if !ok || !l.is(schemes, isObject) {
		return
	}
	for _, m := range schemes.n.members {
		if strings.HasPrefix(m.key, "x-") {
			continue
		}
		a, err := l.target(schemes.child(m.key, m.value))
		if err != nil || !l.is(a, isObject) {
			continue
		}
		s := Scheme{Name: m.key, Type: a.n.getText("type")}
		switch s.Type {
		case "apiKey":
			s.In, s.Key = a.n.getText("in"), a.n.getText("name")
			if (s.In != "query" && s.In != "header" && s.In != "cookie") || s.Key == "" {
				l.issue(a, "warning", "the security scheme %q does not say where its key goes; it cannot be used", s.Name)
			}
		case "http":
			s.HTTP = strings.ToLower(a.n.getText("scheme"))
		case "basic": // OpenAPI 2.0
			s.Type, s.HTTP = "http", "basic"
		case "oauth2":
			s.TokenURL, s.PasswordTokenURL = l.tokenURLs(a)
		case "openIdConnect", "mutualTLS":
		default:
			l.issue(a, "warning", "the security scheme %q has the type %q, which is not known", s.Name, shorten(s.Type))
		}
		l.doc.Schemes = append(l.doc.Schemes, s)
		l.schemes[s.Name] = true
	}
}

// tokenURLs are the token endpoints of the flows that need no person: the first there is, and the password flow's where
// that is another.
func (l *loader) tokenURLs(a at) (first, password string) {
	if l.dialect == v20 {
		if flow := a.n.getText("flow"); flow == "application" || flow == "password" {
			return l.tokenURL(a, a.n.getText("tokenUrl")), ""
		}
		return "", ""
	}
	for _, flow := range []string{"clientCredentials", "password"} {
		f, ok := a.follow("/flows/" + flow)
		if !ok || f.n.kind != isObject || f.n.getText("tokenUrl") == "" {
			continue
		}
		switch at := l.tokenURL(a, f.n.getText("tokenUrl")); {
		case first == "":
			first = at
		case at != first:
			password = at
		}
	}
	return first, password
}

// tokenURL is the address of a token endpoint. One at a server of the document's is the user's address's, as the API is.
func (l *loader) tokenURL(a at, raw string) string {
	if raw == "" {
		return ""
	}
	where, err := l.locate(raw)
	if isURL(raw) && (err != nil || l.given == nil || !slices.ContainsFunc(l.servers, func(s address) bool { return s.origin == where.origin })) {
		return raw
	}
	if err != nil {
		l.issue(a, "warning", "tokenUrl %q cannot be used: %v", shorten(raw), err)
		return ""
	}
	if l.given != nil {
		where.origin = l.given.origin
	}
	if where.origin == "" {
		where.origin = l.doc.Origin
	}
	return where.origin + where.path
}

// readSecurity reads the alternatives of an operation: its own, else the document's.
func (l *loader) readSecurity(op *Operation, a at) {
	list, ok := a.down("security")
	if !ok {
		if list, ok = l.root.top().down("security"); !ok {
			return
		}
	}
	if !l.is(list, isList) {
		return
	}
	for i, n := range list.n.items {
		alternative := list.item(i)
		if n.kind != isObject {
			l.issue(alternative, "warning", "a security requirement is %s, not an object; it is left out", n.describe())
			continue
		}
		requirements := []Requirement{}
		known := true
		for _, m := range n.members {
			if !l.schemes[m.key] {
				l.issue(alternative, "warning", "the security scheme %q is not declared; this alternative is left out", shorten(m.key))
				known = false
				continue
			}
			r := Requirement{Scheme: m.key}
			for _, scope := range m.value.items {
				r.Scopes = append(r.Scopes, scope.text)
			}
			requirements = append(requirements, r)
		}
		if known {
			op.Security = append(op.Security, requirements)
		}
	}
}
