package fuzzing

import (
	"encoding/json"
	"testing"
)

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
