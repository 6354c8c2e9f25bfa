package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/reporter"
)

// A stand-in that has to be signed in at, in each of the ways there are. It gives out tokens and sessions that end.
type guarded struct {
	*standIn
	lasts time.Duration
	// tells has replies say how long a token lasts; else a JWT does by itself, or nothing.
	tells, asJWT bool

	mu      sync.Mutex
	n       int
	ends    map[string]time.Duration // by token, on the stand-in's clock
	tokens  []string
	refused int
	// mended says that the fault is no more, often how many requests a token is good for, 0 for any number.
	mended bool
	often  int
	used   map[string]int
	// begun counts the sign-ins.
	begun int
}

const userName, userPassword, clientID, clientSecret = "ann", "pa55word-of-ann", "the-client", "s3cr3t/of client"

// token makes a new one.
func (g *guarded) token() string {
	g.n++
	token := fmt.Sprintf("tok-%d-of-the-guard/+=", g.n)
	if g.asJWT {
		claims, _ := json.Marshal(map[string]any{"sub": g.n, "exp": float64(g.clock.Wall(g.clock.Now().Add(g.lasts)).UnixMilli()) / 1000})
		part := base64.RawURLEncoding.EncodeToString
		token = part([]byte(`{"alg":"none"}`)) + "." + part(claims) + ".c2lnbmF0dXJl"
	}
	g.ends[token] = time.Duration(g.clock.Now()) + g.lasts
	g.tokens = append(g.tokens, token)
	return token
}

func (g *guarded) good(token string) bool {
	end, known := g.ends[token]
	g.used[token]++
	return known && (g.often == 0 || g.used[token] <= g.often) && time.Duration(g.clock.Now()) < end
}

func (g *guarded) answer(a *arrival) reply {
	g.mu.Lock()
	defer g.mu.Unlock()
	granted := func(status int) reply {
		expires := ""
		if g.tells {
			expires = fmt.Sprintf(`, "expires_in": %.3f`, g.lasts.Seconds())
		}
		return sayJSON(status, fmt.Sprintf(`{"access_token": %q, "token_type": "Bearer"%s, "refresh_token": "refresh-%d-secret"}`, g.token(), expires, g.n))
	}
	form, _ := url.ParseQuery(string(a.body))
	switch a.method + " " + a.path() {
	case "POST /login": // a token for a name and a password in JSON
		g.begun++
		if string(a.body) != `{"username":"ann","password":"`+userPassword+`"}` {
			return sayJSON(401, `{"error": "invalid_grant"}`)
		}
		return granted(200)
	case "POST /session": // a cookie for a name and a password in a form
		g.begun++
		if form.Get("user") != userName || form.Get("pass") != userPassword {
			return say(403, "", "")
		}
		token := url.QueryEscape(g.token())
		g.ends[token] = g.ends[g.tokens[len(g.tokens)-1]]
		g.tokens = append(g.tokens, token)
		return say(302, "", "", "Location", "/", "Set-Cookie", "sid="+token+"; Path=/; HttpOnly")
	case "POST /oauth/token":
		g.begun++
		wanted := "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(clientID)+":"+url.QueryEscape(clientSecret)))
		asClient := messages.Get(a.header, "Authorization") == wanted
		switch {
		case form.Get("grant_type") == "client_credentials" && asClient:
		case form.Get("grant_type") == "password" && form.Get("username") == userName && form.Get("password") == userPassword:
		default:
			return sayJSON(401, `{"error": "invalid_client"}`)
		}
		return granted(200)
	case "GET /health":
		return sayJSON(200, `{}`)
	case "GET /things", "GET /more":
		token := strings.TrimPrefix(messages.Get(a.header, "Authorization"), "Bearer ")
		if cookie, ok := strings.CutPrefix(messages.Get(a.header, "Cookie"), "sid="); ok {
			token = cookie
		}
		if _, query, has := strings.Cut(a.target, "?access_token="); has {
			token, _ = url.QueryUnescape(query)
		}
		if !g.good(token) {
			g.refused++
			return sayJSON(401, `{}`)
		}
		if g.mended {
			return sayJSON(200, `{}`)
		}
		// A finding, so that there is a curl line; and the token comes back in it.
		return sayJSON(500, fmt.Sprintf(`{"seen": %q, "encoded": %q}`, token, url.QueryEscape(token)))
	}
	return say(404, "", "")
}

