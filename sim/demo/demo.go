// Package demo is a small bookshop's API on paper: it answers requests as a pure value, and can be served too.
//
// It keeps to its document except for the faults of Planted, and does what the Traps list, which looks wrong and is
// right. What it answers hangs on the requests it was given before and on their moments alone, so the same requests
// at the same moments are answered the same, on paper and over a socket.
package demo

import (
	"sync"
	"time"

	"github.com/restest/restest/messages"
)

// Options say in what an API differs from the ordinary one.
type Options struct {
	// WithoutLimits never answers 429, and never 503 with Retry-After: for measuring rates.
	WithoutLimits bool
	// WithoutFaults mends every planted fault: each reply fits the document.
	WithoutFaults bool
}

// Request is one request as it came.
type Request struct {
	Method string
	// Target is the request target, in origin form or absolute form (RFC 9112 §3.2).
	Target string
	Header []messages.Field
	Body   []byte
	// From is the client's address, without a port; "" on paper.
	From string
}

// API is the bookshop and everything it has been told. It may be asked by several goroutines.
type API struct {
	options  Options
	contract *contract

	mu        sync.Mutex
	books     shelf[book]
	reviews   shelf[review]
	members   shelf[member]
	orders    shelf[order]
	wishes    shelf[wish]
	events    shelf[event]
	letters   int64 // notifications, tickets and sessions, all numbered in one row
	countedAt time.Duration
	limits    limits
}

const (
	// most is how many things of each kind are kept; the oldest is forgotten. A client that is quick has to find what it has
	// just made, however many others have been made since.
	most = 2000
	// looked is how many of them, the newest, are looked at for a list.
	looked = 100
)

// New makes the API in its first state.
func New(options Options) *API {
	a := &API{
		options:   options,
		contract:  theContract(),
		books:     shelf[book]{most: most},
		reviews:   shelf[review]{most: most},
		members:   shelf[member]{most: most},
		orders:    shelf[order]{most: most},
		wishes:    shelf[wish]{most: most},
		events:    shelf[event]{most: most},
		countedAt: -recount,
		limits:    newLimits(),
	}
	a.stock()
	return a
}

// Answer answers a request that came at the moment now, counted from the API's beginning. The reply does not change
// later, and the request is not kept.
func (a *API) Answer(now time.Duration, r Request) Reply {
	reply := a.answer(now, r)
	if r.Method == "HEAD" {
		reply.Bare = true
	}
	return reply
}

func (a *API) answer(now time.Duration, r Request) Reply {
	path, query := splitTarget(r.Target)
	if path == "/openapi.json" && (r.Method == "GET" || r.Method == "HEAD") {
		return Reply{Status: 200, Header: []messages.Field{{Name: "Content-Type", Value: "application/json"}}, Body: Document()}
	}
	place, values := a.contract.find(path)
	if place == nil {
		return problem(404, "there is nothing at this path")
	}
	op := place.methods[r.Method]
	if op == nil && r.Method == "HEAD" {
		op = place.methods["GET"]
	}
	if op == nil {
		return problem(405, "the document declares no such method here").with("Allow", place.allow)
	}
	c, misfit := op.read(r, values, query, !a.options.WithoutFaults)
	if misfit != "" {
		a.keepAllTheSame(op, values, r.Body)
		return problem(400, misfit)
	}
	c.now = now
	a.mu.Lock()
	defer a.mu.Unlock()
	return op.answer(a, c)
}

// planted says whether a planted fault shows: its trigger has come and the faults are not mended.
func (a *API) planted(trigger bool) bool { return trigger && !a.options.WithoutFaults }

// number is the next number for a thing that is not kept.
func (a *API) number() int64 {
	a.letters++
	return a.letters
}

// opened is the wall time of the API's beginning. It is made up, as the API has no clock.
var opened = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

func timestamp(now time.Duration) string { return opened.Add(now).Format(time.RFC3339) }

func date(now time.Duration) string { return opened.Add(now).Format(time.DateOnly) }
