package generator

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/stages/generator/values"
)

// memory is what replies have taught: values by their names, and things by the kind of address they are found at. It
// is bounded by the settings, whatever an API sends.
type memory struct {
	limits settings.Memory
	names  map[string][]any
	order  []string // the names, the oldest first
	kinds  map[string]*kind
	paths  []*path // those that an address in a Location field can be of
}

// kind is the things found below one template, such as "/pets".
type kind struct {
	noun string
	// gaps are the names that gaps behind the template go by, each with the things that have a value for it.
	gaps []*thingsBy
}

type thingsBy struct {
	name   string
	things []thing // the oldest first
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

func newMemory(limits settings.Memory) *memory {
	return &memory{limits: limits, names: map[string][]any{}, kinds: map[string]*kind{}}
}

// expect has things remembered that the plan's path has gaps for.
func (m *memory) expect(p *plan) {
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
			k.gaps = append(k.gaps, &thingsBy{name: g.name})
		}
	}
}

func (k *kind) by(name string) *thingsBy {
	for _, b := range k.gaps {
		if b.name == name {
			return b
		}
	}
	return nil
}

// Values are the values seen under the name, the newest last.
func (m *memory) Values(key string) []any { return m.names[key] }

// thing is a thing whose address fills the plan's first gaps, nil if none is known.
func (m *memory) thing(p *plan, d *values.Draw) thing {
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
		if !d.Likeliest {
			at = d.Rand.IntN(len(b.things))
		}
		if t := b.things[at].fitting(p); t != nil {
			return t
		}
	}
	return nil
}

// fitting is the thing with its values as the plan's gaps want them, nil if one does not fit.
func (t thing) fitting(p *plan) thing {
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

// learn takes from a reply what it teaches. Only a 2xx says that values are good.
func (m *memory) learn(p *plan, l messages.Learned) {
	if !m.limits.LearnFromReplies || l.Refused || l.Outcome != messages.Answered || l.Reply == nil ||
		l.Reply.Status < 200 || l.Reply.Status > 299 {
		return
	}
	sent := p.path.values(l.Request.Target)
	if strings.EqualFold(p.op.Method, "DELETE") {
		if p.path.endsInGap() && len(sent) == len(p.path.gaps) {
			m.forget(p, sent)
		}
		return
	}
	if p.path.endsInGap() && len(sent) == len(p.path.gaps) {
		m.keep(p.path.gaps[len(sent)-1].kind, p.path.gaps[len(sent)-1].name, texts(sent))
	}
	if location := messages.Get(l.Reply.Header, "Location"); location != "" {
		m.learnAddress(location)
	}
	if l.Value != nil && int64(len(l.Reply.Body)) <= m.limits.ReadUpTo {
		k, template, above := m.collection(p, sent)
		if k != nil {
			for _, o := range objects(l.Value, strings.EqualFold(p.op.Method, "GET")) {
				m.learnThing(k, template, above, o)
			}
		}
		m.learnNames(l.Value, "", subject(p), 0)
	}
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
		if id, ok := identifier(o, b.name, k.noun); ok {
			m.keep(template, b.name, append(slices.Clone(above), id))
		}
	}
}

// identifier is the value by which the object is found where the gap has that name: {petId} and {id} under /pets are
// a pet's petId, or else its id; {productName} is a product's productName, or else its name.
func identifier(o map[string]any, gap, noun string) (any, bool) {
	key := values.Key(gap)
	wanted := []string{key, strings.TrimPrefix(key, values.Key(noun))}
	if strings.HasSuffix(key, "id") || key == values.Key(noun) {
		wanted = append(wanted, "id", "uuid")
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
func (m *memory) keep(template, gap string, t thing) {
	k := m.kinds[template]
	if k == nil {
		return
	}
	b := k.by(gap)
	if b == nil || slices.ContainsFunc(b.things, t.equal) || m.limits.ValuesPerName < 1 {
		return
	}
	if len(b.things) >= m.limits.ValuesPerName {
		b.things = slices.Delete(b.things, 0, len(b.things)-m.limits.ValuesPerName+1)
	}
	b.things = append(b.things, t)
	if last := t[len(t)-1]; sayable(last) {
		m.keepName(values.Key(k.noun+"id"), last)
	}
}

// equal compares as addresses do: the number 7 and the text "7" are one.
func (t thing) equal(u thing) bool {
	return slices.EqualFunc(t, u, func(v, w any) bool { return plainText(v) == plainText(w) })
}

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
			b.things = slices.DeleteFunc(b.things, func(t thing) bool { return t.startsWith(gone) })
		}
	}
	for _, key := range []string{values.Key(g.name), values.Key(g.memoryName()), values.Key(g.noun + "id")} {
		if kept, ok := m.names[key]; ok {
			m.names[key] = slices.DeleteFunc(kept, func(v any) bool { return plainText(v) == sent[len(sent)-1] })
		}
	}
}

// learnAddress keeps the thing that a Location field leads to.
func (m *memory) learnAddress(location string) {
	u, err := url.Parse(location)
	if err != nil {
		return
	}
	target := u.EscapedPath()
	for _, p := range m.paths {
		found := p.values(target)
		if n := len(found); n > 0 && n == len(p.gaps) && sayable(found[n-1]) {
			m.keep(p.gaps[n-1].kind, p.gaps[n-1].name, texts(found))
		}
	}
}

// learnNames keeps the values in a reply by their names. An id is also kept by the name of what it identifies.
func (m *memory) learnNames(v any, name, subject string, depth int) {
	if depth > m.limits.MostDepth {
		return
	}
	switch v := v.(type) {
	case []any:
		of := subject
		if name != "" {
			of = singular(name)
		}
		for _, item := range v[:min(len(v), mostItems)] {
			if _, ok := item.(map[string]any); ok {
				m.learnNames(item, "", of, depth+1)
			} else {
				m.learnNames(item, name, of, depth+1)
			}
		}
	case map[string]any:
		if name != "" {
			subject = name
		}
		var few [32]string
		for _, member := range sortedNames(few[:0], v) {
			m.learnNames(v[member], member, subject, depth+1)
		}
	default:
		if name == "" || !sayable(v) {
			return
		}
		m.keepName(values.Key(name), v)
		if isPlainID(name) && subject != "" {
			m.keepName(values.Key(subject+name), v)
		}
	}
}

// keepName remembers a value by its name, the oldest value and the oldest name making room.
func (m *memory) keepName(key string, v any) {
	if key == "" || len(key) > longestName || m.limits.ValuesPerName < 1 || m.limits.MostNames < 1 {
		return
	}
	kept, known := m.names[key]
	if slices.ContainsFunc(kept, func(w any) bool { return values.Equal(v, w) }) {
		return
	}
	if !known {
		if len(m.order) >= m.limits.MostNames {
			delete(m.names, m.order[0])
			m.order = m.order[1:]
		}
		m.order = append(m.order, key)
	}
	if len(kept) >= m.limits.ValuesPerName {
		kept = slices.Delete(kept, 0, len(kept)-m.limits.ValuesPerName+1)
	}
	m.names[key] = append(kept, v)
}
