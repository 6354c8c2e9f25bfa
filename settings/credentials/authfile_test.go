package credentials

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/restest/restest/settings/document"
)

// include reads a file and takes it in.
func include(t *testing.T, doc *document.Document, content string) *Keys {
	t.Helper()
	a, err := ParseAuthFile("auth.yaml", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	k := &Keys{}
	k.Include(a)
	if err := k.Bind(doc); err != nil {
		t.Fatal(err)
	}
	return k
}

func TestBothSpellingsOfATokenMeanTheSame(t *testing.T) {
	const user = `auth:
- name: ann
  loginEndpointAuth:
    endpoint: /login
    verb: POST
    contentType: application/json
    payloadRaw: '{"user": "ann", "password": "pa55word"}'
    token: `
	today := include(t, with(), user+`{extractFrom: body, extractSelector: /a/token, sendIn: header, sendName: Authorization, sendTemplate: "Bearer {token}"}`)
	before := include(t, with(), user+`{extractFromField: /a/token, httpHeaderName: Authorization, headerPrefix: "Bearer "}`)
	want := Take{"body", "/a/token", "header", "Authorization", "Bearer {token}"}
	if today.logins[0].Take != want || before.logins[0].Take != want {
		t.Errorf("%+v and %+v, want %+v", today.logins[0].Take, before.logins[0].Take, want)
	}
	short := include(t, with(), user+`{extractFrom: body, extractSelector: token, sendIn: query, sendName: t}`)
	if want := (Take{"body", "/token", "query", "t", "{token}"}); short.logins[0].Take != want {
		t.Errorf("%+v, want %+v", short.logins[0].Take, want)
	}
}

func TestATemplateGivesWhatAUserDoesNot(t *testing.T) {
	k := include(t, with(), `
auth:
- name: foo
  loginEndpointAuth:
    payloadRaw: '{"username": "foo", "password": "12345"}'
- name: bar
  fixedHeaders: [{name: X-Tenant, value: second}]
  loginEndpointAuth:
    verb: PUT
    externalEndpointURL: https://IDP.example:443/in?x=1
    payloadUserPwd: {username: bar, password: "a\"6/7", usernameField: username, passwordField: password}
    token: {extractFrom: header, extractSelector: X-Token, sendIn: cookie, sendName: sid}
authTemplate:
  fixedHeaders: [{name: X-Tenant, value: first}]
  loginEndpointAuth: {endpoint: /login, verb: POST, contentType: application/json, expectCookies: true}
configs: {maxTime: 5m}
schemaVersion: "0.1"`)
	first, second := k.logins[0], k.logins[1]
	if first.Method != "POST" || first.Target != "/login" || first.Elsewhere != "" || first.Take != (Take{From: fromCookies}) ||
		k.users[0].Fixed[0].Value != "first" {
		t.Errorf("the first is %+v", first)
	}
	if second.Method != "PUT" || second.Elsewhere != "https://idp.example" || second.Target != "/in?x=1" ||
		*second.Ways[0].Body != `{"username":"bar","password":"a\"6/7"}` || second.Take.In != "cookie" || k.users[1].Fixed[0].Value != "second" {
		t.Errorf("the second is %+v", second)
	}
	mask := k.Mask()
	for _, secret := range []string{"12345", `a"6/7`, `a\"6\/7`, "second"} {
		if !mask.Has("x " + secret + " y") {
			t.Errorf("%s is not hidden", secret)
		}
	}
	if got := k.Users(); !slices.Equal(got, []string{"foo", "bar"}) {
		t.Errorf("the users are %q", got)
	}
}

func TestAPasswordTooShortToHideIsHiddenWithTheContentAroundIt(t *testing.T) {
	a, err := ParseAuthFile("f", []byte(`{"auth": [{"name": "foo", "loginEndpointAuth": {"endpoint": "/l", "verb": "POST", "expectCookies": true,
  "contentType": "application/json", "payloadRaw": "{\"username\": \"foo\", \"password\": \"123\"}"}}]}`))
	if err != nil || len(a.Notes()) != 1 {
		t.Fatal(a, err)
	}
	k := &Keys{}
	k.Include(a)
	if got := k.Mask().Text(`>{"username": "foo", "password": "123"}<`); strings.Contains(got, "123") || strings.Contains(got, "foo") {
		t.Error(got)
	}
}

func TestAnAuthenticationFileThatIsWrongSaysEachThingAtOnce(t *testing.T) {
	for _, row := range []struct{ name, content, want string }{
		{"unknown and of the wrong type", `auth:
- nmae: s3cret
  name: 17
  fixedHeaders: {name: a}
  loginEndpointAuth:
    verb: PSOT
    expectCookies: maybe
    token: {extractForm: body}
    payloadRaw: [s3cret]
- name: two
  requireMockHandling: "yes"
extra: s3cret`, `f:2: auth[0].nmae is not known here; did you mean name?
f:3: auth[0].name is no text; put it in quotes
f:4: auth[0].fixedHeaders is not a list; write its entries beneath it, each after a dash
f:6: auth[0].loginEndpointAuth.verb is none of POST, GET, PATCH, DELETE, PUT; did you mean POST?
f:7: auth[0].loginEndpointAuth.expectCookies is neither true nor false
f:8: auth[0].loginEndpointAuth.token.extractForm is not known here; did you mean extractFrom?
f:9: auth[0].loginEndpointAuth.payloadRaw is a list or a group; write one text
f:11: auth[1].requireMockHandling is neither true nor false
f:12: extra is not known here; known are schemaVersion, auth, authTemplate, configs`},
		{"missing and too much", `auth:
- name: a
  loginEndpointAuth: {endpoint: login, externalEndpointURL: "https://x.example", payloadRaw: "1234"}
- name: a
- fixedHeaders: [{name: "X Y", value: v}]
authTemplate: {name: t}`, `f:6: authTemplate.name belongs to the users, whose names differ; leave it out of the template
f:3: auth[0].loginEndpointAuth says both endpoint and externalEndpointURL; give one of them
f:3: auth[0].loginEndpointAuth has no verb, such as POST
f:3: auth[0].loginEndpointAuth says neither token nor expectCookies: true; give one of them
f:4: auth[1].name is that of the user at line 2 too; give each a name of its own
f:4: auth[1] has neither fixedHeaders nor loginEndpointAuth; give one of them
f:5: auth[2] has no name; give each user one
f:5: auth[2].fixedHeaders[0].name is not the name of a header field
f:5: auth[2].fixedHeaders[0]: the key has fewer than 4 characters, too few to hide it in what is written; use a longer one`},
		{"two spellings", `{"auth": [{"name": "a", "loginEndpointAuth": {"endpoint": "//x", "verb": "GET", "contentType": "text/plain",
 "payloadUserPwd": {"username": "u", "password": "s3cret", "usernameField": "u"},
 "token": {"extractFromField": "/t", "sendName": "A"}}}]}`, `f:1: auth[0].loginEndpointAuth.endpoint does not begin with one slash; for another server write externalEndpointURL
f:2: auth[0].loginEndpointAuth.payloadUserPwd has no passwordField
f:1: auth[0].loginEndpointAuth.contentType is neither application/json nor application/x-www-form-urlencoded; for another one write payloadRaw
f:3: auth[0].loginEndpointAuth.token mixes two spellings; keep to extractFrom, extractSelector, sendIn, sendName and sendTemplate, or to extractFromField, httpHeaderName and headerPrefix`},
		{"no list", "auth: 1", "f:1: auth is not a list; write its entries beneath it, each after a dash"},
		{"nobody", "auth: []", "f:1: auth lists no user; write auth: with an entry for each"},
		{"nothing", "", "f is empty; write auth: with an entry for each user"},
		{"no group", "[s3cret]", "f:1 is no authentication file; write auth: with an entry for each user"},
		{"no YAML", "auth:\n\t- s3cret", "f:2 is neither YAML nor JSON here"},
		{"twice", "auth: []\nauth: []", "f:2: auth was given before, at line 1; keep one of the two"},
	} {
		_, err := ParseAuthFile("f", []byte(row.content))
		if err == nil || err.Error() != row.want {
			t.Errorf("%s: got\n%v\nwant\n%s", row.name, err, row.want)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the error shows what the file holds", row.name)
		}
	}
}

func TestAnyFileIsReadOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom([]string{
			"auth", "authTemplate", "name", "fixedHeaders", "loginEndpointAuth", "token", "verb", ": ", "\n", "- ", "  ", "{", "}", "[", "]", ",",
			"POST", "'x'", "null", "&a ", "*a", "true", "1", "<<", "!!binary ", "\"", "endpoint", "/x",
		})
		content := strings.Join(rapid.SliceOfN(words, 0, 60).Draw(t, "content"), "")
		if a, err := ParseAuthFile("f", []byte(content)); (a == nil) && err == nil {
			t.Fatal("neither a file nor an error")
		}
	})
}

