package rechecks

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/restest/restest/messages"
)

// Rules say what of a request may be left out or changed so that it still claims the same: a request that fits the
// document still fits it, and one that breaks one rule breaks that rule and no other.
type Rules struct {
	// Query and Header say whether the parameter of that name may be left out, Body whether the body may.
	Query, Header func(name string) bool
	Body          bool
	// Fits says whether a JSON value can be the body; nil where the body has to stay as it is.
	Fits func(body any) bool
	// Property says whether a value can be the property of that name of a JSON body that has to break one rule elsewhere, and
	// so has no Fits; nil for other bodies.
	Property func(name string, value any) bool
	// Text says whether a text can be the value of the query parameter; nil where none may be changed.
	Text func(name, value string) bool
	// Names says whether a place, as messages.Value has it, is one for the name of a thing; nil where none is.
	Names func(place string) bool
}

// mostTries is how many requests the reduction of one finding may send.
const mostTries = 20

// longestReduced is how long a body, in bytes, may be to be taken apart.
const longestReduced = 64 << 10

// reduction makes a request smaller while it still shows its finding: it leaves out parts, all at once, then halves,
// then each (delta debugging), and shortens the texts that are left. It sends nothing: next is the request to try,
// heard is told whether that one shows the finding.
type reduction struct {
	rules Rules
	whole parts
	best  choice
	// untried are the parts that might be left out still, in pieces of size, the next at from.
	untried    []part
	size, from int
	// texts are the texts to shorten still; low is the longest length of the first that is known to be too short.
	texts   []part
	low     int
	asked   choice
	leaving []part // what the asked request leaves out
	tries   int
	seen    map[string]bool // what was tried, or is the request itself
}

// parts is a request taken apart.
type parts struct {
	request *messages.Request
	path    string
	query   []string // the pairs as they are written
	body    *tree    // nil where it stays whole
}

// part is one part of a request that can be left out.
type part struct {
	kind partKind
	name string // of a query parameter or a header field
	node int    // of the body
}

type partKind int

const (
	queryPart partKind = iota
	headerPart
	bodyPart
	nodePart
)

// choice is what of a request is left out, and which texts are shorter.
type choice struct {
	query, header map[string]bool
	noBody        bool
	nodes         map[int]bool
	texts         map[int]string
	values        map[string]string // of query parameters
}

func newReduction(r *messages.Request, rules Rules) *reduction {
	d := &reduction{rules: rules, whole: takeApart(r, rules.Fits != nil), seen: map[string]bool{}}
	d.seen[signature(r)] = true
	for _, pair := range d.whole.query {
		if name := nameOf(pair); rules.Query != nil && rules.Query(name) && !slices.ContainsFunc(d.untried, is(queryPart, name)) {
			d.untried = append(d.untried, part{kind: queryPart, name: name})
		}
	}
	for _, f := range r.Header {
		if rules.Header != nil && rules.Header(f.Name) && !slices.ContainsFunc(d.untried, is(headerPart, f.Name)) {
			d.untried = append(d.untried, part{kind: headerPart, name: f.Name})
		}
	}
	if r.Body != nil && rules.Body {
		d.untried = append(d.untried, part{kind: bodyPart})
	}
	if d.whole.body != nil {
		for _, node := range d.whole.body.parts() {
			d.untried = append(d.untried, part{kind: nodePart, node: node})
		}
	}
	d.size = len(d.untried)
	return d
}

func is(kind partKind, name string) func(part) bool {
	return func(p part) bool { return p.kind == kind && p.name == name }
}

// takeApart takes a request apart, its body only where that may be changed.
func takeApart(r *messages.Request, body bool) parts {
	p := parts{request: r}
	path, query, has := strings.Cut(r.Target, "?")
	if p.path = path; has {
		p.query = strings.Split(query, "&")
	}
	if body && len(r.Body) > 0 && len(r.Body) <= longestReduced && r.HoldsJSON() {
		p.body, _ = parse(r.Body)
	}
	return p
}

