package stages

import (
	"slices"
	"testing"
	"time"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

func TestAnOperationsRateIsNamedByItsIDItsPathOrItsTag(t *testing.T) {
	doc := &document.Document{Operations: []*document.Operation{
		{ID: "listPets", Method: "GET", Path: "/pets", Tags: []string{"pets", "slow"}},
		{Index: 1, ID: "POST /pets", Method: "POST", Path: "/pets", Tags: []string{"pets"}},
		{Index: 2, ID: "getOwner", Method: "GET", Path: "/owners/{id}"},
	}}
	for rates, want := range map[string][]time.Duration{
		"":                                {0, 0, 0},
		"listPets=60":                     {time.Second, 0, 0},
		"GET /pets=60, POST /pets=6":      {time.Second, 10 * time.Second, 0},
		"pets=60,slow=30":                 {2 * time.Second, time.Second, 0},
		"slow=30, pets=60":                {2 * time.Second, time.Second, 0},
		"GET /owners/{id}=7, getOwner=60": {0, 0, 8571428572},
	} {
		got, err := OwnRates(doc, settings.Engine{MostRequestsPerMinuteFor: rates})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", rates, got, err, want)
		}
	}
	for rates, want := range map[string]string{
		"listPet=60":  "engine.mostRequestsPerMinuteFor: listPet is no operationId, METHOD /path or tag of the document; did you mean listPets?",
		"GET /pest=1": `engine.mostRequestsPerMinuteFor: "GET /pest" is no operationId, METHOD /path or tag of the document; did you mean "GET /pets"?`,
		"weather=1":   "engine.mostRequestsPerMinuteFor: weather is no operationId, METHOD /path or tag of the document",
	} {
		if _, err := OwnRates(doc, settings.Engine{MostRequestsPerMinuteFor: rates}); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", rates, err, want)
		}
	}
}
