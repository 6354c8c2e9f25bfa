// Package rechecks says which request is to be sent once more, to see whether what it showed is still there, and
// makes smaller those that show it each time (decision 0022).
package rechecks

import (
	"maps"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
)

// How often a request is sent again.
const (
	// enough answers that agree settle a finding; where they do not, mostAnswers do.
	enough      = 2
	mostAnswers = 4
	// mostLost is how many attempts that say nothing are made for one finding.
	mostLost = 5
	// mostAgain is how often a finding that no answer has shown is begun anew, with a later request that shows it.
	mostAgain = 3
	// mostSteps is how many requests can go before one to make its situation anew.
	mostSteps = 8
	// mostMade and mostChanges bound what is remembered of how things came to be.
	mostMade    = 512
	mostChanges = 4096
	// mostOthers is how many more requests of an operation are sent again where connections ended, and the one sent again
	// did not end its own.
	mostOthers = 8
)

// brokenReply is the code of the finding that a reply broke off.
const brokenReply = 922

// Config is what a list is made from.
type Config struct {
	// Share is the part of the requests that may be re-checks, from 0 to 1; with 0 there are none.
	Share float64
	// Deadline is the end of the run's time, 0 where it has none; in the last tenth of it findings that were not looked
	// at come before everything else.
	Deadline messages.Instant
	// Most bounds how many findings are looked at.
	Most int
	// Rules say what of a request may be changed.
	Rules func(r *messages.Request) Rules
	// Other is the request with another thing in its path, one that is known to be there or, if mine is true, that the run
	// has made; nil where none is.
	Other func(r *messages.Request, mine bool) *messages.Request
	// Kinds are the kinds of things, as templates such as "/shelves/{}/books", of which a name stands at that place of a
	// request; nil where none does.
	Kinds func(place string) []string
}

// Rechecks is the list of findings to look at. It is a plain value: it is asked for a request when one can go, and told
// how each ended.
type Rechecks struct {
	cfg Config
	// errors and warnings are the findings with something left to ask, in the order they were found.
	errors, warnings []*job
	known            map[messages.FindingKey]*job // nil once it is done
	again            map[messages.FindingKey]letGo
	sent             int64
	others           map[messages.FindingKey]int // how often a finding was looked at by another request

	made      map[string]messages.Maker // what made the thing at an address
	addresses []string                  // those addresses, the oldest first
	// held are the things that attempts under way have made anew, by address, and ids by the last part of it.
	held, ids map[string]int
	// conflicts are the operations that have refused to make what was there already.
	conflicts map[int]bool
	// changes are requests that were accepted and may have changed something, the oldest first.
	changes []*messages.Request
}

// New makes an empty list.
func New(cfg Config) *Rechecks {
	return &Rechecks{
		cfg: cfg, known: map[messages.FindingKey]*job{}, again: map[messages.FindingKey]letGo{}, others: map[messages.FindingKey]int{},
		made: map[string]messages.Maker{}, held: map[string]int{}, ids: map[string]int{}, conflicts: map[int]bool{},
	}
}

// letGo is a finding that was given up and not shown: how often, and which request it was that showed it first.
type letGo struct {
	times     int
	signature string
}

// job is one finding that is being looked at.
type job struct {
	key messages.FindingKey
	// seq is the number of the request that showed it first; request is that one.
	seq     int64
	request *messages.Request
	// steps make its situation anew; they come before every attempt of a series, and otherwise where the thing that the
	// request is about is gone.
	steps  []messages.Maker
	always bool
	// first is the step that the series begins with; those before it make what that is about.
	first int
	// other has another thing take the place of one that is gone.
	other bool
	// at is the step that is next; len(steps) is the request itself.
	at int
	// sent are the steps of this attempt as they were sent, taken those of a series that were answered.
	sent  []*messages.Request
	taken []messages.Taken
	// moved says where the things are now that steps have made anew; those of an attempt under way are holding.
	moved   moved
	holding []string
	// inTheWay are the steps, and the request itself, that find their names taken; twins counts the fresh values for them,
	// and now has those of this attempt, by the bodies they stand in for: what is sent twice is so with a twin, too.
	inTheWay map[int]bool
	twins    int
	now      map[string]int
	underWay *messages.Request
	// shown and hidden count the answers, lost the attempts that gave none.
	shown, hidden, lost int
	// own is the request about a thing that is made anew for it, which is tried once it is confirmed: so it can be seen
	// whenever somebody wants to. Proven is true if that showed it.
	own    *messages.Request
	proven bool
	// more are the steps to try where those that make its thing alone do not show it, nil for none.
	more []messages.Maker
	// smaller is what makes it smaller after that; trying is what that tries now.
	smaller *reduction
	trying  *messages.Request
}

