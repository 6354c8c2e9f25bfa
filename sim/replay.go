package sim

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/settings/plan"
	"github.com/restest/restest/stages/reporter"
)

// Recording is a recorded run, as far as it takes to answer once more as the API did.
type Recording struct {
	// Run is what was run.
	Run *reporter.RunLine
	// Settings are what it was given, Plan the test plan, nil for none.
	Settings settings.Settings
	Plan     *plan.Plan
	Started  time.Time
	Budget   time.Duration
	// Whole is true if the run got to its end; the recording of one that was killed ends early.
	Whole bool
	// Answers counts what can be replayed, LeftOut those that found no room.
	Answers, LeftOut int64
	// usual is how long a reply took on average.
	usual time.Duration
	// turnaround is how long the tool took from the end of an exchange to the request that followed it.
	turnaround time.Duration
	// tracks hold the answers of each operation, by its id, in the order its requests were built.
	tracks map[string][]answer
}

// answer is how one request went.
type answer struct {
	nth int
	// toHeader is how long it took from the write to the reply's header, toEnd until it was over.
	toHeader, toEnd time.Duration
	*ending
}

// ending is how a request ended. Those that are alike are kept once.
type ending struct {
	outcome messages.Outcome
	kind    messages.Failure
	failure string
	reply   *messages.Reply
	hops    []redirected
	masked  bool
	// open is true if the connection could take another request.
	open bool
	// shortened is true if the recording has only the beginning of the body that the run had.
	shortened bool
}

// redirected is a redirect that was followed on the way to an ending: its reply, and how long it was until the next
// request left.
type redirected struct {
	after time.Duration
	reply *messages.Reply
}

const (
	// mostKept bounds the memory of what is replayed, in bytes; answerSize is about what one answer takes.
	mostKept   = 1 << 30
	answerSize = 80
	// shortest is the least that an answer takes: time has to go on.
	shortest = time.Microsecond
)

// recorded is what is read of a line.
type recorded struct {
	Run      *reporter.RunLine
	End      *struct{}
	Exchange *exchange
}

type exchange struct {
	Operation string
	Nth       int
	Outcome   string
	Kind      string
	Failure   reporter.Text
	SentAt    int64
	HeardAt   int64
	EndedAt   int64
	Reply     json.RawMessage
	Hops      []reporter.HopTold
	Masked    []string
}

