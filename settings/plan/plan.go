// Package plan reads and writes a test plan: which strategies a run follows and in what shares, where their values come
// from, and which operations are left alone.
package plan

import (
	"math"

	"github.com/restest/restest/settings"
)

// Version is the version of the format.
const Version = 1

// The strategies, by their names in a plan.
const (
	Nominal  = "nominal"
	Series   = "series"
	Mutation = "mutation"
	Fuzzing  = "fuzzing"
	Security = "security"
)

var strategyNames = []string{Nominal, Series, Mutation, Fuzzing, Security}

// The sources of values, by their names in a plan.
const (
	Enum       = "enum"
	Example    = "example"
	DefaultOf  = "default"
	Observed   = "observed"
	Random     = "random"
	Dictionary = "dictionary"
)

var sourceNames = []string{Enum, Example, DefaultOf, Observed, Random, Dictionary}

// Plan is a test plan.
type Plan struct {
	Strategies []Strategy
	// Only are the operations that are tested, all where it is empty; LeftAlone are those that are not, whatever Only
	// says. Each is an operationId, a METHOD /path in which * stands for any text, or a tag.
	Only, LeftAlone []string
}

// Strategy is one way to build requests, and its share against the others.
type Strategy struct {
	Name  string
	Share int
	// Sources are where values come from, for the strategies nominal and fuzzing: a group is asked only where those
	// before it have nothing. None: as the settings say.
	Sources []Group
}

// Group is sources that share by their weights. What the document lists (enum) comes first by itself.
type Group []Weighted

// Weighted is a source and its weight against the others of its group.
type Weighted struct {
	Source string
	Weight int
}

// Default is the plan that is followed where none is given. The series' share of it is that of series.share, to the
// nearest whole number; security probes come on top, with security.share of it all where they are switched on.
func Default(s settings.Settings) *Plan {
	g := s.Generation
	sources := []Group{{{Enum, 1}}, {
		{Example, g.ExampleWeight},
		{DefaultOf, g.DefaultWeight},
		{Observed, g.ObservedWeight},
		{Random, g.RandomWeight},
		{Dictionary, g.DictionaryWeight},
	}}
	const others = nominal + mutation + fuzzing
	series := beside(others, s.Series.Share)
	security := 0
	if s.Security.Probes {
		security = beside(others+series, s.Security.Share)
	}
	return &Plan{Strategies: []Strategy{
		{Nominal, nominal, sources},
		{Series, series, nil},
		{Mutation, mutation, nil},
		{Fuzzing, fuzzing, nil},
		{Security, security, nil},
	}}
}

// beside is the share that has that part of it all, to the nearest whole number, where the others have so much.
func beside(others int, part float64) int {
	return int(math.Round(min(float64(others)*part/(1-min(part, 1)), mostShare)))
}

const nominal, mutation, fuzzing = 45, 20, 25

// SeriesShare is the share, 0 to 1, of the requests that belong to series, SecurityShare of those to security probes.
func (p *Plan) SeriesShare() float64   { return p.shareOf(Series) }
func (p *Plan) SecurityShare() float64 { return p.shareOf(Security) }

func (p *Plan) shareOf(name string) float64 {
	var own, all int
	for _, s := range p.Strategies {
		all += s.Share
		if s.Name == name {
			own += s.Share
		}
	}
	return float64(own) / float64(max(all, 1))
}
