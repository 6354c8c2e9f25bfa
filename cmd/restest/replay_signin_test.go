package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/reporter"
)

// again replays what a run has written, and begins to count what arrives anew.
func (g *guarded) again(t *testing.T, subject string, args ...string) *outcome {
	t.Helper()
	g.forget()
	g.mu.Lock()
	g.begun, g.refused = 0, 0
	g.mu.Unlock()
	o := program(slices.Concat([]string{"replay", subject, "--rate", "6000"}, args)...)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, secret := range slices.Concat(g.tokens, []string{userPassword, clientSecret, "refresh-1-secret"}) {
		for _, form := range formsOf(secret) {
			if strings.Contains(o.stdout+o.stderr, form) {
				t.Errorf("%s is said:\n%s%s", form, o.stdout, o.stderr)
			}
		}
	}
	return o
}

func (o *outcome) wantEnd(t *testing.T, code int, says ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("it ended with %d", o.code)
	}
	for _, want := range says {
		if !strings.Contains(o.stdout+o.stderr, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(o.stdout + o.stderr)
	}
}

// "A replay is given credentials as a run is, and signs in as a run does, for what it sends alone and before the first
// request that carries it", and "where what a request carried is not given … the reason says whose it was and what to give"
// (decision 0022).
func TestAReplaySignsIn(t *testing.T) {
	t.Parallel()
	ofUser, ofClient := "oauth=password:"+userName+":"+userPassword, "oauth=client:"+clientID+":"+clientSecret
	for _, row := range []struct {
		name, file, at string
		auth           []string
		lacks          string
	}{
		{"a token for a password", tokenLogin, "/login", nil, "what ann obtained by POST /login is not given; write --auth-file with that user"},
		{"a token in the query", strings.Replace(tokenLogin, "sendIn: header, sendName: Authorization, sendTemplate: \"Bearer {token}\"", "sendIn: query, sendName: access_token", 1), "/login", nil, "what ann obtained by POST /login is not given; write --auth-file with that user"},
		{"a cookie for a password", cookieLogin, "/session", nil, "what ann obtained by POST /session is not given; write --auth-file with that user"},
		{"a client's own token", "", "/oauth/token", []string{"--auth", ofClient}, "what was obtained by POST /oauth/token is not given; write --auth as to the run"},
		{"a user's token for a client", "", "/oauth/token", []string{"--auth", ofUser, "--auth", ofClient}, "what was obtained by POST /oauth/token is not given"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			g, document := guard(t, func(g *guarded) { g.tells = true })
			given := row.auth
			if row.file != "" {
				given = []string{"--auth-file", write(t, "auth.yaml", row.file)}
			}
			was := g.test(t, 5, slices.Concat([]string{document, "--url", g.url}, given)...)
			recording := filepath.Join(was.out, reporter.RecordingName)
			if was.code != reporter.ExitErrors {
				t.Fatalf("the run ended with %d:\n%s%s", was.code, was.stdout, was.stderr)
			}
			for _, subject := range []string{was.out, recording} {
				g.again(t, subject, given...).wantEnd(t, reporter.ExitErrors, "still there ", " 0 changed, 0 could not be repeated")
				log := g.arrived()
				if len(log) < 3 || log[0].path() != row.at || g.begun != 1 || g.refused != 0 {
					t.Errorf("%d requests arrived, the first at %s; it signed in %d times, and %d were refused", len(log), log[0].path(), g.begun, g.refused)
				}
				g.again(t, subject).wantEnd(t, reporter.ExitNothing, "could not be repeated ", row.lacks)
				if n := len(g.arrived()); n != 0 {
					t.Errorf("%d requests were sent without what they need", n)
				}
			}
			g.mended = true
			g.again(t, was.out, given...).wantEnd(t, reporter.ExitClean, "fixed ", " 0 still there, 0 changed, 0 could not be repeated")
		})
	}
}