func TestTheSharedDescriptionOfTheFormatHasNoMemberThatIsNotKnown(t *testing.T) {
	shared := os.Getenv("RESTEST_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	content, err := os.ReadFile(filepath.Join(shared, "wfc", "auth.yaml"))
	if err != nil {
		t.Skip("the shared description is not here: ", err)
	}
	var described yaml.Node
	if err := yaml.Unmarshal(content, &described); err != nil {
		t.Fatal(err)
	}
	known := slices.Concat(authForm.names(), userForm.names(), loginForm.names(), createForm.names(), headersForm.item.names(),
		loginForm.of("payloadUserPwd").names(), loginForm.of("token").names(), createForm.of("generators").item.names())
	found := 0
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
			if members := n.Content[i+1]; n.Content[i].Value == "properties" {
				for j := 0; j < len(members.Content); j += 2 {
					if found++; !slices.Contains(known, members.Content[j].Value) {
						t.Errorf("%s is not known", members.Content[j].Value)
					}
				}
			}
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(&described)
	if found < 30 {
		t.Errorf("%d members were found", found)
	}
}

func TestWhatAReplyGives(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	// Its payload says {"exp":1796040600}, which is ten minutes later.
	const token = "eyJhbGciOiJub25lIn0.eyJleHAiOjE3OTYwNDA2MDB9.c2ln"
	body := Take{From: fromBody, Selector: "/a~1b/0/token", In: "header", Name: "Authorization", Template: "JWT {token}"}
	cookies := Take{From: fromCookies}
	guess := Take{From: fromAnywhere, In: "header", Name: "Authorization", Template: "Bearer {token}"}
	line := func(pairs ...string) (lines []Line) {
		for i := 0; i < len(pairs); i += 2 {
			lines = append(lines, Line{pairs[i], pairs[i+1]})
		}
		return lines
	}
	for _, row := range []struct {
		name     string
		take     Take
		answer   Answer
		want     string
		lasts    time.Duration
		failure  string
		definite bool
	}{
		{name: "a pointer", take: body, answer: Answer{Status: 200, Body: []byte(`{"a/b": [{"token": "t0ken"}], "expires_in": 60}`)}, want: "header Authorization: JWT t0ken", lasts: time.Minute},
		{name: "a JWT that says when", take: guess, answer: Answer{Status: 201, Body: []byte(`{"token": "` + token + `", "expiresIn": 3600}`)}, want: "header Authorization: Bearer " + token, lasts: 10 * time.Minute},
		{name: "a text alone", take: guess, answer: Answer{Status: 200, Body: []byte(token)}, want: "header Authorization: Bearer " + token, lasts: 10 * time.Minute},
		{name: "a header with its word", take: guess, answer: Answer{Status: 200, Header: line("authorization", "bearer t0ken")}, want: "header Authorization: bearer t0ken"},
		{name: "cookies", take: cookies, answer: Answer{Status: 302, Header: line("Set-Cookie", "a=1; Max-Age=90", "Set-Cookie", "b=2; Expires=Mon, 30 Nov 2026 12:01:00 GMT", "Set-Cookie", "c=; Max-Age=0")}, want: "cookie a: 1; cookie b: 2", lasts: time.Minute},
		{name: "no cookie", take: cookies, answer: Answer{Status: 200}, failure: "POST /l set no cookie", definite: true},
		{name: "nothing there", take: body, answer: Answer{Status: 200, Body: []byte(`{"token": "t0ken"}`)}, failure: "POST /l has no text or number at /a~1b/0/token in its reply", definite: true},
		{name: "a line end", take: guess, answer: Answer{Status: 200, Body: []byte(`{"token": "t0\u0000ken"}`)}, failure: "POST /l gave a token with a character that cannot be sent in a header", definite: true},
		{name: "refused", take: body, answer: Answer{Status: 400, Body: []byte(`{"error": "invalid_grant"}`)}, failure: "POST /l answered 400 Bad Request (invalid_grant)", definite: true},
		{name: "refused in many words", take: body, answer: Answer{Status: 403, Body: []byte(`{"error": "No, s3cret!"}`)}, failure: "POST /l answered 403 Forbidden", definite: true},
		{name: "a server's fault", take: body, answer: Answer{Status: 502}, failure: "POST /l answered 502 Bad Gateway"},
		{name: "an end long past", take: guess, answer: Answer{Status: 200, Body: []byte(`{"token": "t0ken", "expires_in": -1}`)}, want: "header Authorization: Bearer t0ken"},
		{name: "an end beyond all clocks", take: guess, answer: Answer{Status: 200, Body: []byte(`{"token": "t0ken", "expires_in": 1e300}`)}, want: "header Authorization: Bearer t0ken"},
	} {
		row.answer.Label, row.answer.At = "POST /l", at
		g := (&Login{Take: row.take}).Read(row.answer, false)
		if got := text(g.Keys); got != row.want || g.Lasts != row.lasts || g.Failure != row.failure || g.Definite != row.definite {
			t.Errorf("%s: got %q for %s, %q, %v", row.name, got, g.Lasts, g.Failure, g.Definite)
		}
	}
}

func TestWhatAnyReplyGivesIsHidden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		token := rapid.StringMatching(`[A-Za-z0-9/+=_.-]{4,40}`).Draw(t, "token")
		if shape(token) == token {
			return
		}
		l := &Login{Take: Take{From: fromBody, Selector: "/t", In: "header", Name: "A", Template: "Bearer {token}"}}
		g := l.Read(Answer{Status: 200, Body: []byte(`{"t": "` + token + `", "refresh_token": "r-` + token + `"}`)}, false)
		mask := (*Mask)(nil).With(0, "a token", g.Secrets)
		for _, w := range (secret{text: token, plain: true}).written() {
			if w.text != w.mask && mask.Has(mask.Text("a"+w.text+"b")) || !mask.Has(w.text) {
				t.Fatalf("%s is not hidden", w.text)
			}
		}
		if !strings.Contains(mask.Shell("x "+token), "$RESTEST_TOKEN_1") {
			t.Fatal(mask.Shell("x " + token))
		}
	})
}