const guardedDocument = `openapi: 3.0.3
info: {title: Guarded, version: "1"}
paths:
  /health: {get: {operationId: health, security: [], responses: {"200": {description: ok}}}}
  /things: {get: {operationId: things, responses: {"200": {description: ok}, "401": {description: no}}}}
  /more: {get: {operationId: more, responses: {"200": {description: ok}, "401": {description: no}}}}
security: [{oauth: [read]}]
components:
  securitySchemes:
    oauth:
      type: oauth2
      flows: {clientCredentials: {tokenUrl: %q, scopes: {read: to read}}, password: {tokenUrl: %q, scopes: {read: to read}}}
`

// guard starts one, and writes its document.
func guard(t *testing.T, set func(*guarded)) (g *guarded, document string) {
	t.Helper()
	g = &guarded{lasts: time.Hour, ends: map[string]time.Duration{}, used: map[string]int{}}
	set(g)
	g.standIn = serve(t, g.answer)
	return g, write(t, "guarded.yaml", fmt.Sprintf(guardedDocument, "/oauth/token", "/oauth/token"))
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const (
	tokenLogin = `auth:
  - name: ann
    loginEndpointAuth:
      payloadUserPwd: {username: ann, password: ` + userPassword + `, usernameField: username, passwordField: password}
authTemplate:
  loginEndpointAuth:
    endpoint: /login
    verb: POST
    contentType: application/json
    token: {extractFrom: body, extractSelector: /access_token, sendIn: header, sendName: Authorization, sendTemplate: "Bearer {token}"}
`
	cookieLogin = `{"auth": [{"name": "ann", "loginEndpointAuth": {"endpoint": "/session", "verb": "POST",
  "contentType": "application/x-www-form-urlencoded", "payloadRaw": "user=ann&pass=` + userPassword + `", "expectCookies": true}}]}`
)

// written is everything that a run has written, the recording unpacked.
func (o *outcome) written(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(o.stdout + o.stderr)
	for _, name := range []string{"report.json"} {
		content, err := os.ReadFile(filepath.Join(o.out, name))
		if err != nil {
			t.Fatal(err)
		}
		b.Write(content)
	}
	recording, err := os.Open(filepath.Join(o.out, reporter.RecordingName))
	if err != nil {
		t.Fatal(err)
	}
	defer recording.Close()
	if err := reporter.EachLine(recording, func(_ int, line []byte) error { b.Write(line); return nil }); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// formsOf are the ways a secret may stand in what is written.
func formsOf(secret string) []string {
	inJSON, _ := json.Marshal(secret)
	return []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), string(inJSON[1 : len(inJSON)-1]),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
}

func (o *outcome) wantHidden(t *testing.T, secrets ...string) {
	t.Helper()
	text := o.written(t)
	for _, secret := range secrets {
		for _, form := range formsOf(secret) {
			if strings.Contains(text, form) {
				at := strings.Index(text, form)
				t.Errorf("%s is written: %s", form, text[max(0, at-200):min(len(text), at+100)])
				return
			}
		}
	}
}

func TestARunSignsInBeforeWhatNeedsIt(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, file, at string
		args           []string
		set            func(*guarded)
	}{
		{name: "a token for a password", file: tokenLogin, at: "/login"},
		{name: "a cookie for a password", file: cookieLogin, at: "/session"},
		{name: "a client's own token", args: []string{"--auth", "oauth=client:" + clientID + ":" + clientSecret}, at: "/oauth/token"},
		{name: "a user's token", args: []string{"--auth", "oauth=password:" + userName + ":" + userPassword}, at: "/oauth/token"},
		{name: "a user's token for a client", args: []string{
			"--auth", "oauth=password:" + userName + ":" + userPassword, "--auth", "oauth=client:" + clientID + ":" + clientSecret,
		}, at: "/oauth/token"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			g, document := guard(t, func(g *guarded) { g.tells = true })
			args := append([]string{document, "--url", g.url}, row.args...)
			if row.file != "" {
				args = append(args, "--auth-file", write(t, "auth.yaml", row.file))
			}
			o := g.test(t, 5, args...)
			log := g.arrived()
			signed := false
			for _, a := range log {
				switch a.path() {
				case row.at:
					signed = true
				case "/things", "/more":
					if !signed {
						t.Fatal("what needs a sign-in went before it")
					}
				}
			}
			if g.refused > 0 {
				t.Errorf("%d requests were refused", g.refused)
			}
			if n := len(g.arrived("POST " + row.at)); n != 1 {
				t.Errorf("it signed in %d times", n)
			}
			g.mu.Lock()
			secrets := slices.Concat(g.tokens, []string{userPassword, clientSecret, "refresh-1-secret"})
			g.mu.Unlock()
			o.wantHidden(t, secrets...)
			if !strings.Contains(o.stdout, "$RESTEST_TOKEN_1") || !strings.Contains(o.stdout, "signed in") {
				t.Errorf("the summary names no variable for the token, or no sign-in:\n%s", o.stdout)
			}
			if s := o.report.Unauthorized.SignIns; len(s) != 1 || s[0].Obtained != 1 || s[0].Requests != 1 || s[0].Failure != "" {
				t.Errorf("the report says %+v", s)
			}
		})
	}
}

