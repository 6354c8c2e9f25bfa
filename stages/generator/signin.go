package generator

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
)

const (
	// signInTries is how often a sign-in is tried that draws no reply or a server error, the first wait between two
	// being firstSignInWait and each later one twice as long.
	signInTries     = 4
	firstSignInWait = time.Second
	// mostMargin is the longest time before its end at which what was obtained is renewed; a fifth of what it lasts where
	// that is shorter.
	mostMargin = 30 * time.Second
	// An operation whose 401 had a sign-in renewed has none renewed for firstBlameWait, and then for twice as long each
	// time, up to longestBlameWait, unless another operation refuses the same.
	firstBlameWait, longestBlameWait = time.Second, time.Minute
)

// signIns says who is signed in, and who has to sign in next (decision 0019). It is a plain value: it is told what was
// heard and when, and answers for any moment.
type signIns struct {
	logins []login
	// needs are the logins that have to be there before a request goes: by user, then by operation.
	needs [][][]int
	// users are the names, at least one.
	users []string
	// own is true for a run that signs up a user of its own: where that fails, requests go without.
	own bool
	// again is true for a replay, which signs in for what it sends alone. It sends each request once, so that what one
	// operation took is held to be good for all.
	again bool
	// version counts what was obtained, so that what is built from it is built anew.
	version int

	// The operations that the first user's requests may not go to, worked out again when that may have changed.
	outdated     bool
	held, barred messages.Set
	heldUntil    clock.Instant
}

// login is one sign-in and how it stands.
type login struct {
	spec *credentials.Login
	// wanted is true once a request needs it.
	wanted bool
	// seq is the number of its request that is under way, 0 if none is.
	seq int64
	// keys are what was obtained, nil for nothing; requests numbered above since carry them. They are renewed from
	// renewAt on, and not sent from expires on.
	keys             []credentials.Placed
	since            int64
	renewAt, expires clock.Instant
	// refused is true once a 401 said that they are good no more; by is whose it was.
	refused bool
	by      int
	// accepted are the operations that took them, blamed those whose 401 had others renewed.
	accepted map[int]bool
	blamed   map[int]blame
	// way is which of its requests is sent, tries counts those in a row that gave nothing, the next of which goes at
	// notBefore at the earliest. failed says why it is given up, "" while it is not.
	way, tries int
	notBefore  clock.Instant
	failed     string
	// created is true once the user was created with the attempt's values, or seems to have been before.
	created bool
	attempt int
	values  map[string]string
}

// blame is until when an operation's 401 has nothing renewed, and how long the next such time will be.
type blame struct {
	until clock.Instant
	next  time.Duration
}

// newSignIns makes it, nil for a run without sign-ins and with one user.
func newSignIns(keys *credentials.Keys, doc *document.Document, buildable []int) *signIns {
	s := &signIns{own: keys.Own(), users: keys.Users(), outdated: true}
	if len(keys.Logins()) == 0 && len(s.users) < 2 {
		return nil
	}
	for _, spec := range keys.Logins() {
		s.logins = append(s.logins, login{spec: spec, expires: clock.Never, renewAt: clock.Never, accepted: map[int]bool{}, blamed: map[int]blame{}})
	}
	if len(s.users) == 0 {
		s.users = []string{""}
	}
	for user := range s.users {
		needs := make([][]int, len(doc.Operations))
		for _, i := range buildable {
			needs[i] = keys.Needs(doc, doc.Operations[i], user)
			for _, l := range needs[i] {
				s.logins[l].wanted = s.logins[l].wanted || user == 0
			}
		}
		s.needs = append(s.needs, needs)
	}
	return s
}

// good says whether what was obtained can be sent at the moment now.
func (l *login) good(now clock.Instant) bool { return l.keys != nil && !l.refused && now < l.expires }

// due says whether it has to sign in, or to do so again.
func (l *login) due(now clock.Instant) bool {
	return l.wanted && l.failed == "" && (!l.good(now) || now >= l.renewAt)
}