// Next is the request to send now, nil if there is none. It has its Recheck, and the numbers of the one it repeats.
// Sent is how many requests of the run were built so far; while opening is true, only the last tenth of the time
// counts.
func (l *Rechecks) Next(now messages.Instant, sent int64, opening bool, want messages.Want) *messages.Request {
	if len(l.errors)+len(l.warnings) == 0 {
		return nil
	}
	within := float64(l.sent+1) <= l.cfg.Share*float64(sent+1) && !opening
	last := l.cfg.Deadline > 0 && now >= l.cfg.Deadline-l.cfg.Deadline/10
	if !within && !last {
		return nil
	}
	may := func(j *job) bool {
		if j.underWay != nil || j.smaller != nil && !within {
			return false
		}
		operation := j.operation()
		return !want.Resting.Has(operation) && !want.Busy.Has(operation)
	}
	for _, reducing := range []bool{false, true} {
		for _, jobs := range [][]*job{l.errors, l.warnings} {
			for _, j := range jobs {
				if (j.smaller != nil) == reducing && may(j) {
					l.sent++
					return l.send(j)
				}
			}
		}
	}
	return nil
}

// operation is the one that the job's next request is of.
func (j *job) operation() int {
	if j.at < len(j.steps) {
		return j.steps[j.at].Request.Operation
	}
	return j.request.Operation
}

// send makes the job's next request.
func (l *Rechecks) send(j *job) *messages.Request {
	last := j.at >= len(j.steps)
	source := j.request
	if j.at == 0 {
		j.sent, j.taken = nil, nil
	}
	switch {
	case !last:
		source = j.steps[j.at].Request
	case j.trying != nil:
		source = j.trying
	case j.own != nil:
		source = j.own
	}
	n, again := j.now[string(source.Body)]
	if j.inTheWay[j.at] || again || len(source.Fresh) > 0 || !last && l.conflicts[source.Operation] {
		if !again {
			j.twins++ // what one makes is in the way of the next
			n = j.twins
		}
		if t := twin(source, l.cfg.Rules(source), n); t != nil {
			if j.now == nil {
				j.now = map[string]int{}
			}
			j.now[string(source.Body)] = n
			source = t
		}
	}
	if j.other && j.own == nil {
		if o := l.cfg.Other(source, false); o != nil {
			source = o
		}
	}
	r := *source
	j.moved.follow(&r)
	r.Purpose = messages.Rechecking
	r.Recheck = &messages.Recheck{
		Finding: j.key, Seq: j.seq, Smaller: last && (j.trying != nil || j.own != nil), Last: last,
		Tentative: j.other || last && !j.always && (len(j.steps) > 0 || l.changedSince(j)),
	}
	if last && (j.always || j.own != nil || j.proven) {
		r.Recheck.Makers = j.makers() // with which it was shown, or is to be
	}
	if r.Series != nil && j.always {
		again := *r.Series
		again.Taken, again.Disturbed = slices.Clone(j.taken), false
		if name, ok := j.moved.thing(j.steps[j.first].Address); ok && again.Thing != "" {
			again.Thing = name
		}
		r.Series = &again
	}
	j.underWay = &r
	return &r
}

// makers are the steps, with what they lead to where it is now.
func (j *job) makers() []messages.Maker {
	makers := slices.Clone(j.steps)
	for i := range makers {
		makers[i].Request = j.sent[i]
		makers[i].Ahead = i < j.first
		if address, ok := j.moved[makers[i].Address]; ok {
			makers[i].Address = address
		}
	}
	return makers
}

// TakeBack undoes a request that Next gave: it was not sent, and is offered again.
func (l *Rechecks) TakeBack(r *messages.Request) {
	if j := l.of(r); j != nil {
		j.underWay = nil
		l.sent--
	}
}

// of is the job that the request is under way for, nil for none.
func (l *Rechecks) of(r *messages.Request) *job {
	if r.Recheck == nil {
		return nil
	}
	j := l.known[r.Recheck.Finding]
	if j == nil || j.underWay == nil || j.underWay.Seq != r.Seq {
		return nil
	}
	return j
}

