package generator

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/settings/document/graph"
	"github.com/restest/restest/stages/generator/draft"
	"github.com/restest/restest/stages/generator/series"
)

// Bounds on how often one course of probes is gone through (decision 0025): until its probe was answered so often, and
// no more where what comes before it is refused again and again.
const (
	mostProbed = 3
	mostBegun  = 30
)

// probing says which security probe is next at an operation's turn (decision 0025). It is a plain value; the courses
// themselves go as series do.
type probing struct {
	share float64
	// probed are the operations that probes begin with, nil for one that none does.
	probed []*probed
	// steps counts the requests that belong to probes.
	steps int64
	// newest is what the newest request began with, at its turn before.
	newest *probed
	before int
}

// probed is one operation that probes begin with.
type probed struct {
	courses []probeCourse
	injects bool
	turn    int // which comes next: a course or, after them all, an injection
}

// probeCourse is a course of probes, and how often it was begun and came to its end.
type probeCourse struct {
	series.Course
	begun, answered int
}

// next is the course whose turn it is, nil where an injection is next; ok is false where nothing is left.
func (p *probed) next() (c *probeCourse, ok bool) {
	n := len(p.courses)
	for i := range n + 1 {
		at := (p.turn + i) % (n + 1)
		switch {
		case at == n && p.injects:
			return nil, true
		case at < n && p.courses[at].answered < mostProbed && p.courses[at].begun < mostBegun:
			return &p.courses[at], true
		}
	}
	return nil, false
}

// began notes that the course was begun, nil for an injection.
func (p *probing) began(operation int, c *probeCourse) {
	of := p.probed[operation]
	p.newest, p.before = of, of.turn
	of.turn = 0
	for i := range of.courses {
		if &of.courses[i] == c {
			of.turn = i + 1
			c.begun++
		}
	}
	p.steps++
}

// takeBack undoes the newest beginning.
func (p *probing) takeBack(c *probeCourse) {
	if c != nil {
		c.begun--
	}
	p.newest.turn = p.before
	p.steps--
}

// newProbing finds what can be probed of a document.
func (g *Generator) newProbing(usable func(int) bool) probing {
	p := probing{share: g.config.plan().SecurityShare(), probed: make([]*probed, len(g.plans))}
	if p.share <= 0 {
		return p
	}
	doc := g.config.Document
	may := series.Probing{
		On: g.config.Settings.Security, Usable: usable, Keyed: g.keyed, Several: g.Users() > 1,
		Hides: func(operation int) bool { return len(hiddenProperties(doc.Operations[operation])) > 0 },
	}
	at := func(operation int) *probed {
		if p.probed[operation] == nil {
			p.probed[operation] = &probed{}
		}
		return p.probed[operation]
	}
	add := func(courses []series.Course) {
		for _, c := range courses {
			of := at(c.Steps[0].Operation)
			of.courses = append(of.courses, probeCourse{Course: c})
		}
	}
	for i, plan := range g.plans {
		if plan == nil {
			continue
		}
		add(series.Probes(doc, i, may))
		if may.On.Injection && injectable(plan) {
			at(i).injects = true
		}
	}
	for _, r := range g.graph.Resources {
		add(series.ProbesAround(doc, r, may))
	}
	return p
}

// Probe is a kind of security probe that the run will send, and to how many operations; Why says why to none.
type Probe struct {
	Kind       messages.Probe
	Operations int
	Why        string
}

// ProbesShare is the part of the requests, 0 to 1, that belong to security probes; 0: none is sent.
func (g *Generator) ProbesShare() float64 { return g.follow.probing.share }

// Probes are the kinds of security probes that are switched on; none where the run sends none.
func (g *Generator) Probes() []Probe {
	if g.follow.probing.share <= 0 {
		return nil
	}
	reached := map[messages.Probe]map[int]bool{}
	note := func(kind messages.Probe, operation int) {
		if reached[kind] == nil {
			reached[kind] = map[int]bool{}
		}
		reached[kind][operation] = true
	}
	for i, of := range g.follow.probing.probed {
		if of == nil {
			continue
		}
		for _, c := range of.courses {
			for _, s := range c.Steps {
				if s.Probe != messages.NoProbe {
					note(s.Probe, s.Operation)
				}
			}
		}
		if of.injects {
			note(messages.Injection, i)
		}
	}
	on := g.config.Settings.Security
	var told []Probe
	for _, kind := range []struct {
		probe messages.Probe
		on    bool
		why   string
	}{
		{messages.Anonymous, on.Anonymous, "no key was given for an operation that asks for one"},
		{messages.WrongCredentials, on.WrongCredentials, "no key was given for an operation that asks for one"},
		{messages.OtherUser, on.OtherUser, "no thing can be made and read, or there is no second user (--auth-file)"},
		{messages.MassAssignment, on.MassAssignment, "no thing has properties that are in replies alone"},
		{messages.HiddenMethod, on.HiddenMethod, "each path that takes a POST, PUT or PATCH declares a GET"},
		{messages.Injection, on.Injection, "no request has a text"},
	} {
		if !kind.on {
			continue
		}
		p := Probe{Kind: kind.probe, Operations: len(reached[kind.probe])}
		if p.Operations == 0 {
			p.Why = kind.why
		}
		told = append(told, p)
	}
	return told
}

