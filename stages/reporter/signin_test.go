package reporter

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
)

// TestNoTokenIsEverWritten quotes decision 0009: "What a sign-in obtains while the run goes is hidden as a key is, from
// before the reply that gives it is written."
func TestNoTokenIsEverWritten(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newScene(t, func(c *Config) {
			c.SignIns = []SignIn{{User: "ann", Label: "POST /login", Operations: []int{0, 2}}}
			c.Logger = func(to io.Writer) zerolog.Logger { return zerolog.New(to).Level(zerolog.DebugLevel) }
		})
		var tokens []string
		written := func(token string) string {
			inJSON, _ := json.Marshal(token)
			return rapid.SampledFrom([]string{
				token, url.QueryEscape(token), url.PathEscape(token), string(inJSON[1 : len(inJSON)-1]),
				base64.StdEncoding.EncodeToString([]byte(token)), base64.RawURLEncoding.EncodeToString([]byte(token)), "x" + token + token,
			}).Draw(rt, "form")
		}
		for i := range rapid.IntRange(1, 12).Draw(rt, "exchanges") {
			s.seq++
			r := &messages.Request{Seq: s.seq, Nth: i + 1, Operation: 1, Method: "POST", Target: "/v1/pets"}
			e := &messages.Exchange{Request: r, Outcome: messages.Answered, Reply: &messages.Reply{Status: 500, Proto: "HTTP/1.1"}}
			j := &messages.Judged{Exchange: e}
			if len(tokens) == 0 || rapid.Bool().Draw(rt, "signs in") {
				// Letters that stay as they are would be no secret.
				token := "tK" + rapid.StringMatching(`[a-z0-9./+=&"\\é-]{6,30}`).Draw(rt, "token")
				tokens = append(tokens, token)
				r.Purpose, r.SignIn = messages.SigningIn, &messages.SignIn{}
				j.SignedIn = &messages.SignedIn{Keys: []messages.Key{{In: "header", Name: "A", Value: token}}, Secrets: []string{token}}
			}
			token := rapid.SampledFrom(tokens).Draw(rt, "echoed")
			places := []*string{&r.Target, &e.Failure}
			for _, place := range places {
				*place += "?" + written(token)
			}
			r.Body, e.Reply.Body = []byte(written(token)), []byte(written(token))
			r.Header = []messages.Field{{Name: "X-Token", Value: written(token)}, {Name: "Authorization", Value: "Bearer " + token}, {Name: "Cookie", Value: "a=" + written(token)}}
			e.Reply.Header = []messages.Field{{Name: "Set-Cookie", Value: "a=" + written(token)}, {Name: "Location", Value: written(token)}}
			e.Hops = []messages.Hop{{Method: "GET", Target: written(token), Location: written(token)}}
			r.Origins = []messages.Origin{{Place: "body." + written(token), Source: "key"}}
			j.Findings = []messages.Finding{{
				Code: 100, Error: true, Title: "A title of " + written(token), Expected: written(token), Got: written(token), Place: written(token), Cause: fmt.Sprint(i),
			}}
			j.Unjudged, j.Broken = written(token), []string{written(token)}
			s.r.Handle(j)
		}
		s.at(time.Second)
		s.tell()
		result := s.r.Finish(nil)
		all := s.live.String() + result.Summary + s.out.files[ReportName].String()
		if err := EachLine(s.out.files[RecordingName], func(_ int, line []byte) error { all += string(line); return nil }); err != nil {
			rt.Fatal(err)
		}
		for _, token := range tokens {
			inJSON, _ := json.Marshal(token)
			for _, form := range []string{
				token, url.QueryEscape(token), url.PathEscape(token), string(inJSON[1 : len(inJSON)-1]),
				base64.StdEncoding.EncodeToString([]byte(token)), base64.RawURLEncoding.EncodeToString([]byte(token)),
			} {
				if at := strings.Index(all, form); at >= 0 {
					rt.Fatalf("%q is written: %q", form, all[max(0, at-100):min(len(all), at+60)])
				}
			}
		}
	})
}
