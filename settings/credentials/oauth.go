package credentials

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/restest/restest/settings/document"
)

// grant is what a key of the form client:ID:SECRET or password:USER:PASSWORD gives for a scheme of OAuth 2.0 (RFC 6749).
type grant struct {
	scheme     *document.Scheme
	id, secret string // of the client, "" for none
	// user and password are of the user, "" for the client's own grant.
	user, password string
	// where is where it was given, and typed is as with a key.
	where string
	typed bool
}

// asGrant takes a key apart that says how to obtain a token; ok is false for a key that is one.
func asGrant(text string) (kind, name, secret string, ok bool) {
	kind, rest, _ := strings.Cut(text, ":")
	if kind != "client" && kind != "password" {
		return "", "", "", false
	}
	name, secret, ok = strings.Cut(rest, ":")
	return kind, name, secret, ok && name != ""
}

// basicClient is the header field of a client's credentials, each encoded as RFC 6749 §2.3.1 has it.
func basicClient(id, secret string) Line {
	pair := url.QueryEscape(id) + ":" + url.QueryEscape(secret)
	return Line{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))}
}

// login is the sign-in of the grant: the password grant (RFC 6749 §4.3) where there is a user, else that of the client's
// credentials (§4.4). The client names itself in the header, as every server has to understand, and where that is
// refused in the content.
func (g *grant) login(doc *document.Document) (l *Login, wrong string) {
	address := g.scheme.TokenURL
	form := url.Values{"grant_type": {"client_credentials"}}
	if g.user != "" {
		if g.scheme.PasswordTokenURL != "" {
			address = g.scheme.PasswordTokenURL
		}
		form = url.Values{"grant_type": {"password"}, "username": {g.user}, "password": {g.password}}
	}
	if address == "" {
		return nil, "the document gives no token URL for the scheme " + g.scheme.Name + "; give a token itself, or the sign-in with --auth-file"
	}
	if scope := scopes(doc, g.scheme.Name); scope != "" {
		form.Set("scope", scope)
	}
	l = &Login{
		User: Everyone, Scheme: g.scheme.Name, Method: "POST",
		Take: Take{From: fromBody, Selector: "/access_token", In: "header", Name: "Authorization", Template: "Bearer {token}"},
	}
	if wrong := l.at(doc, address); wrong != "" {
		return nil, "the token URL of the scheme " + g.scheme.Name + " " + wrong
	}
	way := func(id, secret string, more ...Line) Way {
		in := url.Values{}
		for name, v := range form {
			in[name] = v
		}
		if id != "" {
			in.Set("client_id", id)
		}
		if secret != "" {
			in.Set("client_secret", secret)
		}
		body := in.Encode()
		return Way{append([]Line{
			{"Accept", "application/json"}, {"Content-Type", "application/x-www-form-urlencoded"},
		}, more...), &body}
	}
	switch {
	case g.id == "":
		l.Ways = []Way{way("", "")}
	case g.secret == "":
		l.Ways = []Way{way(g.id, "")}
	default:
		l.Ways = []Way{way("", "", basicClient(g.id, g.secret)), way(g.id, g.secret)}
	}
	return l, ""
}

// scopes are those that operations ask of the scheme, sorted, as one text.
func scopes(doc *document.Document, scheme string) string {
	var all []string
	for _, op := range doc.Operations {
		for _, alternative := range op.Security {
			for _, r := range alternative {
				if r.Scheme == scheme && op.Untestable == "" {
					all = append(all, r.Scopes...)
				}
			}
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

// at sets where the login goes by an address: at the API's own origin, or elsewhere.
func (l *Login) at(doc *document.Document, address string) (wrong string) {
	origin, target, wrong := split(address)
	if wrong != "" {
		return wrong
	}
	l.Elsewhere, l.Target = origin, target
	if origin == doc.Origin {
		l.Elsewhere = ""
	}
	return ""
}

// split takes an address apart into its origin and the request's target.
func split(address string) (origin, target, wrong string) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "", "", "is not an address"
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", "", "is not an http or https address"
	case u.User != nil:
		return "", "", "holds a user name; leave it out"
	}
	port := u.Port()
	if u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		port = ""
	}
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return u.Scheme + "://" + host, strings.ReplaceAll(u.RequestURI(), " ", "%20"), ""
}