// keyed says whether the operation asks for credentials, without leaving it open, and the run has some for it.
func (g *Generator) keyed(operation int) bool {
	op, p := g.config.Document.Operations[operation], g.plans[operation]
	if p == nil || len(op.Security) == 0 || len(p.taken) == 0 {
		return false
	}
	return !slices.ContainsFunc(op.Security, func(a []document.Requirement) bool { return len(a) == 0 })
}

// probe builds the request that a security probe of the operation begins with, nil if it is not time for one: an
// ordinary request, which what comes after it is compared with, or one with an injection.
func (g *Generator) probe(p *plan, nth int) *messages.Request {
	c, ok := g.follow.probeFor(p.op.Index)
	switch {
	case !ok:
		return nil
	case c == nil:
		return g.inject(p, nth)
	}
	return p.request(g, nth, g.failed[p.op.Index], asked{likeliest: nth%2 == 0})
}

// probeFor is the course of probes that begins at the operation's turn, nil for an injection; ok is false if it is not
// time for one.
func (f *followed) probeFor(operation int) (c *probeCourse, ok bool) {
	if f.probing.share <= 0 || f.probing.probed[operation] == nil || float64(f.probing.steps) > f.probing.share*float64(f.requests+1) {
		return nil, false
	}
	if c, ok = f.probing.probed[operation].next(); c != nil && !f.room(operation) {
		return nil, false
	}
	return c, ok
}

// injections end a literal or open a tag, and do nothing where they are taken for code.
var injections = []string{"'", "\"", "a'z", "a\"z", "')", "<script>restest</script>", "\"><script>restest</script>", "a<img src=restest>z"}

// injectable says whether requests of the plan have a text to put an injection into. What changes or deletes what is
// there gets none.
func injectable(p *plan) bool {
	if !safe(p.op.Method) && p.op.Method != http.MethodPost {
		return false
	}
	return slices.ContainsFunc(p.form.Places(), func(at draft.Place) bool { return at.Field.Shape.Allows("string") })
}

// inject builds an ordinary request with an injection in one of its texts, nil if it cannot be sent there this time.
func (g *Generator) inject(p *plan, nth int) (r *messages.Request) {
	if p.request(g, nth, g.failed[p.op.Index], asked{}) == nil {
		return nil
	}
	g.draw.Leans = nil
	places := p.form.Places()
	for range tries {
		at := &places[g.draw.Rand.IntN(len(places))]
		if !at.Field.Shape.Allows("string") {
			continue
		}
		c := draft.Ordinary(p.drawn)
		c.Place, c.Source = at.Name, fromProbe
		var ok bool
		if c.Draft, ok = at.Put(g.draw, &c.Draft, injections[g.draw.Rand.IntN(len(injections))]); !ok {
			continue
		}
		c.Invalid = !at.Fits(&c.Draft)
		if r = p.write(g, &c); r != nil {
			r.Probe = messages.Injection
			return r
		}
	}
	return nil
}

// fromProbe is the origin of a value that makes a request a probe.
const fromProbe = "probe"

// What takes the place of credentials in a probe with wrong ones. It names itself, is never made of a key, and is no user's.
const (
	nobodysKey  = "restest-no-such-key"
	nobodysName = "restest-no-such-user"
)

