package retryafter_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/restest/restest/clock/retryafter"
)

const (
	longest = time.Duration(math.MaxInt64)
	imf     = "Mon, 02 Jan 2006 15:04:05 GMT"
	rfc850  = "Monday, 02-Jan-06 15:04:05 GMT"
	asctime = "Mon Jan _2 15:04:05 2006"
)

// received is the moment of receipt in the tables: Monday, 30 November 2026, 10:00:00 UTC.
var received = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

// until is the time from received to that moment.
func until(year int, month time.Month, day, hour, minute, second int) time.Duration {
	return time.Date(year, month, day, hour, minute, second, 0, time.UTC).Sub(received)
}

// row is one field value and what it says; a row with readable false can not be read.
type row struct {
	value    string
	readable bool
	wait     time.Duration
	form     retryafter.Form
	offSpec  string
}

func reads(value string, wait time.Duration, form retryafter.Form, offSpec string) row {
	return row{value, true, wait, form, offSpec}
}

func refuses(value string) row { return row{value: value} }

func TestEachValueIsReadAsWritten(t *testing.T) {
	const (
		seconds  = retryafter.Seconds
		fixdate  = retryafter.IMFFixdate
		old      = retryafter.RFC850
		c        = retryafter.Asctime
		epoch    = retryafter.Epoch
		fraction = retryafter.Fraction
		unit     = retryafter.Unit
		date     = retryafter.Date
		joined   = retryafter.Joined
	)
	const s, ms = time.Second, time.Millisecond
	rows := []row{
		// Seconds.
		reads("120", 120*s, seconds, ""),
		reads("5", 5*s, seconds, ""),
		reads("0", 0, seconds, ""),
		reads("00", 0, seconds, ""),
		reads("0005", 5*s, seconds, ""),
		reads(" 7\t", 7*s, seconds, ""),
		reads("3600", 3600*s, seconds, ""),
		reads("315360000", 315360000*s, seconds, ""),
		reads("9223372036", 9223372036*s, seconds, ""),
		reads("9223372037", longest, seconds, ""),
		reads("9999999999", longest, seconds, ""),
		reads("18446744073", longest, seconds, ""),
		reads("18446744073709551615", longest, seconds, ""),
		reads("18446744073709551616", longest, seconds, ""),
		reads("18446744073709551621", longest, seconds, ""),
		reads("99999999999999999999", longest, seconds, ""),
		reads(strings.Repeat("9", 5000), longest, seconds, ""),
		reads(strings.Repeat("0", 5000)+"3", 3*s, seconds, ""),
		reads("6400", 6400*s, seconds, ""), // meant as milliseconds: nothing says so

		// HTTP's three dates.
		reads("Mon, 30 Nov 2026 10:00:05 GMT", 5*s, fixdate, ""),
		reads("Monday, 30-Nov-26 10:00:05 GMT", 5*s, old, ""),
		reads("Mon Nov 30 10:00:05 2026", 5*s, c, ""),
		reads("Tue Dec  1 10:00:00 2026", 24*time.Hour, c, ""),
		reads("Tue Dec 1 10:00:00 2026", 24*time.Hour, c, ""),
		reads("Tue Dec 01 10:00:00 2026", 24*time.Hour, c, ""),
		reads("Sun, 06 Nov 1994 08:49:37 GMT", 0, fixdate, ""),
		reads("Sunday, 06-Nov-94 08:49:37 GMT", 0, old, ""),
		reads("Sun Nov  6 08:49:37 1994", 0, c, ""),
		reads("Tue, 30 Nov 2026 10:00:05 GMT", 5*s, fixdate, ""), // not that day's weekday
		reads("Mon, 30 Nov 2026 10:00:60 GMT", 60*s, fixdate, ""),
		reads("Monday, 30-Nov-26 10:00:60 GMT", 60*s, old, ""),
		reads("Mon Nov 30 23:59:60 2026", 14*time.Hour, c, ""),
		reads("Mon, 30 Nov 2026 10:00:00 GMT", 0, fixdate, ""),
		reads("Mon, 30 Nov 2026 09:59:59 GMT", 0, fixdate, ""),
		reads("Tue, 29 Feb 2028 00:00:00 GMT", until(2028, 2, 29, 0, 0, 0), fixdate, ""),
		reads("Sat, 01 Jan 0000 00:00:00 GMT", 0, fixdate, ""),
		reads("Fri, 31 Dec 9999 23:59:59 GMT", longest, fixdate, ""),
		reads("Fri, 31 Dec 2066 23:59:59 GMT", until(2066, 12, 31, 23, 59, 59), fixdate, ""),

		// A year of two digits is never more than 50 years ahead.
		reads("Sunday, 06-Nov-68 08:49:37 GMT", until(2068, 11, 6, 8, 49, 37), old, ""),
		reads("Sunday, 06-Nov-69 08:49:37 GMT", until(2069, 11, 6, 8, 49, 37), old, ""),
		reads("Sunday, 06-Nov-75 08:49:37 GMT", until(2075, 11, 6, 8, 49, 37), old, ""),
		reads("Monday, 30-Nov-76 10:00:00 GMT", until(2076, 11, 30, 10, 0, 0), old, ""),
		reads("Monday, 30-Nov-76 10:00:01 GMT", 0, old, ""),
		reads("Sunday, 06-Nov-77 08:49:37 GMT", 0, old, ""),
		reads("Friday, 01-Jan-27 00:00:00 GMT", until(2027, 1, 1, 0, 0, 0), old, ""),

		// Dates in another spelling.
		reads("Mon, 30 Nov 2026 10:00:05 UTC", 5*s, date, "date"), // sethvargo/go-limiter, Storyden
		reads("Mon, 30 Nov 2026 10:00:05 +0000", 5*s, date, "date"),
		reads("Mon, 30 Nov 2026 11:00:05 +0100", 5*s, date, "date"),
		reads("Mon, 30 Nov 2026 05:00:05 -0500", 5*s, date, "date"),
		reads("Tue, 1 Dec 2026 10:00:00 GMT", 24*time.Hour, date, "date"),
		reads("30 Nov 2026 10:00:05 GMT", 5*s, date, "date"),
		reads("Mon, 30 Nov 26 10:00:05 GMT", 5*s, date, "date"),
		reads("Mon, 30-Nov-2026 10:00:05 GMT", 5*s, date, "date"),
		reads("Mon, 30-Nov-26 10:00:05 GMT", 5*s, date, "date"),
		reads("Monday, 30-Nov-26 10:00:05 UTC", 5*s, date, "date"),
		reads("mon, 30 nov 2026 10:00:05 GMT", 5*s, date, "date"),
		reads("Mon, 30 Nov 2026 10:00:05 gmt", 5*s, date, "date"),
		reads("Mon,  30 Nov 2026 10:00:05 GMT", 5*s, date, "date"),
		reads("Mon, 30 Nov 2026 10:00:05.250 GMT", 5250*ms, date, "date"),
		reads("Monday, 30 Nov 2026 10:00:05 GMT", 5*s, date, "date"),
		reads("2026-11-30T10:00:05Z", 5*s, date, "date"),
		reads("2026-11-30t10:00:05z", 5*s, date, "date"),
		reads("2026-11-30T10:00:05.5Z", 5500*ms, date, "date"),
		reads("2026-11-30T11:00:05+01:00", 5*s, date, "date"),
		reads("1994-11-06T08:49:37Z", 0, date, "date"),

		// What is no date.
		refuses("Mon, 30 Nov 2026 10:00:05 EST"),
		refuses("Mon, 30 Nov 2026 10:00:05"),
		refuses("Monday, 30-Nov-26 10:00:05 EST"),
		refuses("Monday, 30-Nov-26 10:00:05 PST"),
		refuses("Monday, 30-Nov-26 10:00:05 GMT-5"),
		refuses("Monday, 30-Nov-26 10:00:05 GMT+3"),
		refuses("Monday, 30-Nov-26 10:00:05 +0000"),
		refuses("Mon, 30 Nov 2026 24:00:00 GMT"),
		refuses("Mon, 30 Nov 2026 10:60:00 GMT"),
		refuses("Mon, 30 Nov 2026 10:00:61 GMT"),
		refuses("Mon, 30 Feb 2026 10:00:05 GMT"),
		refuses("Sun, 29 Feb 2026 10:00:05 GMT"),
		refuses("Mon, 00 Nov 2026 10:00:05 GMT"),
		refuses("Mon, 30 Nox 2026 10:00:05 GMT"),
		refuses("Mon Nov 30 10:00:05 26"),
		refuses("Mon, 30 Nov 202 10:00:05 GMT"),
		refuses("Mon, 30 Nov 20266 10:00:05 GMT"),
		refuses("Mon, 30 November 2026 10:00:05 GMT"),
		refuses("2026-11-30"),
		refuses("2026-11-30 10:00:05"),
		refuses("2026-13-30T10:00:05Z"),
		refuses(strings.Repeat(" x", 4000)),

		// Seconds since 1970, and milliseconds.
		reads(fmt.Sprint(received.Unix()+5), 5*s, epoch, "epoch"),
		reads(fmt.Sprint(received.UnixMilli()+1500), 1500*ms, epoch, "epoch"),
		reads(fmt.Sprint(received.Unix()-5), 0, epoch, "epoch"),
		reads(fmt.Sprint(received.Unix()+86400), 24*time.Hour, epoch, "epoch"),
		reads(fmt.Sprint(received.Unix()+86401), time.Duration(received.Unix()+86401)*s, seconds, ""),
		reads(fmt.Sprint(received.Unix()-86401), time.Duration(received.Unix()-86401)*s, seconds, ""),
		reads(fmt.Sprint(received.UnixMilli()+86400001), longest, seconds, ""),
		reads(fmt.Sprintf("%d.25", received.Unix()+5), 5250*ms, epoch, "epoch"),
		reads("1771404540", 1771404540*s, seconds, ""), // ten months ago: no moment to wait for

		// Fractions, rounded up to a millisecond.
		reads("0.493", 493*ms, fraction, "fraction"),            // SpaceTraders
		reads("292.052427053", 292053*ms, fraction, "fraction"), // Sentry
		reads("0.129", 129*ms, fraction, "fraction"),            // PostHog
		reads("1.979", 1979*ms, fraction, "fraction"),           // rate-limiter-flexible
		reads("1.5", 1500*ms, fraction, "fraction"),
		reads("5.0", 5*s, fraction, "fraction"),
		reads("0.0", 0, fraction, "fraction"),
		reads("0.0001", 1*ms, fraction, "fraction"),
		reads("0.00000000000000000001", 1*ms, fraction, "fraction"),
		reads("0.9999999999", 1*s, fraction, "fraction"),
		reads("9223372036.9", longest, fraction, "fraction"),
		reads(strings.Repeat("9", 400)+".5", longest, fraction, "fraction"),
		reads("1."+strings.Repeat("9", 4000), 2*s, fraction, "fraction"),

		// Units.
		reads("30s", 30*s, unit, "unit"), // Câmara dos Deputados, CivicPlus
		reads("5s", 5*s, unit, "unit"),
		reads("5 s", 5*s, unit, "unit"),
		reads("5 sec", 5*s, unit, "unit"),
		reads("5 Seconds", 5*s, unit, "unit"),
		reads("1 second", 1*s, unit, "unit"),
		reads("1m0s", time.Minute, unit, "unit"),
		reads("1h2m3s", time.Hour+2*time.Minute+3*s, unit, "unit"),
		reads("1.2s", 1200*ms, unit, "unit"),
		reads("500ms", 500*ms, unit, "unit"),
		reads("250µs", 250*time.Microsecond, unit, "unit"),
		reads("1.5h", 90*time.Minute, unit, "unit"),
		reads("0s", 0, unit, "unit"),
		reads("99999999999999h", longest, unit, "unit"),
		reads("9223372036s9223372036s", longest, unit, "unit"),

		// Two values in one line.
		reads("Mon, 30 Nov 2026 10:00:05 GMT, 7", 5*s, joined, "joined"),
		reads("Mon, 30 Nov 2026 10:00:05 UTC, 7", 5*s, joined, "joined"),
		reads("Monday, 30-Nov-26 10:00:05 GMT, 7", 5*s, joined, "joined"),
		reads("Mon Nov 30 10:00:05 2026, 7", 5*s, joined, "joined"),
		reads("7, Mon, 30 Nov 2026 10:00:05 GMT", 7*s, joined, "joined"),
		reads("5, 10", 5*s, joined, "joined"),
		reads("5 , 120", 5*s, joined, "joined"),
		reads("-1, 10", 10*s, joined, "joined"),
		reads("soon, 1.5", 1500*ms, joined, "joined"),
		reads("Mon, 30 Feb 2026 10:00:05 GMT, 7", 7*s, joined, "joined"),
		reads(",,3", 3*s, joined, "joined"),
		refuses("a, b"),
		refuses(strings.Repeat(",", 5000)),

		// What can not be read.
		refuses(""),
		refuses(" "),
		refuses("-1"),
		refuses("-2"),
		refuses("-43"),
		refuses("-3"),
		refuses("-1.5"),
		refuses("-5s"),
		refuses("+3"),
		refuses("+5"),
		refuses("NaN"),
		refuses("Infinity"),
		refuses("1e3"),
		refuses("0x10"),
		refuses("1_000"),
		refuses(`"5"`),
		refuses("'5'"),
		refuses(".5"),
		refuses("5."),
		refuses("5.s"),
		refuses("5 parsecs"),
		refuses("1m0"),
		refuses("18446744073709551616x"),
		refuses("soon"),
		refuses("null"),
		refuses("undefined"),
		refuses("\x00"),
		refuses("５"),
	}
	for _, r := range rows {
		got, ok := retryafter.Read([]string{r.value}, "", received)
		if !ok && !r.readable {
			continue
		}
		want := retryafter.Reading{Wait: r.wait, Form: r.form, OffSpec: r.offSpec, Text: strings.Trim(r.value, " \t")}
		if ok != r.readable || got != want {
			t.Errorf("%.60q: got %+v, %v; want %+v, %v", r.value, got, ok, want, r.readable)
		}
	}
}

