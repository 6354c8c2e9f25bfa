package classifier

import (
	"bytes"
	"strings"
	"testing"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// deaf is a classifier whose neighbours do nothing.
func deaf(doc *document.Document) *Classifier {
	return New(Config{Document: doc, Settings: settings.Default()}, clock.NewFake(start), Neighbours{
		Generator: func(messages.ToGenerator) {}, Pacer: func(messages.ToPacer) {}, Reporter: func(messages.ToReporter) {},
	})
}

func TestAnEmptyReplyCostsThreeAllocations(t *testing.T) {
	c, e := deaf(plain()), exchange(0, reply(200, "", "Content-Length", "0", "Date", "today"))
	if n := testing.AllocsPerRun(100, func() { c.Handle(e) }); n > 3 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkClassifier(b *testing.B) {
	for _, bench := range []struct {
		name string
		doc  func(testing.TB) *document.Document
		e    *messages.Exchange
	}{
		{"empty", func(testing.TB) *document.Document { return plain() }, exchange(0, reply(200, "", "Content-Length", "0"))},
		{"refused", func(testing.TB) *document.Document { return plain() }, exchange(0, reply(429, "", "Retry-After", "5"))},
		{"failed", func(testing.TB) *document.Document { return plain() }, exchange(0, reply(500,
			`{"timestamp":"2026-11-30T10:00:00Z","status":500,"error":"Internal Server Error","path":"/a"}`, "Content-Type", "application/json"))},
		{
			"schema", func(t testing.TB) *document.Document { return load(t, "26-readonly-writeonly/document.yaml") },
			exchange(0, reply(201, `{"id":1,"name":"n","friends":[{"id":2,"name":"m"},{"id":3,"name":"o"}]}`, "Content-Type", "application/json")),
		},
		{
			"1KB", func(t testing.TB) *document.Document { return load(t, "26-readonly-writeonly/document.yaml") },
			exchange(0, reply(201, `{"id":1,"name":"n","friends":[`+strings.Repeat(`{"id":2,"name":"somebody with a name"},`, 25)+`{"id":3,"name":"o"}]}`,
				"Content-Type", "application/json", "Content-Length", "1000", "Date", "Mon, 30 Nov 2026 08:00:00 GMT")),
		},
	} {
		doc := bench.doc(b)
		bench.e.Request.Method = doc.Operations[0].Method
		b.Run(bench.name, func(b *testing.B) {
			c := deaf(doc)
			b.ReportAllocs()
			for b.Loop() {
				c.Handle(bench.e)
			}
		})
		if bench.name != "1KB" {
			continue
		}
		// A body that comes again is read once: here each is another than the one before.
		other := *bench.e
		reply := *other.Reply
		reply.Body = bytes.Replace(reply.Body, []byte(`"n"`), []byte(`"m"`), 1)
		other.Reply = &reply
		b.Run("1KB, each another", func(b *testing.B) {
			c := deaf(doc)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%2 == 0 {
					c.Handle(bench.e)
				} else {
					c.Handle(&other)
				}
			}
		})
	}
}
