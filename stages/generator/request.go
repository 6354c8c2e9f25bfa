package generator

import (
	"maps"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/stages/generator/draft"
	"github.com/restest/restest/stages/generator/values"
)

// asked is what a request is to be like. The zero value leaves all that is optional to chance.
type asked struct {
	// likeliest asks for the request that is most likely to be accepted: only what is required and the body, of the
	// surest media type, with the likeliest values.
	likeliest bool
	// shown asks, of the likeliest, for the one that the document's examples make up; thinned, for one without some of
	// what is optional there: examples are seldom made to go together.
	shown, thinned bool
	// media asks for a body of the plan's media type of that number, from 1 (see mediaTypes); 0 leaves it to chance.
	media int
	// parts, where it is not nil, asks for these optional parts and no others, by their places (see optionalParts). A
	// media type that is asked for is sent whatever it says.
	parts []string
}

// sends says whether an optional part is sent this time, by that chance where nothing is asked.
func (a *asked) sends(d *values.Draw, place string, chance float64) bool {
	if a.parts != nil {
		return slices.Contains(a.parts, place)
	}
	return d.LeansTo(place, !a.likeliest && d.Rand.Float64() < chance)
}

// sendsBody is as sends, for an optional body.
func (a *asked) sendsBody(d *values.Draw, chance float64) bool {
	if a.likeliest && a.parts == nil {
		return d.LeansTo("body", true)
	}
	return a.media > 0 || a.sends(d, "body", chance)
}

// optionalParts are the places of the parts that a request can do without, such as "query.limit" or "body".
func (p *plan) optionalParts() []string {
	var places []string
	whole := []*parameter{p.whole}
	if p.whole == nil {
		whole = nil
	}
	for _, list := range [][]*parameter{p.query, whole, p.header, p.cookie} {
		for _, q := range list {
			if !q.required {
				places = append(places, q.place)
			}
		}
	}
	if p.body != nil && !p.body.required {
		places = append(places, "body")
	}
	return places
}

// mediaTypes are the media types that the body can be sent in, the surest first.
func (p *plan) mediaTypes() []string {
	if p.body == nil {
		return nil
	}
	types := make([]string, len(p.body.contents))
	for i, c := range p.body.contents {
		types[i] = c.contentType
	}
	return types
}

// request builds the operation's nth request; failed counts the attempts at it before. It is nil if a part could not
// be made this time; the plan's reason says which.
func (p *plan) request(g *Generator, nth, failed int, want asked) *messages.Request {
	if p.target != "" && len(p.header) == 0 && len(p.cookie) == 0 && p.body == nil {
		return &messages.Request{
			Operation: p.op.Index, Method: p.op.Method, Target: p.target, Header: p.all, Valid: true, Origins: p.keyOrigins,
		}
	}
	g.memory.building = p.op.Index
	for attempt := range tries {
		g.sow(p.op.Index, nth, failed*tries+attempt)
		g.draw.Reset(p.room)
		g.draw.Leans = g.lessons.leans(p.op.Index, g.draw.Rand)
		if r := p.once(g, want); r != nil {
			p.room = len(r.Origins)
			return r
		}
	}
	return nil
}

// takeNothing is how many bodies of POSTs in ten take nothing from the memory: what is made anew wants new values.
const takeNothing = 3

// Each parameter can be the one that a request is refused for, so that of those with more than manyParameters optional
// ones one in fewOnceIn has only about one.
const (
	manyParameters = 3
	fewOnceIn      = 3
)

// once makes one attempt.
func (p *plan) once(g *Generator, want asked) *messages.Request {
	d := g.draw
	d.Likeliest, d.Shown, d.Thins = want.likeliest, want.shown, want.thinned
	p.chance = p.chances.parameter
	if p.optional > manyParameters && d.Rand.IntN(fewOnceIn) == 0 {
		p.chance = min(p.chance, 1/float64(p.optional))
	}
	if g.given != nil {
		g.given.operation = p.op.Index
	}
	r := &messages.Request{Operation: p.op.Index, Method: p.op.Method, Target: p.target, Valid: true}
	p.drawn = draft.Draft{Values: make([]draft.Value, 0, len(p.form.Parts)), Content: -1}
	if p.target == "" {
		target, ok := p.writeTarget(g, g.target[:0], want)
		g.target = target
		if !ok {
			return nil
		}
		r.Target = string(target)
	}
	var contentType string
	if p.body != nil && (p.body.required || want.sendsBody(d, p.chances.body)) {
		mark := len(d.Origins)
		var ok bool
		g.memory.anew = p.op.Method == "POST" && !want.likeliest && d.Rand.IntN(10) < takeNothing
		r.Body, contentType, ok = p.writeBody(d, want)
		if ok {
			p.likeWhatIsThere(g, r)
		}
		if g.memory.anew = false; !ok {
			if p.body.required || want.media > 0 {
				return nil
			}
			r.Body, contentType, d.Origins = nil, "", d.Origins[:mark]
		}
	}
	var ok bool
	if r.Header, ok = p.writeHeader(g, contentType, want); !ok {
		return nil
	}
	r.Origins = append(d.Origins, p.keyOrigins...)
	r.Hints = g.lessons.followed(p.op.Index, d.Followed)
	r.Valid, r.ByDiscriminator = r.Valid && !d.ByDiscriminator, r.Valid && d.ByDiscriminator
	p.drawn.Origins, p.drawn.ByDiscriminator = d.Origins, d.ByDiscriminator
	return r
}

