package sender

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/restest/restest/messages"
)

// codings are the content codings a reply may come in.
const codings = "gzip, deflate, br"

// message is one request as it is to go on the wire: the one that was built, or where a redirect has led.
type message struct {
	method, target string
	header         []messages.Field
	body           []byte // nil: no content
}

func messageOf(r *messages.Request) message {
	return message{method: r.Method, target: r.Target, header: r.Header, body: r.Body}
}

// flaw says why the message would not be exactly one request on the wire, "" if it would.
func (m message) flaw() string {
	if !isToken(m.method) {
		return "its method is no token"
	}
	if m.target == "" {
		return "its target is empty"
	}
	for i := range len(m.target) {
		if c := m.target[i]; c <= ' ' || c == 0x7f {
			return "its target holds a blank or a control character"
		}
	}
	for _, f := range m.header {
		if !isToken(f.Name) {
			return "the name of a header field is no token"
		}
		if strings.ContainsAny(f.Value, "\r\n\x00") {
			return "the header field " + f.Name + " holds a line end or a NUL"
		}
	}
	return ""
}

// isToken says whether s is a token (RFC 9110 §5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		if !tokenBytes[s[i]] {
			return false
		}
	}
	return s != ""
}

var tokenBytes = func() (set [256]bool) {
	for _, c := range "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		set[c] = true
	}
	return set
}()

// bytes writes the message as HTTP/1.1 (RFC 9112 §2.1). Host comes first and Content-Length last; what is asked
// for on top of the request's own fields, if it does not name them itself, goes before Content-Length.
func (m message) bytes(host, userAgent string) []byte {
	length := ""
	if m.body != nil || m.method == "POST" || m.method == "PUT" || m.method == "PATCH" {
		length = strconv.Itoa(len(m.body))
	}
	size := len(m.method) + len(m.target) + len(host) + len(userAgent) + len(codings) + len(length) + len(m.body) + 96
	for _, f := range m.header {
		size += len(f.Name) + len(f.Value) + 4
	}
	b := make([]byte, 0, size)
	b = append(b, m.method...)
	b = append(b, ' ')
	b = append(b, m.target...)
	b = append(b, " HTTP/1.1\r\n"...)
	b = appendField(b, "Host", host)
	var agent, encoding bool
	for _, f := range m.header {
		if isSenders(f.Name) {
			continue
		}
		agent = agent || strings.EqualFold(f.Name, "User-Agent")
		encoding = encoding || strings.EqualFold(f.Name, "Accept-Encoding")
		b = appendField(b, f.Name, f.Value)
	}
	if !agent && userAgent != "" {
		b = appendField(b, "User-Agent", userAgent)
	}
	if !encoding {
		b = appendField(b, "Accept-Encoding", codings)
	}
	if length != "" {
		b = appendField(b, "Content-Length", length)
	}
	b = append(b, "\r\n"...)
	return append(b, m.body...)
}

func appendField(b []byte, name, value string) []byte {
	b = append(b, name...)
	b = append(b, ": "...)
	b = append(b, value...)
	return append(b, "\r\n"...)
}

// isSenders says whether a field is the sender's to write: it frames the message or belongs to the connection.
func isSenders(name string) bool {
	switch len(name) {
	case len("Host"):
		return strings.EqualFold(name, "Host")
	case len("Connection"):
		return strings.EqualFold(name, "Connection")
	case len("Content-Length"):
		return strings.EqualFold(name, "Content-Length")
	case len("Transfer-Encoding"):
		return strings.EqualFold(name, "Transfer-Encoding")
	}
	return false
}

// next is the request that a redirect leads to (RFC 9110 §15.4). follows is false for every other reply, one that
// leads to another origin among them, for a sign-in, whose cookies the redirect itself sets, and where redirects are not
// to be followed.
func (s *Sender) next(c *call, r *messages.Reply) (next message, follows bool) {
	if !s.settings.FollowRedirects || c.request.SignIn != nil {
		return message{}, false
	}
	m := c.message
	u := redirect(s.origin, m.target, r)
	if u == nil {
		return message{}, false
	}
	if o, err := originOf(u); err != nil || o != s.origin {
		return message{}, false
	}
	next = m
	next.target = strings.ReplaceAll(u.RequestURI(), " ", "%20")
	if r.Status == 303 && m.method != "HEAD" || (r.Status == 301 || r.Status == 302) && m.method == "POST" {
		next.method, next.body, next.header = "GET", nil, withoutContent(m.header)
	}
	return next, next.flaw() == ""
}

// redirect is where a reply to a request for the target leads, nil if it leads nowhere.
func redirect(o origin, target string, r *messages.Reply) *url.URL {
	switch r.Status {
	case 301, 302, 303, 307, 308:
	default:
		return nil
	}
	location := messages.Get(r.Header, "Location")
	if location == "" {
		return nil
	}
	base, err := url.Parse(o.String() + target)
	if err != nil {
		base = &url.URL{Scheme: "http", Host: o.authority(), Path: "/"}
		if o.tls {
			base.Scheme = "https"
		}
	}
	u, err := base.Parse(location)
	if err != nil || u.Opaque != "" {
		return nil
	}
	return u
}

// withoutContent leaves out the fields that describe content.
func withoutContent(header []messages.Field) []messages.Field {
	var kept []messages.Field
	for _, f := range header {
		if len(f.Name) < 8 || !strings.EqualFold(f.Name[:8], "Content-") {
			kept = append(kept, f)
		}
	}
	return kept
}
