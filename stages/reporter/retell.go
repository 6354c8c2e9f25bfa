package reporter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// Retelling makes the report of a run again, from the lines of its recording (decision 0023).
type Retelling struct {
	run        *RunLine
	clock      *clock.Fake
	reporter   *Reporter
	operations map[string]int
	known      account
}

// retold is a recorded exchange that is being told again.
type retold struct {
	told   *ExchangeTold
	judged *JudgedLine
}

// ReadDocument reads the document that was tested, from the recording itself.
func (l *RunLine) ReadDocument(ctx context.Context) (*document.Document, error) {
	if len(l.Files) == 0 {
		return nil, errors.New("the recording does not hold the document's files; give the document with --document FILE")
	}
	files := map[string]string{}
	for _, f := range l.Files {
		files[f.Location] = string(f.Content)
	}
	return document.Load(ctx, l.Files[0].Location, document.Options{
		URL: l.URL,
		Read: func(_ context.Context, location string) ([]byte, error) {
			if text, held := files[location]; held {
				return []byte(text), nil
			}
			return nil, fmt.Errorf("the recording does not hold it: %w", fs.ErrNotExist)
		},
	})
}

// Address is where the API was, as document.Options has it.
func (l *RunLine) Address() string { return cmp.Or(l.URL, l.Origin) }

// Retell begins to tell a run again. Of the config what the recording holds is filled in.
func Retell(cfg Config, run *RunLine) (*Retelling, error) {
	var err error
	if cfg.Started, err = run.StartedAt(); err != nil {
		return nil, fmt.Errorf("when the run started: %w", err)
	}
	if cfg.Budget, err = run.BudgetGiven(); err != nil {
		return nil, err
	}
	cfg.Tool, cfg.Source, cfg.URL, cfg.Seed = run.Tool, run.Document.Source, run.URL, run.Seed
	cfg.KeysUsed, cfg.KeysMissing, cfg.Dictionaries = run.Keys, run.KeysNotGiven, run.Dictionaries
	cfg.Probes, cfg.Quiet, cfg.Live = run.Probes, true, nil
	for _, s := range run.Settings {
		cfg.Values = append(cfg.Values, settings.Value{Name: s.Name, Value: s.Value, Default: s.Default, Origin: s.Origin, Where: s.Where})
	}
	t := &Retelling{run: run, clock: clock.NewFake(cfg.Started), operations: map[string]int{}}
	for _, op := range cfg.Document.Operations {
		t.operations[op.ID] = op.Index
	}
	for _, u := range run.Unbuildable {
		if at, ok := t.operations[u.Operation]; ok {
			cfg.Unbuildable = append(cfg.Unbuildable, Unbuildable{at, u.Reason})
		}
	}
	t.reporter = New(cfg, t.clock, Neighbours{Pacer: func(messages.ToPacer) {}, Self: func(messages.ToReporter) {}})
	return t, nil
}

// Exchange tells one exchange again, as the run judged it or, with a judge, as that does. A step of a series,
// and a reply in which something was hidden or of which only the beginning was recorded, cannot be judged again.
func (t *Retelling) Exchange(told *ExchangeTold, judged *JudgedLine, judge func(*messages.Exchange) *messages.Judged) error {
	j, err := t.message(told, judged)
	if err != nil {
		return fmt.Errorf("request %d: %w", told.Seq, err)
	}
	if judge != nil {
		if now := judge(j.Exchange); judgeable(told) {
			now.SignedIn = j.SignedIn
			j = now
		}
	}
	r := t.reporter
	r.retold = &retold{told, judged}
	if judged != nil && judged.Again != nil {
		for _, v := range judged.Again.Variables {
			if !slices.Contains(r.variables, v) {
				r.variables = append(r.variables, v)
			}
		}
	}
	t.known.add(j.Exchange)
	r.Handle(j)
	r.retold = nil
	return nil
}

