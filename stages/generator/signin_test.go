package generator

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator/rechecks"
)

// office is a generator whose requests need a sign-in, under a fake clock.
type office struct {
	tb     failer
	clock  *clock.Fake
	g      *Generator
	offers []messages.Offer
	doc    *document.Document
}

type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

const annAndBob = `auth:
- {name: ann, loginEndpointAuth: {payloadRaw: '{"user": "ann", "password": "pa55-of-ann"}'}}
- {name: bob, loginEndpointAuth: {payloadRaw: '{"user": "bob", "password": "pa55-of-bob"}'}}
authTemplate: {loginEndpointAuth: {endpoint: /login, verb: POST, contentType: application/json,
  token: {extractFrom: body, extractSelector: /token, sendIn: header, sendName: Authorization, sendTemplate: "Bearer {token}"}}}`

// newOffice has three operations, /open needing nothing. With errands it is one of a replay.
func newOffice(tb failer, file string, again ...rechecks.Errand) *office {
	tb.Helper()
	doc := &document.Document{Origin: "http://h.example", Schemes: []document.Scheme{{Name: "token", Type: "http", HTTP: "bearer"}}}
	for i, path := range []string{"/open", "/a", "/b"} {
		op := &document.Operation{Index: i, ID: path, Method: "GET", Path: path}
		if i > 0 {
			op.Security = [][]document.Requirement{{{Scheme: "token"}}}
		}
		doc.Operations = append(doc.Operations, op)
	}
	a, err := credentials.ParseAuthFile("auth.yaml", []byte(file))
	if err != nil {
		tb.Fatal(err)
	}
	keys := &credentials.Keys{}
	keys.Include(a)
	if err := keys.Bind(doc); err != nil {
		tb.Fatal(err)
	}
	o := &office{tb: tb, clock: clock.NewFake(time.Time{}), doc: doc}
	s := settings.Default()
	s.Schedule.OpeningLap = false
	o.g = New(Config{Document: doc, Settings: s, Keys: keys, Seed: 1, Again: again}, o.clock, Neighbours{Pacer: func(m messages.ToPacer) {
		o.offers = append(o.offers, m.(messages.Offer))
	}})
	return o
}

// pass lets time go by.
func (o *office) pass(d time.Duration) {
	o.clock.At(o.clock.Now().Add(d), func() {})
	o.clock.Next()
}

// want asks for a request.
func (o *office) want(w messages.Want) messages.Offer {
	o.g.Handle(w)
	return o.offers[len(o.offers)-1]
}

// next asks for a request and wants it to be one to sign in, or to one of the paths.
func (o *office) next(want ...string) *messages.Request {
	o.tb.Helper()
	r := o.want(messages.Want{}).Request
	if got := describe(r); !slices.Contains(want, got) {
		o.tb.Fatalf("at %s it offered %s, want %s", time.Duration(o.clock.Now()), got, strings.Join(want, " or "))
	}
	return r
}

// describe is "sign-in", the path, with the token that is carried, or "nothing".
func describe(r *messages.Request) string {
	switch {
	case r == nil:
		return "nothing"
	case r.SignIn != nil:
		return "sign-in"
	}
	return strings.TrimSpace(r.Target + " " + strings.TrimPrefix(messages.Get(r.Header, "Authorization"), "Bearer "))
}

// grants answers a sign-in with a token.
func (o *office) grants(r *messages.Request, token string, lasts time.Duration) {
	o.told(r, 200, &messages.SignedIn{
		Keys: []messages.Key{{In: "header", Name: "Authorization", Value: "Bearer " + token}}, Lasts: lasts, Secrets: []string{token},
	})
}

func (o *office) told(r *messages.Request, status int, s *messages.SignedIn) {
	now := o.clock.Now()
	o.g.Handle(messages.Learned{
		Request: r, Outcome: messages.Answered, Reply: &messages.Reply{Status: status}, SignedIn: s, SentAt: now, HeardAt: now,
		Refused: status == 429,
	})
}

func (o *office) answers(r *messages.Request, status int) { o.told(r, status, nil) }

func TestWhatNeedsASignInWaitsForIt(t *testing.T) {
	o := newOffice(t, annAndBob)
	in := o.next("sign-in")
	if string(in.Body) != `{"user": "ann", "password": "pa55-of-ann"}` || in.Method != "POST" || in.Target != "/login" || in.User != "ann" ||
		in.Purpose != messages.SigningIn {
		t.Errorf("it signs in with %+v", in)
	}
	o.next("/open") // which needs none goes on meanwhile
	o.next("/open")
	o.grants(in, "t1", 0)
	o.next("/a t1")
	o.next("/b t1")
	o.next("/open t1")
}