// Learn hears how a request ended; made is the path of the thing that it made, "" for none.
func (l *Rechecks) Learn(m messages.Learned, made string) {
	if l.cfg.Share <= 0 {
		return
	}
	r := m.Request
	if made != "" {
		l.remember(made, m)
	}
	l.changed(m)
	if r.Method == "POST" && m.Outcome == messages.Answered && m.Reply.Status == 409 {
		l.conflicts[r.Operation] = true
	}
	if j := l.of(r); j != nil {
		j.underWay = nil
		if r.Recheck.Last {
			l.answered(j, m)
		} else {
			l.stepped(j, m, made)
		}
	}
	if m.Refused || r.Purpose == messages.SigningIn {
		return // a refusal is not asked for once more, and a sign-in holds what is secret
	}
	for i := range m.Findings {
		l.found(m, &m.Findings[i])
	}
}

// found lists a finding that is not known yet.
func (l *Rechecks) found(m messages.Learned, f *messages.Finding) {
	key := messages.KeyOf(m.Request, m.Reply, f)
	if _, known := l.known[key]; known {
		return
	}
	if before, is := l.again[key]; is && before.signature == signature(m.Request) {
		return // nothing would be learned of it again
	}
	most := l.cfg.Most
	if f.Error {
		most *= 2 // a flood of warnings hides no error
	}
	if len(l.known) >= most {
		return
	}
	request := *m.Request
	request.Recheck = nil
	request.Named = l.Named(&request)
	j := &job{key: key, seq: request.Seq, request: &request, moved: map[string]string{}, inTheWay: map[int]bool{}}
	if request.Series != nil && request.Series.Nth > 1 {
		j.steps, j.always = l.before(&request), true
		if len(j.steps) != request.Series.Nth-1 || len(j.steps) > mostSteps {
			return // without its series it is another request
		}
		if ahead := l.makers(j.steps[0].Request); len(ahead)+len(j.steps) <= mostSteps {
			j.steps, j.first = slices.Concat(ahead, j.steps), len(ahead)
		}
	} else {
		j.steps = l.situation(&request)
		j.at = len(j.steps)
	}
	l.known[key] = j
	if f.Error {
		l.errors = append(l.errors, j)
	} else {
		l.warnings = append(l.warnings, j)
	}
}

// answered hears how the request itself was answered.
func (l *Rechecks) answered(j *job, m messages.Learned) {
	about := *m.Request.Recheck
	j.now = nil
	// A smaller request that does not show it is not the one to show, whatever it says of the finding.
	about.Tentative = about.Tentative && !about.Smaller
	l.release(j)
	answer := about.Says(m.Request, m.Outcome, m.Reply, m.Refused, m.Findings)
	if answer == messages.SaysNothing {
		l.lost(j, m)
		return
	}
	if j.always {
		j.at = 0
	}
	if j.own != nil {
		l.owned(j, answer == messages.Shows)
		return
	}
	if j.smaller != nil {
		j.smaller.heard(answer == messages.Shows)
		l.reduce(j, j.smaller.next())
		return
	}
	if answer == messages.Shows {
		j.shown++
	} else {
		j.hidden++
	}
	switch n := j.shown + j.hidden; {
	case n < enough, j.shown > 0 && j.hidden > 0 && n < mostAnswers:
	case j.shown > 0 && j.key.Code == brokenReply && n < mostAnswers: // twice, it can be by chance beside the one that is to blame
	case j.hidden > 0, j.request.Probe != messages.NoProbe, // it is compared with a request that would not be smaller
		j.key.Status == 0: // waiting for no reply over and over is not worth a smaller request
		l.done(j)
	default:
		own, makers := l.own(j)
		if own == nil {
			l.shrink(j)
			return
		}
		if fewer := l.makers(own); len(fewer) > 0 && len(fewer) < len(makers) {
			makers, j.more = fewer, makers // what changed it may have nothing to do with the finding
		}
		j.own, j.steps, j.at, j.moved = own, makers, 0, moved{}
	}
}

// own is the job's request as it can be sent whenever somebody wants to: about a thing that can be made anew, and what makes
// it, and with texts that are new each time where it could find a name taken. It is nil where it is made each time already,
// and where there is nothing of this.
func (l *Rechecks) own(j *job) (*messages.Request, []messages.Maker) {
	own, makers := l.ownThing(j)
	r := own
	if r == nil {
		r = j.request
	}
	if j.always || !l.conflicts[r.Operation] || j.key.Status == 409 {
		return own, makers
	}
	if t := twin(r, l.cfg.Rules(r), 1); t != nil && len(t.Fresh) > 0 {
		fresh := *r
		fresh.Fresh, own = t.Fresh, &fresh
	}
	return own, makers
}

