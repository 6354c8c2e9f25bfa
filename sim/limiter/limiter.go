// Package limiter limits requests the ways servers do: each limiter is a plain value that is told when a request comes
// and says whether it may pass.
//
// Moments are counted from a beginning of the caller's choice, and must not run backwards. The arithmetic is in whole
// numbers throughout, so that a limiter answers the same on paper and over a socket.
package limiter

import (
	"fmt"
	"math/bits"
	"slices"
	"time"
)

// Algorithm is a way of limiting.
type Algorithm string

// The algorithms.
const (
	// FixedWindow counts from one multiple of the window on the wall clock to the next.
	FixedWindow Algorithm = "fixed-window"
	// FirstWindow counts from the first request after the window before it.
	FirstWindow Algorithm = "window-from-first-request"
	// TickingWindow counts windows one after the other from the first request of all.
	TickingWindow Algorithm = "window-ticking"
	// SlidingLog counts the requests let through in the window that ends now.
	SlidingLog Algorithm = "sliding-log"
	// StrictLog counts the refused ones too.
	StrictLog Algorithm = "sliding-log-counting-refusals"
	// SlidingCounter weighs the count of the wall clock's window before by how much of it the window that ends now
	// still covers.
	SlidingCounter Algorithm = "sliding-counter"
	// StrictCounter counts the refused ones too.
	StrictCounter Algorithm = "sliding-counter-counting-refusals"
	// TokenBucket holds Burst tokens, and gains Limit of them in a window, evenly.
	TokenBucket Algorithm = "token-bucket"
	// GCRA is the generic cell rate algorithm of ITU-T I.371: from outside it is a token bucket.
	GCRA Algorithm = "gcra"
	// Leaky lets one pass each window divided by the limit, and none ahead of its time.
	Leaky Algorithm = "leaky"
	// Concurrency lets Limit be under way at once.
	Concurrency Algorithm = "concurrency"
	// Queue delays what comes too early, up to Waiting requests, and refuses the others.
	Queue Algorithm = "queue"
)

// Algorithms are all of them.
func Algorithms() []Algorithm {
	return []Algorithm{
		FixedWindow, FirstWindow, TickingWindow, SlidingLog, StrictLog, SlidingCounter, StrictCounter, TokenBucket, GCRA,
		Leaky, Concurrency, Queue,
	}
}

// Rule says how requests are limited.
type Rule struct {
	Algorithm Algorithm
	// Limit is how many may pass in a Window; for Concurrency, how many at once.
	Limit  int64
	Window time.Duration
	// Burst is how many a TokenBucket, a GCRA or a Queue lets pass at once; 0: Limit, and 1 for a Queue.
	Burst int64
	// Waiting is how many a Queue keeps waiting.
	Waiting int64
}

// Check says what is wrong with the rule, nil if nothing is.
func (r Rule) Check() error {
	switch {
	case !slices.Contains(Algorithms(), r.Algorithm):
		return fmt.Errorf("there is no limiter %q; there are %v", r.Algorithm, Algorithms())
	case r.Limit < 1:
		return fmt.Errorf("a limiter's limit is at least 1, not %d", r.Limit)
	case r.Burst < 0 || r.Waiting < 0:
		return fmt.Errorf("a limiter's burst and queue cannot be negative")
	case r.Algorithm == Concurrency:
		return nil
	case r.Window <= 0:
		return fmt.Errorf("a limiter's window is longer than nothing, not %v", r.Window)
	}
	if high, low := bits.Mul64(uint64(r.Window), uint64(max(r.Limit, r.Burst, r.Burst+r.Waiting)+1)); high > 0 || low > 1<<61 {
		return fmt.Errorf("a limit of %d in %v is more than can be counted", r.Limit, r.Window)
	}
	return nil
}

// Limiter limits the requests of one key. It belongs to one goroutine.
type Limiter interface {
	// Allow says whether a request that comes at the moment now may pass, after which delay, and, if it may not, after
	// how long the next could; 0 where that cannot be known.
	Allow(now time.Duration) (ok bool, delay, retryAfter time.Duration)
	// Left says how many requests that come at the moment now would pass and, if they do, after how long one more would;
	// 0 if no limiter of its kind lets more pass at once, or where that cannot be known. It changes nothing.
	Left(now time.Duration) (left int64, more time.Duration)
	// Done says that a request that passed is over.
	Done(now time.Duration)
}