func TestAGrantAsksForATokenAsTheDocumentSays(t *testing.T) {
	scheme := document.Scheme{Name: "o", Type: "oauth2", TokenURL: "http://h.example/token", PasswordTokenURL: "https://idp.example/p?x=1"}
	doc := with(scheme)
	doc.Origin = "http://h.example"
	doc.Operations = append(doc.Operations, &document.Operation{
		Index: len(doc.Operations), ID: "a", Method: "GET", Path: "/a", Security: [][]document.Requirement{{{Scheme: "o", Scopes: []string{"write", "read"}}}},
	})
	for _, row := range []struct{ auth, at, first, second string }{
		{"o=client:id:s3cret/x", "/token", "Basic aWQ6czNjcmV0JTJGeA== grant_type=client_credentials&scope=read+write", " client_id=id&client_secret=s3cret%2Fx&grant_type=client_credentials&scope=read+write"},
		{"client:id:s3cret/x", "/token", "Basic aWQ6czNjcmV0JTJGeA== grant_type=client_credentials&scope=read+write", " client_id=id&client_secret=s3cret%2Fx&grant_type=client_credentials&scope=read+write"},
		{"o=password:me:pass:word", "https://idp.example/p?x=1", " grant_type=password&password=pass%3Aword&scope=read+write&username=me", ""},
	} {
		keys, _, err := Parse([]string{row.auth}, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := keys.Bind(doc); err != nil {
			t.Fatal(err)
		}
		l := keys.Logins()[0]
		way := func(i int) string {
			if i >= len(l.Ways) {
				return ""
			}
			return header(Answer{Header: l.Ways[i].Header}, "Authorization") + " " + *l.Ways[i].Body
		}
		if l.Elsewhere+l.Target != row.at || way(0) != row.first || way(1) != row.second {
			t.Errorf("%s: asks %s%s with %q and %q", row.auth, l.Elsewhere, l.Target, way(0), way(1))
		}
		for i := range l.Ways {
			if masked := keys.Mask().Text(way(i)); strings.Contains(masked, "s3cret") || strings.Contains(masked, "czNjcmV0") || strings.Contains(masked, "pass%3Aword") {
				t.Errorf("%s: masked as %s", row.auth, masked)
			}
		}
		if missing := keys.Missing(doc); missing != nil {
			t.Errorf("%s: %q have no key", row.auth, missing)
		}
	}
	keys, _, err := Parse([]string{"o=client:id:s3cret"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := keys.Bind(with(document.Scheme{Name: "o", Type: "openIdConnect"})); err == nil || !strings.Contains(err.Error(), "no token URL") {
		t.Errorf("without a token URL: %v", err)
	}
}
