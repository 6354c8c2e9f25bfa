package settings

import (
	"fmt"
	"time"
)

// Given are the settings of a run and where each came from. The zero origins of a Given made by hand are defaults.
type Given struct {
	Settings
	// from holds where each setting came from, by the table's rows; nil: all are defaults.
	from []source
}

// Where a setting can come from.
const (
	FromDefault     = "default"
	FromSimulated   = "simulation"
	FromFile        = "file"
	FromEnvironment = "environment"
	FromCommandLine = "command line"
	WorkedOut       = "worked out"
)

// source is where a setting came from.
type source struct {
	origin string // "" is a default
	// where is the place within the origin, as Value.Where has it.
	where string
	// subject is how a problem with the setting begins.
	subject string
}

// Value is one setting as it is shown.
type Value struct {
	Name string // "engine.mostRequestsPerMinute"
	// Value is as it would be written in a settings file. The user and password of a proxy are masked in it.
	Value   string
	Default string
	Meaning string
	// Origin is "default", "simulation", "file", "environment", "command line" or "worked out".
	Origin string
	// Where is the place within the origin, such as "settings.yaml:3", "RESTEST_ENGINE_READTIMEOUT", "--set" or, for one
	// worked out, the setting it follows; "" for a default.
	Where string
}

// All are the settings in the order of their groups.
func (g *Given) All() []Value {
	defaults := Default()
	values := make([]Value, len(table))
	for i, s := range table {
		from := g.source(i)
		values[i] = Value{
			Name: s.name, Value: g.shown(i), Default: s.text(&defaults), Meaning: s.meaning,
			Origin: from.origin, Where: from.where,
		}
	}
	return values
}

// Notes are what a run says about its settings before it begins, a line each.
func (g *Given) Notes() []string {
	var notes []string
	e := &g.Engine
	if !e.LimitTheRate && e.MostRequestsPerMinute != e.mostRequestsPerMinute() {
		notes = append(notes, fmt.Sprintf(
			"engine.mostRequestsPerMinute is %d, but engine.limitTheRate is false, so no rate is kept to",
			e.MostRequestsPerMinute))
	}
	if !e.LimitTheRate && e.MostRequestsPerHour > 0 {
		notes = append(notes, fmt.Sprintf(
			"engine.mostRequestsPerHour is %d, but engine.limitTheRate is false, so no rate is kept to", e.MostRequestsPerHour))
	}
	if !e.VerifyCertificates {
		notes = append(notes, "engine.verifyCertificates is false, so any server may pass for the API")
	}
	return notes
}

func (g *Given) source(row int) source {
	if g.from == nil || g.from[row].origin == "" {
		return source{origin: FromDefault}
	}
	return g.from[row]
}

// named says whether a setting was given in any of the places.
func (g *Given) named(name string) bool {
	origin := g.source(rowOf[name]).origin
	return origin != FromDefault && origin != WorkedOut
}

// lastNamed is how a problem of several settings begins: with the one that was given last.
func (g *Given) lastNamed(names []string) string {
	rank := map[string]int{FromSimulated: 1, FromFile: 2, FromEnvironment: 3, FromCommandLine: 4}
	subject, best := names[0], 0
	for _, name := range names {
		if from := g.source(rowOf[name]); rank[from.origin] > best {
			subject, best = from.subject, rank[from.origin]
		}
	}
	return subject
}

// shown is a setting's value for people to read.
func (g *Given) shown(row int) string {
	text := table[row].text(&g.Settings)
	if table[row].name == "engine.proxy" {
		return withoutPassword(text)
	}
	return text
}

func (g *Given) show(name string) string { return g.shown(rowOf[name]) }

// workOut sets what follows from the other settings and was not named itself.
func (g *Given) workOut() {
	follow := func(name, after string) {
		g.from[rowOf[name]] = source{origin: WorkedOut, where: after}
	}
	e := &g.Engine
	if g.named("engine.mostRequestsPerMinute") && !g.named("engine.limitTheRate") {
		e.LimitTheRate = true
		follow("engine.limitTheRate", "engine.mostRequestsPerMinute")
	}
	if g.named("engine.mostRequestsPerHour") && e.MostRequestsPerHour > 0 {
		if !g.named("engine.limitTheRate") {
			e.LimitTheRate = true
			follow("engine.limitTheRate", "engine.mostRequestsPerHour")
		}
		if !g.named("engine.mostRequestsPerMinute") {
			e.MostRequestsPerMinute = e.mostRequestsPerMinute()
			follow("engine.mostRequestsPerMinute", "engine.mostRequestsPerHour")
		}
	}
	if !g.named("engine.callTimeout") {
		for _, name := range []string{"engine.connectTimeout", "engine.readTimeout", "engine.writeTimeout"} {
			if g.named(name) {
				e.CallTimeout = e.callTimeout()
				follow("engine.callTimeout", name)
			}
		}
	}
	if !g.named("engine.initialConcurrency") {
		switch e.InitialConcurrency = e.initialConcurrency(); e.InitialConcurrency {
		case Default().Engine.InitialConcurrency:
		case e.MaxConcurrency:
			follow("engine.initialConcurrency", "engine.maxConcurrency")
		default:
			follow("engine.initialConcurrency", "engine.minConcurrency")
		}
	}
}

// mostRequestsPerMinute is the least that does not make the rate an hour slower, as far as that is known.
func (e *Engine) mostRequestsPerMinute() int64 {
	if e.MostRequestsPerHour == 0 {
		return Default().Engine.MostRequestsPerMinute
	}
	return (e.MostRequestsPerHour + 59) / 60
}

// callTimeout is what the whole call may take when only the waits inside it are known.
func (e *Engine) callTimeout() time.Duration {
	return 2 * max(e.ConnectTimeout, e.ReadTimeout, e.WriteTimeout)
}

// initialConcurrency is the default, moved to where the fewest and the most allow it.
func (e *Engine) initialConcurrency() int {
	return max(min(Default().Engine.InitialConcurrency, e.MaxConcurrency), e.MinConcurrency)
}

// follows says whether a setting that was not named is what the others make it: printed, it would stop following them.
func (g *Given) follows(row int) bool {
	if origin := g.source(row).origin; origin != FromDefault && origin != WorkedOut {
		return false
	}
	e := &g.Engine
	switch table[row].name {
	case "engine.callTimeout":
		return g.Engine.CallTimeout == g.Engine.callTimeout()
	case "engine.mostRequestsPerMinute": // its default is printed: who changes it is to see it
		return e.MostRequestsPerHour > 0 && e.MostRequestsPerMinute == e.mostRequestsPerMinute()
	case "engine.initialConcurrency":
		return g.Engine.InitialConcurrency == g.Engine.initialConcurrency()
	}
	return false
}
