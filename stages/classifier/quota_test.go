package classifier

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// heardOf is what the pacer was told of the exchange.
func (h *heard) heardOf(m messages.ToClassifier) messages.Heard {
	for _, told := range h.take(m) {
		if heard, is := told.(messages.Heard); is {
			return heard
		}
	}
	return messages.Heard{}
}

func TestThePacerHearsWhatAReplySaysOfAQuota(t *testing.T) {
	h := listen(plain())
	got := h.heardOf(exchange(0, reply(200, "", "RateLimit", `"default";r=0;t=30`)))
	if !got.Quota || got.Left != 0 || got.More != 30*time.Second || got.AsksToWait {
		t.Errorf("an answer is heard as %+v", got)
	}
	// The moment is counted from the reply's receipt, two seconds into the run.
	got = h.heardOf(exchange(0, reply(200, "", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", fmt.Sprint(start.Add(12*time.Second).Unix()))))
	if !got.Quota || got.More != 10*time.Second {
		t.Errorf("a moment is heard as %+v", got)
	}
	refused := reply(429, "", "RateLimit", `"default";r=0;t=30`, "Retry-After", "5")
	head := messages.Head{Slot: 3, Request: &messages.Request{}, SentAt: 1e9, HeardAt: 2e9, Reply: refused}
	for what, m := range map[string]messages.ToClassifier{"its header": head, "its end": exchange(0, refused)} {
		if got = h.heardOf(m); !got.AsksToWait || got.Wait != 5*time.Second || !got.Quota || got.More != 30*time.Second {
			t.Errorf("a refusal is heard at %s as %+v", what, got)
		}
	}
	h.foresees = false
	if got = h.heardOf(exchange(0, reply(200, "", "RateLimit", `"default";r=0;t=30`))); got.Quota {
		t.Error("it is heard with the switch off")
	}
}

func TestTheReporterIsToldOfFieldsOnAQuotaThatWereIgnored(t *testing.T) {
	h := listen(plain())
	j := h.judged(exchange(0, reply(200, "", "X-RateLimit-Remaining", "lots of s3cr3t", "X-RateLimit-Reset", "1")))
	if want := []string{"X-RateLimit-Remaining is not a whole number"}; !slices.Equal(j.Unread, want) {
		t.Errorf("%q, want %q", j.Unread, want)
	}
	if j = h.judged(exchange(0, reply(200, ""))); j.Unread != nil {
		t.Errorf("%q of a reply without any", j.Unread)
	}
}

func TestARefusedPasswordOfOursSaysNothingOfTheWholeAPI(t *testing.T) {
	operations := []*document.Operation{
		{ID: "login", Method: "POST", Path: "/users/login"},
		{ID: "createSession", Method: "POST", Path: "/v1/sessions"},
		{ID: "x", Method: "POST", Path: "/x", Summary: "Sign in"},
		{ID: "y", Method: "POST", Path: "/y", Description: "Lets a user log in by a password."},
		{ID: "z", Method: "POST", Path: "/z", Tags: []string{"Authentication"}},
		{ID: "createUser", Method: "POST", Path: "/users", Description: "The password is kept. A token is sent by mail."},
		{ID: "author", Method: "POST", Path: "/authors/assessions"},
	}
	for i, op := range operations {
		op.Index = i
	}
	h := listen(&document.Document{Operations: operations})
	for _, row := range []struct {
		operation, status int
		place, source     string
		want              bool
	}{
		{0, 429, "body.password", "random", true},
		{1, 429, "body.credentials.passPhrase", "example", true},
		{2, 429, "query.pwd", "random", true},
		{3, 429, "body.user_password", "observed", true},
		{4, 429, "body.otp", "enum", true},
		{0, 429, "body.password", "key", false},
		{0, 429, "body.name", "random", false},
		{0, 429, "body.passwordless", "random", false},
		{0, 503, "body.password", "random", false},
		{5, 429, "body.password", "random", false},
		{6, 429, "body.password", "random", false},
	} {
		e := exchange(row.operation, reply(row.status, "", "Retry-After", "1"))
		e.Request.Origins = []messages.Origin{{Place: "body.email", Source: "random"}, {Place: row.place, Source: row.source}}
		if got := h.heardOf(e); got.Alone != row.want || !got.AsksToWait {
			t.Errorf("%+v: alone is %v", row, got.Alone)
		}
	}
}
