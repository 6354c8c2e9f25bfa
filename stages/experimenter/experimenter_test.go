package experimenter

import (
	"slices"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/experimenter/inference"
)

// scene is an experimenter, and the pacer and the reporter it tells.
type scene struct {
	*testing.T
	clk   *clock.Fake
	exam  *inference.Examination
	e     *Experimenter
	offer messages.Offer
	told  []messages.Experimented
}

var sceneBegan = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// newScene is one of a limiter of ten in two seconds.
func newScene(t *testing.T) *scene {
	s := &scene{T: t, clk: clock.NewFake(sceneBegan)}
	s.exam = inference.NewExamination(inference.Known{Limit: 10, Window: 2 * time.Second, Wall: sceneBegan.UnixNano()},
		inference.Questions(), inference.Variant{Name: "plain"}, inference.Variant{Name: "HEAD", Kind: inference.OtherMethod})
	s.e = New(Config{Examination: s.exam, Requests: []Request{
		{Method: "GET", Target: "/items", Header: []messages.Field{{Name: "Accept", Value: "*/*"}}, Body: []byte("x")},
		{Method: "HEAD", Target: "/items"},
	}}, s.clk, Neighbours{
		Pacer:    func(m messages.ToPacer) { s.offer = m.(messages.Offer) },
		Reporter: func(m messages.ToReporter) { s.told = append(s.told, m.(messages.Experimented)) },
	})
	return s
}

// want is what is offered now.
func (s *scene) want() messages.Offer {
	s.e.Handle(messages.Want{})
	return s.offer
}

// until lets time pass up to a moment.
func (s *scene) until(at messages.Instant) {
	passed := false
	s.clk.At(at, func() { passed = true })
	for !passed {
		s.clk.Next()
	}
}

// batch is the requests that are offered until there is nothing more for now, the first as soon as its moment comes.
func (s *scene) batch() (all []*messages.Request) {
	s.Helper()
	if o := s.want(); o.Request != nil {
		all = append(all, o.Request)
	} else {
		s.until(o.Until)
	}
	for o := s.want(); o.Request != nil; o = s.want() {
		all = append(all, o.Request)
	}
	return all
}

// answer has a request answered, so long after now.
func (s *scene) answer(r *messages.Request, status int, took time.Duration, header ...messages.Field) {
	now := s.clk.Now()
	reply := &messages.Reply{Status: status, Header: header}
	m := messages.Learned{Request: r, Outcome: messages.Answered, Reply: reply, SentAt: now, HeardAt: now.Add(took)}
	for _, f := range header {
		if f.Name == "Retry-After" {
			m.Wait = time.Second
		}
	}
	s.e.Handle(m)
}

// fail has a request end without a reply.
func (s *scene) fail(r *messages.Request, kind messages.Failure, took time.Duration) {
	now := s.clk.Now()
	s.e.Handle(messages.Learned{Request: r, Outcome: messages.NoReply, Kind: kind, SentAt: now, HeardAt: now.Add(took)})
}

// opening answers the first two batches: all are let through but the last so many, which are returned.
func (s *scene) opening(refused int) []*messages.Request {
	s.Helper()
	s.answer(s.batch()[0], 200, time.Millisecond)
	burst := s.batch()
	for _, r := range burst[:len(burst)-refused] {
		s.answer(r, 200, time.Millisecond)
	}
	return burst[len(burst)-refused:]
}

func TestABatchIsOfferedAtItsMomentAndTheNextOnceItIsOver(t *testing.T) {
	s := newScene(t)
	o := s.want()
	if o.Request != nil || o.Why != messages.NothingYet || o.Until != began {
		t.Fatalf("at first %+v", o)
	}
	s.until(o.Until)
	one := s.want().Request
	want := messages.Request{Seq: 1, Nth: 1, Method: "GET", Target: "/items", Purpose: messages.Nominal, Valid: true}
	if one == nil || one.Seq != want.Seq || one.Nth != want.Nth || one.Method != want.Method || one.Target != want.Target || !one.Valid || string(one.Body) != "x" {
		t.Fatalf("%+v", one)
	}
	if o := s.want(); o.Request != nil || o.Until != messages.Never {
		t.Errorf("while one is under way: %+v", o)
	}
	s.answer(one, 200, time.Millisecond)
	if burst := s.batch(); len(burst) != 16 || burst[15].Nth != 17 {
		t.Errorf("%d in the burst", len(burst))
	}
	if want := []messages.Experimented{{At: began, Why: "one alone", Sent: 1, Accepted: 1}}; !slices.Equal(s.told, want) {
		t.Errorf("told %+v, want %+v", s.told, want)
	}
}

// began is 0.37 of a window from a multiple of it.
const began = messages.Instant(740 * time.Millisecond)

