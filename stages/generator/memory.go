package generator

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document/graph"
	"github.com/restest/restest/stages/generator/values"
)

// memory is what replies and accepted requests have taught: values by their names, and things by the kind of address
// they are found at. It is bounded by the settings, whatever an API sends.
type memory struct {
	limits settings.Memory
	graph  *graph.Graph
	rand   *rand.Rand // the draw's
	names  map[string]*seen
	order  []string // the names, the oldest first
	kinds  map[string]*kind
	paths  []*path // those that an address in a Location field can be of
	// consumers are the plans that links lead to, by operation.
	consumers map[int]*plan
	// plain are, for ids known by what they identify, the names they go by alone: "messageid" is also an "id".
	plain map[string]string
	// refers are the names that stand for a thing elsewhere, such as "bookid", with the operation that makes those things.
	refers map[string]int
	// named are the kinds of things that values of such a name are the names of, by their templates.
	named map[string][]string
	// accepted counts the accepted requests of each operation, deleted has the DELETEs that were answered 2xx.
	accepted map[int]int
	deleted  map[int]bool
	account  account

	// building is the operation that a request is being built for: what it made is not offered back to it. silent is
	// true while nothing is to be offered, anew while nothing is but what stands for other things, pinned the thing that the
	// request is to lead to.
	building int
	silent   bool
	anew     bool
	pinned   thing
	now      messages.Instant // when the reply was heard that is being learned from
	// held says whether a thing is a running series' own, and not to be used by others.
	held func(address []any) bool
	few  []any // scratch
	// newest is, by the path of a collection, the thing that was read of it last; where are those paths, the oldest first.
	newest map[string]map[string]any
	where  []string
}

// seen are the values seen under one name, the oldest first.
type seen struct {
	values []any
	from   []origin // of each value
}

// origin is who made a value up: the operation, noOne for a value that the API gave; sent is true for one that was in a
// request, and accepted.
type origin struct {
	maker int
	sent  bool
}

const noOne = -1

// kind is the things found below one template, such as "/pets".
type kind struct {
	noun string
	// gaps are the names that gaps behind the template go by, each with the things that have a value for it.
	gaps []*thingsBy
}

type thingsBy struct {
	name   string
	texts  bool    // no number fits the gap
	things []thing // the oldest first
	since  []messages.Instant
	mine   []bool // whether the run has made it
}

// thing is where a thing is found: the values of its address's gaps, its own last.
type thing []any

// Longer texts, names and numbers are contents rather than something to send again.
const (
	longestText   = 256
	longestName   = 128
	longestNumber = 32
	// mostItems is how many items of one list are read.
	mostItems = 50
)

func newMemory(limits settings.Memory, g *graph.Graph) *memory {
	return &memory{
		limits: limits, graph: g, names: map[string]*seen{}, kinds: map[string]*kind{}, plain: map[string]string{}, refers: map[string]int{}, named: map[string][]string{},
		accepted: map[int]int{}, deleted: map[int]bool{}, account: account{}, consumers: map[int]*plan{}, building: noOne,
	}
}

// expect has things remembered that the plan's path has gaps for.
func (m *memory) expect(p *plan) {
	m.consumers[p.op.Index] = p
	m.account.signsIn(p.taken)
	p.locks, p.tells = p.couldLockOut(), p.isOfCaller()
	p.deletes = p.op.Method == http.MethodDelete && p.path.endsInGap() && slices.ContainsFunc(m.graph.Resources, func(r *graph.Resource) bool {
		return r.Delete == p.op.Index && r.Create != graph.None
	})
	if p.path.endsInGap() {
		m.paths = append(m.paths, &p.path)
	}
	for i := range p.path.gaps {
		g := &p.path.gaps[i]
		if g.kind == "" {
			continue
		}
		k := m.kinds[g.kind]
		if k == nil {
			k = &kind{noun: g.noun}
			m.kinds[g.kind] = k
		}
		if k.by(g.name) == nil {
			shape := g.parameter.field.Shape
			k.gaps = append(k.gaps, &thingsBy{name: g.name, texts: !shape.Allows("integer") && !shape.Allows("number")})
		}
		name := values.Key(g.memoryName())
		if name != values.Key(g.name) {
			m.plain[name] = values.Key(g.name)
		}
		if strings.HasSuffix(name, "id") && name != "id" {
			m.refers[name] = m.makerOf(g.kind)
		}
		for _, key := range []string{name, values.Key(g.noun), values.Key(g.noun + "id"), values.Key(g.noun + g.name)} {
			if key != "" && key != "id" && !slices.Contains(plainNames, key) && !slices.Contains(m.named[key], g.kind) {
				m.named[key] = append(m.named[key], g.kind)
			}
		}
	}
}