func TestNoLineSaysNothing(t *testing.T) {
	if got, ok := retryafter.Read(nil, "Mon, 30 Nov 2026 10:00:00 GMT", received); ok {
		t.Errorf("got %+v", got)
	}
}

func TestOfSeveralLinesTheFormsOfTheRFCComeFirst(t *testing.T) {
	for _, c := range []struct {
		lines []string
		text  string
	}{
		{[]string{"5", "120"}, "5"},
		{[]string{"soon", "120"}, "120"},
		{[]string{"0.5", "120"}, "120"},
		{[]string{"30s", "Mon Nov 30 10:00:05 2026"}, "Mon Nov 30 10:00:05 2026"},
		{[]string{"5, 10", "-1", "7"}, "7"},
		{[]string{"5, 10", "1.5"}, "1.5"},
		{[]string{"-1", "30s", "0.5"}, "30s"},
		{[]string{fmt.Sprint(received.Unix() + 9), "5"}, "5"},
		{[]string{fmt.Sprint(received.Unix() + 9), "0.5"}, fmt.Sprint(received.Unix() + 9)},
	} {
		if got, ok := retryafter.Read(c.lines, "", received); !ok || got.Text != c.text {
			t.Errorf("%q: got %+v, %v; want the line %q", c.lines, got, ok, c.text)
		}
	}
}

