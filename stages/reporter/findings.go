package reporter

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
)

// key tells the findings of one cause from others: those with the same key are one group.
type key struct {
	operation, code, status int
	cause                   string
}

func keyOf(k messages.FindingKey) key { return key{k.Operation, k.Code, k.Status, k.Cause} }

// group is one fault: the smallest exchange that showed it in full, when it was seen last, and how often.
type group struct {
	key
	rechecked
	error       bool
	certainty   messages.Certainty
	known       *Known // nil unless it is
	count       int64
	first, last messages.Instant
	lastSeq     int64

	// What follows is as it may be shown: without keys, and bounded in length.
	title, expected, got, place string
	exchange                    *ExchangeTold
	firstExchange               *ExchangeTold // nil unless a smaller one is shown
	sent                        sent
	sentAgain                   bool // as it was sent again, with all that it takes
}

// sent is what to send to see a finding again: a request, those that make before it what it is about, and the command
// that sends them all.
type sent struct {
	curl  curl
	again *Again
	steps []StepTold
}

// levels counts errors and warnings, each time one was seen.
type levels struct{ errors, warnings int64 }

func (l *levels) add(isError bool, n int64) {
	if isError {
		l.errors += n
	} else {
		l.warnings += n
	}
}

// spell is how often findings were seen, and from when to when.
type spell struct {
	levels
	first, last messages.Instant
}

// gathered are the findings of a run, grouped.
type gathered struct {
	most   int
	groups []*group // in the order they were first seen
	byKey  map[key]*group
	// errors and warnings count the groups that were made.
	errors, warnings int64
	// left counts the findings that are in none of the groups, since there were too many.
	left levels
	// total, and the sums below it, count every finding, those of no group included.
	total       levels
	byCode      map[int]*levels
	byStatus    map[int]*levels
	byOperation map[int]*spell
}

func newGathered(most int) gathered {
	return gathered{
		most:        max(most, 0),
		byKey:       map[key]*group{},
		byCode:      map[int]*levels{},
		byStatus:    map[int]*levels{},
		byOperation: map[int]*spell{},
	}
}

// add counts the finding. It returns the group if the finding has begun one, which is then still to be told.
func (g *gathered) add(ex *messages.Exchange, f *messages.Finding) *group {
	k := keyOf(messages.KeyOf(ex.Request, ex.Reply, f))
	if ex.Request.Recheck != nil && g.byKey[k] != nil {
		return nil // it was provoked, and is no new occurrence
	}
	isError := f.Error && f.Certainty != messages.Opinion
	g.total.add(isError, 1)
	at(g.byCode, k.code).add(isError, 1)
	at(g.byStatus, k.status).add(isError, 1)
	s := g.byOperation[k.operation]
	if s == nil {
		s = &spell{first: ex.EndedAt}
		g.byOperation[k.operation] = s
	}
	s.add(isError, 1)
	s.last = ex.EndedAt

	if old := g.byKey[k]; old != nil {
		old.count++
		old.last, old.lastSeq = ex.EndedAt, ex.Request.Seq
		return nil
	}
	if len(g.groups) >= g.most && (!isError || !g.makeRoom()) {
		g.left.add(isError, 1)
		return nil
	}
	fresh := &group{key: k, error: isError, certainty: f.Certainty, count: 1, first: ex.EndedAt, last: ex.EndedAt, lastSeq: ex.Request.Seq}
	g.groups = append(g.groups, fresh)
	g.byKey[k] = fresh
	if isError {
		g.errors++
	} else {
		g.warnings++
	}
	return fresh
}

// makeRoom gives up the newest warning, so that a flood of warnings hides no error. It says whether there was one.
func (g *gathered) makeRoom() bool {
	for i, old := range slices.Backward(g.groups) {
		if !old.error {
			g.left.add(false, old.count)
			delete(g.byKey, old.key)
			g.groups = slices.Delete(g.groups, i, i+1)
			return true
		}
	}
	return false
}

// drop takes a group back, as if it had never been found.
func (g *gathered) drop(k key) {
	old := g.byKey[k]
	if old == nil {
		return
	}
	delete(g.byKey, k)
	g.groups = slices.DeleteFunc(g.groups, func(o *group) bool { return o == old })
	if old.error {
		g.errors--
	} else {
		g.warnings--
	}
	g.total.add(old.error, -old.count)
	g.byCode[k.code].add(old.error, -old.count)
	g.byStatus[k.status].add(old.error, -old.count)
	s := g.byOperation[k.operation]
	s.add(old.error, -old.count)
	none := levels{}
	if *g.byCode[k.code] == none {
		delete(g.byCode, k.code)
	}
	if *g.byStatus[k.status] == none {
		delete(g.byStatus, k.status)
	}
	if s.levels == none {
		delete(g.byOperation, k.operation)
	}
}

