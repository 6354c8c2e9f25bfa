package generator

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/settings/document/graph"
	"github.com/restest/restest/stages/generator/draft"
	"github.com/restest/restest/stages/generator/mutations"
	"github.com/restest/restest/stages/generator/series"
)

// mostSeries is how many series are under way at once.
const mostSeries = 4

// followed are the series of a run: those under way, and those that can be begun. A thing of a running series is its
// own: nothing else of the run is sent to it that could change it.
type followed struct {
	share   float64
	courses map[int][]series.Course // by the operation that creates
	begun   map[int]int             // how many were begun with it
	running []running
	number  int64
	// requests and steps count what was offered since the opening lap, the steps of series among it.
	requests, steps int64
	// disturbed are the series that the newest offer disturbs, noted those that it may yet turn out to have disturbed.
	disturbed, noted []int64
	// changing are the requests under way that may change something.
	changing []*messages.Request
	probing  probing
	// stepped is the number of the newest request that is the next step of a series under way; a create that was refused is
	// such a one, too.
	stepped int64
}

// running is a series under way.
type running struct {
	series.Series
	// address is the thing's plain path, "" until it is known; created is how its create was answered.
	address string
	created messages.Learned
	// named is true if the create named the thing: another request can give another thing that name, or mean this one.
	named bool
	// early are the requests that could change something and were under way when the series began, or were offered while the
	// address was not known: an id can be guessed before there is such a thing, and others can learn of it, from a list,
	// before the answer to its create is heard.
	early []*messages.Request
	// ahead are the requests that made what the series is about itself, once its create was answered.
	ahead []messages.Maker
	// course is that of a security probe, nil for a series that is none.
	course *probeCourse
}

// mostEarly bounds the requests that are noted for a series; one with more is taken for disturbed.
const mostEarly = 256

func newFollowed(doc *document.Document, g *graph.Graph, on settings.Series, share float64, usable func(int) bool) *followed {
	f := &followed{share: share, courses: map[int][]series.Course{}, begun: map[int]int{}}
	if share <= 0 {
		return f
	}
	for _, r := range g.Resources {
		if courses := series.Courses(doc, r, on, usable); len(courses) > 0 {
			f.courses[r.Create] = append(f.courses[r.Create], courses...)
		}
	}
	return f
}

// begin makes the request, which creates, the first of a series where it is time for one.
func (f *followed) begin(r *messages.Request) {
	if r.Purpose == messages.Probing {
		c, _ := f.probeFor(r.Operation)
		f.probing.began(r.Operation, c)
		if c != nil {
			f.run(r, running{course: c}, &c.Course)
		}
		return
	}
	courses := f.courses[r.Operation]
	if len(courses) == 0 || float64(f.steps) > f.share*float64(f.requests+1) || !f.room(r.Operation) {
		return
	}
	n := f.begun[r.Operation]
	f.begun[r.Operation] = n + 1
	f.steps++
	f.run(r, running{}, &courses[n%len(courses)])
}

// run has the course begin with the request.
func (f *followed) run(r *messages.Request, s running, c *series.Course) {
	f.number++
	s.Series = series.Begin(f.number, c)
	s.early = slices.Clone(f.changing)
	r.Purpose, r.Series = messages.InSeries, s.Place()
	r.Series.Nth = 1
	f.running = append(f.running, s)
}

// room says whether a series that begins with the operation can be begun beside those under way.
func (f *followed) room(operation int) bool {
	return len(f.running) < mostSeries &&
		!slices.ContainsFunc(f.running, func(s running) bool { return s.Course.Steps[0].Operation == operation })
}

// took counts a step of the series, or takes it back.
func (f *followed) took(s *running, n int64) {
	if s.course != nil {
		f.probing.steps += n
	} else {
		f.steps += n
	}
}

