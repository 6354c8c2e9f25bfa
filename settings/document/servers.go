package document

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// address is where an API, or an operation of it, is.
type address struct {
	// origin is scheme, host and port, "" if not known.
	origin string
	// path is the base path, "" or "/v1".
	path string
}

// givenAddress reads the address that the user gave, nil for none.
func givenAddress(given string) (*address, error) {
	if given == "" {
		return nil, nil
	}
	u, err := url.Parse(given)
	switch {
	case !isURL(given):
		return nil, fmt.Errorf("--url %q is no address of an API: write it with http:// or https://, such as http://127.0.0.1:8080", given)
	case err != nil:
		return nil, fmt.Errorf("--url %q is no address of an API: %s", given, oneLine(errors.Unwrap(err).Error()))
	case u.Hostname() == "":
		return nil, fmt.Errorf("--url %q names no host", given)
	case u.User != nil:
		return nil, errors.New("--url holds a user name or password: give credentials with --auth instead")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("--url %q ends in a query or a fragment: give the address of the API alone", given)
	}
	return &address{originOf(u), basePath(u.EscapedPath())}, nil
}

// originOf is scheme, host and port in small letters, the port left out where it is the scheme's own.
func originOf(u *url.URL) string {
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if (scheme == "http" && port == "80") || (scheme == "https" && port == "443") {
		port = ""
	}
	switch {
	case port != "":
		host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	return scheme + "://" + host
}

var slashes = regexp.MustCompile(`/{2,}`)

// basePath is a path without a slash at its end and without empty segments: "" or "/v1".
func basePath(path string) string {
	path = slashes.ReplaceAllString(path, "/")
	if path = strings.TrimSuffix(path, "/"); path != "" && path[0] != '/' {
		path = "/" + path
	}
	return path
}

// readServers finds out where the API is.
func (l *loader) readServers(top at) {
	if l.dialect == v20 {
		l.servers = l.servers20(top)
	} else {
		l.servers = l.serverList(top)
		if len(l.servers) == 0 {
			// OpenAPI 3: a document without servers has one at "/".
			if a, err := l.locate("/"); err == nil {
				l.servers = []address{a}
			}
		}
	}
	main := l.place(l.servers)
	l.doc.Origin = main.origin
	l.doc.Address = main.origin + main.path
}

// place is the address that a list of servers comes to: the first that has a host, with the user's address over it.
func (l *loader) place(servers []address) address {
	var a address
	if len(servers) > 0 {
		a = servers[0]
	}
	if i := slices.IndexFunc(servers, func(a address) bool { return a.origin != "" }); i > 0 && l.given == nil {
		a = servers[i]
	}
	if l.given != nil {
		a.origin = l.given.origin
		if l.given.path != "" {
			a.path = l.given.path
		}
	}
	return a
}

// serverList reads the servers that stand at a place, without those that cannot be used.
func (l *loader) serverList(a at) []address {
	list, ok := a.down("servers")
	if !ok {
		return nil
	}
	if !l.is(list, isList) {
		return nil
	}
	var servers []address
	for i := range list.n.items {
		entry := list.item(i)
		raw := ""
		if entry.n.kind == isObject {
			raw = entry.n.getText("url")
		}
		if raw == "" {
			l.issue(entry, "warning", "this server has no url; it is left out")
			continue
		}
		filled, err := l.fillServer(entry, raw)
		if err == nil {
			var where address
			if where, err = l.locate(filled); err == nil {
				servers = append(servers, where)
				continue
			}
		}
		l.issue(entry, "warning", "the server %q cannot be used: %v", shorten(raw), err)
	}
	return servers
}

var serverVariable = regexp.MustCompile(`\{([^{}]*)\}`)

// fillServer puts the defaults of a server's variables into its url.
func (l *loader) fillServer(entry at, raw string) (string, error) {
	var missing error
	filled := serverVariable.ReplaceAllStringFunc(raw, func(found string) string {
		name := found[1 : len(found)-1]
		variable, ok := entry.follow("/variables/" + escapePointer(name))
		if ok {
			if d := variable.n.get("default"); d != nil && d.kind != isNull && d.kind < isList {
				return d.text
			}
			if enum := variable.n.get("enum"); enum != nil && len(enum.items) > 0 && enum.items[0].kind == isText {
				l.issue(variable, "warning", "the server's variable %q has no default; the first value of its enum is used", name)
				return enum.items[0].text
			}
		}
		missing = fmt.Errorf("its variable %q has no default", name)
		return found
	})
	if missing == nil && strings.ContainsAny(filled, "{}") {
		missing = errors.New("a brace is left in it")
	}
	return filled, missing
}

// locate reads a server's url. A relative one starts from where the document is; from a file, at the root of a host
// that is not known.
func (l *loader) locate(raw string) (address, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return address{}, errors.New("it is no URL: " + oneLine(errors.Unwrap(err).Error()))
	}
	if u.Scheme == "" {
		base := &url.URL{Path: "/"}
		if isURL(l.root.location) {
			if b, err := url.Parse(l.root.location); err == nil {
				base = b
			}
		}
		u = base.ResolveReference(u)
	}
	a := address{path: basePath(u.EscapedPath())}
	switch scheme := strings.ToLower(u.Scheme); {
	case scheme == "" && u.Host == "":
	case scheme == "":
		// "//host/path" from a file: a host without a scheme.
		u.Scheme = "https"
		a.origin = originOf(u)
	case scheme != "http" && scheme != "https":
		return address{}, fmt.Errorf("%q is neither http nor https", u.Scheme)
	case u.Hostname() == "":
		return address{}, errors.New("it names no host")
	default:
		a.origin = originOf(u)
	}
	return a, nil
}