func TestWhatEndsIsRenewedBeforeItDoes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		set  func(*guarded)
	}{
		{"as the reply says", func(g *guarded) { g.tells = true }},
		{"as the token says itself", func(g *guarded) { g.asJWT = true }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			const lasts = time.Second
			g, document := guard(t, func(g *guarded) { row.set(g); g.lasts = lasts })
			const budget = 3500 * time.Millisecond
			o := test(t, document, "--url", g.url, "--budget", budget.String(), "--auth-file", write(t, "auth.yaml", tokenLogin))
			g.mu.Lock()
			defer g.mu.Unlock()
			if n := g.begun; n < 3 || n > int(budget/(lasts*4/5))+1 {
				t.Errorf("it signed in %d times", n)
			}
			if g.refused > len(g.log)/100 {
				t.Errorf("%d of %d requests were refused", g.refused, len(g.log))
			}
			o.wantHidden(t, g.tokens...)
		})
	}
}

func TestA401RenewsOnce(t *testing.T) {
	t.Parallel()
	g, document := guard(t, func(g *guarded) { g.lasts = 1200 * time.Millisecond })
	const budget = 3500 * time.Millisecond
	test(t, document, "--url", g.url, "--budget", budget.String(), "--auth-file", write(t, "auth.yaml", tokenLogin))
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := g.begun; n < 2 || n > 1+int(budget/g.lasts) {
		t.Errorf("it signed in %d times, with a token that lasts %s of %s", n, g.lasts, budget)
	}
}

func TestASignInThatFailsIsSaidAndWhatNeedsItIsNotAsked(t *testing.T) {
	t.Parallel()
	file := write(t, "auth.yaml", strings.ReplaceAll(tokenLogin, userPassword, "wr0ng-password"))
	g, document := guard(t, func(*guarded) {})
	o := test(t, document, "--url", g.url, "--budget", "1s", "--auth-file", file)
	if n := len(g.arrived("GET /things", "GET /more")); n > 0 {
		t.Errorf("%d requests went that need it", n)
	}
	if len(g.arrived("GET /health")) < 5 || len(g.arrived("POST /login")) != 1 {
		t.Errorf("%d requests went that need nothing, and %d to sign in", len(g.arrived("GET /health")), len(g.arrived("POST /login")))
	}
	const line = "the sign-in as ann failed: POST /login answered 401 Unauthorized (invalid_grant); 2 operations that need it were not reached: things, more\n"
	if !strings.Contains(o.stdout, line) || o.code != reporter.ExitClean || o.report.Verdict.Word != "noErrorsFoundInPart" {
		t.Errorf("it ended with %d and said\n%s", o.code, o.stdout)
	}

	alone := write(t, "alone.yaml", strings.Replace(fmt.Sprintf(guardedDocument, "", ""), "security: [], ", "", 1))
	o = test(t, alone, "--url", g.url, "--budget", "20s", "--auth-file", file)
	if o.code != reporter.ExitRefused || o.report.End.Why != "unauthorized" || !strings.Contains(o.report.Verdict.Sentence, "the sign-in as ann failed") {
		t.Errorf("it ended with %d, %+v and %s", o.code, o.report.End, o.report.Verdict.Sentence)
	}
	if s := o.report.Unauthorized.SignIns; len(s) != 1 || len(s[0].NotReached) != 3 {
		t.Errorf("the report says %+v", s)
	}
	o.wantHidden(t, "wr0ng-password")
}

