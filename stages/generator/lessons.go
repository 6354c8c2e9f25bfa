package generator

import (
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator/hints"
	"github.com/restest/restest/stages/generator/values"
)

// lessons is what refusals have asked for, by operation (decision 0018). It is bounded, whatever an API sends.
type lessons struct {
	chance     float64
	operations map[int]*course
	patterns   int
}

// course is the lessons of one operation.
type course struct {
	places []values.Place
	// keys are the names that lead to each place, as values.Key has them, and in which part of the request it is.
	keys [][]string
	in   []string
	// learned are the lessons in the order they were learned, leans what they ask of the values.
	learned []*lesson
	leans   map[string]*values.Lean
	of      map[*values.Lean][]*lesson
	// dropped are lessons that did not help, settled the requests that ended, idle how many refusals in a row taught nothing.
	dropped map[messages.Hint]bool
	settled int
}

// lesson is one thing learned of one place.
type lesson struct {
	place values.Place
	// asked is the undeclared property of the place that is wanted, "" for the place itself.
	asked  string
	want   hints.Want
	schema *document.Schema // nil where it is not about values
	told   *messages.Hint
	// without and with are how requests fared that did not follow it, and that did.
	without, with fared
}

type fared struct{ sent, accepted, complained int }

// What is kept at most.
const (
	mostLessons  = 48 // of an operation
	mostDropped  = 256
	mostPatterns = 64 // of the run: the API wrote them
	// enough is how many requests have to have followed a lesson before it can be dropped.
	enough = 20
	// readAtFirst is how many of an operation's replies are read, readEvery which of those after.
	readAtFirst, readEvery = 64, 16
)

func newLessons(chance float64) *lessons {
	return &lessons{chance: chance, operations: map[int]*course{}}
}

// leans are what the operation's next request leans to: all that was learned or, now and then, nothing.
func (l *lessons) leans(operation int, r *rand.Rand) map[string]*values.Lean {
	c := l.operations[operation]
	if c == nil || len(c.leans) == 0 || r.Float64() >= l.chance {
		return nil
	}
	return c.leans
}

// followed are the lessons that took part in a request.
func (l *lessons) followed(operation int, took []*values.Lean) []*messages.Hint {
	c := l.operations[operation]
	if c == nil {
		return nil
	}
	var told []*messages.Hint
	for _, lean := range took {
		for _, one := range c.of[lean] {
			told = append(told, one.told)
		}
	}
	return told
}

// learn takes from how a valid request ended what it teaches.
func (l *lessons) learn(p *plan, m messages.Learned) {
	if l.chance <= 0 || m.Outcome != messages.Answered || m.Reply == nil || m.Refused || !m.Request.Valid && !m.Request.ByDiscriminator || m.Request.Breaks != "" {
		return
	}
	status := m.Reply.Status
	c := l.operations[p.op.Index]
	if c == nil {
		if status < 400 || status > 499 {
			return
		}
		c = newCourse()
		l.operations[p.op.Index] = c
	}
	if c.settled++; c.settled > readAtFirst && c.settled%readEvery != 0 {
		return // reading costs more than making a request
	}
	var found []*lesson
	if read := hints.Read(m.Reply, m.Value); len(read) > 0 {
		if c.places == nil {
			c.survey(p)
		}
		sent := sentValues{plan: p, request: m.Request}
		for _, h := range read {
			found = append(found, c.resolve(h, &sent)...)
		}
		// A complaint of the value at a place where there was none means that one is missing.
		for _, one := range slices.Clone(found) {
			if at := one.place; one.schema != nil && sent.lacked(at.Name) {
				i := slices.IndexFunc(c.places, func(p values.Place) bool { return p.Name == at.Name })
				found = append(found, c.lesson(i, hints.Want{Kind: hints.Required})...)
			}
		}
	}
	c.count(m.Request.Hints, status >= 200 && status <= 299, found)
	for _, one := range found {
		l.add(c, one)
	}
}