// "A request that meets a 401 with what was good for another before is sent again once, with what is obtained anew"
// (decision 0022).
func TestAReplayRenewsOnA401AndDoesNotStorm(t *testing.T) {
	t.Parallel()
	g, document := guard(t, func(*guarded) {})
	file := write(t, "auth.yaml", tokenLogin)
	was := g.test(t, 5, document, "--url", g.url, "--auth-file", file)
	found := len(was.report.Findings)
	if found < 2 {
		t.Fatalf("it found %d faults", found)
	}
	g.often = 1
	g.again(t, was.out, "--auth-file", file).wantEnd(t, reporter.ExitErrors, fmt.Sprintf("%d still there, 0 changed, 0 could not be repeated", found))
	if g.begun != found || g.refused != found-1 {
		t.Errorf("for %d findings it signed in %d times, and %d requests were refused", found, g.begun, g.refused)
	}
	g.lasts = 0
	g.again(t, was.out, "--auth-file", file).wantEnd(t, reporter.ExitNothing, "could not be repeated ", "it was answered 401")
	if g.begun != 1 || g.refused != found {
		t.Errorf("where nothing is accepted it signed in %d times, and %d requests were refused", g.begun, g.refused)
	}
}

func TestAReplayWhoseSignInFailsSaysSo(t *testing.T) {
	t.Parallel()
	g, document := guard(t, func(*guarded) {})
	was := g.test(t, 5, document, "--url", g.url, "--auth-file", write(t, "auth.yaml", tokenLogin))
	wrong := write(t, "wrong.yaml", strings.ReplaceAll(tokenLogin, userPassword, "wr0ng-password"))
	g.again(t, was.out, "--auth-file", wrong).wantEnd(t, reporter.ExitNothing, "could not be repeated ", "the sign-in as ann failed: POST /login answered 401 Unauthorized (invalid_grant)")
	if n := len(g.arrived()); n != 1 {
		t.Errorf("%d requests were sent", n)
	}
	g.mu.Lock()
	token := g.token()
	g.mu.Unlock()
	g.again(t, was.out, "--auth", "header:Authorization=Bearer "+token).wantEnd(t, reporter.ExitErrors, " 0 changed, 0 could not be repeated")
	another := write(t, "another.yaml", strings.Replace(tokenLogin, "name: ann", "name: zoe", 1))
	g.again(t, was.out, "--auth-file", another).wantEnd(t, reporter.ExitNothing, "it was sent as ann, who is not among the users given; write --auth-file with that user")
	if n := len(g.arrived()); n != 0 {
		t.Errorf("%d requests were sent as another user", n)
	}
}

func TestAReplayRefusesCredentialsAsARunDoes(t *testing.T) {
	t.Parallel()
	g, document := guard(t, func(*guarded) {})
	was := g.test(t, 5, document, "--url", g.url, "--auth-file", write(t, "auth.yaml", tokenLogin))
	misspelled := write(t, "misspelled.yaml", strings.Replace(tokenLogin, "verb: POST", "verb: PSOT", 1))
	for _, given := range [][]string{
		{"--auth-file", "nowhere.yaml"}, {"--auth-file", misspelled}, {"--auth", "oauht=client:a:b4711"}, {"--auth", "s3c"},
	} {
		asRun := program(slices.Concat([]string{"run", document, "--url", g.url, "--out", t.TempDir()}, given)...)
		if o := g.again(t, was.out, given...); o.code != reporter.ExitUsage || o.stderr != asRun.stderr {
			t.Errorf("%s: it ends with %d and says\n%s, a run\n%s", given, o.code, o.stderr, asRun.stderr)
		}
	}
}

// only lets in who has the newest of the keys that /login gives out, one user each.
type only struct {
	mu    sync.Mutex
	keys  map[string]string // by user
	given int
	tidy  []string // whose keys the DELETEs had
	to    http.Handler
}

func (o *only) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r.URL.Path == "/login" {
		var who struct{ Name string }
		_ = json.NewDecoder(r.Body).Decode(&who)
		o.given++
		o.keys[who.Name] = fmt.Sprintf("key-%d-of-%s", o.given, who.Name)
		fmt.Fprintf(w, `{"token": %q}`, o.keys[who.Name])
		return
	}
	is := ""
	for user, key := range o.keys {
		if r.Header.Get("X-Key") == key {
			is = user
		}
	}
	if r.Method == http.MethodDelete {
		o.tidy = append(o.tidy, is)
	}
	if r.Header.Del("X-Key"); is == "ann" {
		r.Header.Set("X-Key", "sesame-4711")
	}
	o.to.ServeHTTP(w, r)
}