// New makes a limiter in its first state. The rule has to be one that Check accepts.
func (r Rule) New() Limiter {
	if err := r.Check(); err != nil {
		panic("limiter: " + err.Error())
	}
	burst := r.Burst
	if burst == 0 {
		burst = r.Limit
	}
	switch r.Algorithm {
	case FixedWindow, TickingWindow, FirstWindow:
		return &window{kind: r.Algorithm, limit: r.Limit, length: r.Window}
	case SlidingLog, StrictLog:
		return &log{strict: r.Algorithm == StrictLog, limit: r.Limit, length: r.Window}
	case SlidingCounter, StrictCounter:
		return &counter{strict: r.Algorithm == StrictCounter, limit: r.Limit, length: r.Window}
	case TokenBucket:
		return &bucket{limit: r.Limit, length: r.Window, most: burst, level: burst * int64(r.Window)}
	case GCRA:
		return &queue{limit: r.Limit, length: r.Window, burst: burst}
	case Leaky:
		return &queue{limit: r.Limit, length: r.Window, burst: 1}
	case Queue:
		return &queue{limit: r.Limit, length: r.Window, burst: max(1, r.Burst), waiting: r.Waiting}
	default:
		return &concurrency{limit: r.Limit}
	}
}

// forgetful has nothing to do when a request is over.
type forgetful struct{}

func (forgetful) Done(time.Duration) {}

// window is the three kinds of fixed window.
type window struct {
	forgetful
	kind   Algorithm
	limit  int64
	length time.Duration
	open   bool
	begun  time.Duration
	count  int64
}

func (w *window) Allow(now time.Duration) (bool, time.Duration, time.Duration) {
	if !w.open || now-w.begun >= w.length {
		switch {
		case w.kind == FixedWindow:
			w.begun = now - now%w.length
		case w.kind == TickingWindow && w.open:
			w.begun += (now - w.begun) / w.length * w.length
		default:
			w.begun = now
		}
		w.open, w.count = true, 0
	}
	if w.count == w.limit {
		return false, 0, w.begun + w.length - now
	}
	w.count++
	return true, 0, 0
}

func (w *window) Left(now time.Duration) (int64, time.Duration) {
	if !w.open || now-w.begun >= w.length {
		return w.limit, 0
	}
	return w.limit - w.count, w.begun + w.length - now
}

// log is the moments of the newest requests, as many as the limit, the oldest at next.
type log struct {
	forgetful
	strict  bool
	limit   int64
	length  time.Duration
	moments []time.Duration
	next    int64
}

func (l *log) Allow(now time.Duration) (bool, time.Duration, time.Duration) {
	full := int64(len(l.moments)) == l.limit
	ok := !full || now-l.moments[l.next] >= l.length
	switch {
	case !ok && !l.strict:
	case !full:
		l.moments = append(l.moments, now)
	default:
		l.moments[l.next] = now
		l.next = (l.next + 1) % l.limit
	}
	if ok {
		return true, 0, 0
	}
	return false, 0, l.moments[l.next] + l.length - now
}

func (l *log) Left(now time.Duration) (int64, time.Duration) {
	left := l.limit - int64(len(l.moments))
	for i := range int64(len(l.moments)) {
		at := l.moments[(l.next+i)%int64(len(l.moments))]
		if now-at < l.length {
			return left, at + l.length - now
		}
		left++
	}
	return left, 0
}

// counter is the counts of two of the wall clock's windows.
type counter struct {
	forgetful
	strict       bool
	limit        int64
	length       time.Duration
	begun        time.Duration
	before, here int64
}

// turn turns to the wall clock's window in which the moment now is.
func (c *counter) turn(now time.Duration) {
	if since := (now - c.begun) / c.length; since > 0 {
		c.begun += since * c.length
		c.before, c.here = c.here, 0
		if since > 1 {
			c.before = 0
		}
	}
}

func (c *counter) Allow(now time.Duration) (bool, time.Duration, time.Duration) {
	c.turn(now)
	ok := c.before*int64(c.length-(now-c.begun)) < (c.limit-c.here)*int64(c.length)
	if ok || c.strict && c.here < 2*c.limit { // a larger count would refuse the same, for two windows
		c.here++
	}
	if ok {
		return true, 0, 0
	}
	return false, 0, c.opens() - now
}

func (c *counter) Left(now time.Duration) (int64, time.Duration) {
	at := *c
	at.turn(now)
	high, low := bits.Mul64(uint64(at.before), uint64(at.length-(now-at.begun)))
	weighed, _ := bits.Div64(high, low, uint64(at.length))
	left := max(0, at.limit-at.here-int64(weighed))
	if left == at.limit {
		return left, 0
	}
	at.here += left
	return left, at.opens() - now
}

// opens is the first moment at which the weighed count is under the limit, if nothing more comes.
func (c *counter) opens() time.Duration {
	if c.here < c.limit {
		return c.begun + c.falls(c.before, c.limit-c.here)
	}
	return c.begun + c.length + c.falls(c.here, c.limit)
}

