package messages

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func requestOf(target, contentType, body string) *Request {
	r := &Request{Target: target, Header: []Field{{"Content-Type", contentType}, {"X-Book", "b 7"}}}
	if body != "" {
		r.Body = []byte(body)
	}
	return r
}

func TestAValueIsReplacedWhereItStandsAndNowhereElse(t *testing.T) {
	for _, row := range []struct{ target, contentType, body, place, text, wantTarget, wantBody string }{
		{"/b/7?a=7&b=7", "", "", "query.b", "x y&", "/b/7?a=7&b=x%20y%26", ""},
		{"/b/7?a=7&b=7", "", "", "query.c", "8", "/b/7?a=7&b=7", ""},
		{"/", "application/json", ` { "a" : "7", "b":[{"a":"7"},{ "a" :7}] , "é\"":7}`, "body.b[].a", "8", "/", ` { "a" : "7", "b":[{"a":"8"},{ "a" :8}] , "é\"":7}`},
		{"/", "application/json", `{"a":7}`, "body.a", `x"1`, "/", `{"a":"x\"1"}`},
		{"/", "application/json", `{"a":"\u0037"}`, "body.a", "<", "/", `{"a":"<"}`},
		{"/", "application/merge-patch+json; charset=utf-8", `"7"`, "body", "8", "/", `"8"`},
		{"/", "application/json", `{"a":"7"`, "body.a", "8", "/", `{"a":"7"`},
		{"/", "application/x-www-form-urlencoded", "a=7&b+c=7", "body.b c", "8", "/", "a=7&b+c=8"},
		{"/", "text/plain", `{"a":"7"}`, "body.a", "8", "/", `{"a":"7"}`},
	} {
		r := requestOf(row.target, row.contentType, row.body)
		now := r.With(func(v Value) (string, bool) { return row.text, v.Place == row.place && v.Text == "7" })
		if now.Target != row.wantTarget || string(now.Body) != row.wantBody {
			t.Errorf("%s %s: %s %s", row.target, row.body, now.Target, now.Body)
		}
		if string(r.Body) != row.body || r.Target != row.target {
			t.Error("the request itself was changed")
		}
	}
	r := requestOf("/", "", "")
	now := r.With(func(v Value) (string, bool) { return "b 8", v.Place == "header.X-Book" })
	if Get(now.Header, "X-Book") != "b 8" || Get(r.Header, "X-Book") != "b 7" {
		t.Errorf("%v became %v", r.Header, now.Header)
	}
	if r.With(func(Value) (string, bool) { return "a\r\nb", true }).Header[1].Value != "b 7" {
		t.Error("a field that would be two was written")
	}
}

// Whatever an API takes for a name, written and read again it is the same.
func TestAWrittenValueMeansItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := requestOf("/?a=1&b=2", "application/json", `{"a":"1","b":[2,{"c":"x"}]}`)
		text := rapid.String().Draw(t, "text")
		place := rapid.SampledFrom([]string{"query.b", "body.a", "body.b[]", "body.b[].c"}).Draw(t, "place")
		now := r.With(func(v Value) (string, bool) { return text, v.Place == place })
		read := slices.DeleteFunc(now.Values(), func(v Value) bool { return v.Place != place })
		if len(read) != 1 || read[0].Text != text {
			t.Fatalf("%q at %s: %s %s gives %+v", text, place, now.Target, now.Body, read)
		}
	})
}

func TestANameIsThatOfTheThingAtItsPlaceAlone(t *testing.T) {
	r := requestOf("/?book=7", "application/json", `{"book":7,"count":7,"other":{"book":"8"}}`)
	r.Named = []Named{{"body.book", "/books/7"}, {"query.book", "/books/7"}, {"body.other.book", "/books/7"}}
	var named []string
	for _, v := range r.Values() {
		if r.Names(v) != "" {
			named = append(named, v.Place)
		}
	}
	if got := strings.Join(named, " "); got != "query.book body.book" {
		t.Errorf("names stand at %s", got)
	}
}

func TestAFreshTextIsOfTheSameLengthAndKind(t *testing.T) {
	for text, want := range map[string]string{
		"jane42@example.org": "{a-z 4}{0-9 2}@example.org", "Ab-1": "{A-F 1}{a-f 1}-{0-9 1}", "é!": "é!", "": "",
		"a long text of words": "a long tex{a-z 1} {a-z 2} {a-z 5}", "@x": "@{a-z 1}",
	} {
		var b strings.Builder
		for _, p := range FreshPieces(text) {
			if b.WriteString(p.Text); p.Row != "" {
				fmt.Fprintf(&b, "{%s %d}", p.Row, p.Length)
			}
		}
		if b.String() != want {
			t.Errorf("%q: %s, want %s", text, b.String(), want)
		}
	}
}
