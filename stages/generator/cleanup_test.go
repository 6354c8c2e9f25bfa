package generator

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/restest/restest/messages"
)

const nested = `
  /zones:
    get: {` + ok + `}
    post: {requestBody: {content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}}}}}}, ` + ok + `}
  /zones/{zone}:
    parameters: [{name: zone, in: path, required: true, schema: {type: string}}]
    get: {` + ok + `}
    put: {` + ok + `}
    delete: {` + ok + `}
  /zones/{zone}/keys:
    parameters: [{name: zone, in: path, required: true, schema: {type: string}}]
    post: {` + ok + `}
  /zones/{zone}/keys/{key}:
    parameters: [{name: zone, in: path, required: true, schema: {type: string}}, {name: key, in: path, required: true, schema: {type: string}}]
    delete: {` + ok + `}
  /notes:
    post: {` + ok + `}
`

// tidying is a script with a minute's time and what it tells the reporter.
func tidying(t *testing.T, change func(*Config)) (*script, *[]messages.Thing) {
	var told []messages.Thing
	s := newScript(t, api(t, nested), func(c *Config) {
		withoutLap(c)
		c.Deadline = messages.Instant(time.Minute)
		if change != nil {
			change(c)
		}
	})
	s.g.to.Reporter = func(m messages.ToReporter) { told = append(told, m.(messages.Things).Things...) }
	return s, &told
}

func (s *script) make(id, target, body string) {
	s.t.Helper()
	for range 5000 {
		if r := s.of(id); target == "" || r.Target == target {
			s.answer(r, 201, body)
			return
		}
	}
	s.t.Fatalf("no %s at %s", id, target)
}

func TestWhatTheRunMadeIsDeletedAtItsEndTheDeepestAndNewestFirst(t *testing.T) {
	s, told := tidying(t, nil)
	s.clock.now = 1
	s.make("POST /zones", "", `{"id": "a."}`)
	s.make("POST /zones", "", `{"id": "b."}`)
	s.make("POST /zones/{zone}/keys", "/zones/b./keys", `{"id": 7}`)
	s.make("POST /notes", "", `{"id": "n"}`) // nothing deletes a note
	s.answer(s.of("GET /zones"), 200, `[{"id": "others."}]`)
	if r := s.next(); r.Purpose == messages.CleaningUp {
		t.Fatalf("it began to delete at once: %s", r.Target)
	}
	s.clock.now = messages.Instant(time.Minute - time.Millisecond)
	var targets []string
	for {
		r := s.next()
		if r.Purpose != messages.CleaningUp {
			if !safe(r.Method) {
				t.Errorf("%s %s goes beside it", r.Method, r.Target)
			}
			break
		}
		targets = append(targets, r.Method+" "+r.Target)
		s.answer(r, 204, "")
	}
	if want := []string{"DELETE /zones/b./keys/7", "DELETE /zones/b.", "DELETE /zones/a."}; !slices.Equal(targets, want) {
		t.Errorf("deleted %q, want %q", targets, want)
	}
	var states []string
	for _, thing := range *told {
		states = append(states, fmt.Sprint(thing.Address, thing.State))
	}
	if want := []string{"/zones/a.0", "/zones/b.0", "/zones/b./keys/70", "/zones/b./keys/71", "/zones/b.1", "/zones/a.1"}; !slices.Equal(states, want) {
		t.Errorf("told %q", states)
	}
}