func TestASignInIsRenewedBeforeItsEndAndOnlyOnce(t *testing.T) {
	o := newOffice(t, annAndBob)
	o.grants(o.next("sign-in"), "t1", 100*time.Second)
	o.pass(79 * time.Second)
	o.next("/open t1")
	o.pass(time.Second) // a fifth of what it lasts is left
	in := o.next("sign-in")
	o.next("/a t1", "/b t1", "/open t1") // it is still good
	o.grants(in, "t2", 10*time.Minute)
	o.next("/a t2", "/b t2", "/open t2")
	o.pass(10*time.Minute - 31*time.Second)
	o.next("/a t2", "/b t2", "/open t2")
	o.pass(time.Second)
	in = o.next("sign-in")
	o.pass(time.Minute) // nothing more is sent with what has ended
	for range 4 {
		o.next("/open t2", "/open")
	}
	o.grants(in, "t3", 0)
	o.next("/a t3", "/b t3", "/open t3")
}

func TestManyRefusalsOfOneTokenRenewItOnce(t *testing.T) {
	o := newOffice(t, annAndBob)
	o.grants(o.next("sign-in"), "t1", 0)
	o.next("/open t1")
	o.answers(o.next("/a t1"), 200)
	o.answers(o.next("/b t1"), 404)
	var flying []*messages.Request
	for len(flying) < 20 {
		if r := o.next("/open t1", "/a t1", "/b t1"); r.Operation > 0 {
			flying = append(flying, r)
		}
	}
	for _, r := range flying[:10] {
		o.answers(r, 401)
	}
	in := o.next("sign-in")
	for _, r := range flying[10:15] {
		o.answers(r, 401)
	}
	o.next("/open t1") // one renewal at a time, and nothing with a token that was refused
	o.grants(in, "t2", 0)
	for _, r := range flying[15:] {
		o.answers(r, 401) // they left with the token before
	}
	o.pass(time.Hour)
	for range 10 {
		o.next("/open t2", "/a t2", "/b t2")
	}
}

func TestAnOperationThatNeverTookATokenDoesNotRenewIt(t *testing.T) {
	o := newOffice(t, annAndBob)
	o.grants(o.next("sign-in"), "t1", 0)
	for range 30 {
		r := o.next("/open t1", "/a t1", "/b t1")
		o.answers(r, 401)
	}
}

// TestAnOperationThatRefusesAtWillRenewsLessAndLess has one that takes every new token once and refuses it then.
func TestAnOperationThatRefusesAtWillRenewsLessAndLess(t *testing.T) {
	o := newOffice(t, annAndBob)
	signIns := 0
	for range 3000 {
		r := o.next("sign-in", "/open", "/open t", "/a t", "/b t")
		switch {
		case r.SignIn != nil:
			signIns++
			o.grants(r, "t", 0)
		case r.Operation == 1 && r.Nth%2 == 0:
			o.answers(r, 401)
		default:
			o.answers(r, 200)
		}
		o.pass(100 * time.Millisecond)
	}
	if signIns < 3 || signIns > 12 {
		t.Errorf("in five minutes it signed in %d times", signIns)
	}
}

func TestASignInThatIsToWaitWaits(t *testing.T) {
	o := newOffice(t, annAndBob)
	in := o.next("sign-in")
	o.answers(in, 429)
	offer := o.want(messages.Want{Resting: messages.Set{}.With(in.Operation)})
	if describe(offer.Request) != "/open" {
		t.Errorf("while it rests it offered %s", describe(offer.Request))
	}
	o.grants(o.next("sign-in"), "t1", 0)
	o.next("/a t1")
}

func TestASignInIsTriedAgainWhereTheServerFailedAndNotWhereItSaidNo(t *testing.T) {
	o := newOffice(t, annAndBob)
	for i := range signInTries {
		o.told(o.next("sign-in"), 503, &messages.SignedIn{Failure: "POST /login answered 503"})
		o.next("/open")
		o.pass(firstSignInWait << i)
	}
	for range 5 {
		o.next("/open")
	}

	o = newOffice(t, annAndBob)
	o.told(o.next("sign-in"), 401, &messages.SignedIn{Failure: "POST /login answered 401", Definite: true})
	o.pass(time.Hour)
	for range 5 {
		o.next("/open")
	}
}

