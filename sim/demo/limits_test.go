package demo

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// politeClient calls two operations of the API, among others that do not matter, and waits as ADR-0042 has it: an
// operation told no length waits a second, doubled each time and reset by any other answer, and is then tried by one
// request; the whole API waits when a second operation is told to while the first is still waiting.
type politeClient struct {
	api               *API
	interval, latency time.Duration
	others            int

	waits []time.Duration // of notify, in the order they began
	holds int
	held  time.Duration // until when
}

type politeOperation struct {
	request Request
	until   time.Duration
	guess   time.Duration
	onTrial bool
	flying  int
}

type flight struct {
	op            *politeOperation
	sentAt, heard time.Duration
	reply         Reply
}

func (c *politeClient) run(end time.Duration) {
	ops := []*politeOperation{{request: aNotification}, {request: requestOf("GET /opening-hours", "")}}
	var flying []flight
	for n, now := 0, time.Duration(0); now < end; n, now = n+1, now+c.interval {
		for len(flying) > 0 && flying[0].heard <= now {
			c.hear(flying[0], ops)
			flying = flying[1:]
		}
		turn := n % (len(ops) + c.others)
		if turn >= len(ops) || now < c.held {
			continue
		}
		op := ops[turn]
		if now < op.until || op.onTrial && op.flying > 0 {
			continue
		}
		op.flying++
		flying = append(flying, flight{op, now, now + c.latency, c.api.Answer(now+c.latency/2, op.request)})
	}
}

func (c *politeClient) hear(f flight, ops []*politeOperation) {
	op := f.op
	op.flying--
	stated := f.reply.Status == 503
	switch {
	case !stated && f.reply.Status != 429:
		if f.sentAt >= op.until {
			op.guess, op.onTrial = 0, false
		}
	case f.sentAt < op.until:
		// It had not heard of the wait.
	default:
		wait := time.Second
		if !stated {
			op.guess = max(time.Second, 2*op.guess)
			wait = op.guess
			c.waits = append(c.waits, wait)
		}
		if slices.ContainsFunc(ops, func(other *politeOperation) bool { return other != op && f.heard < other.until }) {
			c.holds++
			c.held = f.heard + wait
		}
		op.until, op.onTrial = f.heard+wait, true
	}
}

func TestAPoliteClientWaitsOneTwoAndFourSecondsForTheQuota(t *testing.T) {
	c := politeClient{api: New(Options{}), interval: 400 * time.Microsecond, latency: time.Millisecond, others: 35}
	c.run(10 * time.Second)
	if want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, time.Second}; !slices.Equal(c.waits[:min(4, len(c.waits))], want) {
		t.Errorf("waits %v, want %v first", c.waits, want)
	}
	if c.holds != 1 {
		t.Errorf("the whole API was held %d times", c.holds)
	}
}

func TestTheWholeAPIIsHeldOnceHoweverFastTheClientIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := politeClient{
			api:      New(Options{}),
			interval: time.Duration(rapid.Int64Range(300_000, 20_000_000).Draw(t, "interval")),
			latency:  time.Duration(rapid.Int64Range(0, 150_000_000).Draw(t, "latency")),
			others:   rapid.IntRange(0, 38).Draw(t, "others"),
		}
		c.run(10 * time.Second)
		want := 0
		if len(c.waits) > 0 {
			want = 1 // the opening hours are asked for at least each 0.8 s
		}
		if c.holds != want {
			t.Fatalf("held %d times, want %d; waits %v", c.holds, want, c.waits)
		}
	})
}

func TestTheOpeningHoursAreRefusedOnceAndOnlyNearARefusal(t *testing.T) {
	k := newTalk(t, Options{})
	hours := func(now time.Duration) int {
		k.now = now
		return k.ask("GET /opening-hours", "").status
	}
	spend := func(now time.Duration) {
		k.now = now
		for k.api.Answer(now, aNotification).Status != 429 {
		}
	}
	if got := hours(0); got != 200 {
		t.Fatalf("before any refusal: %d", got)
	}
	spend(time.Second)
	spend(1800 * time.Millisecond) // a refusal of the same wait: the moments near it do not move
	if got := hours(1900 * time.Millisecond); got != 200 {
		t.Fatalf("0.9 s after the refusal: %d", got)
	}
	spend(2 * time.Second)
	k.now = 2899 * time.Millisecond
	h := k.ask("GET /opening-hours", "")
	if h.status != 503 || h.header.Get("Retry-After") != "1" {
		t.Fatalf("within 0.9 s of a refusal: %d %v", h.status, h.header)
	}
	for now := 2899 * time.Millisecond; now < time.Minute; now += 500 * time.Millisecond {
		spend(now)
		if got := hours(now); got != 200 {
			t.Fatalf("a second time, after %v: %d", now, got)
		}
	}
}

func TestAQuotaGivesBackOneEachTimeAndNeverMoreThanItHas(t *testing.T) {
	q := quota{most: 2, every: time.Second, left: 2}
	for i, step := range []struct {
		at   time.Duration
		want bool
	}{
		{0, true},
		{900 * time.Millisecond, true},
		{999 * time.Millisecond, false},
		{1000 * time.Millisecond, true}, // the second counts from the first that was taken
		{1999 * time.Millisecond, false},
		{1500 * time.Millisecond, false}, // moments may come out of order
		{2000 * time.Millisecond, true},
		{time.Hour, true},
		{time.Hour, true},
		{time.Hour, false},
		{time.Hour + 999*time.Millisecond, false},
		{time.Hour + time.Second, true},
	} {
		if got := q.take(step.at); got != step.want {
			t.Errorf("step %d, at %v: %t, want %t", i, step.at, got, step.want)
		}
	}
}