// next is the sign-in to send at the moment now, one at a time; -1 for none. Until is then when to ask again.
func (s *signIns) next(now clock.Instant, want messages.Want) (next int, until clock.Instant) {
	next, until = -1, clock.Never
	if s == nil {
		return next, until
	}
	for i := range s.logins {
		l := &s.logins[i]
		if l.seq != 0 {
			return -1, clock.Never
		}
		operation := l.operation()
		switch {
		case next >= 0 || !l.due(now) || want.Resting.Has(operation) || want.Busy.Has(operation):
		case now < l.notBefore:
			until = min(until, l.notBefore)
		default:
			next = i
		}
	}
	return next, until
}

// creates says whether the next step is the one that creates the user.
func (l *login) creates() bool { return (l.spec.Creation != nil || l.spec.SignUp != nil) && !l.created }

// operation is the one that the next step is a request to.
func (l *login) operation() int {
	switch s, c := l.spec.SignUp, l.spec.Creation; {
	case s != nil && l.creates():
		return s.Operation
	case s != nil:
		return max(s.Login, 0)
	case c != nil && l.creates():
		return c.Operation
	}
	return l.spec.Operation
}

// standing says which operations the first user's requests may not go to at the moment now: for as long as a sign-in
// that they need is not there, and for good where it failed.
func (s *signIns) standing(now clock.Instant) (held, barred messages.Set) {
	if !s.outdated && now < s.heldUntil {
		return s.held, s.barred
	}
	s.held, s.barred, s.heldUntil, s.outdated = nil, nil, clock.Never, false
	for i := range s.logins {
		if l := &s.logins[i]; l.good(now) {
			s.heldUntil = min(s.heldUntil, l.expires)
		}
	}
	for operation := range s.needs[0] {
		switch ready, never := s.ready(0, operation, now); {
		case never:
			s.barred = s.barred.With(operation)
		case !ready:
			s.held = s.held.With(operation)
		}
	}
	return s.held, s.barred
}

// ready says whether a request of the user's can go to the operation at the moment now, and whether it never can. What
// it lacks is signed in for from now on.
func (s *signIns) ready(user, operation int, now clock.Instant) (ready, never bool) {
	ready = true
	for _, i := range s.needs[user][operation] {
		switch l := &s.logins[i]; {
		case l.good(now):
		case l.failed != "" && s.own:
		case l.failed != "":
			return false, true
		default:
			l.wanted, ready = true, false
		}
	}
	return ready, false
}

// forReplay has nothing signed in for but what is asked for.
func (s *signIns) forReplay() {
	s.again = true
	for i := range s.logins {
		s.logins[i].wanted = false
	}
}

// have says whether what these sign-ins obtain is there at the moment now, and whether it never will be. What is not is
// signed in for from now on.
func (s *signIns) have(logins []int, now clock.Instant) (all, never bool) {
	all = true
	for _, i := range logins {
		switch l := &s.logins[i]; {
		case l.good(now):
		case l.failed != "":
			return false, true
		default:
			l.wanted, all = true, false
		}
	}
	return all, false
}

// outdates says whether one of these sign-ins has obtained something since the request was built, or is about to.
func (s *signIns) outdates(r *messages.Request, logins []int) bool {
	return slices.ContainsFunc(logins, func(i int) bool {
		l := &s.logins[i]
		return l.refused || l.keys != nil && r.Seq <= l.since
	})
}

// granted is what the sign-in obtained, nil if nothing.
func (s *signIns) granted(i int) []credentials.Placed {
	if s.logins[i].failed != "" {
		return nil
	}
	return s.logins[i].keys
}

// took hears that a request was built for the sign-in; takeBack that it was handed back.
func (s *signIns) took(i int, r *messages.Request) { s.logins[i].seq = r.Seq }

func (s *signIns) takeBack(r *messages.Request) { s.logins[r.SignIn.Login].seq = 0 }