func TestARunWhoseEveryOperationNeedsASignInThatFailedEnds(t *testing.T) {
	for _, lap := range []bool{true, false} {
		o := newOffice(t, annAndBob)
		o.doc.Operations[0].Security = o.doc.Operations[1].Security
		s := settings.Default()
		s.Schedule.OpeningLap = lap
		o.g = New(Config{Document: o.doc, Settings: s, Keys: o.g.config.Keys, Seed: 1}, o.clock, o.g.to)
		in := o.next("sign-in")
		if offer := o.want(messages.Want{}); offer.Request != nil || offer.Why == messages.NothingAllowed {
			t.Errorf("meanwhile it offered %+v", offer)
		}
		o.told(in, 401, &messages.SignedIn{Failure: "no", Definite: true})
		if offer := o.want(messages.Want{}); offer.Request != nil || offer.Why != messages.NothingAllowed {
			t.Errorf("then it offered %+v", offer)
		}
	}
}

func TestARequestAsAnotherUserCarriesThatUsersCredentials(t *testing.T) {
	o := newOffice(t, annAndBob)
	o.grants(o.next("sign-in"), "of-ann", 0)
	if n := o.g.Users(); n != 2 {
		t.Fatalf("%d users", n)
	}
	o.next("/open of-ann")
	o.next("/a of-ann")
	if may, never := o.g.mayAs(1, 1); may || never {
		t.Error("the other user is taken to be signed in")
	}
	in := o.next("sign-in") // since a request as the other was asked for
	if in.User != "bob" || !strings.Contains(string(in.Body), "pa55-of-bob") {
		t.Errorf("it signs in with %+v", in)
	}
	o.grants(in, "of-bob", 0)
	if may, _ := o.g.mayAs(1, 1); !may {
		t.Error("the other user is not signed in")
	}
	r := o.g.buildAs(1, messages.InSeries, 1)
	if describe(r) != "/a of-bob" || r.User != "bob" {
		t.Errorf("as the other it built %s for %s", describe(r), r.User)
	}
	if r := o.next("/b of-ann"); r.User != "ann" {
		t.Errorf("as the first it built one for %q", r.User)
	}
}

func TestAUserIsCreatedFirstWhereTheFileSaysSo(t *testing.T) {
	o := newOffice(t, `{"auth": [{"name": "new", "createUsers": {"endpoint": "/users", "verb": "POST", "contentType": "application/json",
  "payloadRaw": "{\"name\": \"{$name}\"}", "generators": [{"placeHolder": "{$name}", "prefix": "u_", "postfix": "@x", "maxLength": 9}]},
  "loginEndpointAuth": {"endpoint": "/login", "verb": "POST", "contentType": "application/json", "payloadRaw": "{\"user\": \"{$name}\"}", "expectCookies": true}}]}`)
	create := o.next("sign-in")
	var name string
	if _, err := fmt.Sscanf(string(create.Body), `{"name": %q}`, &name); err != nil || len(name) != 9 || !strings.HasPrefix(name, "u_") || !create.SignIn.Creates {
		t.Fatalf("it creates with %s, %v", create.Body, err)
	}
	o.told(create, 409, &messages.SignedIn{Creates: true, Failure: "there", Definite: true})
	again := o.next("sign-in")
	if string(again.Body) == string(create.Body) {
		t.Error("the name that was taken is tried again")
	}
	o.told(again, 201, &messages.SignedIn{Creates: true})
	in := o.next("sign-in")
	if want := strings.Replace(string(again.Body), "name", "user", 1); string(in.Body) != want || in.Target != "/login" {
		t.Errorf("it signs in with %s, want %s", in.Body, want)
	}
}