// ownThing is the job's request about a thing that can be made anew, and what makes it, nil for none.
func (l *Rechecks) ownThing(j *job) (*messages.Request, []messages.Maker) {
	switch {
	case j.always:
		return nil, nil
	case len(j.steps) > 0:
		return j.request, j.steps
	case l.cfg.Other == nil || strings.HasPrefix(j.request.Breaks, "path."):
		return nil, nil
	}
	for _, mine := range []bool{false, true} {
		own := l.cfg.Other(j.request, mine)
		if own == nil {
			continue
		}
		if makers := l.makers(own); len(makers) > 0 {
			return own, makers
		}
	}
	return nil, nil
}

// owned goes on from the request about its own thing: with it if that shows the finding, else without.
func (l *Rechecks) owned(j *job, shows bool) {
	switch {
	case shows:
		j.request, j.other, j.proven = j.own, false, true
	case j.more != nil:
		j.steps, j.more, j.at, j.moved, j.inTheWay = j.more, nil, 0, moved{}, map[int]bool{}
		return
	default:
		j.steps, j.at, j.moved, j.inTheWay = nil, 0, nil, map[int]bool{}
	}
	j.own = nil
	l.shrink(j)
}

// shrink begins to make the request smaller.
func (l *Rechecks) shrink(j *job) {
	rules := l.cfg.Rules(j.request)
	if j.inTheWay[len(j.steps)] {
		if t := twin(j.request, rules, 1); t != nil {
			whole := *j.request
			whole.Fresh, j.request = t.Fresh, &whole // which texts have to be new is not to be lost by making them short
		}
	}
	j.smaller = newReduction(j.request, rules)
	l.reduce(j, j.smaller.next())
}

// reduce goes on with the smaller request to try, nil if there is none.
func (l *Rechecks) reduce(j *job, trying *messages.Request) {
	if j.trying = trying; trying == nil {
		l.done(j)
	}
}

// lost hears of an attempt that said nothing.
func (l *Rechecks) lost(j *job, m messages.Learned) {
	l.release(j)
	j.now = nil
	asked := j.at
	if j.always {
		j.at = 0
	}
	if m.Outcome == messages.NeverSent {
		return
	}
	if j.own != nil {
		if m.Reply != nil && !m.Refused && !j.inTheWay[asked] && j.key.InTheWay(m.Request, m.Reply) {
			j.inTheWay[asked], j.at = true, 0
			return
		}
		l.owned(j, false)
		return
	}
	if j.lost++; j.lost > mostLost {
		l.done(j)
		return
	}
	switch {
	case m.Refused || m.Reply == nil:
	case j.key.InTheWay(m.Request, m.Reply):
		j.inTheWay[asked] = true
	case len(j.steps) > 0 && !j.other:
		// What it is about is gone, or another than it was: from here on it is made anew each time.
		j.at, j.always, j.moved = 0, true, moved{}
	case j.other || l.cfg.Other == nil || l.cfg.Other(j.request, false) == nil:
		l.done(j)
	default:
		j.other = true // it is not known how it came to be, but there are others
	}
}

// stepped hears how a step was answered.
func (l *Rechecks) stepped(j *job, m messages.Learned, made string) {
	s := &j.steps[j.at]
	// In a series any answer is one that the next step follows.
	if m.Outcome == messages.Answered && !m.Refused && (j.request.Series != nil && j.at > j.first || m.Reply.Status >= 200 && m.Reply.Status <= 399) {
		j.sent = append(j.sent, m.Request)
		if j.at >= j.first {
			j.taken = append(j.taken, messages.Taken{Request: m.Request, Reply: m.Reply, Value: m.Value})
		}
		if s.Address != "" && made != "" {
			j.moved[s.Address] = made
			l.hold(j, made)
		}
		j.at++
		return
	}
	l.lost(j, m)
}

// done takes the job off the list. One of which nothing was learned may come back with another request.
func (l *Rechecks) done(j *job) {
	l.release(j)
	l.known[j.key] = nil
	if before, is := l.again[j.key]; j.shown == 0 && before.times < mostAgain && (is || len(l.again) < l.cfg.Most) {
		l.again[j.key] = letGo{before.times + 1, signature(j.request)}
		delete(l.known, j.key)
	}
	if j.key.Code == brokenReply && j.shown == 0 && l.others[j.key] < mostOthers {
		// Another request may have ended its connection. That of the operation that does is still to come.
		delete(l.known, j.key)
		l.others[j.key]++
	}
	gone := func(k *job) bool { return k == j }
	l.errors = slices.DeleteFunc(l.errors, gone)
	l.warnings = slices.DeleteFunc(l.warnings, gone)
}