// counted notes a request that was offered: it may disturb series.
func (f *followed) counted(r *messages.Request) {
	f.requests++
	f.disturbed, f.noted = f.disturbed[:0], f.noted[:0]
	f.underWay(r)
	if safe(r.Method) {
		return
	}
	for i := range f.running {
		s := &f.running[i]
		switch {
		case s.Disturbed || s.Course.Resource == nil || r.Series != nil && r.Series.Series == s.Number:
		case s.address == "" && len(s.early) < mostEarly:
			s.early = append(s.early, r)
			f.noted = append(f.noted, s.Number)
		case s.address == "" || f.changes(r, s):
			s.Disturbed = true
			f.disturbed = append(f.disturbed, s.Number)
		}
	}
}

// underWay notes a request that may change something.
func (f *followed) underWay(r *messages.Request) {
	if !safe(r.Method) {
		f.changing = append(f.changing, r)
	}
}

// ended takes a request off those under way.
func (f *followed) ended(r *messages.Request) {
	if i := slices.Index(f.changing, r); i >= 0 {
		f.changing = slices.Delete(f.changing, i, i+1)
	}
}

// found notes where the thing of a series is.
func (f *followed) found(s *running, address string) {
	s.address = plainPath(address)
	s.named = names(s.created.Request, lastOf(s.address))
	s.Disturbed = s.Disturbed || slices.ContainsFunc(s.early, func(r *messages.Request) bool { return f.changes(r, s) })
	s.early = nil
}

// changes says whether a request may change the thing of a series, whose address is known: it leads to it, through it or to
// what it is in, or calls something by the name that the thing was given. What makes another thing changes none.
func (f *followed) changes(r *messages.Request, s *running) bool {
	id := lastOf(s.address)
	if f.courses[r.Operation] == nil {
		path := plainPath(r.Target)
		if leadsTo(s.address, path) || leadsTo(path, s.address) {
			return true
		}
		// Of a name there is one thing, whatever address it has besides; numbers are counted anew in each collection.
		if !isNumber(id) && strings.Contains(path+"/", "/"+id+"/") {
			return true
		}
	}
	return s.named && names(r, id)
}

// names says whether the request holds the id as a word of its content or its query.
func names(r *messages.Request, id string) bool {
	_, query, _ := strings.Cut(r.Target, "?")
	return holdsWord(query, id) || holdsWord(string(r.Body), id)
}

