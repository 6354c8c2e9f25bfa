package generator

import (
	"testing"

	"github.com/restest/restest/messages"
)

func learning(c *Config) {
	withoutLap(c)
	c.Settings.Schedule.Learn = true
}

func TestOperationsThatAnswerNothingNewHaveFewerTurnsAndNoneIsStarved(t *testing.T) {
	s := newScript(t, api(t, `
  /same: {get: {`+ok+`}}
  /never: {get: {`+ok+`}}
  /silent: {get: {`+ok+`}}
`), learning)
	turns := map[string]int{}
	for range 3000 {
		r := s.next()
		turns[s.id(r.Operation)]++
		switch r.Target {
		case "/same":
			s.answer(r, 200, "")
		case "/never":
			s.answer(r, 404, "")
		}
	}
	if turns["GET /same"] >= turns["GET /never"] {
		t.Errorf("the one that always answers 200 had %d turns, the one that never did %d", turns["GET /same"], turns["GET /never"])
	}
	for id, n := range turns {
		if n < 3000/3/rarest/2 {
			t.Errorf("%s was starved: %d turns", id, n)
		}
	}
	if turns["GET /silent"] < 1000 {
		t.Errorf("the one of which nothing is known had %d turns", turns["GET /silent"])
	}
}

func TestWhoNeedsWhatWasJustMadeComesNext(t *testing.T) {
	s := newScript(t, api(t, nested), learning)
	create := s.of("POST /zones")
	s.answer(create, 201, `{"id": "a."}`)
	next := map[string]string{}
	for range 4 {
		r := s.next()
		next[s.id(r.Operation)] = r.Target
	}
	for _, id := range []string{"GET /zones/{zone}", "PUT /zones/{zone}", "DELETE /zones/{zone}", "POST /zones/{zone}/keys"} {
		if _, there := next[id]; !there {
			t.Errorf("%s is not among the next, which are %v", id, next)
		}
	}
}

func TestATurnThatIsHandedBackIsTakenByTheSameOperation(t *testing.T) {
	s := newScript(t, api(t, nested), learning)
	s.answer(s.of("POST /zones"), 201, `{"id": "a."}`)
	for range 20 {
		r := s.next()
		s.g.Handle(messages.Returned{Request: r})
		if again := s.next(); again.Operation != r.Operation || again.Target != r.Target {
			t.Fatalf("%s %s, then %s %s", r.Method, r.Target, again.Method, again.Target)
		}
	}
}