func newCourse() *course {
	return &course{leans: map[string]*values.Lean{}, of: map[*values.Lean][]*lesson{}, dropped: map[messages.Hint]bool{}}
}

// survey lists the operation's places.
func (c *course) survey(p *plan) {
	c.places = p.places()
	for _, place := range c.places {
		in, rest, _ := strings.Cut(place.Name, ".")
		var keys []string
		for name := range strings.SplitSeq(strings.ReplaceAll(rest, "[]", ""), ".") {
			if key := values.Key(name); key != "" {
				keys = append(keys, key)
			}
		}
		c.keys, c.in = append(c.keys, keys), append(c.in, strings.TrimRight(in, "[]"))
	}
}

// places are all of the operation's, parameters first.
func (p *plan) places() []values.Place {
	var all []values.Place
	for i := range p.path.gaps {
		q := p.path.gaps[i].parameter
		all = append(all, values.Places(&q.field, q.place, true)...)
	}
	lists := [][]*parameter{p.query, p.header, p.cookie}
	if p.whole != nil {
		lists = append(lists, []*parameter{p.whole})
	}
	for _, list := range lists {
		for _, q := range list {
			all = append(all, values.Places(&q.field, q.place, q.required)...)
		}
	}
	if p.body != nil {
		for _, c := range p.body.contents {
			all = append(all, values.Places(&c.field, "body", p.body.required)...)
		}
	}
	return all
}

// count notes how a request fared that followed those hints, and drops lessons that do not help.
func (c *course) count(followed []*messages.Hint, accepted bool, complaints []*lesson) {
	var useless []*lesson
	for _, one := range c.learned {
		f := &one.without
		if slices.Contains(followed, one.told) {
			f = &one.with
		}
		f.sent++
		if accepted {
			f.accepted++
		}
		if slices.ContainsFunc(complaints, func(k *lesson) bool { return k.place.Name == one.place.Name && k.asked == one.asked }) {
			f.complained++
		}
		if one.useless() {
			useless = append(useless, one)
		}
	}
	for _, one := range useless {
		c.drop(one)
	}
}

// useless says whether requests that follow the lesson have not been accepted more often than the others, nor complained
// of less at its place; or have been accepted only half as often.
func (one *lesson) useless() bool {
	f, u := one.with, one.without
	if f.sent < enough {
		return false
	}
	gained, had := f.accepted*u.sent, u.accepted*f.sent
	return gained <= had && f.complained*u.sent >= u.complained*f.sent || 2*gained < had
}

func (c *course) drop(one *lesson) {
	c.learned = slices.DeleteFunc(c.learned, func(o *lesson) bool { return o == one })
	if len(c.dropped) < mostDropped {
		c.dropped[*one.told] = true
	}
	c.lean(one.place)
}

// add learns a lesson, unless it is known or did not help before.
func (l *lessons) add(c *course, one *lesson) {
	if c.dropped[*one.told] || len(c.dropped) >= mostDropped {
		return
	}
	for _, known := range c.learned {
		if *known.told == *one.told {
			return
		}
	}
	if one.want.Kind == hints.Matching {
		if l.patterns >= mostPatterns {
			return
		}
		l.patterns++
	}
	// Of what cannot be at once the newer counts.
	before := slices.Clone(c.learned)
	c.learned = slices.DeleteFunc(c.learned, func(o *lesson) bool { return o.place.Name == one.place.Name && o.asked == one.asked && o.excludes(one) })
	if len(c.learned) >= mostLessons {
		c.learned = before
		return
	}
	one.without = fared{sent: 1, complained: 1}
	c.learned = append(c.learned, one)
	if lean := c.lean(one.place); one.schema != nil && !lean.Possible(one.place.Shape) {
		// The others at the place may be in the way; else the document is, and it comes first.
		c.learned = slices.DeleteFunc(c.learned, func(o *lesson) bool {
			return o != one && o.place.Name == one.place.Name && o.schema != nil
		})
		if lean := c.lean(one.place); !lean.Possible(one.place.Shape) {
			c.learned = before
			c.lean(one.place)
		}
	}
}

