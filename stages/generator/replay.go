package generator

import (
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// offerAgain is offer in a replay: its errands, and when they are over what deletes the things that they have made
// (decision 0022).
func (g *Generator) offerAgain(want messages.Want) messages.Offer {
	over := g.replay.Over()
	r := (*messages.Request)(nil)
	if over || g.owned.time(g.clock.Now(), g.seq) {
		if over = true; g.owned.on {
			r = g.tidyAgain(want)
		}
	} else if r = g.replay.Next(want); r != nil {
		g.seq++
		g.nth[r.Operation]++
		r.Seq, r.Nth = g.seq, g.nth[r.Operation]
	}
	switch {
	case r != nil:
		return messages.Offer{Request: r}
	case over && !slices.ContainsFunc(g.owned.things, func(b belonging) bool { return b.state != leftThere }):
		return messages.Offer{Why: messages.NothingEver, Until: messages.Never}
	}
	return messages.Offer{Why: messages.NothingMayGo, Until: messages.Never}
}

// tidyAgain is tidy, with the credentials of the request that made the thing where it has none of its own: a replay is also
// given them one by one, for the requests of its report.
func (g *Generator) tidyAgain(want messages.Want) *messages.Request {
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
	g.replay.Learn(m)
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
		g.owned.things[i].carried = g.credentialFields(m.Request)
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