func TestATokenFromAnotherOriginIsAskedForThereAndNowhereElse(t *testing.T) {
	t.Parallel()
	g, _ := guard(t, func(g *guarded) { g.tells, g.lasts = true, time.Second })
	idp := serve(t, g.answer)
	document := write(t, "guarded.yaml", fmt.Sprintf(guardedDocument, idp.url+"/oauth/token", idp.url+"/oauth/token"))
	o := test(t, document, "--url", g.url, "--budget", "3s", "--auth", "oauth=client:"+clientID+":"+clientSecret)
	if n := len(idp.arrived()); n < 3 || n > 5 || n != len(idp.arrived("POST /oauth/token")) {
		t.Errorf("%d requests went to the other origin", n)
	}
	if n := len(g.arrived("POST /oauth/token")); n > 0 {
		t.Errorf("%d requests for a token went to the API", n)
	}
	if n := len(g.arrived("GET /things", "GET /more")); n < 5 || g.refused > 1+n/100 {
		t.Errorf("%d requests went that need it, and %d were refused", n, g.refused)
	}
	for _, a := range g.arrived() {
		if strings.Contains(a.head+string(a.body), "client_credentials") || strings.Contains(a.head, "Basic ") {
			t.Errorf("the client's secret went to the API: %s", a.head)
		}
	}
	for _, e := range o.exchanges {
		if elsewhere := e.Request.Purpose == "signingIn"; elsewhere != (e.Request.Elsewhere == idp.url) {
			t.Errorf("%s %s is told to have gone to %q", e.Request.Purpose, e.Request.Target, e.Request.Elsewhere)
		}
	}
	o.wantHidden(t, slices.Concat(g.tokens, []string{clientSecret, "refresh-1-secret"})...)
}

const signUpDocument = `openapi: 3.0.3
info: {title: Members alone, version: "1"}
paths:
  /register:
    post:
      operationId: register
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Account"}}}}
      responses: {"201": {description: ok}, "400": {description: no}, "409": {description: there}}
  /login:
    post:
      operationId: login
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Account"}}}}
      responses: {"200": {description: ok}, "400": {description: no}, "401": {description: no}}
  /mine: {get: {operationId: mine, security: [{token: []}], responses: {"200": {description: ok}, "401": {description: no}}}}
components:
  schemas: {Account: {type: object, required: [email, password], properties: {email: {type: string, format: email}, password: {type: string, minLength: 8}}}}
  securitySchemes: {token: {type: http, scheme: bearer}}
`

func TestARunWithoutAKeySignsUpAUserOfItsOwn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	users := map[string]string{}
	s := serve(t, func(a *arrival) reply {
		mu.Lock()
		defer mu.Unlock()
		var account struct{ Email, Password string }
		_ = json.Unmarshal(a.body, &account)
		switch a.path() {
		case "/register":
			if _, there := users[account.Email]; there {
				return sayJSON(409, `{}`)
			}
			users[account.Email] = account.Password
			return sayJSON(201, `{}`)
		case "/login":
			if password, there := users[account.Email]; !there || password != account.Password {
				return sayJSON(401, `{}`)
			}
			return sayJSON(200, fmt.Sprintf(`{"user": {"token": "token-of-%s"}}`, account.Email))
		}
		if !strings.HasPrefix(messages.Get(a.header, "Authorization"), "Bearer token-of-restest-") {
			return sayJSON(401, `{}`)
		}
		return sayJSON(200, `{}`)
	})
	document := write(t, "members.yaml", signUpDocument)
	for range 2 { // the second run finds the user of the first
		o := s.test(t, 3, document, "--url", s.url, "--set", "report.plainEvery=1h")
		if op := o.operation(t, "mine"); op.ByClass.C2xx == 0 || op.ByClass.C4xx > 0 {
			t.Errorf("what needs a token drew %+v\n%s", op.ByClass, o.stdout)
		}
		if s := o.report.Unauthorized.SignIns; len(s) != 1 || s[0].Obtained != 1 || s[0].Requests != 2 {
			t.Errorf("the report says %+v", s)
		}
	}
	o := s.test(t, 3, document, "--url", s.url, "--set", "generation.signUp=false")
	if op := o.operation(t, "mine"); op.ByClass.C2xx > 0 {
		t.Error("it signed up though it was told not to")
	}
	said := program("run", "--out", t.TempDir(), "--seed", "1", "--budget", "100ms", document, "--url", s.url)
	if !strings.Contains(said.stderr, "no key was given, so the run will sign up a user of its own (POST /register, then POST /login)") {
		t.Errorf("it did not say so:\n%s", said.stderr)
	}
}

