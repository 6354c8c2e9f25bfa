package limited

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/sim/demo"
)

// Mounts is an API of each kind, at a path of its kind's name, each with a budget of its own.
type Mounts struct{ at map[string]*API }

// NewMounts makes one of each kind. The options have to be ones that Check accepts.
func NewMounts(o Options) *Mounts {
	m := &Mounts{at: map[string]*API{}}
	for _, kind := range Kinds() {
		m.at[kind] = New(o.Of(kind))
	}
	return m
}

// Answer answers a request that came at the moment now.
func (m *Mounts) Answer(now time.Duration, r demo.Request) demo.Reply {
	path, _, _ := strings.Cut(r.Target, "?")
	if _, rest, absolute := strings.Cut(path, "://"); absolute { // RFC 9112 §3.2.2
		_, path, _ = strings.Cut(rest, "/")
	}
	mount, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if a := m.at[mount]; a != nil {
		return a.Answer(now, r)
	}
	var list strings.Builder
	for _, kind := range Kinds() {
		fmt.Fprintf(&list, "/%s\n", kind)
	}
	reply := demo.Reply{
		Status: http.StatusNotFound, Header: []messages.Field{{Name: "Content-Type", Value: "text/plain"}},
		Body: []byte(list.String()), Bare: r.Method == http.MethodHead,
	}
	if mount == "" {
		reply.Status = http.StatusOK
	}
	return reply
}