func TestNothingIsDeletedThatMayBeSomeoneElses(t *testing.T) {
	s, _ := tidying(t, nil)
	s.clock.now = 1
	s.answer(s.of("GET /zones"), 200, `[{"id": "theirs."}]`)
	s.clock.move(time.Second)
	r := s.of("POST /zones")
	l := messages.Learned{
		Request: r, Outcome: messages.Answered, SentAt: s.clock.now, HeardAt: s.clock.now,
		Reply: &messages.Reply{Status: 201}, Value: map[string]any{"id": "theirs."},
	}
	s.g.Handle(l) // known before the request was sent
	put := s.of("PUT /zones/{zone}")
	s.answer(put, 200, "") // it was there
	if n := len(s.g.owned.things); n != 0 {
		t.Errorf("%d things count as the run's own: %+v", n, s.g.owned.things)
	}
	put = s.of("PUT /zones/{zone}")
	for put.Target == "/zones/theirs." {
		put = s.of("PUT /zones/{zone}")
	}
	s.g.Handle(messages.Learned{Request: put, Outcome: messages.Answered, HeardAt: s.clock.now, Reply: &messages.Reply{Status: 201}})
	if n := len(s.g.owned.things); n != 1 {
		t.Errorf("what a PUT has created counts %d times", n)
	}
}

func TestADeletionThatIsRefusedIsTriedAgainAndOneThatFailsIsListed(t *testing.T) {
	s, told := tidying(t, nil)
	s.make("POST /zones", "", `{"id": "a."}`)
	s.clock.now = messages.Instant(time.Minute - time.Millisecond)
	for range 5 {
		r := s.next()
		if r.Purpose != messages.CleaningUp {
			t.Fatalf("after a refusal: %s %s", r.Method, r.Target)
		}
		s.tell(r, 429, "", true)
	}
	s.answer(s.next(), 409, "")
	s.answer(s.next(), 409, "")
	if r := s.next(); r.Purpose == messages.CleaningUp {
		t.Error("it is tried for ever")
	}
	last := (*told)[len(*told)-1]
	if want := (messages.Thing{Address: "/zones/a.", Operation: 1, State: messages.Left, Why: "DELETE was answered 409"}); last != want {
		t.Errorf("told %+v", last)
	}
}

func TestAReturnedDeletionIsTheNextOnceMore(t *testing.T) {
	s, _ := tidying(t, nil)
	s.make("POST /zones", "", `{"id": "a."}`)
	s.clock.now = messages.Instant(time.Minute - time.Millisecond)
	r := s.next()
	s.g.Handle(messages.Returned{Request: r})
	if again := s.next(); !reflect.DeepEqual(r, again) {
		t.Errorf("%+v came back as %+v", r, again)
	}
}

func TestDeletingTakesNoMoreThanItsShareOfTheTimeAndCanBeSwitchedOff(t *testing.T) {
	s, _ := tidying(t, func(c *Config) { c.Settings.Schedule.CleanUpShare = 0.05 })
	s.clock.now = 1
	s.make("POST /zones", "", `{"id": "a."}`)
	s.clock.now = messages.Instant(57*time.Second - 1)
	s.g.seq = 2 // half a minute for each: it would like to begin at once
	if r := s.next(); r.Purpose == messages.CleaningUp {
		t.Error("it takes more than its share")
	}
	s.clock.now = messages.Instant(57 * time.Second)
	if r := s.next(); r.Purpose != messages.CleaningUp {
		t.Error("it takes less than its share though there is not enough time")
	}

	s, _ = tidying(t, func(c *Config) { c.Settings.Schedule.CleanUp = false })
	s.make("POST /zones", "", `{"id": "a."}`)
	s.clock.now = messages.Instant(time.Minute - 1)
	if r := s.next(); r.Purpose == messages.CleaningUp {
		t.Error("it cannot be switched off")
	}
}

func TestWhatIsRememberedToBeDeletedIsBounded(t *testing.T) {
	s, told := tidying(t, nil)
	r := s.of("POST /zones")
	for i := range mostOwned + 5 {
		s.answer(r, 201, fmt.Sprintf(`{"id": "z%d"}`, i))
	}
	if n := len(s.g.owned.things); n != mostOwned {
		t.Errorf("%d are remembered", n)
	}
	uncounted := 0
	for _, thing := range *told {
		if thing.State == messages.Uncounted {
			uncounted++
		}
	}
	if uncounted != 5 {
		t.Errorf("%d are told as not remembered", uncounted)
	}
}
