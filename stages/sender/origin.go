package sender

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/restest/restest/settings"
)

// origin is scheme, host and port (RFC 9110 §4.3.1).
type origin struct {
	tls  bool
	host string // in small letters, without brackets
	port string
}

// parseOrigin reads an origin such as "https://api.example:8443". Neither its error nor any other tells a
// user name or password.
func parseOrigin(s string) (origin, error) {
	u, err := url.Parse(s)
	if err != nil {
		return origin{}, errors.New("the API's address cannot be read")
	}
	return originOf(u)
}

func originOf(u *url.URL) (origin, error) {
	o := origin{host: strings.ToLower(u.Hostname()), port: u.Port()}
	switch strings.ToLower(u.Scheme) {
	case "https":
		o.tls = true
	case "http":
	default:
		return origin{}, fmt.Errorf("the scheme %q is neither http nor https", u.Scheme)
	}
	if o.host == "" {
		return origin{}, errors.New("the address names no host")
	}
	if o.port == "" {
		o.port = o.usualPort()
	}
	return o, nil
}

func (o origin) usualPort() string {
	if o.tls {
		return "443"
	}
	return "80"
}

// address is host and port, as a dialer wants them.
func (o origin) address() string { return net.JoinHostPort(o.host, o.port) }

// authority is the value of the Host field: the usual port and an IPv6 zone are left out.
func (o origin) authority() string {
	host, _, _ := strings.Cut(o.host, "%")
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if o.port != o.usualPort() {
		host += ":" + o.port
	}
	return host
}

func (o origin) String() string {
	if o.tls {
		return "https://" + o.authority()
	}
	return "http://" + o.authority()
}

// proxy is where CONNECT is asked for.
type proxy struct {
	origin
	authorization string // the value of Proxy-Authorization, "" for none
}

// proxyFor is the proxy to reach the origin through, nil for none.
func proxyFor(o origin, given string, environ []string) (*proxy, error) {
	target, err := url.Parse(o.String())
	if err != nil {
		return nil, err
	}
	u, err := settings.ProxyFor(target, given, environ)
	if err != nil || u == nil {
		return nil, err
	}
	at, err := originOf(u)
	if err != nil {
		return nil, fmt.Errorf("the proxy's address: %w", err)
	}
	p := &proxy{origin: at}
	if u.User != nil {
		p.authorization = basic(u.User)
	}
	return p, nil
}

// basic is the credentials of the Basic scheme (RFC 7617).
func basic(user *url.Userinfo) string {
	password, _ := user.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password))
}