// ReadRecording reads a recording, whole or cut short. What is read is bounded in memory.
func ReadRecording(from io.Reader) (*Recording, error) {
	r := &recordingReader{
		Recording: &Recording{tracks: map[string][]answer{}},
		endings:   map[[2]uint64]*ending{},
		seeds:     [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
	}
	err := reporter.EachLine(from, func(n int, line []byte) error {
		var l recorded
		err := reporter.ReadLine(n, line, &l)
		switch {
		case err != nil:
			return err
		case l.Exchange != nil:
			err = r.add(l.Exchange)
		case l.Run != nil:
			err = r.begin(l.Run)
		case l.End != nil:
			r.Whole = true
		}
		if err != nil {
			return fmt.Errorf("line %d of the recording: %w", n, err)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case r.Answers == 0:
		return nil, errors.New("the recording holds no request that was sent; there is nothing to replay")
	}
	for _, track := range r.tracks {
		slices.SortStableFunc(track, func(a, b answer) int { return cmp.Compare(a.nth, b.nth) })
	}
	r.usual = max(r.took/time.Duration(r.Answers), shortest)
	if !r.Settings.Engine.LimitTheRate { // with a rate it is the turn that was waited for
		r.turnaround = turnaround(r.sends, r.ends)
	}
	return r.Recording, nil
}

// recordingReader is a recording that is being read.
type recordingReader struct {
	*Recording
	// endings are those kept so far, by what the recording says of them.
	endings map[[2]uint64]*ending
	seeds   [2]maphash.Seed
	key     []byte // scratch
	kept    int
	took    time.Duration
	// sends and ends are the moments at which requests left and exchanges were over.
	sends, ends []int64
}

func (r *recordingReader) begin(run *reporter.RunLine) (err error) {
	r.Run = run
	if r.Started, err = run.StartedAt(); err != nil {
		return err
	}
	if r.Budget, err = run.BudgetGiven(); err != nil {
		return err
	}
	given, err := settings.Resolve(settings.Input{Simulated: run.Given()})
	if err != nil {
		return err
	}
	r.Settings = given.Settings
	if run.TestPlan != "" {
		r.Plan, err = plan.Read("the recording's plan", []byte(run.TestPlan), given.Settings)
	}
	return err
}

func (r *recordingReader) add(e *exchange) error {
	outcome, err := reporter.OutcomeOf(e.Outcome)
	if err != nil || outcome == messages.NeverSent {
		return err
	}
	if r.kept > mostKept {
		r.LeftOut++
		return nil
	}
	end, err := r.ending(e, outcome)
	if err != nil {
		return err
	}
	toEnd := max(time.Duration(e.EndedAt-e.SentAt), shortest)
	r.tracks[e.Operation] = append(r.tracks[e.Operation], answer{
		nth: e.Nth, toHeader: min(max(time.Duration(e.HeardAt-e.SentAt), 0), toEnd), toEnd: toEnd, ending: end,
	})
	first := e.SentAt
	if len(e.Hops) > 0 {
		first = e.Hops[0].SentAt
	}
	r.sends, r.ends = append(r.sends, first), append(r.ends, e.EndedAt)
	r.kept += answerSize
	r.took += toEnd
	r.Answers++
	return nil
}

// ending reads how a request ended, or finds one that ended alike.
func (r *recordingReader) ending(e *exchange, outcome messages.Outcome) (*ending, error) {
	masked := slices.ContainsFunc(e.Masked, func(place string) bool {
		return strings.HasPrefix(place, "reply.") || strings.HasPrefix(place, "hops.")
	})
	r.key = fmt.Appendf(r.key[:0], "%s %s %t %q ", e.Outcome, e.Kind, masked, string(e.Failure))
	r.key = append(r.key, e.Reply...)
	key := [2]uint64{maphash.Bytes(r.seeds[0], r.key), maphash.Bytes(r.seeds[1], r.key)}
	if known := r.endings[key]; known != nil && len(e.Hops) == 0 {
		return known, nil
	}
	kind, err := reporter.FailureOf(e.Kind)
	if err != nil {
		return nil, err
	}
	end := &ending{outcome: outcome, kind: kind, failure: string(e.Failure), masked: masked}
	if e.Reply != nil {
		var told reporter.ReplyTold
		if err := json.Unmarshal(e.Reply, &told); err != nil {
			return nil, err
		}
		if end.reply, err = told.Message(); err != nil {
			return nil, err
		}
		end.shortened = told.Body != nil && told.Body.Shortened
	}
	if end.reply == nil && outcome != messages.NoReply {
		return nil, fmt.Errorf("a request ended as %s, without a reply", e.Outcome)
	}
	end.open = outcome == messages.Answered && !closes(end.reply)
	r.kept += 2 * len(r.key)
	for i, hop := range e.Hops {
		next := e.SentAt
		if i+1 < len(e.Hops) {
			next = e.Hops[i+1].SentAt
		}
		end.hops = append(end.hops, redirected{
			after: max(time.Duration(next-hop.SentAt), shortest),
			reply: &messages.Reply{
				Proto: "HTTP/1.1", Status: hop.Status,
				Header: []messages.Field{{Name: "Location", Value: string(hop.Location)}},
			},
		})
		r.kept += 2 * len(hop.Location)
	}
	if len(e.Hops) == 0 {
		r.endings[key] = end
	}
	return end, nil
}

// closes says whether a reply ends its connection (RFC 9112 §9.3).
func closes(r *messages.Reply) bool {
	return slices.ContainsFunc(messages.Values(r.Header, "Connection"), func(value string) bool {
		return strings.EqualFold(strings.TrimSpace(value), "close")
	})
}

// Address is where the API was, as document.Options has it.
func (r *Recording) Address() string { return r.Run.Address() }

// Keys say how the recorded run signed in, the keys in them masked; nil where it did not. What is asked to sign in and is
// not of the document is added to it.
func (r *Recording) Keys(doc *document.Document) (*credentials.Keys, error) {
	return credentials.ReadPlan(r.Run.SignIn, doc)
}

// Document reads the document that was tested, from the recording itself.
func (r *Recording) Document(ctx context.Context) (*document.Document, error) {
	return r.Run.ReadDocument(ctx)
}
