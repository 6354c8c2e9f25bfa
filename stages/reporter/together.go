package reporter

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/restest/restest/messages"
)

// together tells by which request an API ended its connections (decision 0007). A process that dies takes every reply
// with it that is under way, and is killed by one request. That one is in all the breakdowns, the others are beside it
// by chance: whose reply also broke off while no other did, or again when it was sent again, is to blame, and the others are not.
//
// A breakdown lasts until the API answers something that was sent after it.
type together struct {
	members    []key // of the breakdown that is going on, in the order they were heard
	size       int   // of it, idle connections that were closed included
	last       messages.Instant
	alone      map[key]bool
	breakdowns [][]key // those of several requests, each set of findings once
	seen       map[string]bool
}

// mostBreakdowns bounds what is remembered. Later ones of other operations are left as they are.
const mostBreakdowns = 1000

// fewestToBlame is how many answers, all of which show it, put the blame on one: fewer may be by chance beside another.
const fewestToBlame = 3

// add takes in an exchange in which the API may have ended the connection, or has answered.
func (t *together) add(j *messages.Judged) {
	ex := j.Exchange
	if ex.Outcome == messages.Answered {
		if t.size > 0 && ex.SentAt > t.last {
			t.end()
		}
		return
	}
	if !endedByPeer(ex) {
		return
	}
	t.size++
	t.last = ex.EndedAt
	for i := range j.Findings {
		if f := &j.Findings[i]; f.Code == brokenReply {
			t.members = append(t.members, keyOf(messages.KeyOf(ex.Request, ex.Reply, f)))
		}
	}
}

// brokenReply is the code of the finding that a reply broke off.
const brokenReply = 922

func endedByPeer(ex *messages.Exchange) bool {
	switch ex.Kind {
	case messages.WasReset, messages.ClosedEarly, messages.ClosedIdle:
		return ex.Outcome == messages.BrokeOff || ex.Outcome == messages.NoReply
	}
	return false
}

// end ends the breakdown that is going on.
func (t *together) end() {
	members, size := t.members, t.size
	t.members, t.size = nil, 0
	if len(members) == 0 {
		return
	}
	idle := size - len(members)
	slices.SortFunc(members, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.operation, b.operation), cmp.Compare(a.status, b.status), cmp.Compare(a.cause, b.cause))
	})
	members = slices.Compact(members)
	if len(members) == 1 && idle == 0 {
		if t.alone == nil {
			t.alone = map[key]bool{}
		}
		t.alone[members[0]] = true
		return
	}
	name := fmt.Sprint(members)
	if t.seen[name] || len(t.breakdowns) == mostBreakdowns {
		return
	}
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	t.seen[name] = true
	t.breakdowns = append(t.breakdowns, members)
}

// verdict says which findings are another request's doing: they are beside one that is to blame. Of the breakdowns in
// which nobody is, guessed stands for all: the one that was in most of them.
func (t *together) verdict(toBlame func(key) bool) (guessed *key, beside []key) {
	t.end()
	times := map[key]int{}
	for _, members := range t.breakdowns {
		open := !slices.ContainsFunc(members, toBlame)
		for _, k := range members {
			if toBlame(k) {
				continue
			}
			if !slices.Contains(beside, k) {
				beside = append(beside, k)
			}
			if open {
				times[k]++
			}
		}
	}
	for _, k := range beside {
		if times[k] > 0 && (guessed == nil || times[k] > times[*guessed]) {
			guessed = &k
		}
	}
	return guessed, beside
}

// blame leaves out the findings of replies that broke off because of another request. Where none is known to be to blame,
// it may be one that was answered just before: then one finding tells of it all.
func (r *Reporter) blame() {
	guessed, beside := r.together.verdict(func(k key) bool {
		g := r.gathered.byKey[k]
		return r.together.alone[k] || g != nil && g.answers >= fewestToBlame && g.state() == confirmed
	})
	for _, k := range beside {
		if guessed == nil || k != *guessed {
			r.gathered.drop(k)
		}
	}
	if guessed == nil || r.gathered.byKey[*guessed] == nil {
		return
	}
	g := r.gathered.byKey[*guessed]
	g.title = "Connections ended at once, as when a server dies"
	g.expected = "connections that one request does not end for others"
	g.got += "; so did others, and which request was the reason is not known"
	g.certainty, g.rechecked = messages.Certain, rechecked{} // that this request is not the reason does not undo it
}
