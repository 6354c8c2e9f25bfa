package generator

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document/graph"
)

const (
	// mostOwned is how many things are remembered for the end of the run; there are none for more.
	mostOwned = 10_000
	// triesToDelete is how often a thing is tried to be deleted.
	triesToDelete = 2
	// leastCleanUp is the time at the end in which nothing more is made.
	leastCleanUp = 250 * time.Millisecond
)

// owned are the things that the run has made and that are still there, and how it deletes them at its end (decision
// 0017). It lists nothing that the run has not made.
type owned struct {
	on       bool
	deadline messages.Instant
	share    float64
	things   []belonging // in the order they were made
	known    map[string]bool
	deleting bool // the end has begun
}

// belonging is one thing that the run has made.
type belonging struct {
	resource *graph.Resource
	thing    thing
	address  string
	by       int
	state    belongingState
	seq      int64 // of the request that deletes it
	tried    int
	// user is whose it is and carried are the credentials of the request that made it, in a replay.
	user    int
	carried []messages.Field
}

type belongingState byte

const (
	stillThere belongingState = iota
	beingDeleted
	leftThere
)

func newOwned(s settings.Schedule, deadline messages.Instant) *owned {
	return &owned{on: s.CleanUp && deadline > 0 && s.CleanUpShare > 0, deadline: deadline, share: s.CleanUpShare, known: map[string]bool{}}
}

// time says whether it is time to delete: when about half as long again is left as the deletions take at the pace of
// the run, and never before the share of the budget that they may have.
func (o *owned) time(now messages.Instant, offered int64) bool {
	if !o.on {
		return false
	}
	if o.deleting {
		return true
	}
	pace := time.Duration(now) / time.Duration(max(1, offered))
	need := max(leastCleanUp, time.Duration(len(o.things))*(pace+pace/2))
	most := time.Duration(o.share * float64(o.deadline))
	o.deleting = now >= o.deadline.Add(-min(need, most))
	return o.deleting
}

// made notes a thing that the run has made; known says whether it was there before. It tells of it.
func (o *owned) made(r *graph.Resource, t thing, address string, by int, tell func(messages.Thing)) {
	if address == "" || r.Delete == graph.None {
		return
	}
	if o.known[address] {
		return
	}
	if len(o.things) >= mostOwned {
		tell(messages.Thing{Address: address, Operation: by, State: messages.Uncounted})
		return
	}
	o.known[address] = true
	o.things = append(o.things, belonging{resource: r, thing: t, address: address, by: by})
	tell(messages.Thing{Address: address, Operation: by, State: messages.Made})
}

// gone notes that a request has deleted what its target leads to, and with it what is below.
func (o *owned) gone(target string, tell func(messages.Thing)) {
	target, _, _ = strings.Cut(target, "?")
	o.things = slices.DeleteFunc(o.things, func(b belonging) bool {
		rest, below := strings.CutPrefix(b.address, target)
		if !below || rest != "" && rest[0] != '/' {
			return false
		}
		delete(o.known, b.address)
		tell(messages.Thing{Address: b.address, Operation: b.by, State: messages.Gone})
		return true
	})
}

// next is the thing to be deleted next: the deepest, and of them the newest; -1 while there is none. What is above
// others waits for them.
func (o *owned) next(want messages.Want) int {
	deepest, at := 0, -1
	for i := range o.things {
		b := &o.things[i]
		if b.state == leftThere {
			continue
		}
		depth := b.resource.Depth
		if depth > deepest {
			deepest, at = depth, -1
		}
		if depth == deepest && b.state == stillThere && !want.Resting.Has(b.resource.Delete) && !want.Busy.Has(b.resource.Delete) {
			at = i
		}
	}
	return at
}

// tidy is the request that deletes the next thing the run has made; nil while there is none.
func (g *Generator) tidy(want messages.Want) *messages.Request {
	for {
		i := g.owned.next(want)
		if i < 0 {
			return nil
		}
		b := &g.owned.things[i]
		if g.plans[b.resource.Delete] == nil {
			g.leave(i, "the operation that deletes it is not tested")
			continue
		}
		r := g.buildFor(b.resource.Delete, b.thing, messages.CleaningUp, b.user)
		if r == nil {
			g.leave(i, "no request that deletes it could be built")
			continue
		}
		b.state, b.seq = beingDeleted, r.Seq
		return r
	}
}

// takeBack undoes the newest offer.
func (o *owned) takeBack(r *messages.Request) {
	if i := o.find(r.Seq); i >= 0 {
		o.things[i].state = stillThere
	}
}

func (o *owned) find(seq int64) int {
	return slices.IndexFunc(o.things, func(b belonging) bool { return b.state == beingDeleted && b.seq == seq })
}

// tidied takes in how a request ended that was to delete something. What was refused is tried again.
func (g *Generator) tidied(l messages.Learned) {
	i := g.owned.find(l.Request.Seq)
	if i < 0 {
		return
	}
	b := &g.owned.things[i]
	b.state = stillThere
	if l.Refused || l.Outcome == messages.NeverSent {
		return
	}
	why := "there was no answer"
	if l.Reply != nil {
		if status := l.Reply.Status; status/100 == 2 || status == 404 || status == 410 {
			g.owned.gone(l.Request.Target, g.tell)
			return
		}
		why = "DELETE was answered " + strconv.Itoa(l.Reply.Status)
	}
	if b.tried++; b.tried >= triesToDelete {
		g.leave(i, why)
	}
}

func (g *Generator) leave(i int, why string) {
	b := &g.owned.things[i]
	b.state = leftThere
	g.tell(messages.Thing{Address: b.address, Operation: b.by, State: messages.Left, Why: why})
}

// tell keeps what has become of a thing until the message is handled, since there may be much to tell.
func (g *Generator) tell(t messages.Thing) { g.told = append(g.told, t) }

// report tells the reporter what has become of things.
func (g *Generator) report() {
	if len(g.told) > 0 && g.to.Reporter != nil {
		g.to.Reporter(messages.Things{Things: g.told})
	}
	g.told = nil
}