// kindsAt are the kinds of things whose names stand at such a place of a request, as messages.Value has it.
func (m *memory) kindsAt(place string) []string {
	_, name, _ := strings.Cut(place, ".")
	name, many := strings.CutSuffix(name[strings.LastIndexByte(name, '.')+1:], "[]")
	if kinds := m.named[values.Key(name)]; len(kinds) > 0 || !many {
		return kinds
	}
	return m.named[values.Key(graph.Singular(name))]
}

// makerOf is the operation that makes the things below the template, graph.None where there is none.
func (m *memory) makerOf(template string) int {
	for _, r := range m.graph.Resources {
		if r.Collection == template && r.Create != graph.None {
			return r.Create
		}
	}
	return graph.None
}

func (k *kind) by(name string) *thingsBy {
	for _, b := range k.gaps {
		if b.name == name {
			return b
		}
	}
	return nil
}

func (b *thingsBy) remove(i int) {
	b.things, b.since, b.mine = slices.Delete(b.things, i, i+1), slices.Delete(b.since, i, i+1), slices.Delete(b.mine, i, i+1)
}

// isNew says whether the thing is surely one that the request has made: nothing told of it before the request was sent,
// and where the request chose its id, the API says that it was created and not found.
func (m *memory) isNew(r *graph.Resource, t thing, l *messages.Learned) bool {
	if k := m.kinds[r.Collection]; k != nil {
		for _, b := range k.gaps {
			for i := range b.things {
				if b.since[i] <= l.SentAt && b.things[i].equal(t) {
					return false
				}
			}
		}
	}
	if l.Reply.Status == http.StatusCreated || len(t) == 0 {
		return true
	}
	body, ok := bodyOf(l.Request)
	if !ok {
		return len(l.Request.Body) == 0
	}
	chosen := false
	id := plainText(t[len(t)-1])
	eachScalar(body, 0, func(v any) { chosen = chosen || plainText(v) == id })
	return !chosen
}

// eachScalar calls back with each text and number of the value.
func eachScalar(v any, depth int, f func(any)) {
	if depth > deepestScalar {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, w := range v {
			eachScalar(w, depth+1, f)
		}
	case []any:
		for _, w := range v {
			eachScalar(w, depth+1, f)
		}
	case string, json.Number:
		f(v)
	}
}

const deepestScalar = 20

// Values are the values seen under the name: those that were sent, then those that the API gave, of each the newest last.
// Those that the operation made itself are left out. Of ids the newest is offered alone half of the time: older ones are
// more often gone.
func (m *memory) Values(key string) []any {
	if maker, refers := m.refers[key]; m.silent || m.anew && !refers || refers && maker == m.building && maker != graph.None {
		return nil // what is made anew has an id of its own
	}
	found := m.offered(m.names[key])
	if plain, ok := m.plain[key]; ok && len(found) == 0 {
		found = m.offered(m.names[plain])
	}
	if n := len(found); n > 1 && strings.HasSuffix(key, "id") && m.rand != nil && m.rand.IntN(2) == 0 {
		return found[n-1:]
	}
	return found
}