// carryAs has the request carry the credentials that the step asks for, in place of those that it has.
func (g *Generator) carryAs(r *messages.Request, as series.As, probe messages.Probe) {
	p := g.plans[r.Operation]
	var keys []credentials.Placed
	switch as {
	case series.Nobody:
		r.User = ""
	case series.Stranger:
		r.User = ""
		keys = wrong(p.taken)
	case series.Second:
		keys = g.config.Keys.For(g.config.Document, p.op, 1, g.granted())
		r.User = g.signIns.users[1]
	default:
		return
	}
	r.Header = slices.Clone(r.Header)
	for _, k := range p.taken {
		undress(r, k)
	}
	var c carried
	for _, k := range keys {
		c.take(k)
	}
	r.Target = string(c.appendQueryKeys([]byte(r.Target)))
	if cookies := messages.Get(r.Header, "Cookie"); cookies != "" && len(c.cookieKeys) > 0 {
		r.Header = setField(r.Header, "Cookie", c.cookieField([]byte(cookies))[0].Value)
	} else {
		r.Header = append(r.Header, c.cookieField(nil)...)
	}
	r.Header = append(r.Header, c.last...)
	r.Origins = slices.DeleteFunc(slices.Clone(r.Origins), func(o messages.Origin) bool { return o.Source == "key" })
	if as == series.Second {
		r.Origins = append(r.Origins, c.keyOrigins...)
	}
	if probe.Unauthenticated() {
		r.Valid, r.ByDiscriminator = false, false // it lacks what the document asks for
	}
}

// granted is what the sign-ins have obtained.
func (g *Generator) granted() func(int) []credentials.Placed {
	if g.signIns == nil {
		return func(int) []credentials.Placed { return nil }
	}
	return g.signIns.granted
}

// wrong are credentials for these places that are nobody's.
func wrong(places []credentials.Placed) []credentials.Placed {
	var keys []credentials.Placed
	for _, k := range places {
		if slices.ContainsFunc(keys, func(other credentials.Placed) bool {
			return other.In == k.In && (other.Name == k.Name || k.In == "header" && strings.EqualFold(other.Name, k.Name))
		}) {
			continue
		}
		scheme, _, two := strings.Cut(k.Value, " ")
		switch {
		case !strings.EqualFold(k.Name, "Authorization"):
			k.Value = nobodysKey
		case strings.EqualFold(scheme, "Basic"):
			k = credentials.Basic(nobodysName, nobodysKey)
		case two && strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz-") == "":
			k.Value = scheme + " " + nobodysKey
		default: // it is obtained later, as a token mostly is
			k.Value = "Bearer " + nobodysKey
		}
		keys = append(keys, k)
	}
	return keys
}

// undress takes the credential of that place out of the request.
func undress(r *messages.Request, k credentials.Placed) {
	switch k.In {
	case "header":
		r.Header = slices.DeleteFunc(r.Header, func(f messages.Field) bool { return strings.EqualFold(f.Name, k.Name) })
	case "cookie":
		at := slices.IndexFunc(r.Header, func(f messages.Field) bool { return strings.EqualFold(f.Name, "Cookie") })
		if at < 0 {
			return
		}
		pairs := slices.DeleteFunc(strings.Split(r.Header[at].Value, "; "), func(pair string) bool {
			name, _, _ := strings.Cut(pair, "=")
			return name == k.Name
		})
		if r.Header[at].Value = strings.Join(pairs, "; "); len(pairs) == 0 {
			r.Header = slices.Delete(r.Header, at, at+1)
		}
	case "query":
		path, query, has := strings.Cut(r.Target, "?")
		if !has {
			return
		}
		pairs := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
			name, _, _ := strings.Cut(pair, "=")
			decoded, err := url.QueryUnescape(name)
			return err == nil && decoded == k.Name
		})
		if r.Target = path; len(pairs) > 0 {
			r.Target += "?" + strings.Join(pairs, "&")
		}
	}
}

// changeFor makes the request of a step the probe that it is; false where it cannot be.
func (g *Generator) changeFor(r *messages.Request, s *running, step series.Step) bool {
	r.Probe = step.Probe
	switch {
	case step.Probe == messages.HiddenMethod:
		g.hide(r, step.Nowhere)
	case step.Probe == messages.MassAssignment && r.Method != "GET":
		return g.assign(r, s)
	case step.As != series.First:
		g.carryAs(r, step.As, step.Probe)
	}
	return true
}

// nowhere is below an address what does not lead to anything.
const nowhere = "/restest-no-such-thing"

// hide makes it a GET of the same address, which the document does not declare, or of one below it that names nothing.
func (g *Generator) hide(r *messages.Request, below bool) {
	r.Method, r.Body, r.Valid, r.ByDiscriminator, r.Breaks = "GET", nil, false, false, ""
	r.Header = slices.DeleteFunc(slices.Clone(r.Header), func(f messages.Field) bool { return strings.EqualFold(f.Name, "Content-Type") })
	path, query, has := strings.Cut(r.Target, "?")
	if below {
		path = strings.TrimSuffix(path, "/") + nowhere
	}
	if r.Target = path; has {
		r.Target += "?" + query
	}
}

