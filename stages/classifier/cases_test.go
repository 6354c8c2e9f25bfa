package classifier

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// load reads a document of the shared cases, which lie beside the module.
func load(t testing.TB, name string) *document.Document {
	t.Helper()
	shared := os.Getenv("RESTEST_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	location := filepath.Join(shared, "cases", filepath.FromSlash(name))
	if _, err := os.Stat(location); err != nil {
		t.Skip("the shared cases are not here: ", err)
	}
	doc, err := document.Load(context.Background(), location, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// step is a reply and the findings it should draw, such as "F200 /0/id; F921 Content-Type".
type step struct {
	name  string
	reply *messages.Reply
	want  string
}

// play hands the replies to an operation, given by its path, and compares what is found.
func play(t *testing.T, doc *document.Document, path string, steps []step) {
	t.Helper()
	operation := -1
	for _, o := range doc.Operations {
		if o.Path == path {
			operation = o.Index
		}
	}
	if operation < 0 {
		t.Fatalf("there is no operation at %s", path)
	}
	h := listen(doc)
	for _, s := range steps {
		e := exchange(operation, s.reply)
		e.Request.Method = doc.Operations[operation].Method
		j := h.judged(e)
		if got := places(j); got != s.want || len(j.Broken) > 0 {
			t.Errorf("%s: got %q, want %q (%+v, unjudged %q, broken %q)", s.name, got, s.want, j.Findings, j.Unjudged, j.Broken)
		}
	}
}

// places are the findings' codes with their places.
func places(j *messages.Judged) string {
	var list []string
	for _, f := range j.Findings {
		list = append(list, strings.TrimSpace(codes(&messages.Judged{Findings: []messages.Finding{f}})+" "+f.Place))
	}
	return strings.Join(list, "; ")
}

func asJSON(status int, body string) *messages.Reply {
	return reply(status, body, "Content-Type", "application/json")
}

func TestNullInTheSpellingOfEachVersion(t *testing.T) { // case 18
	play(t, load(t, "18-nullable-spellings/document.yaml"), "/n", []step{
		{"nullable", asJSON(200, `{"a":null}`), ""},
		{"nullable, null not in the enum", asJSON(200, `{"b":null}`), ""},
		{"nullable beside allOf", asJSON(200, `{"c":null}`), ""},
		{"not nullable", asJSON(200, `{"d":null}`), "F200 /d"},
	})
	play(t, load(t, "18-nullable-spellings/document-31.yaml"), "/n", []step{
		{"a list of types", asJSON(200, `{"e":null}`), ""},
		{"anyOf", asJSON(200, `{"f":null}`), ""},
		{"in a list", asJSON(200, `{"g":[null,"x"]}`), ""},
		{"nullable means nothing in 3.1", asJSON(200, `{"h":null}`), "F200 /h"},
	})
}

func TestTheEntryThatAppliesIsTheMostExactOne(t *testing.T) { // case 21
	doc := load(t, "21-status-ranges/document.yaml")
	play(t, doc, "/r", []step{
		{"the exact code", asJSON(200, `{"a":1}`), ""},
		{"the exact code wins over the range", asJSON(200, `{"b":1}`), "F200"},
		{"the range", asJSON(206, `{"b":1}`), ""},
		{"judged by the range", asJSON(206, `{"a":1}`), "F200"},
		{"4XX", asJSON(404, `{"e":1}`), ""},
		{"4XX and not the default", asJSON(404, `{"d":1}`), "F200"},
		{"the default", asJSON(302, `{"d":1}`), ""},
		{"a server error that is declared", asJSON(500, `{"d":1}`), "F100"},
	})
	play(t, doc, "/lower", []step{{"a range in small letters", reply(404, ""), ""}})
}

func TestMediaTypesMatchAsTypesDo(t *testing.T) { // case 24
	doc := load(t, "24-media-type-matching/document.yaml")
	play(t, doc, "/m", []step{
		{"capitals and charset", reply(200, `{"ok":1}`, "content-TYPE", "Application/JSON; Charset=UTF-8"), ""},
		{"judged in spite of them", reply(200, `{}`, "content-TYPE", "Application/JSON; Charset=UTF-8"), "F200"},
		{"a range of types", reply(200, `a,b`, "Content-Type", "text/csv"), ""},
		{"its own schema", reply(200, `{"x":1}`, "Content-Type", "application/vnd.x+json; v=2"), ""},
		{"a fault by its own schema", reply(200, `{}`, "Content-Type", "application/vnd.x+json; v=2"), "F200"},
		{"undeclared", reply(200, `{"ok":1}`, "Content-Type", "application/problem+json"), "F921 Content-Type"},
		{"unknown charset", reply(200, `{}`, "Content-Type", "application/json; charset=klingon"), "F200"},
		{"no type", reply(200, `{"ok":1}`), "F921 Content-Type"},
	})
	play(t, doc, "/p", []step{{"a declared parameter that is left out", asJSON(200, `{}`), ""}})
}

func TestWhatIsWriteOnlyIsNotMissedInAReply(t *testing.T) { // case 26
	play(t, load(t, "26-readonly-writeonly/document.yaml"), "/users", []step{
		{"without passwords", asJSON(201, `{"id":1,"name":"n","friends":[{"id":2,"name":"m"}]}`), ""},
		{"without an id", asJSON(201, `{"name":"n"}`), "F200"},
		{"without a friend's id", asJSON(201, `{"id":1,"name":"n","friends":[{"name":"m"}]}`), "F200 /friends/0"},
		{"with a password", asJSON(201, `{"id":1,"name":"n","password":"p"}`), ""},
	})
}

func TestABrokenReplyIsNeverPassedAsComplete(t *testing.T) { // case 27, as the sender tells it
	doc := load(t, "27-broken-chunks/document.yaml")
	h := listen(doc)
	for _, c := range []struct {
		way     string
		outcome messages.Outcome
		kind    messages.Failure
		body    string
		want    string
	}{
		{"A, no chunk length", messages.BrokeOff, messages.NotHTTP, "", "F922"},
		{"B, closed in a chunk", messages.BrokeOff, messages.ClosedEarly, `{"ok"`, "F922"},
		{"C, whole JSON without the last line", messages.BrokeOff, messages.ClosedEarly, `{"ok":true}`, "F922"},
		{"D, shorter than its length", messages.BrokeOff, messages.ClosedEarly, `{"ok":true}`, "F922"},
		{"E, F and G", messages.Answered, messages.NoFailure, `{"ok":true}`, ""},
	} {
		e := exchange(0, asJSON(200, c.body))
		e.Outcome, e.Kind, e.Failure = c.outcome, c.kind, "as the sender says"
		j := h.judged(e)
		if got := places(j); got != c.want {
			t.Errorf("%s: got %q, want %q", c.way, got, c.want)
		}
		for _, f := range j.Findings {
			if !strings.Contains(f.Got, "as the sender says") || !f.Error {
				t.Errorf("%s: %+v", c.way, f)
			}
		}
	}
}

func TestAStormOf429IsOneWarningForEachOperation(t *testing.T) { // case 36
	doc := load(t, "36-storm-of-429/document.yaml")
	h := listen(doc)
	type one struct {
		operation int
		cause     string
	}
	told := map[one]bool{}
	for n := range 100 {
		operation := n % len(doc.Operations)
		j := h.judged(exchange(operation, reply(429, strings.Repeat("no ", n), "Retry-After", "0")))
		if got := places(j); got != "F920" || j.Findings[0].Error || !j.Refused {
			t.Fatalf("got %q: %+v", got, j)
		}
		told[one{operation, j.Findings[0].Cause}] = true
	}
	if len(told) != len(doc.Operations) {
		t.Errorf("%d findings for %d operations", len(told), len(doc.Operations))
	}
}