// holdsWord says whether a text holds the word, in whatever case.
func holdsWord(text, word string) bool {
	if word == "" || len(text) < len(word) {
		return false
	}
	inWord := func(c byte) bool { return c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' }
	text = strings.ToLower(text)
	for from := 0; ; from++ {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		from += at
		to := from + len(word)
		if (from == 0 || !inWord(text[from-1])) && (to == len(text) || !inWord(text[to])) {
			return true
		}
	}
}

// leadsTo says whether a path is the address or lies below it.
func leadsTo(path, address string) bool {
	return strings.HasPrefix(path, address) && (len(path) == len(address) || path[len(address)] == '/')
}

// plainPath is the path of a target as a server may take it: without percent encoding, letter case, empty segments, and
// signs and zeros before a number.
func plainPath(target string) string {
	path, _, _ := strings.Cut(target, "?")
	if !strings.ContainsAny(path, "%+ABCDEFGHIJKLMNOPQRSTUVWXYZ") && !strings.Contains(path, "//") && !strings.Contains(path, "/0") && !strings.HasSuffix(path, "/") {
		return path
	}
	var plain strings.Builder
	for segment := range strings.SplitSeq(path, "/") {
		if text, err := url.PathUnescape(segment); err == nil {
			segment = text
		}
		segment = strings.ToLower(segment)
		if number := strings.TrimLeft(segment, "+0"); isNumber(segment[len(segment)-len(number):]) {
			segment = number
		}
		if segment != "" {
			plain.WriteString("/" + segment)
		}
	}
	return plain.String()
}

// lastOf is the last segment of a path.
func lastOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// isNumber says whether a text is made of digits alone.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// safe says whether the method asks for nothing to be changed (RFC 9110 §9.2.1).
func safe(method string) bool {
	return method == "GET" || method == "HEAD" || method == "OPTIONS"
}

// owns says whether the target leads to, or through, the thing of a running series.
func (f *followed) owns(target string) bool {
	path := plainPath(target)
	return slices.ContainsFunc(f.running, func(s running) bool { return s.address != "" && leadsTo(path, s.address) })
}

// held says whether the values, or the last of them, identify the thing of a running series or a re-check.
func (g *Generator) held(address []any) bool {
	if len(address) == 0 || len(g.follow.running) == 0 && !g.rechecks.HoldAny() {
		return false
	}
	last := plainText(address[len(address)-1])
	return g.follow.held(last) || g.rechecks.Holds(last)
}

// held says whether it is the id of the thing of a running series.
func (f *followed) held(last string) bool {
	return slices.ContainsFunc(f.running, func(s running) bool {
		return len(s.Thing) > 0 && plainText(s.Thing[len(s.Thing)-1]) == last
	})
}

func (f *followed) find(number int64) int {
	return slices.IndexFunc(f.running, func(s running) bool { return s.Number == number })
}

// takeBack undoes the newest offer.
func (f *followed) takeBack(r *messages.Request) {
	f.requests--
	for _, number := range f.disturbed {
		if i := f.find(number); i >= 0 {
			f.running[i].Disturbed = false
		}
	}
	for _, number := range f.noted {
		if i := f.find(number); i >= 0 && len(f.running[i].early) > 0 {
			s := &f.running[i]
			s.early = s.early[:len(s.early)-1]
		}
	}
	f.disturbed, f.noted = f.disturbed[:0], f.noted[:0]
	if r.Series == nil {
		if r.Purpose == messages.Probing {
			f.probing.takeBack(nil)
		}
		return
	}
	i := f.find(r.Series.Series)
	if i < 0 {
		return
	}
	s := &f.running[i]
	if r.Seq == f.stepped {
		f.took(s, -1)
		s.Series = s.Unsent()
		return
	}
	if s.course != nil {
		f.probing.takeBack(s.course)
	} else {
		f.steps--
		f.begun[r.Operation]--
	}
	f.running = slices.Delete(f.running, i, i+1)
	f.number--
}

// nextStep is the request of the next step of a series that can be taken now, nil if there is none.
func (g *Generator) nextStep(want messages.Want, now messages.Instant) *messages.Request {
	for i := 0; i < len(g.follow.running); i++ {
		s := &g.follow.running[i]
		step, _, ready := s.Next(now)
		if !ready || want.Resting.Has(step.Operation) || want.Busy.Has(step.Operation) {
			continue
		}
		may, never := true, false
		if step.As == series.Second {
			may, never = g.mayAs(step.Operation, 1)
		}
		if !may && !never {
			continue // the other user signs in
		}
		var r *messages.Request
		if !never {
			r = g.buildStep(s, step)
		}
		if r == nil {
			g.endSeries(i)
			i--
			continue
		}
		s.Series = s.Sent()
		g.follow.took(s, 1)
		g.follow.stepped = r.Seq
		return r
	}
	return nil
}

// buildStep builds the request of a step, nil if there is none that leads to the thing.
func (g *Generator) buildStep(s *running, step series.Step) *messages.Request {
	var r *messages.Request
	if step.Again > 0 {
		again := *s.Taken[step.Again-1].Request
		g.nth[step.Operation]++
		g.seq++
		again.Seq, again.Nth = g.seq, g.nth[step.Operation]
		r = &again
	} else if r = g.buildFor(step.Operation, s.Thing, messages.InSeries, 0); r == nil {
		return nil
	}
	if step.Breaking && !g.breakContent(r) || s.course != nil && !g.changeFor(r, s, step) {
		g.seq--
		g.nth[step.Operation]--
		return nil
	}
	r.Purpose, r.Series = messages.InSeries, s.Place()
	if r.Probe != messages.NoProbe {
		r.Purpose = messages.Probing
	}
	if len(s.ahead) > 0 {
		r.Series.Ahead, r.Named = s.ahead, g.rechecks.Named(r)
	}
	if n := len(s.Thing); n > 0 {
		r.Series.Thing = plainText(s.Thing[n-1])
	}
	return r
}

// breakContent has the request break one rule of what is in its content, as a mutation does; it says whether it could.
func (g *Generator) breakContent(r *messages.Request) bool {
	p := g.plans[r.Operation]
	return mutations.Mutate(g.draw, &p.form, p.drawn, g.config.Settings.Mutation, func(c *draft.Change) bool {
		if !strings.HasPrefix(c.Breaks, "body.") {
			return false // the rest of it has to be what it was
		}
		broken := p.write(g, c)
		if broken == nil || broken.Target != r.Target {
			return false
		}
		broken.Seq, broken.Nth, broken.User = r.Seq, r.Nth, r.User
		*r = *broken
		return true
	})
}

// buildFor builds the operation's next request, with the credentials of that user, so that it leads to the thing; nil if
// it cannot.
func (g *Generator) buildFor(operation int, t thing, purpose messages.Purpose, user int) *messages.Request {
	g.memory.pinned = t
	r := g.buildAs(operation, purpose, user)
	g.memory.pinned = nil
	if r == nil {
		return nil
	}
	// It has to lead to the thing itself: one of its gaps could have been filled with something else.
	p := &g.plans[operation].path
	sent := texts(p.values(r.Target))
	if len(sent) < min(len(t), len(p.gaps)) || !sent.startsWith(t[:min(len(t), len(sent))]) {
		g.seq--
		g.nth[operation]--
		return nil
	}
	return r
}

// answered tells the request's series how it ended.
func (g *Generator) answered(l messages.Learned, made thing) {
	i := g.follow.find(l.Request.Series.Series)
	if i < 0 {
		return
	}
	s := &g.follow.running[i]
	step := len(s.Taken)
	next, over := s.Answered(l, made)
	s.Series = next
	if s.course != nil && step == len(s.Course.Steps)-1 && len(s.Taken) > step {
		s.course.answered++
	}
	switch {
	case len(s.Taken) != 1 || s.created.Request != nil:
	case s.Course.Resource == nil:
		s.created = l
	case made != nil:
		s.created = l
		g.follow.found(s, g.address(s.Course.Resource, made))
		g.lookAhead(s)
	}
	if over {
		g.endSeries(i)
	}
}

// lookAhead notes what made what the series is about itself, and where its create names that: a finding of the series is
// told with it.
func (g *Generator) lookAhead(s *running) {
	create := *s.Taken[0].Request
	create.Named = g.rechecks.Named(&create)
	if s.ahead = g.rechecks.Ahead(&create, len(s.Course.Steps)-1); len(s.ahead) > 0 {
		s.Taken = slices.Clone(s.Taken)
		s.Taken[0].Request = &create
	}
}

// endSeries ends a series. What it has made and left is everyone's from then on.
func (g *Generator) endSeries(i int) {
	s := g.follow.running[i]
	g.follow.running = slices.Delete(g.follow.running, i, i+1)
	if s.created.Request != nil && !s.Deleted() {
		g.memory.learn(g.plans[s.created.Request.Operation], s.created)
	}
}

// address is the path that leads to a thing, "" where none is known.
func (g *Generator) address(r *graph.Resource, t thing) string {
	for _, operation := range []int{r.Delete, r.Read, r.Replace, r.Patch} {
		if operation == graph.None || g.plans[operation] == nil {
			continue
		}
		p := &g.plans[operation].path
		fitting := t.fitting(g.plans[operation])
		if len(fitting) != len(p.gaps) {
			return ""
		}
		var address []byte
		for i, v := range fitting {
			address = append(address, p.literals[i]...)
			var ok bool
			if address, ok = p.gaps[i].parameter.appendPath(address, v); !ok {
				return ""
			}
		}
		return string(append(address, p.literals[len(fitting)]...))
	}
	return ""
}
