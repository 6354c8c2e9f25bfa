package generator

import (
	"net/http"
	"slices"
	"strings"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
)

// offerAgain is offer in a replay: its errands, what signs in for them, and when they are over what deletes the things that
// they have made (decision 0022).
func (g *Generator) offerAgain(want messages.Want) messages.Offer {
	now := g.clock.Now()
	for {
		next, _ := g.signIns.next(now, want)
		if next >= 0 {
			if r := g.signIn(next); r != nil {
				return messages.Offer{Request: r}
			}
			continue // it has failed, and is due no more
		}
		r, over := g.nextAgain(now, want)
		switch {
		case r != nil:
			return messages.Offer{Request: r}
		case over:
			return messages.Offer{Why: messages.NothingEver, Until: messages.Never}
		}
		// What was looked at may have asked for a sign-in.
		if next, until := g.signIns.next(now, want); next < 0 {
			return messages.Offer{Why: messages.NothingMayGo, Until: until}
		}
	}
}

// nextAgain is the next request that is no sign-in, nil while there is none; over is true if there will be none.
func (g *Generator) nextAgain(now clock.Instant, want messages.Want) (r *messages.Request, over bool) {
	if !g.owned.time(now, g.seq) {
		if r = g.replay.Next(want, func(r *messages.Request) (may, never bool) { return g.mayAgain(now, r) }); r != nil {
			g.seq++
			g.nth[r.Operation]++
			r.Seq, r.Nth = g.seq, g.nth[r.Operation]
			g.dressAgain(r)
			return r, false
		}
		if !g.replay.Over() {
			return nil, false
		}
	}
	if g.owned.on {
		r = g.tidyAgain(now, want)
	}
	return r, r == nil && !slices.ContainsFunc(g.owned.things, func(b belonging) bool { return b.state != leftThere })
}

// obtained are the sign-ins whose credentials the request carries.
func (g *Generator) obtained(r *messages.Request) []int {
	if g.signIns == nil || r.Probe.Unauthenticated() {
		return nil
	}
	going := g.config.Keys.Going(g.config.Document, g.config.Document.Operations[r.Operation], g.userOf(r))
	return slices.DeleteFunc(going, func(i int) bool {
		return !slices.ContainsFunc(g.signIns.logins[i].spec.Take.Places(), func(k credentials.Placed) bool { return r.Carries(messages.Key(k)) })
	})
}

// mayAgain says whether a request of the replay may go at the moment now: what it carries of sign-ins is there. Never is
// true if that has failed.
func (g *Generator) mayAgain(now clock.Instant, r *messages.Request) (may, never bool) {
	logins := g.obtained(r)
	if len(logins) == 0 {
		return true, false
	}
	return g.signIns.have(logins, now)
}

// dressAgain puts what its user's sign-ins have obtained by now where the request carried it before.
func (g *Generator) dressAgain(r *messages.Request) {
	for _, i := range g.obtained(r) {
		for _, k := range g.signIns.granted(i) {
			r.Carry(messages.Key(k), false)
		}
	}
}

// tidyAgain is tidy, with the credentials of the request that made the thing where it has none of its own: a replay is also
// given them one by one, for the requests of its report.
func (g *Generator) tidyAgain(now clock.Instant, want messages.Want) *messages.Request {
	if g.signIns != nil {
		for i := range g.owned.things {
			b := &g.owned.things[i]
			if b.state == leftThere {
				continue
			}
			if ready, never := g.signIns.ready(b.user, b.resource.Delete, now); !ready && !never {
				want.Busy = want.Busy.With(b.resource.Delete)
			}
		}
	}
	r := g.tidy(want)
	if r == nil {
		return nil
	}
	for _, f := range g.owned.things[g.owned.find(r.Seq)].carried {
		if messages.Get(r.Header, f.Name) == "" {
			r.Header = append(slices.Clip(r.Header), f)
		}
	}
	return r
}

func (g *Generator) takeBackAgain(r *messages.Request) {
	if r.SignIn != nil {
		g.signIns.takeBack(r)
	}
	g.replay.TakeBack(r)
	if r.Seq == g.seq {
		g.seq--
		g.nth[r.Operation]--
	}
	if r.Purpose == messages.CleaningUp {
		g.owned.takeBack(r)
	}
}

func (g *Generator) learnAgain(m messages.Learned) {
	if m.Request.SignIn != nil {
		g.signIns.signedIn(m, g.seq)
		return
	}
	outdated := false
	if logins := g.obtained(m.Request); len(logins) > 0 && m.Reply != nil {
		g.signIns.answered(m, logins)
		outdated = m.Reply.Status == http.StatusUnauthorized && g.signIns.outdates(m.Request, logins)
	}
	g.replay.Learn(m, outdated)
	if m.Request.Purpose == messages.CleaningUp {
		g.tidied(m)
		return
	}
	if g.plans[m.Request.Operation] == nil || m.Request.Probe == messages.HiddenMethod {
		return
	}
	before := len(g.owned.things)
	g.discover(m)
	for i := before; i < len(g.owned.things); i++ {
		b := &g.owned.things[i]
		b.user, b.carried = g.userOf(m.Request), g.credentialFields(m.Request)
	}
}

// credentialFields are the fields in which the request carries credentials.
func (g *Generator) credentialFields(r *messages.Request) []messages.Field {
	var fields []messages.Field
	for _, f := range r.Header {
		isKey := slices.ContainsFunc(g.config.Document.Schemes, func(s document.Scheme) bool {
			return s.In == "header" && strings.EqualFold(s.Key, f.Name)
		})
		if isKey || strings.EqualFold(f.Name, "Authorization") || strings.EqualFold(f.Name, "Cookie") {
			fields = append(fields, f)
		}
	}
	return fields
}