// writeBody makes the content in one of its media types, and says which.
func (p *plan) writeBody(d *values.Draw, want asked) (data []byte, contentType string, ok bool) {
	c := p.body.pick(d, want)
	if c == nil {
		p.reason = "body: there is no such media type"
		return nil, "", false
	}
	data, contentType, v, ok := c.write(d, "body")
	if !ok {
		p.reason = reasonFor("body", d.Reason())
		return nil, "", false
	}
	p.drawn.Content, p.drawn.Body = slices.Index(p.body.contents, c), v
	return data, contentType, true
}

// likeWhatIsThere puts an object where refusals ask for one of which the document does not say what it holds: like one that
// was found at the request's address. Where the document has the property as another type, it is wrong about it, and the
// request does not fit it.
func (p *plan) likeWhatIsThere(g *Generator, r *messages.Request) {
	lean, d := g.draw.Leans["body"], g.draw
	whole, isObject := p.drawn.Body.(map[string]any)
	if lean == nil || len(lean.Objects) == 0 || !isObject || p.drawn.Content < 0 {
		return
	}
	c := p.body.contents[p.drawn.Content]
	like := g.memory.like(p, r.Target)
	if c.kind != jsonKind || len(like) == 0 {
		return
	}
	whole = maps.Clone(whole)
	for _, name := range lean.Objects {
		whole[name] = like
	}
	valid := c.field.Shape.Fits(whole)
	if !valid && d.Rand.IntN(againstDocument) > 0 {
		return
	}
	r.Body, r.Valid, p.drawn.Body = appendJSON(nil, whole), valid, whole
	d.Follow(lean)
	for _, name := range lean.Objects {
		d.Origins = append(d.Origins, messages.Origin{Place: "body." + name, Source: values.FromObserved})
	}
}

// againstDocument is of how many requests that follow a hint against the document one does.
const againstDocument = 4

// note keeps the value that was drawn for a parameter.
func (p *plan) note(q *parameter, v any) {
	p.drawn.Values = append(p.drawn.Values, draft.Value{Part: q.part, Value: v})
}

// writeTarget writes path and query.
func (p *plan) writeTarget(g *Generator, target []byte, want asked) ([]byte, bool) {
	d := g.draw
	// What replies gave fills the gaps four times in five, and always where the likeliest request is wanted.
	var known thing
	learned := len(p.path.gaps) > 0 && (g.memory.pinned != nil || d.Likeliest || d.Rand.IntN(5) > 0)
	if learned {
		known = g.memory.thing(p, d)
	}
	spared := -1 // the gap that nothing known goes to
	if g.memory.spares(p, d) || p.deletes && !learned {
		spared = len(p.path.gaps) - 1
	}
	for i := range p.path.gaps {
		target = append(target, p.path.literals[i]...)
		q := p.path.gaps[i].parameter
		// A "." or ".." is no harm where the segment goes on, but with a parameter (";") some servers cut it off.
		goesOn := p.path.literals[i+1] != "" && p.path.literals[i+1][0] != '/' && p.path.literals[i+1][0] != ';'
		write := func(dst []byte, v any) ([]byte, bool) {
			dst, ok := q.appendPath(dst, v)
			return dst, ok && (goesOn || sendable(dst))
		}
		var v any
		seen := i < len(known) && i != spared
		if d.PrefersGiven(&q.field, q.place) {
			seen, known = false, nil
		} else if seen {
			v = known[i]
		} else if learned && i != spared {
			v, seen = d.Seen(&q.field)
			seen = seen && (i < len(p.path.gaps)-1 || !g.memory.isOwn(p, v))
		}
		if seen {
			if written, ok := write(target, v); ok {
				target = written
				p.note(q, v)
				d.Origins = append(d.Origins, messages.Origin{Place: q.place, Source: values.FromObserved})
				continue
			}
		}
		silent := g.memory.silent
		g.memory.silent = silent || i == spared
		var ok bool
		target, ok = p.make(d, q, target, write)
		if g.memory.silent = silent; !ok {
			return target, false
		}
	}
	target = append(target, p.path.literals[len(p.path.gaps)]...)
	if !sendable(target) {
		p.reason = "path: a segment would be \".\" or \"..\""
		return target, false
	}
	if q := p.whole; q != nil && (q.required || want.sends(d, q.place, p.chance)) {
		mark := len(target)
		t, ok := p.make(d, q, startPair(target), q.appendWholeQuery)
		if !ok && q.required {
			return t, false
		}
		if target = t; !ok || len(t) == mark+1 { // nothing but the question mark
			target = t[:mark]
		}
	}
	for _, q := range p.query {
		if !q.required && !want.sends(d, q.place, p.chance) {
			continue
		}
		mark := len(target)
		if q.style.empty && !d.Likeliest && d.Rand.IntN(emptyShare) == 0 {
			target = append(append(startPair(target), q.escapedName...), '=')
			p.note(q, "")
			d.Origins = append(d.Origins, messages.Origin{Place: q.place, Source: values.FromRandom})
			continue
		}
		t, ok := p.make(d, q, startPair(target), q.appendQuery)
		if !ok {
			if q.required {
				return t, false
			}
			t = t[:mark]
		}
		target = t
	}
	return p.appendQueryKeys(target), true
}

