package sender

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// trivial is a server that answers each request with the same bytes and does nothing else.
func trivial(b *testing.B) string {
	l := listen(b)
	done := make(chan bool)
	reply := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"ok\":true}")
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				in := bufio.NewReaderSize(c, 4096)
				for {
					line, err := in.ReadSlice('\n')
					if err != nil {
						return
					}
					if len(bytes.TrimSpace(line)) == 0 {
						if _, err := c.Write(reply); err != nil {
							return
						}
					}
				}
			}()
		}
	}()
	b.Cleanup(func() { _ = l.Close(); <-done })
	return "http://" + l.Addr().String()
}

// BenchmarkWire exchanges requests over loopback, 16 at a time.
func BenchmarkWire(b *testing.B) {
	told := make(chan messages.ToSender, 64)
	w := newBenchWire(b, func(m messages.ToSender) { told <- m })
	for slot := range benchSlots {
		w.Open(slot)
		<-told
	}
	o := outgoing("GET", "/pets/1")
	b.ReportAllocs()
	b.ResetTimer()
	asked := min(benchSlots, b.N)
	for slot := range asked {
		w.Write(slot, o)
	}
	for over := 0; over < b.N; {
		came, ok := (<-told).(messages.Came)
		if !ok {
			continue
		}
		if over++; asked < b.N {
			asked++
			w.Write(came.Slot, o)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "exchanges/s")
}

// BenchmarkSender does the same with the stage before the wire.
func BenchmarkSender(b *testing.B) {
	var (
		told  = make(chan messages.ToSender, 64)
		ended []int
		ready int
	)
	cfg := Config{Document: &document.Document{Origin: "http://127.0.0.1"}, Settings: settings.Default()}
	s := New(cfg, clock.NewSystem(), Neighbours{
		Pacer: func(m messages.ToPacer) {
			if _, ok := m.(messages.Ready); ok {
				ready++
			}
		},
		Classifier: func(m messages.ToClassifier) {
			if e, ok := m.(*messages.Exchange); ok {
				ended = append(ended, e.Slot)
			}
		},
	}, newBenchWire(b, func(m messages.ToSender) { told <- m }))
	r := &messages.Request{Method: "GET", Target: "/pets/1", Header: []messages.Field{{Name: "Accept", Value: "application/json"}}}
	for slot := range benchSlots {
		s.Handle(messages.Open{Slot: slot})
	}
	for ready < benchSlots {
		s.Handle(<-told)
	}
	b.ReportAllocs()
	b.ResetTimer()
	asked := min(benchSlots, b.N)
	for slot := range asked {
		s.Handle(messages.Go{Slot: slot, Request: r, Deadline: clock.Never})
	}
	for over := 0; over < b.N; {
		s.Handle(<-told)
		for _, slot := range ended {
			if over++; asked < b.N {
				asked++
				s.Handle(messages.Go{Slot: slot, Request: r, Deadline: clock.Never})
			}
		}
		ended = ended[:0]
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "exchanges/s")
}

const benchSlots = 16

func newBenchWire(b *testing.B, tell func(messages.ToSender)) *Wire {
	b.Helper()
	w, err := NewWire(WireConfig{
		Origin: trivial(b), Settings: settings.Default(), Clock: clock.NewSystem(),
		Tell: tell, Fail: func(err error) { b.Error(err) },
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close(); w.Wait() })
	return w
}