// Refers says whether a name of that key stands for a thing of another operation's than the one being built for.
func (m *memory) Refers(key string) bool {
	maker, is := m.refers[key]
	return is && (maker == graph.None || maker != m.building)
}

func (m *memory) offered(s *seen) []any {
	if s == nil {
		return nil
	}
	own := func(o origin) bool { return o.maker == m.building && o.maker != noOne }
	if !slices.ContainsFunc(s.from, own) {
		return s.values
	}
	m.few = m.few[:0]
	for i, v := range s.values {
		if !own(s.from[i]) {
			m.few = append(m.few, v)
		}
	}
	return m.few
}

// thing is a thing whose address fills the plan's first gaps, nil if none is known: half of the time the newest.
func (m *memory) thing(p *plan, d *values.Draw) thing {
	if m.pinned != nil {
		return m.pinned.fitting(p)
	}
	for i := len(p.path.gaps) - 1; i >= 0; i-- {
		g := &p.path.gaps[i]
		k := m.kinds[g.kind]
		if k == nil {
			continue
		}
		b := k.by(g.name)
		if b == nil || len(b.things) == 0 {
			continue
		}
		at := len(b.things) - 1
		if !d.Likeliest && d.Rand.IntN(2) == 0 {
			at = d.Rand.IntN(len(b.things))
		}
		if last := lastTrue(b.mine); last >= 0 && !b.mine[at] && i == len(p.path.gaps)-1 && p.deletes {
			at = last
		}
		if i == len(p.path.gaps)-1 && m.isOwn(p, b.things[at].last()) {
			at = slices.IndexFunc(b.things, func(t thing) bool { return !m.isOwn(p, t.last()) })
		}
		if at < 0 {
			return nil
		}
		if t := b.things[at].fitting(p); t != nil {
			return t
		}
	}
	return nil
}

// newestMade is the newest thing that the run has made and whose address fills the plan's gaps, nil for none.
func (m *memory) newestMade(p *plan) thing {
	n := len(p.path.gaps)
	if n == 0 || m.kinds[p.path.gaps[n-1].kind] == nil {
		return nil
	}
	b := m.kinds[p.path.gaps[n-1].kind].by(p.path.gaps[n-1].name)
	if b == nil {
		return nil
	}
	at := lastTrue(b.mine)
	if at < 0 {
		return nil
	}
	return b.things[at].fitting(p)
}

// sparedOf is of how many DELETEs one may lead to a thing that the run has not made.
const sparedOf = 8

// spares says whether the request is to keep off the things that are there: the run has made none of them, or only the last,
// and deleting them would leave nothing for the other operations to find. Until the operation was answered 2xx it may lead
// to one now and then, but not to the last of those that were there before.
func (m *memory) spares(p *plan, d *values.Draw) bool {
	if m.pinned != nil || !p.deletes {
		return false
	}
	g := &p.path.gaps[len(p.path.gaps)-1]
	k := m.kinds[g.kind]
	if k == nil || k.by(g.name) == nil {
		return true
	}
	b := k.by(g.name)
	made := lastTrue(b.mine) >= 0
	if n := len(b.things); made && n > 1 {
		return false
	} else if m.deleted[p.op.Index] || !made && n < 2 {
		return true
	}
	return d.Rand.IntN(sparedOf) > 0
}

func lastTrue(of []bool) int {
	for i := len(of) - 1; i >= 0; i-- {
		if of[i] {
			return i
		}
	}
	return -1
}

// fitting is the thing with its values as the plan's gaps want them, nil if one does not fit.
func (t thing) fitting(p *plan) thing {
	if len(t) > len(p.path.gaps) {
		t = t[:len(p.path.gaps)]
	}
	adapted := make(thing, len(t))
	for i, v := range t {
		shape := p.path.gaps[i].parameter.field.Shape
		w, ok := shape.Adapt(v)
		if n, isNumber := v.(json.Number); !ok && isNumber {
			w, ok = string(n), shape.Fits(string(n))
		}
		if !ok {
			return nil
		}
		adapted[i] = w
	}
	return adapted
}

