package quota

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
)

// received is the receipt of every reply here: 1795996800 in seconds since 1970.
var received = time.Date(2026, time.November, 30, 0, 0, 0, 0, time.UTC)

// fields reads "Name: value" lines.
func fields(lines ...string) []messages.Field {
	var list []messages.Field
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		list = append(list, messages.Field{Name: name, Value: value})
	}
	return list
}

func words(r Reading, says bool, problems []Problem) string {
	text := "nothing"
	if says {
		text = fmt.Sprintf("%d, %v", r.Left, r.More)
	}
	for _, p := range problems {
		text += "; " + p.Field + " " + p.What
	}
	return text
}

func TestEachFormIsReadAsItsSendersMeanIt(t *testing.T) {
	for _, row := range []struct{ header, want string }{
		// draft -08 to -11
		{`RateLimit: "default";r=50;t=30`, "50, 30s"},
		{`ratelimit: "10-in-2sec"; r=0; t=2|RateLimit-Policy: "10-in-2sec"; q=10; w=2; pk=:MTJj:`, "0, 2s"},
		{`RateLimit: "burst";r=0;t=1, "daily";r=7;t=3600`, "0, 1s"},
		{`RateLimit: "burst";r=0;t=1|RateLimit: "daily";r=0;t=3600`, "0, 1h0m0s"},
		{`RateLimit: default;r=5;t=3`, "5, 3s"},
		{`RateLimit: "a\"b,;";r=5;t=3`, "5, 3s"},
		{`RateLimit: "default";r=5`, "nothing"},
		{`RateLimit: "c";r=0;t=9, "d";r=4;t=2|RateLimit-Policy: "c";q=2;qu="concurrent-requests"`, "4, 2s"},
		// draft -07
		{"RateLimit: limit=100, remaining=50, reset=30|RateLimit-Policy: 100;w=60", "50, 30s"},
		{"RateLimit: limit=100, remaining=0", "nothing"},
		// draft -06 and before
		{"RateLimit-Limit: 100, 100;w=60|RateLimit-Remaining: 0|RateLimit-Reset: 30", "0, 30s"},
		{"ratelimit-remaining: 76;w=21600", "nothing"},
		// epoch seconds, with a fraction, in milliseconds
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1795996830", "0, 30s"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1795996830.5", "0, 30.5s"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1795996830250", "0, 30.25s"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1795996830281.0001", "0, 30.2810001s"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: 0.0070000000001", "0, 7.000001ms"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: .5", "0, 500ms"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: 5.", "0, 5s"},
		{"x-rate-limit-remaining: 3|x-rate-limit-reset: 1795996830", "3, 30s"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1795996700", "0, 0s"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1795996830|Date: Sun, 29 Nov 2026 23:59:50 GMT", "0, 40s"},
		// a length
		{"X-RateLimit-Remaining: 5.00|X-RateLimit-Reset: 17", "5, 17s"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset-After: 1.25|X-RateLimit-Reset: 1795996830", "0, 1.25s"},
		{"x-ratelimit-remaining-requests: 0|x-ratelimit-reset-requests: 6m0s", "0, 6m0s"},
		{"x-ratelimit-remaining-requests: 0|x-ratelimit-reset-requests: 12ms", "0, 12ms"},
		// dates
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: Mon, 30 Nov 2026 00:05:26 UTC", "0, 5m26s"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: Mon Nov 30 2026 01:05:26 GMT+0100 (Central European Standard Time)", "0, 5m26s"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: 2026-11-30T00:05Z", "0, 5m0s"},
		{"anthropic-ratelimit-requests-remaining: 0|anthropic-ratelimit-requests-reset: 2026-11-30T00:00:07Z", "0, 7s"},
		// the first family that says it counts
		{"RateLimit-Remaining: 1|RateLimit-Reset: 2|X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1795996830", "1, 2s"},
		{"X-RateLimit-Limit: 32/40|Content-Type: text/plain", "nothing"},
	} {
		if got := words(Read(fields(strings.Split(row.header, "|")...), received)); got != row.want {
			t.Errorf("%s\n is %s, want %s", row.header, got, row.want)
		}
	}
}

func TestWhatIsMalformedIsIgnoredAndNamed(t *testing.T) {
	for _, row := range []struct{ header, want string }{
		{`RateLimit: "default";r=-1;t=30`, "nothing; RateLimit does not say how many are left (r)"},
		{`RateLimit: "default";q=100`, "nothing; RateLimit does not say how many are left (r)"},
		{`RateLimit: "default";r=1.5;t=30`, "nothing; RateLimit does not say how many are left (r)"},
		{`RateLimit: "default";r=0;t=soon`, "nothing; RateLimit has a time (t) that is not a number of seconds"},
		{`RateLimit: "default";r=9999999999999999;t=3`, "nothing; RateLimit does not say how many are left (r)"},
		{`RateLimit: "default`, "nothing; RateLimit is malformed"},
		{`RateLimit: ;;`, "nothing; RateLimit is malformed"},
		{`RateLimit: `, "nothing; RateLimit is malformed"},
		{"RateLimit: limit=10, remaining=x, reset=3", "nothing; RateLimit does not say how many are left (remaining)"},
		{`RateLimit: "default";r=0;t=5|RateLimit-Policy: "default";w=0`, "0, 5s; RateLimit-Policy has a window that is not a number of seconds"},
		{"X-RateLimit-Remaining: many|X-RateLimit-Reset: 3", "nothing; X-RateLimit-Remaining is not a whole number"},
		{"X-RateLimit-Remaining: -1|X-RateLimit-Reset: 3", "nothing; X-RateLimit-Remaining is not a whole number"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: later", "nothing; X-RateLimit-Reset is no time that can be read"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: 99999999999999999999", "nothing; X-RateLimit-Reset is no time that can be read"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: NaN", "nothing; X-RateLimit-Reset is no time that can be read"},
		// a family that is malformed leaves the next one to be read
		{"RateLimit: ;|X-RateLimit-Remaining: 0|X-RateLimit-Reset: 3", "0, 3s; RateLimit is malformed"},
		// from a cache
		{"Age: 99999999999999999999|X-RateLimit-Remaining: 0|X-RateLimit-Reset: 3", "nothing"},
		{"Age: 7|X-RateLimit-Remaining: 0|X-RateLimit-Reset: 3", "nothing"},
	} {
		if got := words(Read(fields(strings.Split(row.header, "|")...), received)); got != row.want {
			t.Errorf("%s\n is %s, want %s", row.header, got, row.want)
		}
	}
}

func TestNoWaitIsLongerThanItsWindowOrADay(t *testing.T) {
	for _, row := range []struct{ header, want string }{
		{`RateLimit: "a";r=0;t=600|RateLimit-Policy: "a";q=9;w=60`, "0, 1m1s; RateLimit asks for more than its window; the window is kept"},
		{`RateLimit: "a";r=0;t=61|RateLimit-Policy: "a";q=9;w=60`, "0, 1m1s"},
		{`RateLimit: "a";r=0;t=999999999999999`, "0, 24h0m0s; RateLimit asks for more than a day; a day is kept"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset: 600000", "0, 24h0m0s; X-RateLimit-Reset asks for more than a day; a day is kept"},
		{"RateLimit-Remaining: 0|RateLimit-Reset: 600|RateLimit-Policy: 10;w=2", "0, 3s; RateLimit-Reset asks for more than its window; the window is kept"},
		{"X-RateLimit-Remaining: 7|X-RateLimit-Reset: 600000", "7, 24h0m0s"},
		// a window that no clock can hold is none that a wait is measured by
		{`RateLimit: "a";r=0;t=1|RateLimit-Policy: a;w=10000000000`, "0, 1s"},
		{`RateLimit: "a";r=0;t=999999|RateLimit-Policy: a;w=999999999999999`, "0, 24h0m0s; RateLimit asks for more than a day; a day is kept"},
		{"RateLimit-Remaining: 0|RateLimit-Reset: 5|RateLimit-Policy: 10;w=9223372036", "0, 5s"},
		{"X-RateLimit-Remaining: 0|X-RateLimit-Reset-After: 99999999999999999999h", "0, 24h0m0s; X-RateLimit-Reset-After asks for more than a day; a day is kept"},
	} {
		if got := words(Read(fields(strings.Split(row.header, "|")...), received)); got != row.want {
			t.Errorf("%s\n is %s, want %s", row.header, got, row.want)
		}
	}
}

// Whatever an API sends, a wait is from nothing to a day, and no part of a problem is the API's own words.
func TestPropertyNothingAnAPISendsMakesAWaitThatIsNotOne(t *testing.T) {
	names := []string{"RateLimit", "RateLimit-Policy", "RateLimit-Remaining", "RateLimit-Reset", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Date", "Age"}
	texts := []string{`"a";r=0;t=1`, "0", "1", "-1", "18446744073709551616", "1e400", "1795996830", "limit=1, remaining=0, reset=9", ":", `"`, "a=b;c", "5.", ".", "1h", "\x00\xff"}
	rapid.Check(t, func(t *rapid.T) {
		var header []messages.Field
		for range rapid.IntRange(1, 6).Draw(t, "fields") {
			value := rapid.OneOf(rapid.SampledFrom(texts), rapid.String(), rapid.StringMatching(`"?[a-z]"?(;[rtqw]=[0-9]{0,20}){0,3}`),
				rapid.StringMatching(`[0-9]{1,24}(\.[0-9]{1,12})?(ns|us|ms|s|m|h| sec)?`)).Draw(t, "value")
			header = append(header, messages.Field{Name: rapid.SampledFrom(names).Draw(t, "name"), Value: value})
		}
		r, says, problems := Read(header, received)
		if says && (r.More < 0 || r.More > longest || r.Left < 0) {
			t.Fatalf("%+v of %q", r, header)
		}
		for _, p := range problems {
			known := false
			for _, name := range names {
				known = known || p.Field == name
			}
			if !known {
				t.Fatalf("a problem with the field %q", p.Field)
			}
		}
	})
}
