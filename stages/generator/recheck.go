package generator

import (
	"net/http"
	"slices"
	"strings"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/stages/generator/rechecks"
)

// recheck is the request that sees whether a finding is still there, nil if it is nobody's turn.
func (g *Generator) recheck(now clock.Instant, want messages.Want, barred messages.Set) *messages.Request {
	if g.order.refused {
		return nil
	}
	want.Busy = want.Busy.Or(barred)
	r := g.rechecks.Next(now, g.seq, g.order.lap != nil, want)
	switch {
	case r == nil:
		return nil
	case len(g.follow.running) > 0 && !safe(r.Method) && g.follow.owns(r.Target):
		g.rechecks.TakeBack(r) // it could change what is a running series' own
		return nil
	}
	if g.signIns != nil {
		g.dress(r)
	}
	g.seq++
	g.nth[r.Operation]++
	r.Seq, r.Nth = g.seq, g.nth[r.Operation]
	g.follow.counted(r)
	return r
}

// dress has the request carry the credentials of its user as they are now. One that was sent without any, or with wrong
// ones, stays as it is.
func (g *Generator) dress(r *messages.Request) {
	if r.Probe.Unauthenticated() {
		return
	}
	for _, k := range g.carriedBy(g.plans[r.Operation], g.userOf(r)).keys {
		r.Carry(messages.Key(k), true)
	}
}

// made is the path of the thing that a POST has made, "" where it made none or that is not known.
func (g *Generator) made(m *messages.Learned) string {
	if m.Request.Method != http.MethodPost || m.Outcome != messages.Answered || m.Refused || m.Reply.Status < 200 || m.Reply.Status > 299 {
		return ""
	}
	if address := messages.LocationPath(m.Reply.Header); address != "" {
		return address
	}
	p := g.plans[m.Request.Operation]
	if p == nil || m.Value == nil || int64(len(m.Reply.Body)) > g.config.Settings.Memory.ReadUpTo {
		return ""
	}
	k, template, _ := g.memory.collection(p, p.path.values(m.Request.Target))
	found := objects(m.Value, false)
	if k == nil || len(found) == 0 || strings.Count(template[len(p.path.base):], "/") != len(p.path.segments)-1 {
		return ""
	}
	for _, b := range k.gaps {
		if id, ok := k.identifier(found[0], b); ok {
			path, _, _ := strings.Cut(m.Request.Target, "?")
			return string(escape([]byte(path+"/"), plainText(id), &unreserved))
		}
	}
	return ""
}

// other is the request with the newest known thing in its path, or the newest that the run has made, nil where none is
// known.
func (g *Generator) other(r *messages.Request, mine bool) *messages.Request {
	p := g.plans[r.Operation]
	if p == nil || len(p.path.gaps) == 0 {
		return nil
	}
	g.sow(r.Operation, r.Nth, tries)
	g.draw.Likeliest = true
	known := g.memory.thing(p, g.draw)
	if mine {
		known = g.memory.newestMade(p)
	}
	if len(known) != len(p.path.gaps) {
		return nil
	}
	var target []byte
	for i, v := range known {
		var ok bool
		if target, ok = p.path.gaps[i].parameter.appendPath(append(target, p.path.literals[i]...), v); !ok {
			return nil
		}
	}
	target = append(target, p.path.literals[len(known)]...)
	if _, query, has := strings.Cut(r.Target, "?"); has {
		target = append(append(target, '?'), query...)
	}
	if !sendable(target) {
		return nil
	}
	another := *r
	another.Target = string(target)
	return &another
}

// rules say what of a request may be changed so that it still claims the same of itself.
func (g *Generator) rules(r *messages.Request) rechecks.Rules {
	p := g.plans[r.Operation]
	if p == nil {
		return rechecks.Rules{}
	}
	// One that was built without regard to the document claims nothing.
	free := !r.Valid && !r.ByDiscriminator && r.Breaks == ""
	breaks := func(place string) bool {
		rest, is := strings.CutPrefix(r.Breaks, place)
		return is && (rest == "" || strings.ContainsRune(".[:", rune(rest[0])))
	}
	may := func(q *parameter) bool { return (free || !q.required) && !breaks(q.place) }
	rules := rechecks.Rules{
		Names: func(place string) bool {
			// What a request makes is named by itself.
			return slices.ContainsFunc(g.memory.kindsAt(place), func(kind string) bool { return g.memory.makerOf(kind) != r.Operation })
		},
		Query: func(name string) bool {
			at := slices.IndexFunc(p.query, func(q *parameter) bool { return q.name == name })
			isKey := slices.ContainsFunc(p.queryKeys, func(k credentials.Placed) bool { return k.Name == name })
			return at >= 0 && may(p.query[at]) && !isKey
		},
		Header: func(name string) bool {
			at := slices.IndexFunc(p.header, func(q *parameter) bool { return strings.EqualFold(q.name, name) })
			return at >= 0 && may(p.header[at])
		},
		Text: func(name, value string) bool {
			at := slices.IndexFunc(p.query, func(q *parameter) bool { return q.name == name })
			if at < 0 || p.query[at].content != nil || breaks(p.query[at].place) {
				return false
			}
			return free || p.query[at].field.Shape.Fits(value)
		},
	}
	if p.body == nil {
		return rules
	}
	sent := messages.Get(r.Header, "Content-Type")
	at := slices.IndexFunc(p.body.contents, func(c *content) bool { return c.kind == jsonKind && c.contentType == sent })
	switch {
	case strings.HasPrefix(r.Breaks, "header.Content-Type"):
		return rules // of content that is sent, and of all of it
	case !breaks("body"):
		rules.Body = free || !p.body.required
		if at >= 0 {
			rules.Fits = func(v any) bool { return free || p.body.contents[at].field.Shape.Fits(v) }
		}
		return rules
	}
	if broken, is := strings.CutPrefix(r.Breaks, "body."); is && at >= 0 {
		broken = broken[:strings.IndexAny(broken+":", ".[:")]
		rules.Property = func(name string, v any) bool {
			property := p.body.contents[at].field.Shape.Property(name)
			return name != broken && property != nil && property.Fits(v)
		}
	}
	return rules
}