// Finish ends the account as the run did, whose last line is nil where it was killed. A run that was killed has none of
// what only its pacer knew; what can be worked out of its exchanges is.
func (t *Retelling) Finish(end *EndLine) Result {
	r := t.reporter
	if end == nil || end.Paced == nil {
		r.paced = t.known.paced(r.cfg.Settings)
		t.moveTo(r.paced.At)
		return r.Finish(nil)
	}
	t.moveTo(messages.Instant(end.At))
	r.paced, r.ending = end.Paced, end
	r.failures = failures{}
	for _, f := range end.OwnFailures {
		r.failures.lines = append(r.failures.lines, failure{f.Message, f.Count})
	}
	if end.Simulated != nil {
		r.cfg.Simulated = func() Simulated { return *end.Simulated }
	}
	return r.Finish(nil)
}

// judgeable says whether all that the checks look at is there.
func judgeable(told *ExchangeTold) bool {
	if told.Request.Series != nil || told.Reply != nil && told.Reply.Body != nil && told.Reply.Body.Shortened {
		return false
	}
	return !slices.ContainsFunc(told.Masked, func(place string) bool { return strings.HasPrefix(place, "reply.") })
}

func (t *Retelling) moveTo(at messages.Instant) {
	t.clock.At(at, func() {})
	t.clock.Next()
}

// message is the exchange as the stages tell it, as far as a report needs it.
func (t *Retelling) message(told *ExchangeTold, judged *JudgedLine) (*messages.Judged, error) {
	operation, ok := t.operations[told.Operation]
	if !ok {
		return nil, fmt.Errorf("the document has no operation %s", settings.Quote(clip(told.Operation, 100)))
	}
	ex := &messages.Exchange{
		SentAt: messages.Instant(told.SentAt), HeardAt: messages.Instant(told.HeardAt), EndedAt: messages.Instant(told.EndedAt),
		Failure: string(told.Failure),
		Request: &messages.Request{
			Seq: told.Seq, Nth: told.Nth, Operation: operation, Method: string(told.Request.Method), Target: string(told.Request.Target),
			Header: fieldsOf(told.Request.Header), Valid: told.Request.Valid, Breaks: string(told.Request.Breaks), User: string(told.Request.User), Probe: messages.Probe(told.Request.Probe),
		},
	}
	var err error
	if ex.Outcome, err = OutcomeOf(told.Outcome); err != nil {
		return nil, err
	}
	if ex.Kind, err = FailureOf(told.Kind); err != nil {
		return nil, err
	}
	if ex.Request.Purpose, err = PurposeOf(told.Request.Purpose); err != nil {
		return nil, err
	}
	if ex.Request.Body, err = told.Request.Body.Bytes(); err != nil {
		return nil, fmt.Errorf("its body: %w", err)
	}
	if told.Reply != nil {
		if ex.Reply, err = told.Reply.Message(); err != nil {
			return nil, err
		}
	}
	if ex.Reply == nil && ex.Outcome >= messages.BrokeOff {
		return nil, fmt.Errorf("it ended as %s, without a reply", told.Outcome)
	}
	for _, o := range told.Request.Origins {
		ex.Request.Origins = append(ex.Request.Origins, messages.Origin{Place: string(o.Place), Source: string(o.Source)})
	}
	for _, h := range told.Hops {
		ex.Hops = append(ex.Hops, messages.Hop{
			Method: string(h.Method), Target: string(h.Target), SentAt: messages.Instant(h.SentAt), Status: h.Status, Location: string(h.Location),
		})
	}
	j := &messages.Judged{Exchange: ex, Refused: told.Refused, Unjudged: string(told.Unjudged)}
	if judged != nil {
		judged.into(j, told.Request.Elsewhere)
	}
	return j, nil
}