// signedIn hears how a request to sign in ended; newest is the number of the request that was built last.
func (s *signIns) signedIn(m messages.Learned, newest int64) {
	l := &s.logins[m.Request.SignIn.Login]
	l.seq, s.outdated = 0, true
	label := m.Request.Method + " " + m.Request.SignIn.Elsewhere + pathOf(m.Request.Target)
	switch g := m.SignedIn; {
	case m.Refused && s.own:
		l.again(m.HeardAt, label+" asked to wait") // nobody is held for ever by what the run need not do
	case m.Outcome == messages.NeverSent && m.Kind == messages.Kept, m.Refused:
		// The operation rests, or the run is over.
	case m.Outcome == messages.NeverSent:
		l.again(m.HeardAt, label+" could not be sent")
	case g == nil:
		l.again(m.HeardAt, label+" drew no reply")
	case g.Failure != "" && !g.Definite:
		l.again(m.HeardAt, g.Failure)
	case g.Failure != "":
		l.wasRefused(g.Failure)
	case len(g.Keys) == 0 && g.Creates:
		l.created, l.tries = true, 0
		if l.spec.SignUp != nil && l.spec.SignUp.Basic {
			s.grant(l, []credentials.Placed{credentials.Basic(l.values[nameValue], l.values[passwordValue])}, 0, m.HeardAt, newest)
		}
	default:
		keys := make([]credentials.Placed, len(g.Keys))
		for i, k := range g.Keys {
			keys[i] = credentials.Placed(k)
		}
		s.grant(l, keys, g.Lasts, m.SentAt, newest) // it can have been given that early
	}
}

// grant takes in what was obtained, which lasts from the moment at.
func (s *signIns) grant(l *login, keys []credentials.Placed, lasts time.Duration, at clock.Instant, newest int64) {
	l.keys, l.since, l.refused, l.tries, l.notBefore, l.created = keys, newest, false, 0, 0, true
	l.expires, l.renewAt = clock.Never, clock.Never
	if lasts > 0 {
		l.expires = at.Add(lasts)
		l.renewAt = l.expires.Add(-min(mostMargin, lasts/5))
	}
	clear(l.accepted)
	s.version++
}

// again has a sign-in that drew nothing to go by tried once more, after a while and not for ever.
func (l *login) again(at clock.Instant, why string) {
	if l.tries++; l.tries >= signInTries {
		l.failed = why
		return
	}
	l.notBefore = at.Add(firstSignInWait << (l.tries - 1))
}

// wasRefused goes on to the next thing to try, if there is one.
func (l *login) wasRefused(why string) {
	own := l.spec.SignUp != nil
	switch {
	case l.way+1 < len(l.spec.Ways) && !l.creates():
		l.way++
	case own && l.creates() && l.spec.SignUp.Login >= 0 && l.attempt == 0:
		// An earlier run with this seed may have created the user.
		l.created = true
	case (own || l.spec.Creation != nil) && l.attempt+1 < signInTries:
		l.anew()
	default:
		l.failed = why
	}
}

// anew has another user created: the name was taken, or the user is gone.
func (l *login) anew() {
	l.attempt++
	l.created, l.values = false, nil
}

// answered hears how a request was answered that carries what these sign-ins obtain. A 401 has them renewed, if the operation took them
// before: once for what it carried, so that one that left with what was older has nothing renewed.
func (s *signIns) answered(m messages.Learned, logins []int) {
	for _, i := range logins {
		l := &s.logins[i]
		operation := m.Request.Operation
		switch {
		case l.keys == nil || m.Request.Seq <= l.since || m.Refused:
		case m.Reply.Status != http.StatusUnauthorized:
			l.accepted[operation] = true
		case l.refused:
			if operation != l.by {
				delete(l.blamed, l.by) // it was not the operation
			}
		case (l.accepted[operation] || s.again && len(l.accepted) > 0) && m.HeardAt >= l.blamed[operation].until:
			b := l.blamed[operation]
			b.next = min(max(2*b.next, firstBlameWait), longestBlameWait)
			b.until = m.HeardAt.Add(b.next)
			l.blamed[operation] = b
			l.refused, l.by, s.outdated = true, operation, true
			if own := l.spec.SignUp; own != nil && own.Login < 0 {
				l.anew() // name and password themselves are sent: the user is gone
			}
		}
	}
}

// pathOf is the target without its query.
func pathOf(target string) string {
	path, _, _ := strings.Cut(target, "?")
	return path
}

