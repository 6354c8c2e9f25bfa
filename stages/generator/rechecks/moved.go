package rechecks

import (
	"net/url"
	"strings"
)

// moved says where things are now that were made anew: by the path where they were, the path where they are.
type moved map[string]string

// redirected is the target where the thing is now that it leads to.
func (m moved) redirected(target string) string {
	path, query, has := strings.Cut(target, "?")
	best := ""
	for old := range m {
		if len(old) > len(best) && leadsTo(path, old) {
			best = old
		}
	}
	if best == "" {
		return target
	}
	path = m[best] + path[len(best):]
	if has {
		path += "?" + query
	}
	return path
}

// thing is what the thing that was at the address is called now; ok is false where it was not made anew.
func (m moved) thing(address string) (name string, ok bool) {
	now, ok := m[address]
	if !ok {
		return "", false
	}
	name, err := url.PathUnescape(now[strings.LastIndexByte(now, '/')+1:])
	return name, err == nil
}

// leadsTo says whether the path is the address or lies below it.
func leadsTo(path, address string) bool {
	return strings.HasPrefix(path, address) && (len(path) == len(address) || path[len(address)] == '/')
}