// sorted are the groups in the order they are shown: the surest first, then errors, then what was confirmed; and by code,
// operation and status.
func (g *gathered) sorted() []*group {
	groups := slices.Clone(g.groups)
	slices.SortStableFunc(groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.certainty, b.certainty), errorsFirst(a, b), cmp.Compare(a.state(), b.state()), cmp.Compare(a.code, b.code), cmp.Compare(a.operation, b.operation), cmp.Compare(a.status, b.status))
	})
	return groups
}

func errorsFirst(a, b *group) int {
	switch {
	case a.error == b.error:
		return 0
	case a.error:
		return -1
	}
	return 1
}

func at(m map[int]*levels, k int) *levels {
	l := m[k]
	if l == nil {
		l = &levels{}
		m[k] = l
	}
	return l
}

// id names the group by what it is, so that the same fault has the same name in another run.
func (g *group) id(operation string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %d %q", operation, g.code, g.status, g.cause))
	return hex.EncodeToString(sum[:6])
}

func (g *group) level() string {
	if g.error {
		return "error"
	}
	return "warning"
}

// longestWords bounds what a finding says, in bytes: a title is written by a check, what came by the API.
const longestWords = 2000

// tell keeps what the group is shown by, in words that hold no key.
func (g *group) tell(t teller, ex *messages.Exchange, f *messages.Finding, to sent) {
	words := func(s string) string { return string(t.words("finding", s)) }
	g.title, g.expected, g.got, g.place = words(f.Title), words(f.Expected), words(f.Got), words(f.Place)
	g.sent = to
	g.exchange = t.exchange(ex)
}

// sent is what to send to see again what the exchange showed.
func (r *Reporter) sent(ex *messages.Exchange) sent {
	if again := r.retold.again(); again != nil {
		return sent{curl{again.Curl, again.CurlNote}, again.Request, again.Steps}
	}
	t := r.teller()
	to := sent{again: t.again(ex.Request)}
	makers := ex.Request.Makers()
	for _, m := range makers {
		to.steps = append(to.steps, StepTold{
			Operation: t.doc.Operations[m.Request.Operation].ID, Again: *t.again(m.Request),
			Made: Text(t.mask.Template(m.Address)), Place: Text(m.Place), Probe: string(m.Request.Probe), User: Text(t.mask.Text(m.Request.User)), Ahead: m.Ahead,
		})
	}
	c := curler{mask: r.mask, longest: r.cfg.Settings.Report.LongestBodyKept, insecure: !r.cfg.Settings.Engine.VerifyCertificates}
	to.curl = c.series(r.cfg.Document.Origin, makers, ex)
	return to
}

// again is what to send to see the finding again. Credentials that are none of the run's keys stay hidden.
func (t teller) again(r *messages.Request) *Again {
	fields := make([][2]Text, len(r.Header))
	for i, f := range r.Header {
		value := f.Value
		if !t.mask.Has(value) {
			value = hideField(f.Name, value)
		}
		fields[i] = [2]Text{Text(f.Name), Text(t.mask.Template(value))}
	}
	again := &Again{Method: Text(r.Method), URL: Text(t.doc.Origin + t.mask.Template(r.Target)), Header: fields}
	if r.Body != nil {
		again.Body = contentOf(t.mask.Template(string(r.Body)), t.longest)
		again.Body.Length = int64(len(r.Body))
	}
	for _, n := range r.Named {
		again.Named = append(again.Named, NamedTold{Text(t.mask.Template(n.Place)), Text(t.mask.Template(n.Address))})
	}
	for _, place := range r.Fresh {
		again.Fresh = append(again.Fresh, Text(t.mask.Template(place)))
	}
	return again
}

// keys is the text in which the variables of keys can stand.
func (s *sent) keys() string {
	var b strings.Builder
	b.WriteString(s.curl.line + "\n" + s.again.keys())
	for i := range s.steps {
		b.WriteString(s.steps[i].keys())
	}
	return b.String()
}

func (a *Again) keys() string {
	var b strings.Builder
	b.WriteString(string(a.URL))
	for _, f := range a.Header {
		b.WriteString("\n" + string(f[1]))
	}
	if a.Body != nil && a.Body.Text != nil {
		b.WriteString("\n" + *a.Body.Text)
	}
	return b.String() + "\n"
}
