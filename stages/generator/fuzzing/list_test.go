package fuzzing

import (
	"slices"
	"testing"
)

func TestWhatTellsSomethingIsAmongTheTroublesomeTexts(t *testing.T) {
	for _, text := range telling {
		if !slices.Contains(texts, text) {
			t.Errorf("%q is not", text)
		}
	}
}