// learn takes from a reply what it teaches. Only a 2xx says that values are good; a thing that is not found is no more.
func (m *memory) learn(p *plan, l messages.Learned) {
	if !m.limits.LearnFromReplies || l.Refused || l.Outcome != messages.Answered || l.Reply == nil {
		return
	}
	m.now = l.HeardAt
	sent := p.path.values(l.Request.Target)
	whole := p.path.endsInGap() && len(sent) == len(p.path.gaps)
	status := l.Reply.Status
	if whole && (status == http.StatusNotFound || status == http.StatusGone) {
		m.forget(p, sent)
	}
	if status == http.StatusMovedPermanently || status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect {
		m.moved(p, sent, &l)
	}
	if status < 200 || status > 299 {
		return
	}
	if strings.EqualFold(p.op.Method, "DELETE") {
		if whole {
			m.forget(p, sent)
		}
		return
	}
	if whole {
		m.keep(p.path.gaps[len(sent)-1].kind, p.path.gaps[len(sent)-1].name, texts(sent), false)
	}
	maker := noOne
	if strings.EqualFold(p.op.Method, "POST") {
		maker = p.op.Index
	}
	if location := messages.Get(l.Reply.Header, "Location"); location != "" {
		m.learnAddress(l.Request.Target, location)
	}
	for _, r := range m.graph.Makes(p.op.Index) {
		if t, ok := m.madeThing(p, r, sent, &l); ok {
			m.keepThing(r, t)
		}
	}
	m.learnLinks(p, &l, sent)
	if l.Value != nil && int64(len(l.Reply.Body)) <= m.limits.ReadUpTo {
		found := objects(l.Value, strings.EqualFold(p.op.Method, "GET"))
		if k, template, above := m.collection(p, sent); k != nil {
			things := found
			if whole && !k.holds(found, sent[len(sent)-1]) {
				things = itself(l.Value)
			}
			for _, o := range things {
				m.learnThing(k, template, above, o)
			}
			if len(things) > 0 && strings.EqualFold(p.op.Method, "GET") { // what a write answers is often about the write
				m.keepNewest(k, collectionPath(l.Request.Target, whole), things[len(things)-1])
			}
		}
		for _, r := range m.graph.Lists(p.op.Index) {
			if k := m.kinds[r.Collection]; k != nil && r.Depth == 1+len(sent) {
				for _, o := range found {
					m.learnThing(k, r.Collection, texts(sent), o)
				}
			}
		}
		for _, o := range found[:min(len(found), mostAddressed)] {
			m.learnOwnAddress(o)
		}
		m.learnNames(l.Value, "", subject(p), 0, origin{maker: maker})
	}
	m.learnAccepted(p, l.Request, maker)
}

// The accepted requests of an operation that are read: the first, and then some, since reading one takes about as long
// as making one.
const (
	acceptedAtFirst  = 64
	acceptedEvery    = 16
	longestBodyTaken = 64 << 10
)

// learnAccepted keeps the values that an accepted request held. Ids that were made up are not among them: that a search
// for one was answered does not say that there is such a thing.
func (m *memory) learnAccepted(p *plan, r *messages.Request, maker int) {
	if !r.Valid && !r.ByDiscriminator || r.Body == nil && !strings.Contains(r.Target, "?") {
		return
	}
	n := m.accepted[p.op.Index] + 1
	m.accepted[p.op.Index] = n
	if n > acceptedAtFirst && n%acceptedEvery != 0 {
		return
	}
	from := origin{maker: maker, sent: true}
	if _, query, ok := strings.Cut(r.Target, "?"); ok {
		for _, q := range p.query {
			if v, there := queryValue(query, q.name); there && q.field.Shape.Fits(v) {
				m.learnNames(v, q.name, "", 0, from)
			}
		}
	}
	if v, ok := bodyOf(r); ok {
		m.learnNames(v, "", "", 0, from)
	}
}