func TestAnOwnUserThatIsGoneIsSignedUpAnew(t *testing.T) {
	text := func(name string) document.Property {
		return document.Property{Name: name, Schema: &document.Schema{Types: []string{"string"}, MinLength: -1, MaxLength: -1}}
	}
	doc := &document.Document{Origin: "http://h.example", Schemes: []document.Scheme{{Name: "b", Type: "http", HTTP: "basic"}}}
	doc.Operations = []*document.Operation{
		{Index: 0, ID: "signUp", Method: "POST", Path: "/accounts", Body: &document.Body{Required: true, Media: []*document.Media{{
			Type: "application/json", Schema: &document.Schema{
				Types: []string{"object"}, Properties: []document.Property{text("email"), text("password")}, Required: []string{"email", "password"},
				MaxProperties: -1, MaxItems: -1, MaxLength: -1, MinLength: -1,
			},
		}}}},
		{Index: 1, ID: "mine", Method: "GET", Path: "/mine", Security: [][]document.Requirement{{{Scheme: "b"}}}},
	}
	keys := &credentials.Keys{}
	if keys.SignUpOwn(doc) == "" {
		t.Fatal("no way to sign up was found")
	}
	if err := keys.Bind(doc); err != nil {
		t.Fatal(err)
	}
	o := &office{tb: t, clock: clock.NewFake(time.Time{}), doc: doc}
	s := settings.Default()
	s.Schedule.OpeningLap = false
	o.g = New(Config{Document: doc, Settings: s, Keys: keys, Seed: 1}, o.clock, Neighbours{Pacer: func(m messages.ToPacer) {
		o.offers = append(o.offers, m.(messages.Offer))
	}})
	mine := func() *messages.Request {
		for {
			if r := o.want(messages.Want{}).Request; r.Operation == 1 {
				return r
			}
		}
	}
	var sent []string
	for range 2 {
		create := o.next("sign-in")
		var account struct{ Email, Password string }
		if err := json.Unmarshal(create.Body, &account); err != nil || len(account.Password) < 8 {
			t.Fatalf("it signs up with %s", create.Body)
		}
		o.told(create, 201, &messages.SignedIn{Creates: true})
		r := mine()
		want := "Basic " + base64.StdEncoding.EncodeToString([]byte(account.Email+":"+account.Password))
		if got := messages.Get(r.Header, "Authorization"); got != want {
			t.Errorf("it sends %q, want %q", got, want)
		}
		sent = append(sent, want)
		o.answers(r, 200)
		o.answers(mine(), 401)
	}
	if sent[0] == sent[1] {
		t.Error("the user that is gone was signed up again")
	}
}

// TestThereIsNeverMoreThanOneRenewalForEachEnd quotes decision 0019: "There is at most one sign-in under way, and at most
// one for each thing that was obtained." The server's tokens live as long as it says, or end at its will.
func TestThereIsNeverMoreThanOneRenewalForEachEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := newOffice(t, annAndBob)
		lasts := time.Duration(rapid.IntRange(0, 20).Draw(t, "lasts")) * time.Second
		var flying []*messages.Request
		var signing *messages.Request
		token, ends := "", clock.Never // the token that was given last, and when it stops being good
		given := 0
		var since clock.Instant // when it was given
		refused := false        // a request that carried it was answered 401
		wrote := map[*messages.Request]string{}
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1:
				offer := o.want(messages.Want{})
				r := offer.Request
				switch {
				case r == nil:
				case r.SignIn != nil:
					if signing != nil {
						t.Fatal("two sign-ins are under way")
					}
					signing = r
					if due := lasts > 0 && o.clock.Now() >= since.Add(lasts-lasts/5); token != "" && !due && !refused {
						t.Fatalf("what was obtained at %d and lasts %s is renewed at %d, and nobody refused it", since, lasts, o.clock.Now())
					}
				default:
					wrote[r] = messages.Get(r.Header, "Authorization")
					if r.Operation > 0 && token != "" && wrote[r] != "Bearer "+token {
						t.Fatalf("it carries %q, not the newest", wrote[r])
					}
					flying = append(flying, r)
				}
			case 2:
				if signing != nil {
					given++
					token, since, refused = fmt.Sprintf("t%d", given), o.clock.Now(), false
					o.grants(signing, token, lasts)
					signing, ends = nil, clock.Never
					if lasts > 0 {
						ends = o.clock.Now().Add(lasts)
					}
				}
			case 3:
				if len(flying) > 0 {
					i := rapid.IntRange(0, len(flying)-1).Draw(t, "which")
					r := flying[i]
					flying = slices.Delete(flying, i, i+1)
					status := 200
					if r.Operation > 0 && (wrote[r] != "Bearer "+token || o.clock.Now() >= ends) {
						status = 401
						refused = refused || wrote[r] == "Bearer "+token
					}
					o.answers(r, status)
				}
			case 4:
				o.pass(time.Duration(rapid.IntRange(1, 8000).Draw(t, "ms")) * time.Millisecond)
			case 5:
				if given > 0 && rapid.IntRange(0, 3).Draw(t, "end it") == 0 {
					ends = min(ends, o.clock.Now())
				}
			}
		}
	})
}