// nameOf is the name of the parameter that a pair of the query belongs to: filter[name]=x is of filter.
func nameOf(pair string) string {
	name, _, _ := strings.Cut(pair, "=")
	if decoded, err := url.QueryUnescape(name); err == nil {
		name = decoded
	}
	name, _, _ = strings.Cut(name, "[")
	return name
}

// next is the smaller request to try, nil if it cannot become smaller, or not within the tries.
func (d *reduction) next() *messages.Request {
	for d.tries < mostTries {
		c, leaving, ok := d.propose()
		if !ok {
			return nil
		}
		r := d.build(c)
		if r == nil {
			d.settle(false, leaving)
			continue
		}
		s := signature(r)
		if d.seen[s] {
			d.settle(false, leaving)
			continue
		}
		d.seen[s] = true
		d.tries++
		d.asked, d.leaving = c, leaving
		return r
	}
	return nil
}

// heard is told whether the request that was tried last shows the finding.
func (d *reduction) heard(shows bool) { d.settle(shows, d.leaving) }

// propose is the next choice, whatever it is worth.
func (d *reduction) propose() (choice, []part, bool) {
	if len(d.untried) > 0 {
		leaving := d.untried[d.from:min(d.from+d.size, len(d.untried))]
		c := d.best.clone()
		for _, p := range leaving {
			c.leave(p)
		}
		return c, leaving, true
	}
	return d.shorter()
}

// settle goes on after a choice: the parts that can go are gone, those that cannot are looked at in smaller pieces.
func (d *reduction) settle(shows bool, leaving []part) {
	if len(d.untried) == 0 {
		d.settleText(shows)
		return
	}
	if shows {
		d.best = d.asked
		d.untried = slices.Concat(d.untried[:d.from], d.untried[d.from+len(leaving):])
	} else {
		d.from += len(leaving)
	}
	if d.from < len(d.untried) {
		return
	}
	d.from = 0
	if len(d.untried) == 0 || d.size <= 1 {
		d.untried = nil
		d.listTexts()
		return
	}
	d.size = min((d.size+1)/2, len(d.untried))
}

// listTexts lists the texts that are left.
func (d *reduction) listTexts() {
	if d.rules.Text != nil {
		for _, pair := range d.whole.query {
			name := nameOf(pair)
			if !d.best.query[name] && !strings.Contains(pair[:strings.IndexByte(pair+"=", '=')], "[") &&
				!slices.ContainsFunc(d.texts, is(queryPart, name)) && d.rules.Text(name, valueOf(pair)) {
				d.texts = append(d.texts, part{kind: queryPart, name: name})
			}
		}
	}
	if d.whole.body == nil || d.best.noBody {
		return
	}
	d.eachLeft(0, func(at int) {
		if d.whole.body.nodes[at].isText && !d.stays(at) {
			d.texts = append(d.texts, part{kind: nodePart, node: at})
		}
	})
}

// stays says whether a text has to be new each time, which a short one cannot be often, or is the name of a thing.
func (d *reduction) stays(at int) bool {
	r := d.whole.request
	if len(r.Fresh)+len(r.Named) == 0 {
		return false
	}
	text := d.whole.body.nodes[at].text
	return slices.ContainsFunc(r.Values(), func(v messages.Value) bool {
		return v.Form == messages.JSONText && v.Text == text && (slices.Contains(r.Fresh, v.Place) || r.Names(v) != "")
	})
}

// eachLeft gives f each node that is not left out.
func (d *reduction) eachLeft(at int, f func(int)) {
	if d.best.nodes[at] {
		return
	}
	f(at)
	for _, child := range d.whole.body.nodes[at].children {
		d.eachLeft(child, f)
	}
}

// shorter proposes a shorter text: the shortest first, then half way between what was too short and what is not.
func (d *reduction) shorter() (choice, []part, bool) {
	for len(d.texts) > 0 {
		text := d.text(d.texts[0])
		length := utf8.RuneCountInString(text)
		if d.low >= length-1 {
			d.texts, d.low = d.texts[1:], 0
			continue
		}
		to := d.target(length)
		c := d.best.clone()
		if cut := string([]rune(text)[:to]); d.texts[0].kind == queryPart {
			c.values[d.texts[0].name] = cut
		} else {
			c.texts[d.texts[0].node] = cut
		}
		return c, nil, true
	}
	return choice{}, nil, false
}

