package settings

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// ProxyFor is the proxy to reach the target through, nil for none: engine.proxy, which is given, or else the one that
// HTTPS_PROXY or HTTP_PROXY name for the target's scheme. NO_PROXY holds for both. A target on this machine itself is
// reached through a proxy only where engine.proxy names one. An error never shows the proxy's address, which may hold
// a password.
func ProxyFor(target *url.URL, given string, environ []string) (*url.URL, error) {
	if excluded(target, variable(environ, "NO_PROXY")) {
		return nil, nil
	}
	from := "engine.proxy"
	if given == "" {
		from = strings.ToUpper(target.Scheme) + "_PROXY"
		given = variable(environ, from)
		if given == "" || local(target.Hostname()) {
			return nil, nil
		}
		if !strings.Contains(given, "://") {
			given = "http://" + given
		}
	}
	if wrong := checkProxy(given); wrong != "" {
		return nil, fmt.Errorf("%s: %s", from, wrong)
	}
	return url.Parse(given)
}

// variable is an environment variable, which may be spelled in small letters too.
func variable(environ []string, name string) string {
	small := ""
	for _, entry := range environ {
		key, value, _ := strings.Cut(entry, "=")
		switch key {
		case name:
			return value
		case strings.ToLower(name):
			small = value
		}
	}
	return small
}

func local(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// excluded says whether NO_PROXY names the target: "*", or in a comma-separated list its host, a domain it is in, its
// address, or a network its address is in; a host, a domain or an address may be followed by a port.
func excluded(target *url.URL, noProxy string) bool {
	host := strings.ToLower(strings.TrimSuffix(target.Hostname(), "."))
	port := target.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[target.Scheme]
	}
	address, notAnAddress := netip.ParseAddr(host)
	for entry := range strings.SplitSeq(noProxy, ",") {
		entry = strings.ToLower(strings.TrimSpace(entry))
		if entry == "*" {
			return true
		}
		if network, err := netip.ParsePrefix(entry); err == nil {
			if notAnAddress == nil && network.Contains(address.Unmap()) {
				return true
			}
			continue
		}
		if before, after, err := net.SplitHostPort(entry); err == nil {
			if after != port {
				continue
			}
			entry = before
		}
		entry = strings.Trim(entry, "[]")
		if other, err := netip.ParseAddr(entry); err == nil {
			if notAnAddress == nil && other.Unmap() == address.Unmap() {
				return true
			}
			continue
		}
		domain := strings.TrimPrefix(strings.TrimPrefix(entry, "*"), ".")
		if domain != "" && (host == domain && entry == domain || strings.HasSuffix(host, "."+domain)) {
			return true
		}
	}
	return false
}

// withoutPassword is the address with the user and password it may hold masked.
func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = url.User("xxxxx")
	return u.String()
}