// into adds what was said of the exchange.
func (l *JudgedLine) into(j *messages.Judged, elsewhere string) {
	for _, f := range l.Findings {
		j.Findings = append(j.Findings, messages.Finding{
			Code: f.Code, Error: f.Error, Certainty: f.Certainty, Title: string(f.Title),
			Expected: string(f.Expected), Got: string(f.Got), Place: string(f.Place), Cause: string(f.Cause),
		})
	}
	j.Unread, j.Broken = l.Unread, l.Broken
	r := j.Exchange.Request
	r.Recheck = l.Recheck
	for _, h := range l.Hints {
		r.Hints = append(r.Hints, &messages.Hint{Place: string(h[0]), Wants: string(h[1])})
	}
	if s := l.SignIn; s != nil {
		r.SignIn = &messages.SignIn{Login: s.Login, Creates: s.Creates, Elsewhere: elsewhere}
		if s.Read {
			j.SignedIn = &messages.SignedIn{Login: s.Login, Creates: s.Creates, Failure: s.Failure}
			if s.Obtained {
				j.SignedIn.Keys = []messages.Key{{}}
			}
		}
	}
}

// exchange is what the report tells of it.
func (r *retold) exchange() *ExchangeTold {
	told := *r.told
	told.Refused, told.Unjudged, told.Findings = false, "", nil
	return &told
}

// again is what to send again, where the recording holds it; it may be asked of nil.
func (r *retold) again() *AgainLine {
	if r == nil || r.judged == nil {
		return nil
	}
	return r.judged.Again
}

// account is what can be worked out of a run's exchanges of what its pacer knows.
type account struct {
	dropped int64
	writes  []clock.Instant
	spans   [][2]clock.Instant
	end     clock.Instant
}

func (a *account) add(ex *messages.Exchange) {
	a.end = max(a.end, ex.EndedAt)
	if ex.Outcome == messages.NeverSent {
		a.dropped++
		return
	}
	a.writes = append(a.writes, ex.SentAt)
	first := ex.SentAt
	for _, h := range ex.Hops {
		a.writes = append(a.writes, h.SentAt)
		first = min(first, h.SentAt)
	}
	a.spans = append(a.spans, [2]clock.Instant{first, ex.EndedAt})
}

// paced is the pacer's account, as far as it can be worked out.
func (a *account) paced(s settings.Settings) *messages.Paced {
	p := &messages.Paced{
		At: a.end, Over: true, End: messages.Killed, StoppedAt: a.end, Sent: int64(len(a.writes)), Dropped: a.dropped,
		ShortestGap: -1, Interval: s.Engine.Interval(), Waiting: s.Schedule.WaitWhenToldTo, Foreseeing: s.Schedule.StayInsideQuota,
	}
	if len(a.writes) == 0 {
		p.Idle = time.Duration(a.end)
		return p
	}
	slices.Sort(a.writes)
	p.FirstSentAt, p.LastSentAt = a.writes[0], a.writes[len(a.writes)-1]
	for i := 1; i < len(a.writes); i++ {
		if gap := a.writes[i].Sub(a.writes[i-1]); p.ShortestGap < 0 || gap < p.ShortestGap {
			p.ShortestGap = gap
		}
	}
	if p.Interval > 0 {
		p.TurnsUsed, p.TurnsDue = p.Sent, int64(a.end.Sub(p.FirstSentAt)/p.Interval)+1
	}
	p.Idle, p.PeakInFlight = idleAndPeak(a.spans, a.end)
	return p
}

// idleAndPeak are how long nothing was in flight until the end, and how much was at once at most.
func idleAndPeak(spans [][2]clock.Instant, end clock.Instant) (idle time.Duration, peak int) {
	begins, ends := make([]clock.Instant, len(spans)), make([]clock.Instant, len(spans))
	for i, s := range spans {
		begins[i], ends[i] = s[0], s[1]
	}
	slices.Sort(begins)
	slices.Sort(ends)
	over, free := 0, clock.Instant(0)
	for i, at := range begins {
		for over < len(ends) && ends[over] <= at {
			over++
			free = ends[over-1]
		}
		if over == i && at > free {
			idle += at.Sub(free)
		}
		peak = max(peak, i+1-over)
	}
	return idle + max(0, end.Sub(ends[len(ends)-1])), peak
}
