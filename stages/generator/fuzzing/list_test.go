package fuzzing

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/stages/generator/draft"
	"github.com/restest/restest/stages/generator/values"
)

func TestObjectsAreMostlyFuzzedWithStructures(t *testing.T) {
	shapes := values.NewShapes(settings.Default().Generation)
	d := shapes.Draw(rand.New(rand.NewPCG(1, 2)), nil)
	for name, least := range map[string]int{"object": 700, "array": 700, "string": 0} {
		field := values.NewField("x", shapes.Of(values.OfType(name)))
		structured := 0
		for range 1000 {
			switch v, _ := pick(d, &draft.Place{Field: &field, Typed: true}); v.(type) {
			case map[string]any, []any:
				structured++
			}
		}
		if structured < least || least == 0 && structured > 100 {
			t.Errorf("%s: %d of 1000 are lists and objects", name, structured)
		}
	}
}

func TestWhatTellsSomethingIsAmongTheTroublesomeTexts(t *testing.T) {
	for _, text := range telling {
		if !slices.Contains(texts, text) {
			t.Errorf("%q is not", text)
		}
	}
}