// target is the length to try for a text of that length: a character first, then half way.
func (d *reduction) target(length int) int {
	if d.low == 0 {
		return 1
	}
	return (d.low + length) / 2
}

// settleText goes on after a shorter text.
func (d *reduction) settleText(shows bool) {
	if len(d.texts) == 0 {
		return
	}
	if shows {
		d.best = d.asked
		return
	}
	d.low = d.target(utf8.RuneCountInString(d.text(d.texts[0])))
}

// text is a text as it is at present.
func (d *reduction) text(p part) string {
	if p.kind == nodePart {
		if t, changed := d.best.texts[p.node]; changed {
			return t
		}
		return d.whole.body.nodes[p.node].text
	}
	if v, changed := d.best.values[p.name]; changed {
		return v
	}
	for _, pair := range d.whole.query {
		if nameOf(pair) == p.name {
			return valueOf(pair)
		}
	}
	return ""
}

func valueOf(pair string) string {
	_, v, _ := strings.Cut(pair, "=")
	if decoded, err := url.QueryUnescape(v); err == nil {
		return decoded
	}
	return ""
}

// build is the request with that choice, nil if it would not claim the same.
func (d *reduction) build(c choice) *messages.Request {
	r := *d.whole.request
	var query []string
	for _, pair := range d.whole.query {
		name := nameOf(pair)
		if c.query[name] {
			continue
		}
		if v, changed := c.values[name]; changed {
			if !d.rules.Text(name, v) {
				return nil
			}
			written, _, _ := strings.Cut(pair, "=")
			pair = written + "=" + strings.ReplaceAll(url.QueryEscape(v), "+", "%20")
		}
		query = append(query, pair)
	}
	if r.Target = d.whole.path; len(query) > 0 {
		r.Target += "?" + strings.Join(query, "&")
	}
	r.Header = slices.DeleteFunc(slices.Clone(r.Header), func(f messages.Field) bool {
		return c.header[f.Name] || c.noBody && strings.EqualFold(f.Name, "Content-Type")
	})
	switch {
	case c.noBody:
		r.Body = nil
	case d.whole.body != nil && (len(c.nodes) > 0 || len(c.texts) > 0):
		r.Body = d.whole.body.write(c.nodes, c.texts)
		if v, ok := decode(r.Body); !ok || !d.rules.Fits(v) {
			return nil
		}
	}
	r.Origins = slices.DeleteFunc(slices.Clone(r.Origins), func(o messages.Origin) bool { return c.leavesOut(o.Place) })
	return &r
}

// leavesOut says whether the place is in a part that is left out. Of the body it says so only where all of it is.
func (c *choice) leavesOut(place string) bool {
	in, name, _ := strings.Cut(place, ".")
	name, _, _ = strings.Cut(name, "[")
	switch in {
	case "query":
		return c.query[name]
	case "header":
		return c.header[name]
	}
	return c.noBody && strings.HasPrefix(place, "body")
}

func (c choice) clone() choice {
	return choice{
		query: cloned(c.query), header: cloned(c.header), noBody: c.noBody,
		nodes: cloned(c.nodes), texts: cloned(c.texts), values: cloned(c.values),
	}
}

func cloned[K comparable, V any](m map[K]V) map[K]V {
	n := make(map[K]V, len(m)+1)
	for k, v := range m {
		n[k] = v
	}
	return n
}

func (c *choice) leave(p part) {
	switch p.kind {
	case queryPart:
		c.query[p.name] = true
	case headerPart:
		c.header[p.name] = true
	case bodyPart:
		c.noBody = true
	case nodePart:
		c.nodes[p.node] = true
	}
}

// signature tells requests apart by what they send.
func signature(r *messages.Request) string {
	var b bytes.Buffer
	b.WriteString(r.Target)
	for _, f := range r.Header {
		b.WriteString("\n" + f.Name + ":" + f.Value)
	}
	b.WriteString("\n\n")
	b.Write(r.Body)
	return b.String()
}