// excludes says whether two lessons of one place cannot be followed at once.
func (one *lesson) excludes(o *lesson) bool {
	presence := func(k hints.Kind) bool { return k == hints.Required || k == hints.Unwanted }
	return one.want.Kind == o.want.Kind || presence(one.want.Kind) && presence(o.want.Kind) && one.want.Kind != o.want.Kind ||
		o.want.Kind == hints.Unwanted
}

// lean draws together what the lessons of the place ask for; nil if there are none any more. A place that has to be there
// needs what it stands in.
func (c *course) lean(place values.Place) *values.Lean {
	for _, name := range within(place.Name) {
		if old := c.leans[name]; old != nil {
			delete(c.of, old)
			delete(c.leans, name)
		}
		lean := &values.Lean{}
		var of []*lesson
		all := document.Schema{
			MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1, MinContains: -1, MaxContains: -1, MinProperties: -1, MaxProperties: -1,
		}
		for _, one := range c.learned {
			inside := strings.HasPrefix(one.place.Name, name) && (len(one.place.Name) == len(name) || strings.ContainsRune(".[", rune(one.place.Name[len(name)])))
			switch {
			case one.place.Name != name:
				if !inside || one.want.Kind != hints.Required {
					continue
				}
				lean.Present = true
			case one.asked != "" && one.want.Kind == hints.Typed:
				lean.Present = true
				lean.Objects = append(lean.Objects, one.asked)
			case one.asked != "":
				lean.Present = true
				lean.Asked = append(lean.Asked, one.asked)
			case one.want.Kind == hints.Required:
				lean.Present = true
			case one.want.Kind == hints.Unwanted:
				lean.Absent = true
			case one.want.Kind == hints.Taken:
				lean.Fresh = true
			default:
				all.AllOf = append(all.AllOf, one.schema)
			}
			of = append(of, one)
		}
		if len(of) == 0 {
			continue
		}
		if len(all.AllOf) > 0 {
			lean.Schema = &all
		}
		c.leans[name], c.of[lean] = lean, of
	}
	return c.leans[place.Name]
}

// within are the place and those that it stands in, itself first: "body.a.b", "body.a", "body".
func within(place string) []string {
	names := []string{place}
	for {
		at := strings.LastIndexAny(place, ".[")
		if at < 0 {
			return names
		}
		place = place[:at]
		if in := strings.IndexByte(place, '.'); in < 0 && place != "body" {
			return names
		}
		names = append(names, place)
	}
}