// queryValue is the value of a query's first pair of that name.
func queryValue(query, name string) (string, bool) {
	for pair := range strings.SplitSeq(query, "&") {
		k, v, _ := strings.Cut(pair, "=")
		if k, err := url.QueryUnescape(k); err != nil || k != name {
			continue
		}
		text, err := url.QueryUnescape(v)
		return text, err == nil && text != ""
	}
	return "", false
}

// bodyOf is the request's body read as JSON.
func bodyOf(r *messages.Request) (any, bool) {
	if len(r.Body) == 0 || len(r.Body) > longestBodyTaken || r.Body[0] != '{' {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(r.Body))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err == nil
}

func texts(s []string) thing {
	t := make(thing, len(s))
	for i := range s {
		t[i] = s[i]
	}
	return t
}

// subject is what the operation's replies are about, in the singular.
func subject(p *plan) string {
	if n := len(p.path.gaps); p.path.endsInGap() {
		return p.path.gaps[n-1].noun
	}
	return noun(p.op.Path)
}

// collection is the kind that the things in a reply are of: that of the operation's path, or of a shorter one, as for
// /pets/search. Above are the values of the gaps before it.
func (m *memory) collection(p *plan, sent []string) (k *kind, template string, above thing) {
	if n := len(p.path.gaps); p.path.endsInGap() {
		if len(sent) != n {
			return nil, "", nil
		}
		g := p.path.gaps[n-1]
		return m.kinds[g.kind], g.kind, texts(sent[:n-1])
	}
	if len(sent) != len(p.path.gaps) {
		return nil, "", nil
	}
	template = p.path.base
	for _, segment := range p.path.segments[1:] {
		if strings.HasPrefix(segment, "{") {
			segment = "{}"
		}
		template += "/" + segment
	}
	for template != p.path.base && !strings.HasSuffix(template, "{}") {
		if k := m.kinds[template]; k != nil {
			return k, template, texts(sent)
		}
		template = template[:strings.LastIndexByte(template, '/')]
	}
	return nil, "", nil
}

// objects are the things that a reply holds: the items of a list; for a read also those of a list one level down, as
// {"data": [...]}; else the object itself, and what it wraps.
func objects(v any, read bool) []map[string]any {
	switch v := v.(type) {
	case []any:
		return onlyObjects(v)
	case map[string]any:
		var found []map[string]any
		for _, name := range sortedNames(nil, v) {
			if items, ok := v[name].([]any); ok && read {
				found = append(found, onlyObjects(items)...)
			}
		}
		if len(found) > 0 && v["id"] == nil {
			return found
		}
		found = []map[string]any{v}
		if len(v) <= 3 {
			for _, name := range sortedNames(nil, v) {
				if o, ok := v[name].(map[string]any); ok {
					found = append(found, o)
				}
			}
		}
		return found
	default:
		return nil
	}
}

// itself are the things in the reply to a read of one where no list in it holds that one: such a list is of its parts, as
// the columns of a table are.
func itself(v any) []map[string]any {
	if _, isObject := v.(map[string]any); !isObject {
		return nil
	}
	return objects(v, false)
}

// holds says whether one of the objects is found by that value.
func (k *kind) holds(found []map[string]any, id string) bool {
	for _, b := range k.gaps {
		for _, o := range found {
			if v, ok := k.identifier(o, b); ok && plainText(v) == id {
				return true
			}
		}
	}
	return false
}

// identifier is the value by which an object that was read is found behind the gap.
func (k *kind) identifier(o map[string]any, b *thingsBy) (any, bool) {
	if id, ok := identifier(o, b.name, k.noun, b.texts); ok {
		return id, true
	}
	if !isPlainID(b.name) && strings.HasSuffix(values.Key(b.name), "id") {
		return nil, false // it says what it identifies
	}
	return onlyID(o)
}

func onlyObjects(items []any) []map[string]any {
	var found []map[string]any
	for _, item := range items[:min(len(items), mostItems)] {
		if o, ok := item.(map[string]any); ok {
			found = append(found, o)
		}
	}
	return found
}