// valueTries is how many values are tried for a parameter before it counts as one that cannot be sent.
const valueTries = 20

// make makes a value of the parameter and writes it; values that cannot travel in that place are passed over.
func (p *plan) make(d *values.Draw, q *parameter, dst []byte, write func([]byte, any) ([]byte, bool)) ([]byte, bool) {
	likeliest, mark := d.Likeliest, len(d.Origins)
	defer func() { d.Likeliest = likeliest }()
	for range valueTries {
		v, ok := d.Make(&q.field, q.place)
		if !ok {
			p.reason = reasonFor(q.place, d.Reason())
			break
		}
		if v, ok = q.expressible(v); !ok {
			p.reason = reasonFor(q.place, "")
			d.Likeliest = false // it would be the same again
			d.Origins = d.Origins[:mark]
			continue
		}
		if written, ok := write(dst, v); ok {
			p.note(q, v)
			return written, true
		}
		p.reason = q.place + ": no value was found that can be sent there"
		d.Likeliest = false // it would be the same again
		d.Origins = d.Origins[:mark]
	}
	d.Origins = d.Origins[:mark]
	return dst, false
}

// emptyShare is how many values a parameter that may be empty has to one that is.
const emptyShare = 20

// expressible is the value as the parameter can write it. Where it says no, another one is needed.
func (q *parameter) expressible(v any) (any, bool) {
	if q.content != nil {
		return v, true
	}
	w, changed, ok := q.style.expressible(v)
	return w, ok && (!changed || q.field.Shape.Fits(w))
}

func reasonFor(place, reason string) string {
	if reason == "" {
		reason = "no value was found that can be sent there"
	}
	return place + ": " + reason
}

// writeHeader writes the header fields: those that never change, the content type, parameters, cookies, keys.
func (p *plan) writeHeader(g *Generator, contentType string, want asked) ([]messages.Field, bool) {
	if contentType == "" && len(p.header) == 0 && len(p.cookie) == 0 {
		return p.all, true
	}
	d := g.draw
	fields := make([]messages.Field, len(p.first), len(p.first)+len(p.header)+len(p.last)+2)
	copy(fields, p.first)
	if contentType != "" {
		fields = append(fields, messages.Field{Name: "Content-Type", Value: contentType})
	}
	for _, q := range p.header {
		if !q.required && !want.sends(d, q.place, p.chance) {
			continue
		}
		value, ok := p.make(d, q, nil, func(dst []byte, v any) ([]byte, bool) {
			t, ok := q.headerText(v)
			return append(dst, t...), ok
		})
		if ok {
			fields = setField(fields, q.name, string(value))
		} else if q.required {
			return nil, false
		}
	}
	var cookies []byte
	for _, q := range p.cookie {
		// One that a sign-in has set is the user's.
		if slices.ContainsFunc(p.cookieKeys, func(k credentials.Placed) bool { return k.Name == q.name }) ||
			!q.required && !want.sends(d, q.place, p.chance) {
			continue
		}
		dst := cookies
		if len(dst) > 0 {
			dst = append(dst, "; "...)
		}
		written, ok := p.make(d, q, dst, q.appendCookie)
		if ok {
			cookies = written
		} else if q.required {
			return nil, false
		}
	}
	fields = append(fields, p.cookieField(cookies)...)
	return append(fields, p.last...), true
}

// setField sets the field, in place of one of the same name: a User-Agent that the document asks for wins.
func setField(fields []messages.Field, name, value string) []messages.Field {
	for i := range fields {
		if strings.EqualFold(fields[i].Name, name) {
			fields[i].Value = value
			return fields
		}
	}
	return append(fields, messages.Field{Name: name, Value: value})
}