func TestAMomentIsMeasuredFromTheReplysDate(t *testing.T) {
	at := func(offset time.Duration, layout string) string { return received.Add(offset).Format(layout) }
	const five = 5 * time.Second
	for _, c := range []struct {
		name, value, date string
		wait              time.Duration
	}{
		{"the same clock", at(five, imf), at(0, imf), five},
		{"RFC 850", at(five, rfc850), at(0, imf), five},
		{"asctime", at(five, asctime), at(0, imf), five},
		{"a clock behind", at(five-time.Hour, imf), at(-time.Hour, imf), five},
		{"a clock ahead", at(five+time.Hour, imf), at(time.Hour, imf), five},
		{"past", at(-time.Minute, imf), at(0, imf), 0},
		{"past by a clock ahead", at(time.Minute, imf), at(time.Hour, imf), 0},
		{"a Date that is none", at(five, imf), "yesterday", five},
		{"a Date of its own spelling", at(five-time.Hour, imf), at(-time.Hour, "Mon, 02 Jan 2006 15:04:05 UTC"), five},
		{"a Date as asctime", at(five-time.Hour, imf), " " + at(-time.Hour, asctime), five},
		{"a clock that was never set", "Thu, 01 Jan 1970 00:00:35 GMT", "Thu, 01 Jan 1970 00:00:30 GMT", five},
		{"seconds since 1970", fmt.Sprint(received.Add(time.Hour).Unix() + 5), at(time.Hour, imf), five},
		{"seconds", "5", at(time.Hour, imf), five},
		{"a unit", "5s", at(time.Hour, imf), five},
		{"joined", at(five-time.Hour, imf) + ", 9", at(-time.Hour, imf), five},
	} {
		if got, ok := retryafter.Read([]string{c.value}, c.date, received); !ok || got.Wait != c.wait {
			t.Errorf("%s: got %+v, %v; want %v", c.name, got, ok, c.wait)
		}
	}
}