// learnThing keeps where the object is found, for each name that its place in the path goes by.
func (m *memory) learnThing(k *kind, template string, above thing, o map[string]any) {
	for _, b := range k.gaps {
		if id, ok := k.identifier(o, b); ok {
			m.keep(template, b.name, append(slices.Clone(above), id), false)
		}
	}
}

// identifier is the value by which the object is found where the gap has that name: {petId} and {id} under /pets are
// a pet's petId, or else its id; {productName} is a product's productName, or else its name. Of {org}, which may be either,
// it is the id, unless that is a number and only texts fit the gap.
func identifier(o map[string]any, gap, noun string, texts bool) (any, bool) {
	key := values.Key(gap)
	wanted := []string{key, strings.TrimPrefix(key, values.Key(noun))}
	if isPlainID(gap) {
		wanted = append(wanted, values.Key(noun+"id"))
	}
	plain := !strings.HasSuffix(key, "id") && (noun == "" || key == values.Key(noun))
	if _, number := o["id"].(json.Number); plain && texts && number {
		wanted = append(wanted, plainNames...)
	}
	if strings.HasSuffix(key, "id") || key == values.Key(noun) {
		wanted = append(wanted, "id", "uuid")
	}
	for _, name := range plainNames {
		if plain || strings.HasSuffix(key, name) {
			wanted = append(wanted, name)
		}
	}
	for _, w := range wanted {
		if w == "" {
			continue
		}
		if v, ok := o[w]; ok && sayable(v) {
			return v, true
		}
		for _, name := range sortedNames(nil, o) {
			if values.Key(name) == w && sayable(o[name]) {
				return o[name], true
			}
		}
	}
	return nil, false
}

// plainNames are properties that things are found by, beside ids.
var plainNames = []string{"name", "key", "uuid", "code", "slug", "login"}

// onlyID is the value of the one property whose name ends as an id's does, where there is just one: rows of a table
// "artists" are found by their ArtistId, whatever the gap is called.
func onlyID(o map[string]any) (id any, ok bool) {
	for _, name := range sortedNames(nil, o) {
		if !idName.MatchString(name) || !sayable(o[name]) {
			continue
		}
		if ok {
			return nil, false
		}
		id, ok = o[name], true
	}
	return id, ok
}

var idName = regexp.MustCompile(`.(Id|ID|[_-]id)$`)

// sayable says whether the value is one that can be sent again: a text or number of ordinary length.
func sayable(v any) bool {
	switch v := v.(type) {
	case string:
		return v != "" && len(v) <= longestText
	case json.Number:
		return len(v) <= longestNumber
	default:
		return false
	}
}

// keep remembers a thing, the oldest making room.
func (m *memory) keep(template, gap string, t thing, mine bool) {
	k := m.kinds[template]
	if k == nil {
		return
	}
	b := k.by(gap)
	if b == nil || m.limits.ValuesPerName < 1 || m.held != nil && m.held(t) {
		return
	}
	if known := slices.IndexFunc(b.things, t.equal); known >= 0 {
		b.mine[known] = b.mine[known] || mine
		return
	}
	if len(b.things) >= m.limits.ValuesPerName {
		b.remove(0)
	}
	b.things, b.since, b.mine = append(b.things, t), append(b.since, m.now), append(b.mine, mine)
	if last := t[len(t)-1]; sayable(last) {
		m.keepName(values.Key(k.noun+"id"), last, origin{maker: noOne})
	}
}

// equal compares as addresses do: the number 7 and the text "7" are one.
func (t thing) equal(u thing) bool {
	return slices.EqualFunc(t, u, func(v, w any) bool { return plainText(v) == plainText(w) })
}

func (t thing) last() any { return t[len(t)-1] }

func (t thing) startsWith(u thing) bool { return len(t) >= len(u) && t[:len(u)].equal(u) }

