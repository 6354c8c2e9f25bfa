package generator

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// benchmarkDocument measures what building a request costs on average over the document's operations.
func benchmarkDocument(b *testing.B, place string) {
	b.Helper()
	if _, missing := os.Stat(place); missing != nil {
		b.Skip("the document is not there: ", missing)
	}
	doc, err := document.Load(context.Background(), place, document.Options{URL: "http://127.0.0.1:8080"})
	if err != nil {
		b.Fatal(err)
	}
	s := newScript(b, doc, withoutLap)
	s.g.to.Pacer = func(messages.ToPacer) {}
	for range 2 * len(s.g.order.operations) {
		s.g.Handle(messages.Want{}) // what is worked out at first sight is not the cost of a request
	}
	b.ReportAllocs()
	for b.Loop() {
		s.g.Handle(messages.Want{})
	}
}

func BenchmarkWantDemo(b *testing.B) {
	benchmarkDocument(b, filepath.Join("..", "..", "sim", "demo", "document.json"))
}

func BenchmarkWantGitHub(b *testing.B) {
	root := os.Getenv("RESTEST_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	benchmarkDocument(b, filepath.Join(root, "openapi", "corpus", "github-api.json"))
}
