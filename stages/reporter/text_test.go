package reporter

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
)

func TestNumbersAndLengthsAreWrittenForPeople(t *testing.T) {
	for _, row := range [][2]string{
		{number(0), "0"},
		{number(999), "999"},
		{number(57728), "57,728"},
		{number(-1234567), "-1,234,567"},
		{plural(1, "reply"), "1 reply"},
		{plural(2000, "reply"), "2,000 replies"},
		{plural(0, "request"), "0 requests"},
		{names([]string{"a", "b"}, 2), "a, b"},
		{names([]string{"a", "b", "c"}, 1), "a and 2 more"},
		{length(100 * time.Millisecond), "100ms"},
		{length(6666667 * time.Nanosecond), "6.667ms"},
		{length(1500 * time.Millisecond), "1.5s"},
		{length(time.Minute), "1m"},
		{length(90 * time.Second), "1m30s"},
		{length(2 * time.Hour), "2h"},
		{countdown(1), "1s"},
		{countdown(1001 * time.Millisecond), "2s"},
		{iso(0), "PT0S"},
		{iso(1500 * time.Millisecond), "PT1.5S"},
		{iso(90 * time.Second), "PT90S"},
		{iso(1), "PT0.000000001S"},
		{iso(-time.Second), "-PT1S"},
		{clip("abc", 3), "abc"},
		{clip("abcd", 3), "abc…"},
		{clip("ab☕", 3), "ab…"},
		{cut("ab☕d", 3), "ab☕"},
		{clean("a\x1b[2J\n\xff☕…\u202e", true), `a\x1b[2J\n\xff☕…\u202e`},
		{clean("☕…", false), `\u2615...`},
	} {
		if row[0] != row[1] {
			t.Errorf("got %q, want %q", row[0], row[1])
		}
	}
}

func TestWhatIsShownHoldsNoControls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		for _, utf8OK := range []bool{true, false} {
			shown := clean(s, utf8OK)
			for _, r := range shown {
				if !unicode.IsPrint(r) || !utf8OK && r >= utf8.RuneSelf {
					t.Fatalf("%q is shown as %q", s, shown)
				}
			}
		}
	})
}

func TestATextComesThroughJSONWithEveryByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Text(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + Text(rapid.String().Draw(t, "text"))
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Text
		if err := json.Unmarshal(b, &got); err != nil || got != want {
			t.Fatalf("%q comes as %q, %v", want, got, err)
		}
	})
}

func TestACutTextIsABeginningOfWholeCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		n := rapid.IntRange(0, len(s)+2).Draw(t, "length")
		got := clipBytes(s, n)
		if !strings.HasPrefix(s, got) || len(got) > n || !utf8.ValidString(got) || len(got) < min(n, len(s))-utf8.UTFMax+1 {
			t.Fatalf("%q cut to %d is %q", s, n, got)
		}
	})
}

func TestLogLinesOfManyStagesStayWhole(t *testing.T) {
	s := newScene(t, func(c *Config) { c.LiveTTY = true })
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for range 100 {
				fmt.Fprintf(s.r.Log(), "stage %d says so\n", i)
			}
		})
	}
	for i := range 100 {
		s.at(time.Duration(i) * 200 * time.Millisecond)
	}
	wait.Wait()
	if n := strings.Count(s.live.String(), " says so\n"); n != 400 {
		t.Errorf("%d of 400 lines are whole", n)
	}
}

func TestTheLiveLineKeepsWhatMattersMostInANarrowTerminal(t *testing.T) {
	for _, row := range []struct {
		width int
		want  string
	}{
		{130, "0.5s · 2 requests · 4/s · 1 of 4 in flight · 2xx 1 · 4xx 1 · 0 errors, 1 warning · waiting as asked: listPets 3s · 10s left"},
		{105, "0.5s · 2 requests · 4/s · 2xx 1 · 4xx 1 · 0 errors, 1 warning · waiting as asked: listPets 3s · 10s left"},
		{84, "2 requests · 4/s · 0 errors, 1 warning · waiting as asked: listPets 3s · 10s left"},
		{60, "2 requests · 0 errors, 1 warning · 10s left"},
		{30, "2 requests · 10s left"},
		{10, "2 request"},
	} {
		s := newScene(t, func(c *Config) {
			c.LiveTTY, c.Width, c.Settings.Report.LiveEvery = true, row.width, 500*time.Millisecond
		})
		s.paced.InFlight = 1
		s.paced.Waits = []messages.Waited{{Operation: 0, Until: 3e9}}
		s.judged(0, 200)
		s.judged(2, 418, finding(undeclared))
		s.at(500 * time.Millisecond)
		if got := s.r.screen.foot; got != row.want || utf8.RuneCountInString(got) >= row.width {
			t.Errorf("with %d columns: got %q\nwant %q", row.width, got, row.want)
		}
	}
}

func TestTheRateShownIsThatOfTheLastSeconds(t *testing.T) {
	s := newScene(t, nil)
	l := live{}
	p := &messages.Paced{}
	var last string
	for i := range 100 { // 10 a second for 5 s, then 100 a second
		p.Sent++
		if i >= 50 {
			p.Sent += 9
		}
		last = l.pace(messages.Instant(i)*1e8, p, s.r)
		if i == 49 && last != "10/s" {
			t.Errorf("after five seconds it shows %s", last)
		}
	}
	if last != "100/s" || len(l.samples) > 10 {
		t.Errorf("at last it shows %s, from %d samples", last, len(l.samples))
	}
}