// forget takes the thing out that the address led to, and all that was found below it.
func (m *memory) forget(p *plan, sent []string) {
	g := &p.path.gaps[len(sent)-1]
	gone := texts(sent)
	for template, k := range m.kinds {
		if template != g.kind && !strings.HasPrefix(template, g.kind+"/{}") {
			continue
		}
		for _, b := range k.gaps {
			for i := len(b.things) - 1; i >= 0; i-- {
				if b.things[i].startsWith(gone) {
					b.remove(i)
				}
			}
		}
	}
	byNoun := values.Key(g.noun + "id")
	for _, key := range []string{values.Key(g.name), values.Key(g.memoryName()), byNoun, m.plain[byNoun]} {
		if kept, ok := m.names[key]; ok {
			kept.forget(sent[len(sent)-1])
		}
	}
}

// moved takes in that a thing is found elsewhere: the reply leads to the same path with another value in one of its gaps.
func (m *memory) moved(p *plan, sent []string, l *messages.Learned) {
	found := p.path.located(l.Request.Target, messages.Get(l.Reply.Header, "Location"))
	if len(found) == 0 || len(found) != len(sent) {
		return
	}
	for i := range sent {
		if found[i] == sent[i] {
			continue
		}
		g := &p.path.gaps[i]
		k := m.kinds[g.kind]
		if k == nil || !slices.Equal(found[i+1:], sent[i+1:]) || !sayable(found[i]) {
			return
		}
		was := texts(sent[:i+1])
		for _, b := range k.gaps {
			mine := false
			for j, t := range b.things {
				mine = mine || b.mine[j] && t.equal(was)
			}
			m.keep(g.kind, b.name, texts(found[:i+1]), mine)
		}
		m.forget(p, sent[:i+1])
		return
	}
}

// learnAddress keeps the thing that a Location field leads to.
func (m *memory) learnAddress(target, location string) {
	for _, p := range m.paths {
		found := p.located(target, location)
		if n := len(found); n > 0 && n == len(p.gaps) && sayable(found[n-1]) {
			m.keep(p.gaps[n-1].kind, p.gaps[n-1].name, texts(found), false)
		}
	}
}

// mostAddressed is how many objects of a reply are asked for their own addresses.
const mostAddressed = 8

// learnOwnAddress keeps the thing that the object itself says it is found at.
func (m *memory) learnOwnAddress(o map[string]any) {
	for _, name := range ownAddress {
		at, ok := o[name].(string)
		if !ok || len(at) > 2*longestText || !strings.Contains(at, "/") {
			continue
		}
		u, err := url.Parse(at)
		if err != nil {
			continue
		}
		path := strings.TrimSuffix(u.EscapedPath(), "/")
		for _, p := range m.paths {
			if strings.Count(path, "/") != len(p.segments)-1+strings.Count(p.base, "/") {
				continue
			}
			found := p.values(path)
			if n := len(found); n > 0 && n == len(p.gaps) && !slices.Contains(found, "") && sayable(found[n-1]) {
				m.keep(p.gaps[n-1].kind, p.gaps[n-1].name, texts(found), false)
			}
		}
	}
}

// ownAddress are the properties in which objects say where they are found.
var ownAddress = []string{"url", "href", "self", "uri", "@id"}

// learnNames keeps the values in a reply by their names. An id is also kept by the name of what it identifies.
func (m *memory) learnNames(v any, name, subject string, depth int, from origin) {
	if depth > m.limits.MostDepth {
		return
	}
	switch v := v.(type) {
	case []any:
		of := subject
		if name != "" {
			of = graph.Singular(name)
		}
		for _, item := range v[:min(len(v), mostItems)] {
			if _, ok := item.(map[string]any); ok {
				m.learnNames(item, "", of, depth+1, from)
			} else {
				m.learnNames(item, name, of, depth+1, from)
			}
		}
	case map[string]any:
		if name != "" {
			subject = name
		}
		var few [32]string
		for _, member := range sortedNames(few[:0], v) {
			m.learnNames(v[member], member, subject, depth+1, from)
		}
	default:
		if name == "" || !sayable(v) || m.held != nil && m.held([]any{v}) {
			return
		}
		key := values.Key(name)
		if from.sent && (strings.HasSuffix(key, "id") || strings.HasSuffix(key, "ids")) {
			return
		}
		m.keepName(key, v, from)
		if isPlainID(name) && subject != "" {
			m.keepName(values.Key(subject+name), v, from)
		}
	}
}