// resolve finds the places that a hint is about, and makes lessons of it.
func (c *course) resolve(h hints.Hint, sent *sentValues) []*lesson {
	if len(h.Path) > 0 {
		if at := c.find(h, h.Path, sent); at >= 0 {
			found := c.lesson(at, h.Want)
			if h.Want.Kind == hints.Typed && !c.places[at].Shape.Allows(h.Want.Text) {
				found = append(found, c.object(h)...)
			}
			return found
		}
		return append(c.undeclared(h, sent), c.object(h)...)
	}
	if len(h.Maybe) == 0 {
		if at := slices.IndexFunc(c.places, func(p values.Place) bool { return p.Name == h.In }); at >= 0 {
			return c.lesson(at, h.Want)
		}
		return nil
	}
	for _, word := range h.Maybe {
		if at := c.find(h, strings.Split(word, "."), sent); at >= 0 {
			if found := c.lesson(at, h.Want); found != nil {
				return found
			}
		}
	}
	var found []*lesson
	for _, word := range h.Maybe {
		for _, name := range sent.placesOf(word) {
			if at := slices.IndexFunc(c.places, func(p values.Place) bool { return p.Name == name }); at >= 0 && len(found) < 3 {
				found = append(found, c.lesson(at, h.Want)...)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	// The last word of several may be the name: "zone name" for name.
	for _, word := range h.Maybe {
		if space := strings.LastIndexByte(word, ' '); space > 0 {
			if at := c.find(h, []string{word[space+1:]}, sent); at >= 0 {
				return c.lesson(at, h.Want)
			}
		}
	}
	return c.undeclared(h, sent)
}

// find is the place that the names lead to, -1 if there is none: the one that has most of them at its end. The names may
// begin further out than the place, or further in. Of places alike it is the one that the request did not have where one
// is missing, else the one it had.
func (c *course) find(h hints.Hint, path []string, sent *sentValues) int {
	var names []string
	for _, name := range path {
		if key := values.Key(name); key != "" {
			names = append(names, key)
		}
	}
	if len(names) == 0 {
		return -1
	}
	for _, where := range []string{h.In, ""} {
		best, most, rivals := -1, 0, 0
		for i, keys := range c.keys {
			if where != "" && c.in[i] != where {
				continue
			}
			n := 0
			for n < len(keys) && n < len(names) && keys[len(keys)-1-n] == names[len(names)-1-n] {
				n++
			}
			whole := n > 0 && (n == len(names) || n == len(keys))
			if n == 0 || strings.HasSuffix(c.places[i].Name, "[]") {
				continue
			}
			if !whole {
				rivals++
			}
			score := 8 * n
			if whole {
				score += 4
			}
			if n == len(keys) && n == len(names) {
				score += 2
			}
			if sent.held(c.places[i].Name) == (h.Want.Kind != hints.Required) {
				score++
			}
			if score > most {
				best, most = i, score
			}
		}
		if best >= 0 && (most%8 >= 4 || rivals == 1) {
			return best
		}
		if h.In == "" {
			break
		}
	}
	return -1
}

// lesson makes the lesson that the place is as wanted, none where that says nothing new or cannot be.
func (c *course) lesson(at int, want hints.Want) []*lesson {
	place := c.places[at]
	one := &lesson{place: place, want: want, told: &messages.Hint{Place: place.Name, Wants: want.String()}}
	switch want.Kind {
	case hints.Required:
		if place.Required && !strings.Contains(place.Name, ".") && place.Name != "body" {
			return nil
		}
		return []*lesson{one}
	case hints.Unwanted:
		if place.Required {
			return nil // the document comes first
		}
		return []*lesson{one}
	case hints.Taken:
		if place.Shape.Listed() != nil || !holdsScalars(place.Shape) {
			return nil
		}
		return []*lesson{one}
	}
	one.schema = &document.Schema{
		MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1, MinContains: -1, MaxContains: -1, MinProperties: -1, MaxProperties: -1,
	}
	if want.Narrow(one.schema, place.Shape.Types()) {
		return []*lesson{one}
	}
	// What a list is to be is often meant of its items.
	if items := slices.IndexFunc(c.places, func(p values.Place) bool { return p.Name == place.Name+"[]" }); items >= 0 && place.Shape.Allows("array") {
		return c.lesson(items, want)
	}
	return nil
}

// undeclared makes a lesson of a property that is wanted though the document does not declare it, where it allows more.
func (c *course) undeclared(h hints.Hint, sent *sentValues) []*lesson {
	if h.Want.Kind != hints.Required || h.In != "" && h.In != "body" {
		return nil
	}
	path := h.Path
	if len(path) == 0 {
		path = h.Maybe[:1]
	}
	name := path[len(path)-1]
	if strings.ContainsAny(name, " .[]") {
		return nil
	}
	at := slices.IndexFunc(c.places, func(p values.Place) bool { return p.Name == "body" })
	if len(path) > 1 {
		if inner := c.find(hints.Hint{In: "body"}, path[:len(path)-1], sent); inner >= 0 {
			at = inner
		}
	}
	if at < 0 || !c.places[at].Shape.AllowsMore(name) {
		return nil
	}
	place := c.places[at]
	return []*lesson{{
		place: place, asked: name, want: h.Want, told: &messages.Hint{Place: place.Name + "." + name, Wants: h.Want.String()},
	}}
}

// object makes a lesson of a property of the body that is to be an object, of whose members the document says nothing: it does
// not declare the property, or as another type.
func (c *course) object(h hints.Hint) []*lesson {
	path := h.Path
	if h.In == "" && len(path) > 1 && path[0] == "body" {
		path = path[1:]
	}
	if h.Want.Kind != hints.Typed || h.Want.Text != "object" || h.In != "" && h.In != "body" || len(path) != 1 {
		return nil
	}
	at := slices.IndexFunc(c.places, func(p values.Place) bool { return p.Name == "body" })
	if at < 0 {
		return nil
	}
	place, name := c.places[at], path[0]
	return []*lesson{{place: place, asked: name, want: h.Want, told: &messages.Hint{Place: place.Name + "." + name, Wants: h.Want.String()}}}
}

// sentValues are the values of a request by their places, read from it when first asked for.
type sentValues struct {
	plan    *plan
	request *messages.Request
	read    bool
	at      []placed
	places  map[string]int // how often something stood there
}

type placed struct{ place, text string }

const mostSent = 500

// placesOf are the places at which the request held the text.
func (s *sentValues) placesOf(word string) []string {
	s.take()
	word = strings.Trim(word, " .")
	var found []string
	for _, v := range s.at {
		if word != "" && strings.Trim(v.text, " .") == word && !slices.Contains(found, v.place) {
			found = append(found, v.place)
		}
	}
	return found
}

// held says whether the request held something at the place.
func (s *sentValues) held(place string) bool {
	s.take()
	return s.places[place] > 0
}

// lacked says whether there was nothing at the place, in the request or in one of the items of a list.
func (s *sentValues) lacked(place string) bool {
	s.take()
	above := strings.TrimSuffix(place, "[]")
	if at := strings.LastIndexByte(above, '.'); at >= 0 {
		above = above[:at]
	}
	return s.places[place] < max(1, s.places[above])
}

func (s *sentValues) take() {
	if s.read {
		return
	}
	s.read, s.places = true, map[string]int{}
	for _, f := range s.request.Header {
		s.places["header."+f.Name]++
	}
	target, query, _ := strings.Cut(s.request.Target, "?")
	for i, v := range s.plan.path.values(target) {
		s.add(s.plan.path.gaps[i].parameter.place, v)
	}
	s.pairs("query.", query)
	if s.plan.body == nil || len(s.request.Body) == 0 || len(s.request.Body) > 64<<10 {
		return
	}
	switch kindOf(messages.Get(s.request.Header, "Content-Type")) {
	case jsonKind:
		d := json.NewDecoder(strings.NewReader(string(s.request.Body)))
		d.UseNumber()
		var v any
		if d.Decode(&v) == nil {
			s.walk("body", v)
		}
	case formKind:
		s.pairs("body.", string(s.request.Body))
	}
}

func (s *sentValues) add(place, text string) {
	if len(s.at) < mostSent {
		s.at = append(s.at, placed{place, text})
		s.places[place]++
	}
}

func (s *sentValues) pairs(in, query string) {
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		n, err := url.QueryUnescape(name)
		if v, wrong := url.QueryUnescape(value); err == nil && wrong == nil {
			s.add(in+n, v)
		}
	}
}

func (s *sentValues) walk(place string, v any) {
	if len(s.places) >= mostSent || len(s.at) >= mostSent {
		return
	}
	s.places[place]++
	switch v := v.(type) {
	case map[string]any:
		for _, name := range sortedNames(nil, v) {
			s.walk(place+"."+name, v[name])
		}
	case []any:
		for _, item := range v {
			s.walk(place+"[]", item)
		}
	case string:
		s.at = append(s.at, placed{place, v})
	case json.Number:
		s.at = append(s.at, placed{place, string(v)})
	}
}
