package generator

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// benchmarkStrategies measures what building a request costs, of every purpose in its share.
func benchmarkStrategies(b *testing.B, doc *document.Document, change func(*Config)) {
	s := newScript(b, doc, func(c *Config) {
		c.Settings.Schedule.OpeningLap = false
		change(c)
	})
	accept := func(n int) {
		for range n {
			o := s.want(messages.Want{})
			if r := o.Request; r != nil {
				status := 200
				if !r.Valid {
					status = 400
				}
				s.g.Handle(messages.Learned{Request: r, Outcome: messages.Answered, Reply: &messages.Reply{Status: status}})
			}
		}
	}
	accept(20 * len(doc.Operations))
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		accept(1)
	}
}

func demoDocument(b *testing.B) *document.Document {
	b.Helper()
	doc, err := document.Load(context.Background(), filepath.Join("..", "..", "sim", "demo", "document.json"), document.Options{URL: "http://127.0.0.1:8080"})
	if err != nil {
		b.Fatal(err)
	}
	return doc
}

func BenchmarkDemoCovering(b *testing.B) {
	benchmarkStrategies(b, demoDocument(b), func(c *Config) { c.Settings.Schedule.MostCovering = 1_000_000 })
}

func BenchmarkDemoShares(b *testing.B) {
	benchmarkStrategies(b, demoDocument(b), func(c *Config) { c.Settings.Schedule.MostCovering = 0 })
}

func BenchmarkGitHubShares(b *testing.B) {
	doc, err := document.Load(context.Background(), filepath.Join(shared(b, "openapi"), "corpus", "github-api.json"), document.Options{URL: "http://127.0.0.1:8080"})
	if err != nil {
		b.Skip("the document is not there: ", err)
	}
	benchmarkStrategies(b, doc, func(c *Config) { c.Settings.Schedule.MostCovering = 0 })
}
