package plan

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

func read(text string) (*Plan, error) {
	return Read("p.yaml", []byte(text), settings.Default())
}

func TestAPlanIsReadAndWhatItDoesNotSayIsAsWithoutOne(t *testing.T) {
	got, err := read(`
version: 1
strategies:
  - {strategy: nominal, share: 60, sources: [enum, dictionary, {example: 3, random: 1}]}
  - strategy: fuzzing
    share: 40
operations:
  only: [pets, "GET /shops/*"]
  leaveAlone: [deletePet]
`)
	if err != nil {
		t.Fatal(err)
	}
	want := &Plan{
		Strategies: []Strategy{
			{Nominal, 60, []Group{{{Enum, 1}}, {{Dictionary, 1}}, {{Example, 3}, {Random, 1}}}},
			{Fuzzing, 40, nil},
		},
		Only: []string{"pets", "GET /shops/*"}, LeftAlone: []string{"deletePet"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if got, err = read(`{"version": 1}`); err != nil || !reflect.DeepEqual(got, Default(settings.Default())) {
		t.Errorf("a plan that says nothing is %+v, %v", got, err)
	}
}

func TestSharesWithoutAPlan(t *testing.T) {
	shares := map[string]int{}
	for _, s := range Default(settings.Default()).Strategies {
		shares[s.Name] = s.Share
	}
	if want := map[string]int{Nominal: 45, Series: 10, Mutation: 20, Fuzzing: 25, Security: 0}; !reflect.DeepEqual(shares, want) {
		t.Errorf("got %v", shares)
	}
}

// Decision 0025: security probes have no share unless they are switched on, or a plan gives them one.
func TestSecurityProbesHaveAShareWhereTheyAreAskedFor(t *testing.T) {
	s := settings.Default()
	if share := Default(s).SecurityShare(); share != 0 {
		t.Errorf("unasked their share is %v", share)
	}
	if text := Default(s).Print(); !strings.Contains(text, "strategy: security\n    share: 0\n") {
		t.Errorf("the plan does not show them:\n%s", text)
	}
	s.Security.Probes = true
	for _, part := range []float64{0, 0.1, 0.5} {
		s.Security.Share = part
		if share := Default(s).SecurityShare(); math.Abs(share-part) > 0.005 {
			t.Errorf("with security.share=%v their share is %v", part, share)
		}
	}
	p, err := read("version: 1\nstrategies: [{strategy: nominal, share: 3}, {strategy: security, share: 1}]")
	if err != nil || p.SecurityShare() != 0.25 {
		t.Errorf("a plan gives them %v, %v", p, err)
	}
}

func TestEverythingWrongWithAPlanIsToldAtOnce(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"version: 1\nstrategys: []\n", "p.yaml:2: strategys is no name of a plan; did you mean strategies?"},
		{"strategies: [{strategy: nominal, share: 1}]", "p.yaml:1: does not say its version; write version: 1"},
		{"version: 2", "p.yaml:1: is of version 2, and only 1 is known"},
		{"version: 1\nstrategies:\n  - strategy: nominall\n    share: much\n  - share: 2\n", "p.yaml:3: nominall is no strategy; did you mean nominal?\n" +
			"p.yaml:4: share is not a whole number from 0 to 1000000\np.yaml:5: a strategy has no name; write strategy: and one of nominal, series, mutation, fuzzing, security"},
		{"version: 1\nstrategies: [{strategy: nominal}]", "p.yaml:2: nominal has no share; write share: and a number"},
		{"version: 1\nstrategies: [{strategy: nominal, share: 0}]", "p.yaml:2: the shares are all 0, so nothing would be sent; give one of them a share"},
		{"version: 1\nstrategies: [{strategy: mutation, share: 1, sources: [random]}]", "p.yaml:2: mutation takes no sources: it goes by what was accepted"},
		{
			"version: 1\nstrategies:\n- strategy: nominal\n  share: 1\n  sources:\n  - exampel\n  - random\n  - default\n  - {enum: 1}\n",
			"p.yaml:6: exampel is no source; did you mean example?\np.yaml:8: is never asked: random, before it, has a value for everything\n" +
				"p.yaml:9: enum comes first and alone, or not at all: what the document lists always wins\np.yaml:9: is never asked: random, before it, has a value for everything",
		},
		{"version: 1\nversion: 1\n", "p.yaml:2: version is there twice; keep one of the two"},
		{"version: 1\noperations: {only: pets}\n", "p.yaml:2: only is not a list; write operationIds, METHOD /path or tags, each behind a dash"},
		{"- version: 1", "p.yaml:1: is not a plan; write version: 1 and, beneath it, strategies: and operations:"},
		{"", "p.yaml:1: is not a plan; write version: 1 and, beneath it, strategies: and operations:"},
		{"version: [1", "p.yaml:"},
	} {
		_, err := read(row.text)
		if err == nil || err.Error() != row.want && (!strings.HasSuffix(row.want, ":") || !strings.HasPrefix(err.Error(), row.want)) {
			t.Errorf("%q: got\n%v\nwant\n%s", row.text, err, row.want)
		}
	}
}