func TestTheReceiptsZoneDoesNotMatter(t *testing.T) {
	far := received.In(time.FixedZone("far", 14*60*60))
	for _, value := range []string{"Monday, 30-Nov-76 10:00:00 GMT", "Mon, 30 Nov 2026 10:00:05 GMT", fmt.Sprint(received.Unix())} {
		here, _ := retryafter.Read([]string{value}, "", received)
		there, ok := retryafter.Read([]string{value}, "", far)
		if !ok || here != there {
			t.Errorf("%q: %+v and %+v", value, here, there)
		}
	}
}

func TestAClockNear1970DoesNotTurnSecondsIntoMoments(t *testing.T) {
	got, ok := retryafter.Read([]string{"30"}, "", time.Unix(10, 0))
	if want := (retryafter.Reading{Wait: 30 * time.Second, Text: "30"}); !ok || got != want {
		t.Errorf("got %+v, %v; want %+v", got, ok, want)
	}
}

func TestATwoDigitYearIsTheLatestNotFiftyYearsAhead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(rapid.Int64Range(0, 7_000_000_000).Draw(t, "now"), 0).UTC()
		moment := now.Add(time.Duration(rapid.Int64Range(0, 50*365*24*60*60).Draw(t, "ahead")) * time.Second)
		got, ok := retryafter.Read([]string{moment.Format(rfc850)}, "", now)
		if !ok || got.Wait != moment.Sub(now) || got.Form != retryafter.RFC850 {
			t.Fatalf("%s at %s: %+v, %v", moment.Format(rfc850), now, got, ok)
		}
	})
}

