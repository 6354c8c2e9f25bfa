package generator

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
	testplan "github.com/restest/restest/settings/plan"
)

// guarded is a document whose operations ask for the scheme, unless they say otherwise.
func guarded(t testing.TB, scheme, paths string) *document.Document {
	t.Helper()
	return read(t, `
openapi: 3.0.3
info: {title: T, version: '1'}
servers: [{url: 'http://127.0.0.1:8080'}]
security: [{key: []}]
components: {securitySchemes: {key: `+scheme+`}}
paths:`+paths)
}

// withProbes has half of the requests belong to probes, with that key.
func withProbes(t testing.TB, doc *document.Document, key string, change func(*settings.Security)) *script {
	t.Helper()
	return newScript(t, doc, func(c *Config) {
		c.Settings.Schedule.OpeningLap, c.Settings.Schedule.MostCovering, c.Settings.Schedule.RecheckShare = false, 0, 0
		c.Plan = &testplan.Plan{Strategies: []testplan.Strategy{{Name: testplan.Nominal, Share: 1}, {Name: testplan.Security, Share: 1}}}
		if change != nil {
			change(&c.Settings.Security)
		}
		if key == "" {
			return
		}
		keys, _, err := credentials.Parse([]string{key}, "")
		if err == nil {
			err = keys.Bind(doc)
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Keys = keys
	})
}

// sent are the next n requests, each answered 200 before the next.
func (s *script) sent(n int) []*messages.Request {
	s.t.Helper()
	var all []*messages.Request
	for range n {
		r := s.next()
		all = append(all, r)
		s.answer(r, 200, `{"id": "p7", "role": "reader"}`)
	}
	return all
}

func kinds(requests []*messages.Request) map[messages.Probe]int {
	count := map[messages.Probe]int{}
	for _, r := range requests {
		count[r.Probe]++
	}
	return count
}

// Decision 0025: the same request with credentials comes first; what was accepted is sent without them, or with what is
// nobody's, and nothing else about it is another.
func TestAProbeIsWhatWasAcceptedWithoutItsCredentials(t *testing.T) {
	const paths = `
  /me:
    get:
      parameters:
        - {name: q, in: query, required: true, schema: {type: string, enum: [a b]}}
        - {name: lang, in: cookie, required: true, schema: {type: string, enum: [de]}}
      ` + ok + "\n"
	for _, row := range []struct{ scheme, key, wrongTarget, wrongField string }{
		{"{type: apiKey, in: header, name: X-Key}", "sesame", "", "X-Key: restest-no-such-key"},
		{"{type: apiKey, in: query, name: k}", "sesame", "/me?q=a%20b&k=restest-no-such-key", ""},
		{"{type: apiKey, in: cookie, name: sid}", "sesame", "", "Cookie: lang=de; sid=restest-no-such-key"},
		{"{type: http, scheme: bearer}", "sesame", "", "Authorization: Bearer restest-no-such-key"},
		{"{type: http, scheme: basic}", "key=ann:sesame", "", "Authorization: Basic cmVzdGVzdC1uby1zdWNoLXVzZXI6cmVzdGVzdC1uby1zdWNoLWtleQ=="},
	} {
		s := withProbes(t, guarded(t, row.scheme, paths), row.key, func(s *settings.Security) { s.Injection = false })
		seen := map[messages.Probe]bool{}
		for _, r := range s.sent(60) {
			if r.Probe == messages.NoProbe {
				if r.Series != nil && !strings.Contains(fmt.Sprint(r.Origins), "key") {
					t.Errorf("%s: what a probe is compared with carries no key: %+v", row.scheme, r)
				}
				continue
			}
			seen[r.Probe] = true
			before := r.Series.Taken[0].Request
			if r.Purpose != messages.Probing || r.Valid || before.Probe != messages.NoProbe || before.Method != r.Method {
				t.Errorf("%s: %+v after %+v", row.scheme, r, before)
			}
			target, fields := "/me?q=a%20b", header(r)
			if r.Probe == messages.WrongCredentials {
				if row.wrongTarget != "" {
					target = row.wrongTarget
				}
				if row.wrongField != "" && !slices.Contains(fields, row.wrongField) {
					t.Errorf("%s: wrong credentials are %q", row.scheme, fields)
				}
			} else if !slices.Contains(fields, "Cookie: lang=de") || len(fields) != len(header(before)) && row.wrongField == "" {
				t.Errorf("%s: the header is %q", row.scheme, fields)
			}
			if r.Target != target {
				t.Errorf("%s: %s goes to %s", row.scheme, r.Probe, r.Target)
			}
			if text := r.Target + strings.Join(fields, "\n"); strings.Contains(text, "sesame") || strings.Contains(text, "YW5uOnNlc2FtZQ") {
				t.Errorf("%s: %s carries the key: %s", row.scheme, r.Probe, text)
			}
		}
		if !seen[messages.Anonymous] || !seen[messages.WrongCredentials] {
			t.Errorf("%s: %v were sent", row.scheme, seen)
		}
	}
}

func header(r *messages.Request) []string {
	var lines []string
	for _, f := range r.Header {
		lines = append(lines, f.Name+": "+f.Value)
	}
	return lines
}

// Decision 0025: where the document asks for no credentials, or leaves them optional, or the run has none, no probe goes
// without them, and the run says why.
func TestNothingGoesWithoutCredentialsWhereNoneAreAskedFor(t *testing.T) {
	const scheme = "{type: apiKey, in: header, name: X-Key}"
	for name, row := range map[string]struct{ paths, key string }{
		"optional":    {"\n  /a: {get: {security: [{}, {key: []}], " + ok + "}}\n", "sesame"},
		"none at all": {"\n  /a: {get: {security: [], " + ok + "}}\n", "header:X-Key=sesame"},
		"no key":      {"\n  /a: {get: {" + ok + "}}\n", ""},
	} {
		s := withProbes(t, guarded(t, scheme, row.paths), row.key, nil)
		if n := kinds(s.sent(100)); len(n) != 1 {
			t.Errorf("%s: %v", name, n)
		}
		for _, p := range s.g.Probes() {
			if p.Operations != 0 || p.Why == "" {
				t.Errorf("%s: %+v is announced", name, p)
			}
		}
	}
}

const guardedStore = `
  /pets:
    get: {` + ok + `}
    post: {requestBody: {required: true, content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}, role: {type: string, readOnly: true}}}}}}, ` + ok + `}
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {` + ok + `}
    put: {requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {name: {type: string}, role: {type: string, readOnly: true}}}}}}, ` + ok + `}
    delete: {` + ok + `}
  /ideas:
    post: {requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {text: {type: string}}}}}}, ` + ok + `}
`

// Decision 0025: "Each operation gets it at most three times", and each kind has a switch.
func TestEachProbeIsSentThreeTimesAndHasItsSwitch(t *testing.T) {
	doc := guarded(t, "{type: apiKey, in: header, name: X-Key}", guardedStore)
	s := withProbes(t, doc, "sesame", nil)
	sent := map[string]int{}
	all := s.sent(3000)
	for _, r := range all {
		if r.Probe.Unauthenticated() {
			sent[fmt.Sprintf("%s %s", r.Probe, s.id(r.Operation))]++
		}
	}
	for _, probe := range []messages.Probe{messages.Anonymous, messages.WrongCredentials} {
		for _, id := range []string{"GET /pets", "POST /pets", "GET /pets/{id}", "PUT /pets/{id}", "DELETE /pets/{id}", "POST /ideas"} {
			if n := sent[string(probe)+" "+id]; n != mostProbed {
				t.Errorf("%s to %s: %d times", probe, id, n)
			}
		}
	}
	for probe, off := range map[messages.Probe]func(*settings.Security){
		messages.Anonymous:        func(s *settings.Security) { s.Anonymous = false },
		messages.WrongCredentials: func(s *settings.Security) { s.WrongCredentials = false },
		messages.MassAssignment:   func(s *settings.Security) { s.MassAssignment = false },
		messages.HiddenMethod:     func(s *settings.Security) { s.HiddenMethod = false },
		messages.Injection:        func(s *settings.Security) { s.Injection = false },
	} {
		if kinds(all)[probe] == 0 {
			t.Errorf("%s is never sent", probe)
		}
		if n := kinds(withProbes(t, doc, "sesame", off).sent(600))[probe]; n > 0 {
			t.Errorf("%s is off, and sent %d times", probe, n)
		}
	}
}

// Decision 0025: what probes, and what they are compared with, take stays within their share.
func TestProbesStayWithinTheirShare(t *testing.T) {
	doc := guarded(t, "{type: apiKey, in: header, name: X-Key}", guardedStore)
	for _, share := range []int{1, 10, 30} {
		s := withProbes(t, doc, "sesame", nil)
		s.g.follow.probing.share = float64(share) / 100
		n := 0
		for _, r := range s.sent(1000) {
			if r.Probe != messages.NoProbe || r.Series != nil {
				n++
			}
		}
		// The steps of a course that was begun are all taken.
		if most := 10*share + 6*mostSeries; n > most || n < min(5*share, 20) {
			t.Errorf("%d of 1000 requests belong to probes, with a share of %d %%", n, share)
		}
	}
}

// Decision 0016: "A request handed back leaves nothing behind".
func TestAProbeThatIsHandedBackCountsAsNeverBuilt(t *testing.T) {
	doc := guarded(t, "{type: apiKey, in: header, name: X-Key}", guardedStore)
	one, two := withProbes(t, doc, "sesame", nil), withProbes(t, doc, "sesame", nil)
	for i := range 1500 {
		a, b := one.next(), two.next()
		if i%3 == 0 {
			two.g.Handle(messages.Returned{Request: b})
			b = two.next()
		}
		if a.Target != b.Target || string(a.Body) != string(b.Body) || a.Probe != b.Probe || a.Seq != b.Seq || (a.Series == nil) != (b.Series == nil) {
			t.Fatalf("request %d is %s %s %s (%s), and once it was handed back %s %s %s (%s)", i, a.Method, a.Target, a.Body, a.Probe, b.Method, b.Target, b.Body, b.Probe)
		}
		one.answer(a, 200, `{"id": "p7", "role": "reader"}`)
		two.answer(b, 200, `{"id": "p7", "role": "reader"}`)
	}
}

// Decision 0025: what changes or deletes what is there gets no injection.
func TestInjectionsGoIntoReadsAndCreatesAlone(t *testing.T) {
	s := withProbes(t, guarded(t, "{type: apiKey, in: header, name: X-Key}", guardedStore), "", nil)
	n := 0
	for _, r := range s.sent(800) {
		if r.Probe == messages.Injection {
			n++
			if r.Method != "GET" && r.Method != "POST" {
				t.Fatalf("%s %s holds an injection", r.Method, r.Target)
			}
		}
	}
	if n < 50 {
		t.Errorf("%d injections", n)
	}
}

// Decision 0025: an address is asked by GET only where it declares none, first below it and then itself, and what is
// answered is nobody's thing: nothing of it is deleted at the end.
func TestAHiddenGETTeachesNothing(t *testing.T) {
	s := withProbes(t, guarded(t, "{type: apiKey, in: header, name: X-Key}", guardedStore), "sesame", nil)
	var got []string
	for _, r := range s.sent(600) {
		if r.Probe == messages.HiddenMethod {
			got = append(got, r.Method+" "+r.Target)
			if r.Body != nil || messages.Get(r.Header, "Content-Type") != "" || messages.Get(r.Header, "X-Key") != "sesame" {
				t.Errorf("%+v", r)
			}
		}
	}
	if want := []string{"GET /ideas/restest-no-such-thing", "GET /ideas"}; len(got) < 2 || !slices.Equal(got[:2], want) {
		t.Errorf("got %v", got)
	}
}

// Decision 0025: a property that only replies have is sent with another value than the reply before has shown.
func TestAMassAssignmentSendsAnotherValue(t *testing.T) {
	s := withProbes(t, guarded(t, "{type: apiKey, in: header, name: X-Key}", guardedStore), "", nil)
	n := 0
	for _, r := range s.sent(1500) {
		if r.Probe != messages.MassAssignment || r.Method == "GET" {
			continue
		}
		n++
		if !strings.Contains(string(r.Body), `"role":"restest"`) || r.Valid || !slices.Contains(r.Origins, messages.Origin{Place: "body.role", Source: "probe"}) {
			t.Errorf("%s %s: %s", r.Method, r.Target, r.Body)
		}
	}
	if n < mostProbed {
		t.Errorf("%d assignments", n)
	}
}

func TestWhichPropertiesOnlyRepliesHave(t *testing.T) {
	doc := api(t, `
  /a:
    post:
      requestBody: {content: {application/json: {schema: {type: object, properties: {
        name: {type: string}, role: {type: string, readOnly: true}, id: {type: integer, readOnly: true}, ownerId: {type: integer, readOnly: true}}}}}}
      responses: {'201': {description: ok, content: {application/json: {schema: {type: object, properties: {
        name: {type: string}, role: {type: string}, verified: {type: boolean}, href: {type: string}}}}}}, '400': {description: no, content: {application/json: {schema: {type: object, properties: {detail: {type: string}}}}}}}
`)
	var names []string
	for _, p := range hiddenProperties(doc.Operations[0]) {
		names = append(names, p.Name)
	}
	if want := []string{"role", "verified"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

// Decision 0025: "A 401 to a probe without credentials, or with wrong ones, has no sign-in renewed".
func TestA401ToAProbeRenewsNothing(t *testing.T) {
	o := newOffice(t, annAndBob)
	o.grants(o.next("sign-in"), "t1", 0)
	r := o.next("/open t1", "/a t1", "/b t1")
	for r.Target != "/a" {
		o.answers(r, 200)
		r = o.next("/open t1", "/a t1", "/b t1")
	}
	o.answers(r, 200)
	probe := *r
	probe.Seq, probe.Probe, probe.Purpose, probe.User = r.Seq+1000, messages.Anonymous, messages.Probing, ""
	o.answers(&probe, 401)
	o.next("/open t1", "/a t1", "/b t1")
	probe.Probe, probe.User = messages.NoProbe, "ann"
	o.answers(&probe, 401)
	o.next("sign-in")
}

// Decision 0025, over the real documents: "nothing invented ever stands in a key's place but in wrongCredentials", and what
// goes without credentials holds nothing of the key.
func TestWhatRealDocumentsAreProbedWithHoldsNoKey(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	const secret = "sesame-4711-of-ann"
	docs := realDocuments(t)
	count := map[messages.Probe]int{}
	for _, place := range slices.Sorted(maps.Keys(docs)) {
		doc := docs[place]
		var given []string
		for _, scheme := range doc.Schemes {
			switch {
			case scheme.Type == "http" && scheme.HTTP == "basic":
				given = append(given, scheme.Name+"=ann:"+secret)
			case scheme.Type == "apiKey" && scheme.Key != "", scheme.Type == "http", scheme.Type == "oauth2":
				given = append(given, scheme.Name+"="+secret)
			}
		}
		s := newScript(t, doc, func(c *Config) {
			c.Settings.Schedule.OpeningLap, c.Settings.Schedule.MostCovering = false, 0
			c.Plan = &testplan.Plan{Strategies: []testplan.Strategy{{Name: testplan.Nominal, Share: 1}, {Name: testplan.Security, Share: 9}}}
			if keys, _, err := credentials.Parse(given, ""); err == nil && keys.Bind(doc) == nil {
				c.Keys = keys
			}
		})
		encoded := base64.StdEncoding.EncodeToString([]byte("ann:" + secret))
		for i := range 120 {
			r := s.want(messages.Want{}).Request
			if r == nil {
				break
			}
			count[r.Probe]++
			text := r.Target + strings.Join(header(r), "\n") + string(r.Body)
			if r.Probe.Unauthenticated() && (strings.Contains(text, secret) || strings.Contains(text, encoded)) {
				t.Errorf("%s: %s %s, a probe (%s), holds the key: %s", place, r.Method, r.Target, r.Probe, text)
			}
			if strings.Contains(text, nobodysKey) && r.Probe != messages.WrongCredentials {
				t.Errorf("%s: %s %s (%q) carries wrong credentials", place, r.Method, r.Target, r.Probe)
			}
			s.answer(r, []int{200, 200, 201, 404}[i%4], `{"id": 7, "name": "x", "active": true}`)
		}
	}
	for _, probe := range messages.Probes {
		// What is answered here has no property that only replies have.
		if probe != messages.OtherUser && probe != messages.MassAssignment && count[probe] == 0 {
			t.Errorf("%s was never sent: %v", probe, count)
		}
	}
}
