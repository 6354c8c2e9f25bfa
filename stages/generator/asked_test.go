package generator

import (
	"slices"
	"strings"
	"testing"

	"github.com/restest/restest/messages"
)

const manyParts = `
  /a:
    post:
      parameters:
        - {name: p, in: query, required: true, schema: {type: string}}
        - {name: q, in: query, schema: {type: string}}
        - {name: X-A, in: header, schema: {type: string}}
        - {name: c, in: cookie, schema: {type: string}}
      requestBody:
        content:
          text/plain: {schema: {type: string}}
          application/json: {schema: {type: string}}
          application/x-www-form-urlencoded: {schema: {type: object, required: [a], properties: {a: {type: string}}}}
      ` + ok + `
`

func TestTheStrategyCanAskForPartsAndMediaTypes(t *testing.T) {
	s := newScript(t, api(t, manyParts), withoutLap)
	p := s.g.plans[0]
	if got, want := p.optionalParts(), []string{"query.q", "header.X-A", "cookie.c", "body"}; !slices.Equal(got, want) {
		t.Errorf("the optional parts are %v, want %v", got, want)
	}
	types := p.mediaTypes()
	if want := []string{"application/json", "application/x-www-form-urlencoded", "text/plain"}; !slices.Equal(types, want) {
		t.Errorf("the media types are %v, want %v", types, want)
	}
	parts := func(r *messages.Request) string {
		sent := ""
		for _, part := range []struct {
			name string
			sent bool
		}{
			{"q", strings.Contains(r.Target, "q=")},
			{"h", messages.Get(r.Header, "X-A") != ""},
			{"c", messages.Get(r.Header, "Cookie") != ""},
			{"b", r.Body != nil},
		} {
			if part.sent {
				sent += part.name
			}
		}
		return sent
	}
	for nth := 1; nth <= 30; nth++ {
		for i, mediaType := range types {
			r := p.request(s.g, nth, 0, asked{media: i + 1, parts: []string{}})
			if messages.Get(r.Header, "Content-Type") != mediaType || parts(r) != "b" {
				t.Fatalf("asked for %s alone, got %s: %v", mediaType, parts(r), r.Header)
			}
		}
		for want, list := range map[string][]string{"": {}, "q": {"query.q"}, "hb": {"body", "header.X-A"}, "c": {"cookie.c"}} {
			for _, likeliest := range []bool{false, true} {
				if got := parts(p.request(s.g, nth, 0, asked{parts: list, likeliest: likeliest})); got != want {
					t.Fatalf("asked for %v, got %q", list, got)
				}
			}
		}
	}
	if p.request(s.g, 1, 0, asked{media: 4}) != nil || p.reason != "body: there is no such media type" {
		t.Errorf("a fourth media type was found: %s", p.reason)
	}
}

func TestTheSurestMediaTypeIsSentMostOftenAndEachSometimes(t *testing.T) {
	sent := map[string]int{}
	const n = 4000
	for _, r := range requests(t, api(t, manyParts), "/a", "POST", n) {
		sent[messages.Get(r.Header, "Content-Type")]++
	}
	for mediaType, want := range map[string]int{
		"application/json": n * 9 / 10 * 3 / 4, "application/x-www-form-urlencoded": n * 9 / 10 / 8, "text/plain": n * 9 / 10 / 8, "": n / 10,
	} {
		if got := sent[mediaType]; got < want*8/10 || got > want*12/10 {
			t.Errorf("%q was sent %d times of %d, want about %d", mediaType, got, n, want)
		}
	}
}
