package values

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// realDocuments are the places of the real documents kept beside the project.
func realDocuments(t testing.TB) []string {
	t.Helper()
	root := os.Getenv("RESTEST_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared")
	}
	root = filepath.Join(root, "openapi")
	if _, missing := os.Stat(root); missing != nil {
		t.Skip("the real documents are not there: ", missing)
	}
	var places []string
	for _, pattern := range []string{"corpus/*.*", "corpus/digitalocean/DigitalOcean-public.v2.yaml", "wfd/*.*", "wfd/*/*.*"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range found {
			if slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(place)) {
				places = append(places, place)
			}
		}
	}
	return places
}

// sent is a schema of something that a request holds, with the place that it is named by.
type sent struct {
	place    string
	schema   *document.Schema
	examples []any
	name     string
}

func sentBy(doc *document.Document) []sent {
	var all []sent
	seen := map[*document.Schema]bool{}
	add := func(s sent) {
		if s.schema != nil && !seen[s.schema] {
			seen[s.schema] = true
			all = append(all, s)
		}
	}
	for _, op := range doc.Operations {
		if op.Untestable != "" {
			continue
		}
		for _, p := range op.Parameters {
			add(sent{op.ID + " " + p.In + "." + p.Name, p.Schema, p.Examples, p.Name})
		}
		if op.Body != nil {
			for _, m := range op.Body.Media {
				add(sent{op.ID + " " + m.Type, m.Schema, m.Examples, ""})
			}
		}
	}
	return all
}

// apartByName says of a value that it breaks nothing but a oneOf, and that only since several of its branches take it:
// the discriminator alone tells them apart. Some documents leave no other way, and mean it so; OpenAPI 3.0 §4.7.25 has a
// reader look at the branch that is named. The judge goes by JSON Schema and counts them.
func apartByName(s *Shape, v any, faults []document.Fault) bool {
	return s.fitsNamedBranch(v) && !slices.ContainsFunc(faults, func(f document.Fault) bool { return f.Keyword != "oneOf" })
}

func TestTheJudgePassesEveryValueForRealSchemas(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	every := 5
	if os.Getenv("RESTEST_LONG") != "" {
		every = 1
	}
	at, schemas, impossible, values, undecided, overlap := 0, 0, 0, 0, 0, 0
	reasons := map[string]int{}
	for _, place := range realDocuments(t) {
		doc, err := document.Load(context.Background(), place, document.Options{URL: "http://127.0.0.1:8080"})
		if err != nil {
			continue // what cannot be read is told of elsewhere
		}
		shapes, judge := NewShapes(settings.Default().Generation), document.NewJudge(doc)
		source := rand.NewPCG(0, 0)
		d := shapes.Draw(rand.New(source), nil)
		for _, s := range sentBy(doc) {
			if at++; at%every != 0 {
				continue
			}
			schemas++
			f := NewField(s.name, shapes.Of(s.schema), s.examples...)
			if why := f.Shape.Why(); why != "" {
				impossible++
				reasons[fmt.Sprintf("%s: %s: %s", filepath.Base(place), s.place, why)]++
				continue
			}
			failed := 0
			for seed := range uint64(20) {
				source.Seed(seed, uint64(at))
				d.Reset(0)
				d.Likeliest, d.Nulls = seed == 0, seed%2 == 0
				v, ok := d.Make(&f, "body")
				if !ok {
					failed++
					continue
				}
				faults, err := judge.Judge(s.schema, document.InRequest, v)
				if err != nil {
					undecided++
					reasons["undecided: "+err.Error()]++
					continue
				}
				values++
				if d.ByDiscriminator {
					if !apartByName(f.Shape, v, faults) {
						t.Errorf("%s: %s: told apart by a discriminator, it is said, and %d faults", filepath.Base(place), s.place, len(faults))
					}
					overlap++
					reasons[fmt.Sprintf("overlap: %s: %s", filepath.Base(place), s.place)]++
					continue
				}
				for _, fault := range faults {
					text, _ := json.Marshal(v)
					t.Errorf("%s: %s: %s: %+v", filepath.Base(place), s.place, text[:min(300, len(text))], fault)
				}
			}
			if failed == 20 {
				impossible++
				reasons[fmt.Sprintf("%s: %s: %s", filepath.Base(place), s.place, d.Reason())]++
			}
		}
	}
	for _, reason := range sortedNames(reasons) {
		t.Logf("%d times %s", reasons[reason], strings.ReplaceAll(reason, "\n", " "))
	}
	t.Logf("%d schemas, %d impossible, %d values judged, %d undecided, %d overlapping", schemas, impossible, values, undecided, overlap)
	if impossible*100 > schemas {
		t.Errorf("of %d schemas %d cannot be filled", schemas, impossible)
	}
	if overlap*1000 > values {
		t.Errorf("of %d values %d are told apart by a discriminator alone", values, overlap)
	}
	if values < 1000 {
		t.Errorf("only %d values were judged", values)
	}
}