func TestAPrintedPlanReadsBackTheSame(t *testing.T) {
	g := settings.Default()
	rapid.Check(t, func(t *rapid.T) {
		p := &Plan{
			Only:      rapid.SliceOfN(rapid.StringMatching(`[A-Z]{3} /[a-z*/{}"\\ é]{1,9}|[a-z]{1,5}`), 0, 3).Draw(t, "only"),
			LeftAlone: rapid.SliceOfN(rapid.StringMatching(`[a-zA-Z0-9:#-]{1,9}`), 0, 3).Draw(t, "left alone"),
		}
		for range rapid.IntRange(1, 4).Draw(t, "strategies") {
			s := Strategy{Name: rapid.SampledFrom(strategyNames).Draw(t, "strategy"), Share: rapid.IntRange(1, 100).Draw(t, "share")}
			if s.Name == Nominal {
				s.Sources = []Group{{{Enum, 1}}, {{Example, rapid.IntRange(0, 9).Draw(t, "example")}, {Random, rapid.IntRange(0, 9).Draw(t, "random")}}}
			}
			p.Strategies = append(p.Strategies, s)
		}
		got, err := Read("p.yaml", []byte(p.Print()), g)
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Print())
		}
		if got.Print() != p.Print() {
			t.Fatalf("printed\n%s\nread back\n%s", p.Print(), got.Print())
		}
	})
}

func TestOperationsAreLeftAloneByIdMethodAndPathOrTag(t *testing.T) {
	const text = `
openapi: 3.0.3
info: {title: T, version: '1'}
servers: [{url: 'http://127.0.0.1/v1'}]
paths:
  /pets:
    get: {operationId: listPets, tags: [pets], responses: {'200': {description: ok}}}
    post: {operationId: addPet, tags: [pets], responses: {'200': {description: ok}}}
  /pets/{id}:
    delete: {operationId: deletePet, tags: [danger], parameters: [{name: id, in: path, required: true, schema: {type: string}}], responses: {'200': {description: ok}}}
  /shops/{id}/sign: 
    get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], responses: {'200': {description: ok}}}
`
	doc, err := document.Load(context.Background(), "t.yaml", document.Options{
		Read: func(context.Context, string) ([]byte, error) { return []byte(text), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		only, left []string
		want       []int
	}{
		{nil, nil, nil},
		{nil, []string{"deletePet"}, []int{2}},
		{nil, []string{"danger", "listPets"}, []int{0, 2}},
		{[]string{"pets"}, nil, []int{2, 3}},
		{[]string{"pets"}, []string{"POST *"}, []int{1, 2, 3}},
		{nil, []string{"* /pets*"}, []int{0, 1, 2}},
		{nil, []string{"GET /shops/*/sign"}, []int{3}},
		{nil, []string{"GET /v1/shops/{id}/sign"}, []int{3}},
	} {
		got, err := (&Plan{Only: row.only, LeftAlone: row.left}).Leaves(doc)
		if err != nil || !slices.Equal(got, row.want) {
			t.Errorf("only %v, without %v: left alone are %v (%v), want %v", row.only, row.left, got, err, row.want)
		}
	}
	_, err = (&Plan{Only: []string{"GET /nothing/*"}, LeftAlone: []string{"deletePets"}}).Leaves(doc)
	want := "the plan's operations.only: \"GET /nothing/*\" is no operationId, METHOD /path or tag of the document\n" +
		"the plan's operations.leaveAlone: deletePets is no operationId, METHOD /path or tag of the document; did you mean deletePet?"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// Series have the share that the settings give them, unless a plan says the shares (decision 0016 §2).
func TestSeriesHaveTheirShareOfThePlan(t *testing.T) {
	for _, row := range []struct{ share, want float64 }{{0, 0}, {0.1, 0.1}, {0.5, 0.5}, {0.25, 0.25}, {1, 0.9999}} {
		s := settings.Default()
		s.Series.Share = row.share
		if got := Default(s).SeriesShare(); got < row.want || got > row.want+0.0001 {
			t.Errorf("series.share %v: the plan's is %v", row.share, got)
		}
	}
	p, err := read("version: 1\nstrategies: [{strategy: series, share: 3}, {strategy: nominal, share: 1}]")
	if err != nil || p.SeriesShare() != 0.75 {
		t.Errorf("a plan's own: %v, %v", p.SeriesShare(), err)
	}
}
