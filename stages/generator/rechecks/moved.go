package rechecks

import (
	"slices"
	"strings"

	"github.com/restest/restest/messages"
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
	return messages.NameOf(now), true
}

// follow has a copy of a request lead to where things are now, in its path and where their names stand.
func (m moved) follow(r *messages.Request) {
	if len(m) == 0 {
		return
	}
	if len(r.Named) > 0 {
		*r = *r.With(func(v messages.Value) (string, bool) {
			address := r.Names(v)
			now, is := m[address]
			return messages.NameOf(now), is
		})
		r.Named = slices.Clone(r.Named)
		for i := range r.Named {
			r.Named[i].Address = m.redirected(r.Named[i].Address)
		}
	}
	r.Target = m.redirected(r.Target)
}

// leadsTo says whether the path is the address or lies below it.
func leadsTo(path, address string) bool {
	return strings.HasPrefix(path, address) && (len(path) == len(address) || path[len(address)] == '/')
}
