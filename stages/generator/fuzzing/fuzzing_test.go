package fuzzing

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator/values"
)

// What some take for one of a format and others do not, such as a moment in a leap second, breaks nothing.
func TestWhatBreaksAFormatDoesSoForTheJudge(t *testing.T) {
	broken := 0
	for _, format := range []string{"date", "date-time", "time", "duration", "uuid", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference", "byte", "json-pointer"} {
		shape := values.NewShapes(settings.Default().Generation).Of(&document.Schema{Types: []string{"string"}, Format: format, MaxLength: -1})
		for _, text := range slices.Concat(texts, telling) {
			if rule, ok := shape.Broken(text); !ok || rule != "format" {
				continue
			}
			broken++
			if fits, _ := document.FitsFormat(format, text); fits {
				t.Errorf("%q is said to break the format %s", text, format)
			}
		}
	}
	if broken < 1000 {
		t.Errorf("only %d texts break a format", broken)
	}
	if _, ok := values.NewShapes(settings.Default().Generation).Of(&document.Schema{Types: []string{"string"}, Format: "date-time", MaxLength: -1}).Broken("2024-02-29T23:59:60Z"); ok {
		t.Error("a leap second breaks date-time")
	}
}

// "a number in another spelling than its plain one … is neither held to fit nor to break anything" (decision 0016 §4).
func TestOnlyPlainNumbersSayInAURLWhatTheyAre(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "1": true, "-12": true, "0.5": true, "-0.25": true, "1.50": true, "18446744073709551616": true,
		"1e0": false, "1E+2": false, "0.1e1": false, "1.0": false, "-0": false, "-0.0": false, "1e-400": false,
	} {
		if got := plainly(json.Number(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