// "Where a request had what a sign-in obtained … it has what that user's obtains now, and so have the steps and the
// DELETEs" (decision 0022).
func TestAReplaySendsStepsAndDeletesAsTheUserWhoMadeThings(t *testing.T) {
	api := &thingsOnce{there: map[string]bool{}, made: map[string]bool{}}
	front := &only{keys: map[string]string{}, to: api}
	server := httptest.NewServer(front)
	defer server.Close()
	document, out := write(t, "shelf.yaml", shelf), t.TempDir()
	const both = `auth:
  - {name: ann, loginEndpointAuth: {payloadRaw: '{"name": "ann"}'}}
  - {name: bob, loginEndpointAuth: {payloadRaw: '{"name": "bob"}'}}
authTemplate:
  loginEndpointAuth:
    endpoint: /login
    verb: POST
    contentType: application/json
    token: {extractFrom: body, extractSelector: /token, sendIn: header, sendName: X-Key, sendTemplate: "{token}"}
`
	o := program("run", document, "--url", server.URL, "--budget", "3s", "--seed", "1", "--out", out, "--quiet", "--auth-file", write(t, "auth.yaml", both), "--set", "engine.mostRequestsPerMinute=6000")
	if o.code != reporter.ExitErrors {
		t.Fatalf("the run ended with %d:\n%s%s", o.code, o.stdout, o.stderr)
	}
	report, err := readReport(out)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(report.Findings, func(f reporter.FindingInFull) bool {
		return f.Operation == "readThing" && f.Status == 500 && f.Request.User == "ann"
	})
	if at < 0 || len(report.Findings[at].Steps) != 1 || report.Findings[at].Steps[0].User != "ann" {
		t.Fatalf("what it takes to see the fault is not known:\n%s", o.stdout)
	}
	api.there, front.tidy = map[string]bool{}, nil
	replay := func(users string) *outcome {
		return program("replay", out, "--finding", report.Findings[at].ID, "--rate", "6000", "--auth-file", write(t, "again.yaml", users))
	}
	swapped := strings.NewReplacer("ann", "bob", "bob", "ann").Replace(both) // who comes first does not matter
	for _, users := range []string{both, swapped} {
		replay(users).wantEnd(t, reporter.ExitErrors, "still there ", "1 of the 1 things that the replay made were deleted")
		if len(api.there) != 0 || !slices.Equal(front.tidy, []string{"ann"}) {
			t.Errorf("%v are there, and who deleted is %q", api.there, front.tidy)
		}
		front.tidy = nil
	}
	alone := strings.Replace(both, "name: ann,", "name: zoe,", 1)
	replay(alone).wantEnd(t, reporter.ExitNothing, "it was sent as ann, who is not among the users given; write --auth-file with that user")
}

func TestAReplaySignsInAsTheUserThatTheRunHadSignedUp(t *testing.T) {
	var mu sync.Mutex
	users, mended := map[string]string{}, false
	s := serve(t, func(a *arrival) reply {
		mu.Lock()
		defer mu.Unlock()
		var account struct{ Email, Password string }
		_ = json.Unmarshal(a.body, &account)
		switch password, there := users[account.Email]; {
		case a.path() == "/register" && there:
			return sayJSON(409, `{}`)
		case a.path() == "/register":
			users[account.Email] = account.Password
			return sayJSON(201, `{}`)
		case a.path() == "/login" && (!there || password != account.Password):
			return sayJSON(401, `{}`)
		case a.path() == "/login":
			return sayJSON(200, fmt.Sprintf(`{"token": "token-of-%s"}`, account.Email))
		case !strings.HasPrefix(messages.Get(a.header, "Authorization"), "Bearer token-of-"):
			return sayJSON(401, `{}`)
		case mended:
			return sayJSON(200, `{}`)
		}
		return sayJSON(500, `{}`)
	})
	was := s.test(t, 3, write(t, "members.yaml", signUpDocument), "--url", s.url)
	at := slices.IndexFunc(was.report.Findings, func(f reporter.FindingInFull) bool { return f.Operation == "mine" })
	if at < 0 {
		t.Fatalf("there is no finding of what needs a token:\n%s", was.stdout)
	}
	known := len(users)
	replay := func(args ...string) *outcome {
		return program(slices.Concat([]string{"replay", was.out, "--finding", was.report.Findings[at].ID, "--rate", "6000"}, args)...)
	}
	replay().wantEnd(t, reporter.ExitErrors, "still there ", "the run had signed up a user of its own")
	if len(users) != known {
		t.Errorf("it signed up another user: %v", users)
	}
	mended, users = true, map[string]string{}
	replay().wantEnd(t, reporter.ExitClean, "fixed ")
	replay("--set", "generation.signUp=false").wantEnd(t, reporter.ExitNothing, "what the run's own user obtained by POST /register, then POST /login is not given")
}
