package sim_test

import (
	"testing"
	"time"

	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/sim/paper"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
)

// tally counts the replies of a world.
type tally struct {
	sim.World
	n int
}

func (w *tally) Answer(now time.Duration, r paper.Request) paper.Answer {
	w.n++
	return w.World.Answer(now, r)
}

// bookshopOnPaper is the demo's API, its replies a millisecond later.
type bookshopOnPaper struct{ *demo.API }

func (bookshopOnPaper) Dial(time.Duration, int) (time.Duration, string) { return 0, "" }

func (b bookshopOnPaper) Answer(now time.Duration, r paper.Request) paper.Answer {
	a := paper.Answer{Reply: b.API.Answer(now, r.Request)}
	a.After = max(a.After, time.Millisecond)
	return a
}

// benchmarkInline runs scenarios of the same API without goroutines, and tells how many replies go through the five
// stages in a second of real time.
func benchmarkInline(b *testing.B, doc *document.Document, order stages.Order, world func() sim.World) {
	s := sim.New(doc, paper.API{}, 2*time.Second)
	s.Settings.Engine.InitialConcurrency = 16
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		count := &tally{World: world()}
		s.World = func() sim.World { return count }
		if result := s.Play(order); result.Exit == reporter.ExitFailed {
			b.Fatal(result.Summary)
		}
		n += count.n
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "replies/s")
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(n)/float64(b.N), "replies/op")
}

// BenchmarkInlineEmpty: one operation, empty replies. The figure to reach is 300,000 replies a second on two cores.
func BenchmarkInlineEmpty(b *testing.B) {
	doc := operations(b, 1, false)
	benchmarkInline(b, doc, stages.Order{}, func() sim.World { return paper.API{}.New(doc, 1, time.Time{}) })
}

// BenchmarkInlineDemo: the demo's document and replies. The figure to reach is 30,000 replies a second on two cores.
func BenchmarkInlineDemo(b *testing.B) {
	doc := bookshop(b)
	benchmarkInline(b, doc, stages.Order{}, func() sim.World { return bookshopOnPaper{demo.New(demo.Options{WithoutLimits: true})} })
}

// BenchmarkLockstepEmpty is BenchmarkInlineEmpty through goroutines and channels, one message at a time.
func BenchmarkLockstepEmpty(b *testing.B) {
	doc := operations(b, 1, false)
	benchmarkInline(b, doc, stages.Order{Lockstep: true}, func() sim.World { return paper.API{}.New(doc, 1, time.Time{}) })
}