// servers20 is where an API described in OpenAPI 2.0 is: host, basePath and schemes, https before http.
func (l *loader) servers20(top at) []address {
	host, base := top.n.getText("host"), top.n.getText("basePath")
	var fetched *url.URL
	if isURL(l.root.location) {
		fetched, _ = url.Parse(l.root.location)
	}
	if strings.Contains(host, "://") {
		l.issue(top, "warning", "host is %q; the scheme in it is left out", shorten(host))
		_, host, _ = strings.Cut(host, "://")
	}
	if i := strings.IndexByte(host, '/'); i >= 0 {
		l.issue(top, "warning", "host is %q; the path in it is read as the base path", shorten(host))
		base = host[i:] + base
		host = host[:i]
	}
	if strings.ContainsAny(base, "{}") {
		l.issue(top, "warning", "basePath %q has a variable, which OpenAPI 2.0 does not know; it is left out", shorten(base))
		base = ""
	}
	a := address{path: basePath(base)}
	if host == "" && fetched != nil {
		host = fetched.Host
	}
	if host == "" {
		return []address{a}
	}
	scheme := ""
	if schemes, ok := top.down("schemes"); ok && l.is(schemes, isList) {
		for _, s := range schemes.n.items {
			switch strings.ToLower(s.text) {
			case "https":
				scheme = "https"
			case "http":
				if scheme == "" {
					scheme = "http"
				}
			}
		}
	}
	if scheme == "" && fetched != nil {
		scheme = fetched.Scheme
	}
	u, err := url.Parse("//" + host)
	if err != nil || u.Hostname() == "" {
		l.issue(top, "warning", "host %q cannot be used", shorten(host))
		return []address{a}
	}
	if scheme == "" {
		scheme = "https"
		if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || (ip != nil && ip.IsLoopback()) {
			scheme = "http"
		}
		if l.given == nil {
			l.issue(top, "note", "no scheme is named; %s is used", scheme)
		}
	}
	u.Scheme = scheme
	a.origin = originOf(u)
	return []address{a}
}
