package checks

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
)

func TestAMessageIsSteady(t *testing.T) {
	for _, c := range []struct{ message, want string }{
		{"", ""},
		{"no such table", "no such table"},
		{"index 3 is out of range [0, 3)", "index # is out of range [#, #)"},
		{"no user 550e8400-e29b-41d4-a716-446655440000 found", "no user # found"},
		{"at 2026-11-30T10:00:05.123Z it failed", "at # it failed"},
		{"Mon, 30 Nov 2026 10:00:05 GMT", "#, # # # # #"},
		{"dial tcp 10.0.0.7:5432: connection refused", "dial tcp # connection refused"},
		{"dial tcp [::1]:5432: connection refused", "dial tcp [#]# connection refused"},
		{"see https://example.org/errors?id=a for joe@example.org", "see # for #"},
		{"open /var/lib/data: denied", "open # denied"},
		{`the name "Rex" and 'Bello' and ` + "`x`", `the name "" and "" and ""`},
		{"don't and can't", "don't and can't"},
		{`an "open one`, `an "open one`},
		{"at com.example.Pets.get(Pets.java:112)", "at com.example.Pets.get(Pets.java:#)"},
		{"request a1b2c3d4e5f6 failed", "request # failed"},
		{"0xc0000140a8", "#"},
		{"Http2Exception: goroutine 12", "Http#Exception: goroutine #"},
		{"größer als 5", "größer als #"},
	} {
		if got := steady(c.message, nil); got != c.want {
			t.Errorf("%q: got %q, want %q", c.message, got, c.want)
		}
	}
}

func TestAMarkThatWasSentIsNoWordOfTheMessage(t *testing.T) {
	words, _ := sentBy(&messages.Request{Target: "/orders?note=:", Body: []byte(`{"note":"-", "name": "gt"}`)})
	if got := steady("goroutine 1 [running]: gt - x", words); got != "goroutine # [running]: # - x" {
		t.Errorf("got %q", got)
	}
}

func TestAFailureHasTheSameFingerprintWhateverSentenceWasSent(t *testing.T) {
	print := func(title, message string) string {
		e := answered(500, message, "Content-Type", "text/plain")
		r := &messages.Request{Target: "/books", Body: []byte(`{"title":"` + title + `"}`)}
		return fingerprint(r, e.Reply, Content{})
	}
	if print("length", "index out of range with length 0") != print("Binding by hand", "index out of range with length 0") {
		t.Error("a word that programs stumble over is taken out of the message")
	}
	const division = "integer division or modulo by zero"
	if print("Binding by hand", division) != print("Zero or one", division) {
		t.Error("the words of a sentence are taken out of the message")
	}
	if print("Zero or one", "no room for Zero or one here") != print("Binding by hand", "no room for Binding by hand here") {
		t.Error("the sentence itself is left in the message")
	}
}

func TestTheSameFailureHasTheSameFingerprint(t *testing.T) {
	print := func(contentType, body string) string {
		e := answered(500, body, "Content-Type", contentType)
		var content Content
		if contentType == "application/json" {
			content = Read(e.Reply.Body)
		}
		return fingerprint(nil, e.Reply, content)
	}
	for _, c := range []struct {
		name, contentType, one, other string
		same                          bool
	}{
		{
			"a time and a path", "application/json",
			`{"timestamp":"2026-11-30T10:00:00Z","status":500,"error":"Internal Server Error","path":"/pets/1"}`,
			`{"path":"/pets/77/toys", "timestamp":"2027-01-02T10:00:09Z","status":500,"error":"Internal Server Error"}`, true,
		},
		{"another message", "application/json", `{"message":"no such table"}`, `{"message":"division by zero"}`, false},
		{"more of the same", "application/json", `{"errors":[{"m":"bad"}]}`, `{"errors":[{"m":"bad"},{"m":"bad"}]}`, true},
		{"numbers", "application/json", `{"message":"x","id":1}`, `{"message":"x","id":2}`, true},
		{"text", "text/plain", "pet 7 is broken", "pet 8 is broken", true},
		{"other text", "text/plain", "pet 7 is broken", "toy 7 is broken", false},
		{"nothing", "text/plain", "", "", true},
	} {
		one, other := print(c.contentType, c.one), print(c.contentType, c.other)
		if (one == other) != c.same || len(one) != 16 {
			t.Errorf("%s: %s and %s", c.name, one, other)
		}
	}
}

func TestAFingerprintDoesNotHangOnWhatWasSent(t *testing.T) {
	failed := func(target, body, message string) string {
		return fingerprint(&messages.Request{Target: target, Body: []byte(body)}, answered(500, message).Reply, Content{})
	}
	one := failed("/users/ginger/runs?actor=mint-frog", `{"team": ["sea otter"]}`, "no user [name: ginger] of mint-frog: otter.")
	if other := failed("/users/breeze/runs?actor=oak", `{"team": ["red robin"]}`, "no user [name: breeze] of oak: robin."); one != other {
		t.Error("two words that were sent make two causes")
	}
	if other := failed("/users/breeze/runs?actor=oak", `{"team": ["red robin"]}`, "no group [name: breeze] of oak: robin."); one == other {
		t.Error("two messages make one cause")
	}
}

func TestAWordOfTheStatusIsNotWhatWasSent(t *testing.T) {
	failed := func(body string) string {
		message := `{"error": "Internal Server Error"}`
		return fingerprint(&messages.Request{Target: "/zones", Body: []byte(body)}, answered(500, message).Reply, Read([]byte(message)))
	}
	if failed(`{"type":"Server"}`) != failed(`{"type":"Zone"}`) {
		t.Error("a word of the status that was sent by chance makes another cause")
	}
}

func TestAFingerprintDoesNotHangOnNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-z]{2,5} |[a-z]{2,5}: |\(0\) |0\.0 |"0" ){0,20}`).Draw(t, "text")
		number := rapid.StringMatching(`[1-9][0-9]{0,20}`).Draw(t, "number")
		one := fingerprint(nil, answered(500, text).Reply, Content{})
		other := fingerprint(nil, answered(500, strings.ReplaceAll(text, "0", number)).Reply, Content{})
		if one != other {
			t.Fatalf("%q with %s", text, number)
		}
	})
}

func FuzzFingerprint(f *testing.F) {
	f.Add("a 'b' 1", "application/json")
	f.Add("\xff\"\"'", "")
	f.Fuzz(func(t *testing.T, body, contentType string) {
		reply := answered(500, body, "Content-Type", contentType).Reply
		if one, other := fingerprint(nil, reply, Content{}), fingerprint(nil, reply, Read(reply.Body)); len(one) != 16 || len(other) != 16 {
			t.Fatalf("%q and %q", one, other)
		}
	})
}