func TestWhatIsARefusal(t *testing.T) {
	for _, row := range []struct {
		name     string
		end      func(*scene, *messages.Request)
		accepted int
		how      inference.How
	}{
		{"a 429", func(s *scene, r *messages.Request) { s.answer(r, 429, time.Millisecond) }, 9, inference.Replied},
		{"a 503 where 200 is usual", func(s *scene, r *messages.Request) { s.answer(r, 503, time.Millisecond) }, 9, inference.Replied},
		{"a 500 is none", func(s *scene, r *messages.Request) { s.answer(r, 500, time.Millisecond) }, 16, inference.Replied},
		{"a 404 is none", func(s *scene, r *messages.Request) { s.answer(r, 404, time.Millisecond) }, 16, inference.Replied},
		{"no answer", func(s *scene, r *messages.Request) { s.fail(r, messages.TimedOut, 4*time.Second) }, 9, inference.Dropped},
		{"a connection reset", func(s *scene, r *messages.Request) { s.fail(r, messages.WasReset, time.Millisecond) }, 9, inference.Closed},
	} {
		s := newScene(t)
		for _, r := range s.opening(7) {
			row.end(s, r)
		}
		table := s.exam.Table()
		if len(table) != 2 || table[1].Accepted != row.accepted || table[1].Answers[15].How != row.how {
			t.Errorf("%s: %+v", row.name, table)
		}
	}
}

func TestAConnectionThatHadBeenIdleSaysNothing(t *testing.T) {
	s := newScene(t)
	for _, r := range s.opening(2) {
		s.fail(r, messages.ClosedIdle, time.Millisecond)
	}
	if b := s.exam.Table()[1]; b.N != 14 || b.Accepted != 14 {
		t.Errorf("%+v", b)
	}
}

func TestABatchOfWhichNothingCouldBeSentIsPlannedAnew(t *testing.T) {
	s := newScene(t)
	one := s.batch()[0]
	s.e.Handle(messages.Learned{Request: one, Outcome: messages.NeverSent})
	if again := s.batch(); len(again) != 1 || again[0].Seq != 2 || len(s.exam.Table()) != 0 || len(s.told) != 0 {
		t.Errorf("%v offered, table %v", again, s.exam.Table())
	}
}

func TestRefusalsThatComeLateCameToTheLimiterWhenTheOthersDid(t *testing.T) {
	s := newScene(t)
	for _, r := range s.opening(7) {
		s.answer(r, 429, time.Second)
	}
	if b := s.exam.Table()[1]; b.Hi.Sub(b.Lo) > 100*time.Millisecond || b.Over.Sub(b.Lo) != time.Second {
		t.Errorf("came within %v, over after %v", b.Hi.Sub(b.Lo), b.Over.Sub(b.Lo))
	}
}

func TestLateRefusalsAreNotWaitedForTwice(t *testing.T) {
	s := newScene(t)
	for _, r := range s.opening(7) {
		s.answer(r, 429, time.Second)
	}
	batch := s.batch()
	s.answer(batch[0], 200, time.Millisecond)
	o := s.want()
	if wait := o.Until.Sub(s.clk.Now()); o.Request != nil || wait > 250*time.Millisecond {
		t.Fatalf("waits for %v: %+v", wait, o)
	}
	s.until(o.Until)
	s.want()
	table := s.exam.Table()
	if len(table) != 3 || table[2].N != len(batch) || table[2].Accepted != 1 || table[2].Answers[1].How != inference.Late {
		t.Fatalf("%+v", table)
	}
	told := len(s.told)
	next := s.batch()
	for _, r := range batch[1:] { // they come at last, and belong to no batch any more
		s.answer(r, 429, time.Second)
	}
	if len(s.exam.Table()) != 3 || len(s.told) != told || len(next) == 0 {
		t.Errorf("late answers were counted: %+v", s.exam.Table())
	}
}

func TestNothingIsOfferedBeforeTheAPIMayBeAskedAgain(t *testing.T) {
	s := newScene(t)
	for _, r := range s.opening(7) {
		s.answer(r, 429, time.Millisecond, messages.Field{Name: "Retry-After", Value: "1"}, messages.Field{Name: "RateLimit", Value: `"a";r=0;t=1`})
	}
	said := s.exam.Table()[1].Answers[15].Said
	if said == nil || !said.Stated || said.Wait != time.Second || !said.Read || said.Left != 0 || said.More != time.Second || said.Family != "RateLimit" {
		t.Errorf("%+v", said)
	}
	if kept := s.e.Evidence(); kept.Accepted == nil || kept.Accepted.Status != 200 || kept.Rejected == nil || kept.Rejected.Status != 429 || kept.Asked == nil {
		t.Errorf("kept %+v", kept)
	}
}

func TestAStoppedExaminationOffersNothingMore(t *testing.T) {
	s := newScene(t)
	s.exam.Stop()
	if o := s.want(); o.Request != nil || o.Why != messages.NothingEver {
		t.Errorf("%+v", o)
	}
}

// Evenly sent requests are offered one by one, each at its moment.
func TestAnEvenBatchIsSpread(t *testing.T) {
	s := newScene(t)
	s.e.going, s.e.first = true, 1
	s.e.batch = inference.Batch{Step: inference.Step{At: 0, N: 5, Spread: time.Second}, Lo: messages.Never}
	var at []time.Duration
	for len(at) < 5 {
		o := s.want()
		if o.Request == nil {
			s.until(o.Until)
			continue
		}
		at = append(at, time.Duration(s.clk.Now()))
	}
	if want := []time.Duration{0, 250e6, 500e6, 750e6, 1000e6}; !slices.Equal(at, want) {
		t.Errorf("at %v, want %v", at, want)
	}
}