// TestASignInTakesATurnLikeEveryRequest counts at the server, at a rate: the document, the token and its renewals and
// what needs it each have a turn of their own.
func TestASignInTakesATurnLikeEveryRequest(t *testing.T) {
	t.Parallel()
	const perMinute = 1200
	interval := time.Minute / perMinute
	var g *guarded
	hold(t, claim{
		name: "at 1200 a minute",
		answers: func(s *standIn) answerer {
			g = &guarded{standIn: s, lasts: 400 * time.Millisecond, tells: true, ends: map[string]time.Duration{}, used: map[string]int{}}
			return func(a *arrival) reply {
				if a.path() == "/openapi.yaml" {
					return say(200, "application/yaml", fmt.Sprintf(guardedDocument, "/oauth/token", "/oauth/token"))
				}
				return g.answer(a)
			}
		},
		args: func(s *standIn) []string {
			return append([]string{
				s.url + "/openapi.yaml", "--url", s.url, "--budget", "3s", "--auth", "oauth=client:" + clientID + ":" + clientSecret,
			}, atRate(perMinute)...)
		},
		check: func(s *standIn, o *outcome, complain complain) {
			log := s.arrived()
			if int64(len(log)) != o.report.Engine.RequestsSent+1 {
				complain("%d arrived and %d were sent besides the document", len(log), o.report.Engine.RequestsSent)
			}
			if n := len(s.arrived("POST /oauth/token")); n < 4 || n > 11 {
				complain("%d requests for a token", n)
			}
			near := 0
			for i := 1; i < len(log); i++ {
				if log[i].at.Sub(log[i-1].at) < interval/2 {
					near++
				}
			}
			turns := int((log[len(log)-1].at.Sub(log[0].at)+interval/2)/interval) + 1
			if near > len(log)/20 || len(log) > turns {
				complain("%d requests arrived in the time of %d turns, %d too near", len(log), turns, near)
			}
			if g.refused > 0 {
				complain("%d requests were refused", g.refused)
			}
		},
	})
}

func TestARunThatSignsInIsReplayed(t *testing.T) {
	t.Parallel()
	g, document := guard(t, func(g *guarded) { g.tells, g.lasts = true, time.Second })
	was := test(t, document, "--url", g.url, "--budget", "2500ms", "--auth-file", write(t, "auth.yaml", tokenLogin))
	out := t.TempDir()
	o := program("sim", was.out, "--quiet", "--out", out, "--set", "report.recording=true")
	o.read(t, out)
	before, after := was.report.Unauthorized.SignIns, o.report.Unauthorized.SignIns
	if len(after) != 1 || before[0].Obtained < 2 || after[0].Obtained < before[0].Obtained-1 || after[0].Obtained > before[0].Obtained+1 || after[0].Failure != "" {
		t.Errorf("it signed in %+v, and replayed %+v\n%s", before, after, o.stdout)
	}
	if n, m := was.operation(t, "things").ByClass.C5xx, o.operation(t, "things").ByClass.C5xx; m < n/2 || n < 10 {
		t.Errorf("%d replies to what needs it became %d", n, m)
	}
	o.wantHidden(t, g.tokens...)
}