// hold has the thing at the address be the job's own until its attempt is over.
func (l *Rechecks) hold(j *job, address string) {
	j.holding = append(j.holding, address)
	l.held[address]++
	l.ids[idOf(address)]++
}

// release gives back what the job held.
func (l *Rechecks) release(j *job) {
	for _, address := range j.holding {
		less(l.held, address)
		less(l.ids, idOf(address))
	}
	j.holding = nil
}

func less(counts map[string]int, key string) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}

func idOf(address string) string { return address[strings.LastIndexByte(address, '/')+1:] }

// Owns says whether the target leads to, or through, a thing that an attempt under way has made: others would disturb it.
func (l *Rechecks) Owns(target string) bool {
	if len(l.held) == 0 {
		return false
	}
	for path := pathOf(target); path != ""; path = path[:max(strings.LastIndexByte(path, '/'), 0)] {
		if l.held[path] > 0 {
			return true
		}
	}
	return false
}

// Holds says whether it is the id of such a thing, as it is written in a path.
func (l *Rechecks) Holds(id string) bool { return l.ids[id] > 0 }

// HoldAny says whether there is any such thing.
func (l *Rechecks) HoldAny() bool { return len(l.ids) > 0 }

// remember keeps what made the thing at an address.
func (l *Rechecks) remember(address string, m messages.Learned) {
	if _, known := l.made[address]; !known {
		if len(l.addresses) >= mostMade {
			delete(l.made, l.addresses[0])
			l.addresses = l.addresses[1:]
		}
		l.addresses = append(l.addresses, address)
	}
	l.made[address] = messages.MakerOf(m.Request, m.Reply, m.Value, address)
}

// before are the steps of the request's series that came before it.
func (l *Rechecks) before(r *messages.Request) []messages.Maker {
	steps := make([]messages.Maker, len(r.Series.Taken))
	for i, taken := range r.Series.Taken {
		step := l.plain(taken.Request)
		step.Series = taken.Request.Series
		steps[i] = l.makerOf(step)
	}
	return steps
}

// makerOf is the request, with what it has made.
func (l *Rechecks) makerOf(r *messages.Request) messages.Maker {
	for _, address := range slices.Backward(l.addresses) {
		if maker := l.made[address]; maker.Request.Seq == r.Seq {
			maker.Request = r
			return maker
		}
	}
	return messages.Maker{Request: r}
}

// changed keeps a request that was accepted and may have changed something.
func (l *Rechecks) changed(m messages.Learned) {
	switch m.Request.Method {
	case "POST", "PUT", "PATCH":
	default:
		return
	}
	if m.Outcome != messages.Answered || m.Reply.Status < 200 || m.Reply.Status > 299 || !strings.Contains(m.Request.Target[1:], "/") {
		return
	}
	if len(l.changes) == mostChanges {
		l.changes = slices.Delete(l.changes, 0, mostChanges/2)
	}
	l.changes = append(l.changes, m.Request)
}

// changedSince says whether the run has changed what the job's path leads to since it showed its finding.
func (l *Rechecks) changedSince(j *job) bool {
	path := pathOf(j.request.Target)
	for _, c := range slices.Backward(l.changes) {
		if c.Seq < j.seq {
			break // those before it may have been answered after it, by a little
		}
		own := c.Recheck != nil && c.Recheck.Finding == j.key
		if target := pathOf(c.Target); !own && c.Seq != j.seq && (leadsTo(path, target) && c.Method != "POST" || leadsTo(target, path) && target != path) {
			return true
		}
	}
	return false
}