// The values that stand for what an own user was created with.
const (
	nameValue     = "name"
	passwordValue = "password"
)

// signIn builds the request that the sign-in sends next, nil if it cannot be.
func (g *Generator) signIn(i int) *messages.Request {
	l := &g.signIns.logins[i]
	operation := l.operation()
	r := &messages.Request{Operation: operation}
	switch spec := l.spec; {
	case spec.SignUp != nil:
		if r = g.signUp(l); r == nil {
			l.failed, g.signIns.outdated = "no request to sign up could be built", true
			return nil
		}
	case l.creates():
		if l.values == nil {
			l.values = g.newValues(spec.Creation, operation, l.attempt)
		}
		r.Method, r.Target = spec.Creation.Method, fill(spec.Creation.Target, l.values)
		g.carryWay(r, spec.Creation.Way, l.values, spec.Creation.Elsewhere)
	default:
		r.Method, r.Target = spec.Method, fill(spec.Target, l.values)
		g.carryWay(r, spec.Ways[l.way], l.values, spec.Elsewhere)
	}
	elsewhere := l.spec.Elsewhere
	if c := l.spec.Creation; c != nil && l.creates() {
		elsewhere = c.Elsewhere
	}
	r.SignIn = &messages.SignIn{Login: i, Elsewhere: elsewhere, Creates: l.creates()}
	if l.spec.User >= 0 {
		r.User = g.signIns.users[l.spec.User]
	}
	g.nth[operation]++
	g.seq++
	r.Seq, r.Nth, r.Purpose = g.seq, g.nth[operation], messages.SigningIn
	g.signIns.took(i, r)
	return r
}

// carryWay puts what the way carries into the request, and what goes with every request to the API.
func (g *Generator) carryWay(r *messages.Request, w credentials.Way, values map[string]string, elsewhere string) {
	if agent := g.config.Settings.Engine.UserAgent; agent != "" {
		r.Header = append(r.Header, messages.Field{Name: "User-Agent", Value: agent})
	}
	for _, line := range w.Header {
		r.Header = append(r.Header, messages.Field{Name: line.Name, Value: fill(line.Value, values)})
	}
	if w.Body != nil {
		r.Body = []byte(fill(*w.Body, values))
		r.Origins = append(r.Origins, messages.Origin{Place: "body", Source: "key"})
	}
	if elsewhere != "" {
		return
	}
	var c carried
	for _, k := range g.config.Keys.Everywhere() {
		if k.In != "header" || messages.Get(r.Header, k.Name) == "" {
			c.take(k)
		}
	}
	r.Target = string(c.appendQueryKeys([]byte(r.Target)))
	r.Header = append(append(r.Header, c.cookieField(nil)...), c.last...)
}

// fill puts values in the place of their placeholders.
func fill(text string, values map[string]string) string {
	for _, placeHolder := range sortedKeys(values) {
		text = strings.ReplaceAll(text, placeHolder, values[placeHolder])
	}
	return text
}

func sortedKeys(values map[string]string) []string {
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// usualLength is how many characters are invented for a placeholder that says nothing of its length.
const usualLength = 12

// newValues invents the values of a user that is to be created; they hang on the seed, the operation and the attempt.
func (g *Generator) newValues(c *credentials.Creation, operation, attempt int) map[string]string {
	g.sow(operation, 0, attempt)
	values := map[string]string{}
	for _, gen := range c.Generators {
		fixed := len([]rune(gen.Prefix)) + len([]rune(gen.Postfix))
		n := max(usualLength, gen.MinLength-fixed)
		if gen.MaxLength > 0 {
			n = min(n, max(1, gen.MaxLength-fixed))
		}
		values[gen.PlaceHolder] = gen.Prefix + word(g.draw.Rand, n) + gen.Postfix
	}
	return values
}

// word is a word of n letters and digits that begins with a letter.
func word(r *rand.Rand, n int) string {
	const letters, all = 26, "abcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = all[r.IntN(len(all))]
	}
	if n > 0 {
		b[0] = all[r.IntN(letters)]
	}
	return string(b)
}