func TestEveryFormOfAMomentSaysTheSame(t *testing.T) {
	layouts := []string{imf, rfc850, asctime, time.RFC1123Z, time.RFC3339, "Mon, 2-Jan-2006 15:04:05 UTC"}
	rapid.Check(t, func(t *rapid.T) {
		moment := received.Add(time.Duration(rapid.Int64Range(0, 1_000_000_000).Draw(t, "ahead")) * time.Second)
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		got, ok := retryafter.Read([]string{moment.Format(layout)}, "", received)
		if !ok || got.Wait != moment.Sub(received) {
			t.Fatalf("%s: %+v, %v", moment.Format(layout), got, ok)
		}
	})
}

func TestAWaitIsNeverNegative(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"0", "1", "5", "9", "999999999", "18446744073709551615", ".", ",", ", ", " ", "-", "+", ":", "s", "m", "h", "ms",
		"sec", "GMT", "UTC", "+0000", "-1200", "Mon", "Mon, ", "Sunday, ", "30 Nov 2026 ", "30-Nov-76 ", "Nov 30 ",
		"10:00:05", "23:59:60", "9999", "0000", "2026-11-30T10:00:05Z", "T", "Z", "\x00", "é", "NaN", `"`,
	})
	value := rapid.Map(rapid.SliceOfN(pieces, 0, 12), func(p []string) string { return strings.Join(p, "") })
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.OneOf(value, rapid.String()), 0, 4).Draw(t, "lines")
		date := rapid.OneOf(value, rapid.Just(""), rapid.Just(received.Format(imf))).Draw(t, "date")
		check(t, lines, date)
	})
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"5", "0.5", "1m0s", "Mon, 30 Nov 2026 10:00:05 GMT, 7", "2026-11-30T10:00:05Z", "99999999999999999999"} {
		f.Add(seed, "")
		f.Add("x", seed)
	}
	f.Fuzz(func(t *testing.T, value, date string) { check(t, []string{value}, date) })
}

// check holds what must be so of every reading.
func check(t rapid.TB, lines []string, date string) {
	got, ok := retryafter.Read(lines, date, received)
	switch {
	case !ok && got != retryafter.Reading{}:
		t.Fatalf("%q: unreadable, and %+v", lines, got)
	case got.Wait < 0:
		t.Fatalf("%q: %v is negative", lines, got.Wait)
	case ok && (got.Form > retryafter.Asctime) != (got.OffSpec != ""):
		t.Fatalf("%q: the form %d is labelled %q", lines, got.Form, got.OffSpec)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, value := range []string{"30", "Mon, 30 Nov 2026 10:00:05 GMT", "Mon, 30 Nov 2026 10:00:05 UTC", "soon"} {
		b.Run(value, func(b *testing.B) {
			b.ReportAllocs()
			lines := []string{value}
			for b.Loop() {
				retryafter.Read(lines, "Mon, 30 Nov 2026 10:00:00 GMT", received)
			}
		})
	}
}
