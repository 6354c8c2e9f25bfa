package sim

import (
	"fmt"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// Replay is the world's edge of a run that a recording answers: the nth request to an operation gets the nth answer
// recorded for it, after as long as that took. Past the last one it is repeated; where there is none, the request goes
// unanswered for as long as a reply took on average. Both are counted as invented.
type Replay struct {
	rec    *Recording
	clk    clock.Clock
	tell   func(messages.ToSender)
	slots  []replayed
	tracks []track // by the operations of the document
	told   reporter.Simulated
	silent int64
	// patience is how long a reply's header is awaited, where that is shorter than it was for the recorded run.
	patience time.Duration
}

// track is where an operation's answers have got to.
type track struct {
	answers []answer
	at      int
	// last is the answer that is repeated.
	last int
}

// replayed is the exchange that a slot carries.
type replayed struct {
	// request is whose exchange it is; another write for the same one follows a redirect, the hop-th.
	request *messages.Request
	answer  answer
	hop     int
	// cancel takes back what is awaited, giveUp says how it ends instead.
	cancel  func()
	giveUp  func(recalled bool)
	written bool
}

// NewReplay makes the edge of one run on paper.
func NewReplay(rec *Recording, doc *document.Document, s settings.Engine, clk clock.Clock, tell func(messages.ToSender)) *Replay {
	p := &Replay{
		rec: rec, clk: clk, tell: tell, slots: make([]replayed, s.MaxConcurrency),
		tracks: make([]track, len(doc.Operations)), patience: time.Duration(clock.Never),
	}
	for i, op := range doc.Operations {
		t := &p.tracks[i]
		t.answers = rec.tracks[op.ID]
		t.last = len(t.answers) - 1
		// That a run was over says nothing of the API.
		for t.last > 0 && t.answers[t.last].kind == messages.GivenUp {
			t.last--
		}
	}
	was := rec.Settings.Engine
	for _, limit := range [][2]time.Duration{{s.ReadTimeout, was.ReadTimeout}, {s.CallTimeout, was.CallTimeout}} {
		if limit[0] < limit[1] {
			p.patience = min(p.patience, limit[0])
		}
	}
	return p
}

// Open has the slot's connection open, at once.
func (p *Replay) Open(slot int) { p.tell(messages.Opened{Slot: slot}) }

// Write writes a request at its moment.
func (p *Replay) Write(slot int, o sender.Outgoing) {
	s := &p.slots[slot]
	s.giveUp = func(recalled bool) {
		p.tell(messages.Wrote{Slot: slot, Unsent: true, Recalled: recalled, Reason: "recalled", Kind: messages.Kept})
	}
	s.cancel = p.clk.At(o.At, func() { p.write(slot, o) })
}

// write is the moment a request goes, and the beginning of its answer.
func (p *Replay) write(slot int, o sender.Outgoing) {
	s, at := &p.slots[slot], p.clk.Now()
	s.cancel = nil
	if at >= o.Deadline {
		p.tell(messages.Wrote{Slot: slot, Unsent: true, Reason: "the run's time was up", Kind: messages.Kept})
		return
	}
	p.tell(messages.Wrote{Slot: slot, At: at, Written: at})
	s.written = true
	came := messages.Came{Slot: slot, Open: true}
	after := p.answer(s, o.Request, &came)
	came.HeardAt, came.EndedAt = at.Add(after.toHeader), at.Add(after.toEnd)
	arrive := func() {
		s.written, s.cancel = false, nil
		p.tell(came)
	}
	told := came.EndedAt.Add(p.rec.turnaround) // when the tool has come round to it
	s.giveUp = func(bool) { p.tell(givenUp(&came, p.clk.Now())) }
	// A header counts ahead of its body where it can ask for a wait: obeying does not wait for a slow body.
	if r := came.Reply; r != nil && (r.Status == 429 || r.Status == 503) && came.HeardAt < came.EndedAt {
		s.cancel = p.clk.At(came.HeardAt, func() {
			s.cancel = p.clk.At(told, arrive)
			p.tell(messages.Headed{Slot: slot, At: came.HeardAt, Reply: headOf(r)})
		})
		return
	}
	s.cancel = p.clk.At(told, arrive)
}

// answer finds what the slot's request is answered, and after how long.
func (p *Replay) answer(s *replayed, r *messages.Request, came *messages.Came) answer {
	if s.request == r {
		s.hop++
	} else {
		s.request, s.hop = r, 0
		s.answer = p.next(r.Operation)
	}
	a := s.answer
	switch {
	case a.ending == nil, s.hop > len(a.hops):
		came.Outcome, came.Kind, came.Failure, came.Open = messages.NoReply, messages.GivenUp, "the recording holds no reply to it", false
		return answer{toHeader: p.rec.usual, toEnd: p.rec.usual}
	case s.hop < len(a.hops):
		hop := a.hops[s.hop]
		came.Outcome, came.Reply = messages.Answered, hop.reply
		return answer{toHeader: hop.after, toEnd: hop.after}
	case a.toHeader > p.patience:
		came.Outcome, came.Kind, came.Open = messages.NoReply, messages.TimedOut, false
		came.Failure = fmt.Sprintf("no reply within %s", p.patience)
		return answer{toHeader: p.patience, toEnd: p.patience}
	}
	came.Outcome, came.Reply, came.Failure, came.Kind = a.outcome, a.reply, a.failure, a.kind
	came.Open = a.open
	return a
}

// next is the operation's next answer, and counts it. It has no ending where none was ever recorded.
func (p *Replay) next(operation int) answer {
	t := &p.tracks[operation]
	p.told.Replies++
	if len(t.answers) == 0 {
		p.told.Invented++
		p.silent++
		return answer{}
	}
	i := t.at
	if i == len(t.answers) {
		i = t.last
		p.told.Invented++
	} else {
		t.at++
	}
	a := t.answers[i]
	if a.masked {
		p.told.Masked++
	}
	if a.shortened {
		p.told.Shortened++
	}
	return a
}

func headOf(r *messages.Reply) *messages.Reply {
	return &messages.Reply{Proto: r.Proto, Status: r.Status, Reason: r.Reason, Header: r.Header}
}

// givenUp is how an exchange ends that the end of the run cuts short, if it does.
func givenUp(came *messages.Came, now clock.Instant) messages.Came {
	if came.EndedAt <= now {
		return *came
	}
	cut := messages.Came{
		Slot: came.Slot, HeardAt: now, EndedAt: now, Outcome: messages.NoReply, Kind: messages.GivenUp,
		Failure: "the run was over before the reply came",
	}
	if came.Reply != nil && came.HeardAt <= now {
		cut.Outcome, cut.HeardAt, cut.Reply = messages.BrokeOff, came.HeardAt, headOf(came.Reply)
	}
	return cut
}

// Recall takes back a write that has not come.
func (p *Replay) Recall(slot int) {
	if !p.slots[slot].written {
		p.end(slot, true)
	}
}

// Abandon ends whatever is under way.
func (p *Replay) Abandon() {
	for slot := range p.slots {
		p.end(slot, false)
	}
}

func (p *Replay) end(slot int, recalled bool) {
	s := &p.slots[slot]
	if s.cancel == nil {
		return
	}
	s.cancel()
	s.cancel, s.written = nil, false
	s.giveUp(recalled)
}

// Close has nothing to close.
func (*Replay) Close() {}

// Told is what has been answered so far, and what it can and cannot say.
func (p *Replay) Told(from string) reporter.Simulated {
	told := p.told
	told.From = from
	told.Notes = []string{
		"Each request got the reply recorded for it, after as long as that took. This suits a quota that stays spent, and overstates the waits for a limit per second.",
		fmt.Sprintf("An invented reply is the last one of its operation once more. Between a reply and the next request the tool takes %s, as it did then.",
			p.rec.turnaround.Round(time.Microsecond)),
	}
	note := func(format string, args ...any) { told.Notes = append(told.Notes, fmt.Sprintf(format, args...)) }
	if p.silent > 0 {
		note("%d requests were to operations of which no reply was recorded; they went unanswered.", p.silent)
	}
	if !p.rec.Whole {
		note("The recording ends early, as that of a run that was killed does.")
	}
	if p.rec.LeftOut > 0 {
		note("Only the first %d of %d replies were replayed: more did not fit into the memory.", p.rec.Answers, p.rec.Answers+p.rec.LeftOut)
	}
	return told
}
