package settings

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestEachSettingHasARuleAndEachRuleASetting(t *testing.T) {
	seen := make(map[string]bool)
	variables := make(map[string]string)
	for i := range table {
		s := &table[i]
		if s.group == "" || s.key == "" {
			t.Errorf("the field at %v has no name", s.index)
		}
		if seen[s.name] {
			t.Errorf("%s is there twice", s.name)
		}
		seen[s.name] = true
		if other, taken := variables[s.variable()]; taken {
			t.Errorf("%s and %s share the variable %s", s.name, other, s.variable())
		}
		variables[s.variable()] = s.name
		if !strings.HasSuffix(s.meaning, ".") || strings.Contains(s.meaning, "\n") {
			t.Errorf("%s: the meaning %q is not a sentence of one line", s.name, s.meaning)
		}
		if (s.kind == isText) != (s.check != nil) {
			t.Errorf("%s: a text, and only a text, has a check", s.name)
		}
		if bounded := s.kind == isNumber || s.kind == isDuration; bounded != (s.most > 0) {
			t.Errorf("%s: a number or a duration, and only those, has bounds", s.name)
		}
	}
	for name := range rules {
		if !seen[name] {
			t.Errorf("the rule of %s belongs to no setting", name)
		}
	}
}

func TestTheDefaultsKeepTheRules(t *testing.T) {
	defaults := Default()
	for i := range table {
		s := &table[i]
		var read Settings
		if wrong := s.put(&read, s.text(&defaults)); wrong != "" {
			t.Errorf("%s: %s", s.name, wrong)
		}
		if got, want := s.field(&read).Interface(), s.field(&defaults).Interface(); got != want {
			t.Errorf("%s: %v written and read back is %v", s.name, want, got)
		}
	}
	given, err := Resolve(Input{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(given.Settings, defaults) {
		t.Errorf("nothing given makes %+v, not the defaults", given.Settings)
	}
	if given.Engine.CallTimeout != given.Engine.callTimeout() {
		t.Errorf("the default call time-out, %v, is not what the others make it, %v",
			given.Engine.CallTimeout, given.Engine.callTimeout())
	}
}

func TestAllShowsASettingMadeByHandAsADefault(t *testing.T) {
	given := &Given{Settings: Default()}
	for _, v := range given.All() {
		if v.Origin != FromDefault || v.Where != "" || v.Value != v.Default {
			t.Errorf("%+v is not shown as a default", v)
		}
	}
}

func TestDurations(t *testing.T) {
	for _, row := range []struct {
		text string
		want time.Duration
	}{
		{"500ms", 500 * time.Millisecond},
		{"30s", 30 * time.Second},
		{"5m", 5 * time.Minute},
		{"2h", 2 * time.Hour},
		{"30", 30 * time.Second},
		{"1.5", 1500 * time.Millisecond},
		{"0.25h", 15 * time.Minute},
		{"0", 0},
		{"0.0000000019", 1},
		{"8760h", 8760 * time.Hour},
	} {
		got, err := ParseDuration(row.text)
		if err != nil || got != row.want {
			t.Errorf("%q is %v, %v; want %v", row.text, got, err, row.want)
		}
	}
	for text, want := range map[string]string{
		"":                        `"" is not a duration`,
		"5 s":                     `"5 s" is not a duration`,
		"5d":                      "5d is not a duration",
		"1h30m":                   "1h30m is not a duration",
		"1e3":                     "1e3 is not a duration",
		".5s":                     ".5s is not a duration",
		"-5s":                     "-5s is negative",
		"8761h":                   "8761h is longer than a year",
		"99999999999999999999h":   "99999999999999999999h is longer than a year",
		strings.Repeat("9", 1000): `is not a duration`,
		"5\x1b[31ms":              `"5\x1b[31ms" is not a duration`,
	} {
		if got, err := ParseDuration(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %v, %v; want an error with %q", text, got, err, want)
		}
	}
}

func TestSuggestions(t *testing.T) {
	for word, want := range map[string]string{
		"engine.mostRequestPerMinute":     "engine.mostRequestsPerMinute",
		"engine.mostrequestsperminute":    "engine.mostRequestsPerMinute",
		"mostRequestsPerMinute":           "engine.mostRequestsPerMinute",
		"schedule.readTimeout":            "engine.readTimeout",
		"engine.raedTimeout":              "engine.readTimeout",
		"engien.readTimeout":              "engine.readTimeout",
		"memory.mostdepth":                "memory.mostDepth",
		"generation.mostdepth":            "generation.mostDepth",
		"checks.undeclaredStatus":         "checks.undeclaredStatusCode",
		"weather.isFine":                  "",
		"":                                "",
		strings.Repeat("readTimeout", 99): "",
	} {
		if got := SuggestName(word); got != want {
			t.Errorf("for %q %q is suggested, want %q", word, got, want)
		}
	}
}

func TestDistanceCountsSlips(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "abc", 0},
		{"abc", "abd", 1},
		{"abc", "ab", 1},
		{"abc", "abxc", 1},
		{"abc", "acb", 1},
		{"kitten", "sitting", 3},
	} {
		if got := distance([]rune(row.a), []rune(row.b)); got != row.want {
			t.Errorf("from %q to %q are %d slips, want %d", row.a, row.b, got, row.want)
		}
	}
}