// situation are the requests that made the request's thing what it was: those that made it and what it belongs to, and
// of each operation the last that changed it or something below it.
func (l *Rechecks) situation(r *messages.Request) []messages.Maker {
	c := l.chain(r)
	path := pathOf(r.Target)
	known := map[int]bool{r.Operation: true}
	after := int64(0)
	switch address := l.above(path); {
	case c.tooLong():
		return nil
	case address != "" && len(c.steps) > 0:
		path, after = address, l.made[address].Request.Seq
	case r.Method != "DELETE":
		return c.steps
	}
	var changes []messages.Maker
	for _, m := range slices.Backward(l.changes) {
		if len(c.steps)+len(changes) == mostSteps || m.Seq <= after {
			break
		}
		if m.Recheck == nil && m.Seq < r.Seq && !known[m.Operation] && leadsTo(pathOf(m.Target), path) {
			known[m.Operation] = true
			change := l.plain(m)
			named := &chain{list: l, steps: slices.Clip(c.steps), seen: maps.Clone(c.seen)}
			if named.needNamed(change); len(named.steps)+len(changes) < mostSteps {
				c = named
			}
			changes = append(changes, messages.Maker{Request: change})
		}
	}
	slices.Reverse(changes)
	return append(c.steps, changes...)
}

// makers are the requests that made what the request's path leads to and what it names, with what those are about, each
// before what needs it. They are none where there are too many.
func (l *Rechecks) makers(r *messages.Request) []messages.Maker {
	if c := l.chain(r); !c.tooLong() {
		return c.steps
	}
	return nil
}

// Ahead are the makers of what a series is about that begins with this request and has so many steps before its last; none
// where they are too many.
func (l *Rechecks) Ahead(r *messages.Request, steps int) []messages.Maker {
	ahead := l.makers(r)
	if len(ahead)+steps > mostSteps {
		return nil
	}
	for i := range ahead {
		ahead[i].Ahead = true
	}
	return ahead
}

// chain is requests that make things, each before what needs them.
type chain struct {
	list  *Rechecks
	steps []messages.Maker
	seen  map[string]bool // the addresses of what they make
}

func (l *Rechecks) chain(r *messages.Request) *chain {
	c := &chain{list: l, seen: map[string]bool{}}
	c.need(r)
	return c
}

func (c *chain) tooLong() bool { return len(c.steps) > mostSteps }

// need adds what makes all that the request is about.
func (c *chain) need(r *messages.Request) {
	c.needAt(c.list.above(pathOf(r.Target)), r)
	c.needNamed(r)
}

func (c *chain) needNamed(r *messages.Request) {
	for _, n := range r.Named {
		c.needAt(n.Address, r)
	}
}

// needAt adds what makes the thing at the address, which the request needs.
func (c *chain) needAt(address string, r *messages.Request) {
	made, is := c.list.made[address]
	if !is || c.seen[address] || made.Request.Seq == r.Seq || c.tooLong() {
		return
	}
	c.seen[address] = true
	made.Request = c.list.plain(made.Request)
	c.need(made.Request)
	c.steps = append(c.steps, made)
}

// above is the longest part of the path that is the address of a thing that was made; "" for none.
func (l *Rechecks) above(path string) string {
	for path != "" && (l.made[path].Request == nil || pathOf(l.made[path].Request.Target) == path) {
		path = path[:max(strings.LastIndexByte(path, '/'), 0)]
	}
	return path
}

// plain is a request that was sent, as a step: what it was for is forgotten, and what it names is known.
func (l *Rechecks) plain(r *messages.Request) *messages.Request {
	plain := *r
	plain.Recheck, plain.Series = nil, nil
	plain.Named = l.Named(r)
	return &plain
}

// Named are the places of the request where things are named that were made before it. Which kind of thing a place names is
// what the memory goes by; a text that is only alike names nothing.
func (l *Rechecks) Named(r *messages.Request) []messages.Named {
	if l.cfg.Kinds == nil || len(l.made) == 0 {
		return nil
	}
	var named []messages.Named
	for _, v := range r.Values() {
		kinds := l.cfg.Kinds(v.Place)
		if len(kinds) == 0 || v.Text == "" {
			continue
		}
		for _, address := range slices.Backward(l.addresses) {
			made := l.made[address].Request
			if made.Seq >= r.Seq || messages.NameOf(address) != v.Text || !slices.ContainsFunc(kinds, func(kind string) bool { return isOf(address, kind) }) {
				continue
			}
			if n := (messages.Named{Place: v.Place, Address: address}); !slices.Contains(named, n) {
				named = append(named, n)
			}
			break
		}
	}
	return named
}

// isOf says whether the address is of the kind: one segment behind its template.
func isOf(address, kind string) bool {
	segments, wanted := strings.Split(address, "/"), strings.Split(kind, "/")
	if len(segments) != len(wanted)+1 {
		return false
	}
	for i, w := range wanted {
		if w != "{}" && w != segments[i] {
			return false
		}
	}
	return true
}

func pathOf(target string) string {
	path, _, _ := strings.Cut(target, "?")
	return path
}
