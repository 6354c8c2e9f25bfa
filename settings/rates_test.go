package settings

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestARateAnHourIsARateTheRunKeeps(t *testing.T) {
	for _, row := range []struct {
		set       []string
		want      time.Duration
		perMinute int64
	}{
		{[]string{"engine.mostRequestsPerHour=30"}, 2 * time.Minute, 1},
		{[]string{"engine.mostRequestsPerHour=72000"}, 50 * time.Millisecond, 1200},
		{[]string{"engine.mostRequestsPerHour=7"}, 514285714286, 1},
		{[]string{"engine.mostRequestsPerHour=72000", "engine.mostRequestsPerMinute=600"}, 100 * time.Millisecond, 600},
		{[]string{"engine.mostRequestsPerHour=3600", "engine.mostRequestsPerMinute=600"}, time.Second, 600},
		{[]string{"engine.mostRequestsPerHour=0", "engine.mostRequestsPerMinute=1200"}, 50 * time.Millisecond, 1200},
		{[]string{"engine.mostRequestsPerHour=0"}, 0, 600},
		{[]string{"engine.limitTheRate=true"}, 100 * time.Millisecond, 600},
		{nil, 0, 600},
	} {
		g := resolve(t, Input{Set: row.set})
		if got := g.Engine.Interval(); got != row.want || g.Engine.MostRequestsPerMinute != row.perMinute || len(g.Notes()) > 0 {
			t.Errorf("%v: an interval of %v at %d a minute, want %v at %d; notes %q", row.set, got, g.Engine.MostRequestsPerMinute, row.want, row.perMinute, g.Notes())
		}
		if again := resolve(t, Input{Content: []byte(g.Print())}); again.Settings != g.Settings {
			t.Errorf("%v: printed and read back the settings are %+v", row.set, again.Engine)
		}
	}
	g := resolve(t, Input{Set: []string{"engine.mostRequestsPerHour=30", "engine.limitTheRate=false"}})
	want := []string{"engine.mostRequestsPerHour is 30, but engine.limitTheRate is false, so no rate is kept to"}
	if !slices.Equal(g.Notes(), want) || g.Engine.Interval() != 0 {
		t.Errorf("the switch decides, and the notes are %q", g.Notes())
	}
}

func TestPropertyAnIntervalIsTheLeastThatKeepsTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SampledFrom([]time.Duration{time.Minute, time.Hour}).Draw(t, "in")
		n := rapid.Int64Range(1, 60*million).Draw(t, "number")
		if d := Interval(in, n); int64(d)*n < int64(in) || int64(d-1)*n >= int64(in) {
			t.Fatalf("%d in %v: %v", n, in, d)
		}
	})
}

func TestRatesOfOperationsAreNamesWithNumbers(t *testing.T) {
	e := Engine{MostRequestsPerMinuteFor: " listPets=30,POST /pets=6 , a tag = 60, x=y=1"}
	want := []RateFor{{"listPets", 30}, {"POST /pets", 6}, {"a tag", 60}, {"x=y", 1}}
	if got := e.RatesFor(); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	for text, want := range map[string]string{
		"listPets":      "has no number",
		"listPets=":     "is not a rate",
		"=3":            "has no name",
		"listPets=0":    "is not a rate",
		"listPets=1.5":  "is not a rate",
		"a=1,,b=2":      "has no number",
		"a=99999999999": "is not a rate",
	} {
		if _, err := Resolve(Input{Set: []string{"engine.mostRequestsPerMinuteFor=" + text}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestRatesOfOperationsStandInAFileAsTheyAreRead(t *testing.T) {
	for _, line := range []string{
		`  mostRequestsPerMinuteFor: listPets=30, POST /pets=6`,
		`  mostRequestsPerMinuteFor: {listPets: 30, POST /pets: 6}`,
		"  mostRequestsPerMinuteFor:\n    listPets: 30\n    POST /pets: 6",
	} {
		g := resolve(t, Input{Content: file("engine:", line)})
		if want := []RateFor{{"listPets", 30}, {"POST /pets", 6}}; !slices.Equal(g.Engine.RatesFor(), want) {
			t.Errorf("%s: %+v", line, g.Engine.RatesFor())
		}
	}
}