// falls is how long into a window the count of the one before it, weighed, is first under so many.
func (c *counter) falls(count, under int64) time.Duration {
	if count < under {
		return 0
	}
	high, low := bits.Mul64(uint64(c.length), uint64(count-under))
	part, _ := bits.Div64(high, low, uint64(count))
	return time.Duration(part) + 1
}

// bucket counts its tokens in parts, as many to one as a window has nanoseconds: each nanosecond gives limit of them.
type bucket struct {
	forgetful
	limit  int64
	length time.Duration
	most   int64
	level  int64
	at     time.Duration
}

func (b *bucket) fill(now time.Duration) {
	full := b.most * int64(b.length)
	if passed := int64(now - b.at); passed > (full-b.level)/b.limit {
		b.level = full
	} else {
		b.level += passed * b.limit
	}
	b.at = now
}

func (b *bucket) Allow(now time.Duration) (bool, time.Duration, time.Duration) {
	b.fill(now)
	if b.level >= int64(b.length) {
		b.level -= int64(b.length)
		return true, 0, 0
	}
	return false, 0, roundUp(int64(b.length)-b.level, b.limit)
}

func (b *bucket) Left(now time.Duration) (int64, time.Duration) {
	at := *b
	at.fill(now)
	left := at.level / int64(b.length)
	if left == b.most {
		return left, 0
	}
	return left, roundUp(int64(b.length)-at.level%int64(b.length), b.limit)
}

// queue counts what is ahead of a request in the parts of bucket; each nanosecond works off limit of them. Without
// room to wait it is the generic cell rate algorithm.
type queue struct {
	forgetful
	limit          int64
	length         time.Duration
	burst, waiting int64
	ahead          int64
	at             time.Duration
}

func (q *queue) work(now time.Duration) {
	if passed := int64(now - q.at); passed > q.ahead/q.limit {
		q.ahead = 0
	} else {
		q.ahead -= passed * q.limit
	}
	q.at = now
}

func (q *queue) Allow(now time.Duration) (ok bool, delay, retryAfter time.Duration) {
	q.work(now)
	late := q.ahead - (q.burst-1)*int64(q.length)
	if room := q.waiting * int64(q.length); late > room {
		return false, 0, roundUp(late-room, q.limit)
	}
	q.ahead += int64(q.length)
	return true, roundUp(max(0, late), q.limit), 0
}

func (q *queue) Left(now time.Duration) (int64, time.Duration) {
	at := *q
	at.work(now)
	room := (q.burst-1+q.waiting)*int64(q.length) - at.ahead
	if room < 0 {
		return 0, roundUp(-room, q.limit)
	}
	left := room/int64(q.length) + 1
	if at.ahead == 0 {
		return left, 0
	}
	return left, roundUp(left*int64(q.length)-room, q.limit)
}

// roundUp is a whole number of nanoseconds for so many parts.
func roundUp(parts, limit int64) time.Duration { return time.Duration((parts + limit - 1) / limit) }

// concurrency counts what is under way.
type concurrency struct{ limit, under int64 }

func (c *concurrency) Allow(time.Duration) (bool, time.Duration, time.Duration) {
	if c.under == c.limit {
		return false, 0, 0
	}
	c.under++
	return true, 0, 0
}

func (c *concurrency) Left(time.Duration) (int64, time.Duration) { return c.limit - c.under, 0 }

func (c *concurrency) Done(time.Duration) { c.under = max(0, c.under-1) }

// mostKeys is how many keys a Keyed keeps apart; the one that asked longest ago is forgotten then.
const mostKeys = 10_000

// Keyed limits each key for itself: an operation, a caller, or one key for a whole API.
type Keyed struct {
	rule Rule
	keys map[string]*keyed
}

type keyed struct {
	Limiter
	asked time.Duration
}

// NewKeyed makes a limiter for each key that comes.
func NewKeyed(r Rule) *Keyed { return &Keyed{r, map[string]*keyed{}} }

// Of is the key's limiter.
func (k *Keyed) Of(key string, now time.Duration) Limiter {
	l := k.keys[key]
	if l == nil {
		if len(k.keys) == mostKeys {
			k.forget()
		}
		l = &keyed{Limiter: k.rule.New()}
		k.keys[key] = l
	}
	l.asked = now
	return l
}

func (k *Keyed) forget() {
	oldest := ""
	for key, l := range k.keys {
		if o := k.keys[oldest]; o == nil || l.asked < o.asked || l.asked == o.asked && key < oldest {
			oldest = key
		}
	}
	delete(k.keys, oldest)
}