// keepName remembers a value by its name, the oldest value and the oldest name making room. Values that were sent take
// no more than half of the room, push out none that the API gave, and come before those: the last is the likeliest.
func (m *memory) keepName(key string, v any, from origin) {
	if key == "" || len(key) > longestName || m.limits.ValuesPerName < 1 || m.limits.MostNames < 1 {
		return
	}
	s := m.names[key]
	if s == nil {
		if len(m.order) >= m.limits.MostNames {
			delete(m.names, m.order[0])
			m.order = m.order[1:]
		}
		m.order = append(m.order, key)
		s = &seen{}
		m.names[key] = s
	}
	if slices.ContainsFunc(s.values, func(w any) bool { return values.Equal(v, w) }) {
		return
	}
	wasSent := func(o origin) bool { return o.sent }
	if from.sent {
		sent := 0
		for _, o := range s.from {
			if o.sent {
				sent++
			}
		}
		if sent > 0 && (len(s.values) >= m.limits.ValuesPerName || sent >= (m.limits.ValuesPerName+1)/2) {
			s.remove(slices.IndexFunc(s.from, wasSent))
		}
		if len(s.values) >= m.limits.ValuesPerName {
			return
		}
	} else if len(s.values) >= m.limits.ValuesPerName {
		s.remove(0)
	}
	at := len(s.values)
	if given := slices.IndexFunc(s.from, func(o origin) bool { return !o.sent }); from.sent && given >= 0 {
		at = given
	}
	s.values, s.from = slices.Insert(s.values, at, v), slices.Insert(s.from, at, from)
}

func (s *seen) remove(i int) {
	s.values, s.from = slices.Delete(s.values, i, i+1), slices.Delete(s.from, i, i+1)
}

// forget takes out the value that is written so.
func (s *seen) forget(text string) {
	for i := len(s.values) - 1; i >= 0; i-- {
		if plainText(s.values[i]) == text {
			s.remove(i)
		}
	}
}

// What is kept of the things that were read last.
const (
	mostNewest  = 256
	mostMembers = 64
)

// collectionPath is the path of the collection that the target leads to, or of the thing in it.
func collectionPath(target string, ofThing bool) string {
	path, _, _ := strings.Cut(target, "?")
	if at := strings.LastIndexByte(path, '/'); ofThing && at > 0 {
		path = path[:at]
	}
	return path
}

// keepNewest remembers what a thing of the collection looks like: its texts and numbers but those that it is found by, which
// another does not share.
func (m *memory) keepNewest(k *kind, path string, o map[string]any) {
	like := map[string]any{}
	for _, name := range sortedNames(nil, o) {
		if v := o[name]; sayable(v) && len(like) < mostMembers {
			like[name] = v
		}
	}
	for _, b := range k.gaps {
		if id, ok := k.identifier(o, b); ok {
			maps.DeleteFunc(like, func(_ string, v any) bool { return plainText(v) == plainText(id) })
		}
	}
	if len(like) == 0 {
		return
	}
	if m.newest == nil {
		m.newest = map[string]map[string]any{}
	}
	if m.newest[path] == nil {
		if len(m.where) == mostNewest {
			delete(m.newest, m.where[0])
			m.where = m.where[1:]
		}
		m.where = append(m.where, path)
	}
	m.newest[path] = like
}

// like is what a thing looks like that is found where the plan's target leads to, nil where none was read.
func (m *memory) like(p *plan, target string) map[string]any {
	return m.newest[collectionPath(target, p.path.endsInGap())]
}