// assign puts into the request's object a property that the document has in replies alone, with another value than a
// reply to a step before it has shown; false where none has one.
func (g *Generator) assign(r *messages.Request, s *running) bool {
	if !strings.Contains(messages.Get(r.Header, "Content-Type"), "json") {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(r.Body))
	d.UseNumber()
	var object map[string]any
	if d.Decode(&object) != nil || object == nil {
		return false
	}
	var shown map[string]any
	for _, taken := range s.Taken {
		if o, is := taken.Value.(map[string]any); is {
			shown = o
		}
	}
	type assigned struct {
		name  string
		value any
	}
	var found []assigned
	for _, property := range hiddenProperties(g.plans[r.Operation].op) {
		if now, is := shown[property.Name]; is {
			if v, ok := otherValue(now, property.Schema); ok {
				found = append(found, assigned{property.Name, v})
			}
		}
	}
	if len(found) == 0 {
		return false
	}
	c := found[int(s.Number)%len(found)]
	object[c.name] = c.value
	body, err := json.Marshal(object)
	if err != nil {
		return false
	}
	r.Body, r.Valid, r.ByDiscriminator, r.Breaks = body, false, false, ""
	r.Origins = append(slices.Clone(r.Origins), messages.Origin{Place: "body." + c.name, Source: fromProbe})
	return true
}

// otherValue is a value like the one that was shown, and another; not every kind of value has one.
func otherValue(now any, schema *document.Schema) (any, bool) {
	if schema != nil && schema.HasEnum {
		for _, v := range schema.Enum {
			if _, isText := v.(string); isText && v != now {
				return v, true
			}
		}
		return nil, false
	}
	switch now := now.(type) {
	case bool:
		return !now, true
	case json.Number:
		if now == "7" {
			return json.Number("8"), true
		}
		return json.Number("7"), true
	case string:
		for _, v := range otherTexts(schema) {
			if v != now {
				return v, true
			}
		}
	}
	return nil, false
}

// otherTexts are texts of the schema's format.
func otherTexts(schema *document.Schema) []string {
	if schema != nil {
		switch schema.Format {
		case "date-time":
			return []string{"2001-02-03T04:05:06Z", "2002-02-03T04:05:06Z"}
		case "date":
			return []string{"2001-02-03", "2002-02-03"}
		case "email":
			return []string{"restest@example.com", "restest2@example.com"}
		case "":
		default:
			return nil
		}
	}
	return []string{"restest", "restest2"}
}

// hiddenProperties are those that the document has in the operation's replies and not in its requests: they are
// read-only, or not among the request's. Identifiers are not among them.
func hiddenProperties(op *document.Operation) []document.Property {
	if op.Body == nil {
		return nil
	}
	var sent *document.Schema
	for _, m := range op.Body.Media {
		if strings.Contains(m.Type, "json") && m.Schema != nil {
			sent = m.Schema
		}
	}
	if sent == nil {
		return nil
	}
	var hidden []document.Property
	known := map[string]bool{}
	for _, property := range properties(sent) {
		known[property.Name] = true
		if readOnly(property.Schema) {
			hidden = append(hidden, property)
		}
	}
	for _, response := range op.Responses {
		if !strings.HasPrefix(response.Code, "2") {
			continue
		}
		for _, m := range response.Media {
			for _, property := range properties(m.Schema) {
				if !known[property.Name] {
					known[property.Name] = true
					hidden = append(hidden, property)
				}
			}
		}
	}
	return slices.DeleteFunc(hidden, func(p document.Property) bool { return identifies(p.Name) })
}

// identifies says whether a property is one by which this thing, or another, is found.
func identifies(name string) bool {
	if graph.IsPlainID(name) {
		return true
	}
	small := strings.ToLower(name)
	for _, end := range []string{"_id", "-id", "uuid", "guid", "url", "uri", "href", "link", "links", "key", "ref", "slug"} {
		if strings.HasSuffix(small, end) {
			return true
		}
	}
	return strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
}

// properties are those of a schema and of what its allOf names.
func properties(s *document.Schema) []document.Property {
	if s == nil {
		return nil
	}
	all := slices.Clone(s.Properties)
	for _, m := range s.AllOf {
		if m != s {
			all = append(all, m.Properties...)
		}
	}
	return all
}

func readOnly(s *document.Schema) bool {
	return s != nil && (s.ReadOnly || slices.ContainsFunc(s.AllOf, func(m *document.Schema) bool { return m.ReadOnly }))
}
