package reporter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
)

// scene is a reporter with a world around it in which nothing moves but what the test moves.
type scene struct {
	t     testing.TB
	clock *clock.Fake
	r     *Reporter
	live  bytes.Buffer
	out   *memory
	pacer []messages.ToPacer
	self  []messages.ToReporter
	done  int
	seq   int64
	nth   map[int]int
	paced messages.Paced // what the pacer knows, kept up by the scene
}

// memory is a Directory that has room for so many bytes.
type memory struct {
	files map[string]*bytes.Buffer
	room  int
}

func (m *memory) Create(name string) (io.WriteCloser, error) {
	if m.room <= 0 {
		return nil, errFull
	}
	m.files[name] = &bytes.Buffer{}
	return memoryFile{m, m.files[name]}, nil
}

func (m *memory) Remove(name string) error {
	delete(m.files, name)
	return nil
}

func (m *memory) String() string { return "restest-out" }

type memoryFile struct {
	m *memory
	b *bytes.Buffer
}

var errFull = errors.New("no space left on device")

func (f memoryFile) Write(p []byte) (int, error) {
	n := min(len(p), f.m.room)
	f.m.room -= n
	f.b.Write(p[:n])
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func (memoryFile) Close() error { return nil }

var start = time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)

func shop(operations int) *document.Document {
	doc := &document.Document{
		Source: "shop.yaml", Dialect: "3.0.3", Title: "Shop", Version: "1.2",
		Origin: "http://127.0.0.1:8080", Address: "http://127.0.0.1:8080/v1",
	}
	for i := range operations {
		id, method, path := fmt.Sprintf("getThing%d", i), "GET", fmt.Sprintf("/things/%d", i)
		switch i {
		case 0:
			id, path = "listPets", "/pets"
		case 1:
			id, method, path = "createPet", "POST", "/pets"
		case 2:
			id, path = "getPet", "/pets/{petId}"
		}
		doc.Operations = append(doc.Operations, &document.Operation{
			Index: i, ID: id, Method: method, Path: path, BasePath: "/v1",
		})
	}
	return doc
}

func defaults() Config {
	return Config{
		Document: shop(3), Settings: settings.Default(), Tool: Tool{"RESTest", "3.0.0"}, Source: "shop.yaml",
		Values: []settings.Value{{Name: "engine.readTimeout", Value: "30s", Default: "30s", Meaning: "…", Origin: "default"}},
		Seed:   42, Budget: 10 * time.Second, UTF8: true,
	}
}

func newScene(t testing.TB, change func(*Config)) *scene {
	s := &scene{
		t: t, clock: clock.NewFake(start), nth: map[int]int{},
		out: &memory{files: map[string]*bytes.Buffer{}, room: 1 << 30},
	}
	cfg := defaults()
	cfg.Out, cfg.Live = s.out, &s.live
	cfg.Done = func() { s.done++ }
	if change != nil {
		change(&cfg)
	}
	s.r = New(cfg, s.clock, Neighbours{
		Pacer: func(m messages.ToPacer) { s.pacer = append(s.pacer, m) },
		Self:  func(m messages.ToReporter) { s.self = append(s.self, m) },
	})
	s.paced = messages.Paced{
		ShortestGap: -1, Waiting: cfg.Settings.Schedule.WaitWhenToldTo, Foreseeing: cfg.Settings.Schedule.StayInsideQuota, Window: 4, PeakInFlight: 3,
	}
	s.r.Begin()
	return s
}

// at moves the clock to a moment. Each Ask on the way is answered.
func (s *scene) at(d time.Duration) {
	come := false
	s.clock.At(messages.Instant(d), func() { come = true })
	for !come {
		s.clock.Next()
		for _, m := range s.self {
			asked := len(s.pacer)
			s.r.Handle(m)
			for _, told := range s.pacer[asked:] {
				if (told == messages.Ask{}) {
					s.tell()
				}
			}
		}
		s.self = nil
	}
}

// tell answers an Ask.
func (s *scene) tell() {
	p := s.paced
	p.At = s.clock.Now()
	s.r.Handle(&p)
}

type change func(*messages.Judged)

// judged tells of one exchange that has just ended, 4 ms after it was sent.
func (s *scene) judged(operation, status int, changes ...change) {
	op := s.r.cfg.Document.Operations[operation]
	s.seq++
	s.nth[operation]++
	now := s.clock.Now()
	j := &messages.Judged{Exchange: &messages.Exchange{
		Slot: int(s.seq % 4), Outcome: messages.Answered, Open: true,
		SentAt: max(now-4e6, 0), HeardAt: max(now-1e6, 0), EndedAt: now,
		Request: &messages.Request{
			Seq: s.seq, Nth: s.nth[operation], Operation: operation, Method: op.Method, Target: op.BasePath + op.Path,
			Header: []messages.Field{{Name: "User-Agent", Value: "RESTest/3.0"}, {Name: "Accept", Value: "application/json"}},
			Valid:  true, Purpose: messages.Nominal,
		},
		Reply: &messages.Reply{
			Proto: "HTTP/1.1", Status: status, Header: []messages.Field{{Name: "Content-Type", Value: "application/json"}},
			Body: []byte(`{"id":1}`), Length: 8,
		},
	}}
	if s.nth[operation] == 1 {
		j.Exchange.Request.Purpose = messages.OpeningLap
	}
	for _, change := range changes {
		change(j)
	}
	if j.Exchange.Outcome == messages.NeverSent {
		s.paced.Dropped++
	} else {
		s.paced.Sent++
	}
	s.r.Handle(j)
}

// over tells that the run has ended.
func (s *scene) over(end messages.End, changes ...func(*messages.Paced)) Result {
	p := s.paced
	p.At, p.Over, p.End, p.StoppedAt = s.clock.Now(), true, end, s.clock.Now()
	p.Idle = time.Duration(p.StoppedAt) / 50
	for _, change := range changes {
		change(&p)
	}
	s.r.Handle(&p)
	return s.r.Finish(nil)
}

func unanswered(o messages.Outcome, kind messages.Failure, words string) change {
	return func(j *messages.Judged) {
		j.Exchange.Outcome, j.Exchange.Kind, j.Exchange.Failure, j.Exchange.Reply, j.Exchange.Open = o, kind, words, nil, false
	}
}

func refusal(j *messages.Judged) { j.Refused = true }

func finding(f messages.Finding) change {
	return func(j *messages.Judged) { j.Findings = append(j.Findings, f) }
}

var serverError = messages.Finding{
	Code: 100, Error: true, Title: "The server failed with 500 Internal Server Error",
	Expected: "a status that says what is wrong with the request", Got: "500", Cause: "500",
}

var undeclared = messages.Finding{
	Code: 920, Title: "The status code is not declared", Expected: "200 or 404", Got: "418", Cause: "418",
}

func request(f func(*messages.Request)) change {
	return func(j *messages.Judged) { f(j.Exchange.Request) }
}

func reply(f func(*messages.Reply)) change {
	return func(j *messages.Judged) { f(j.Exchange.Reply) }
}

// keys are credentials, and their mask.
func keys(auth ...string) *credentials.Mask {
	k, _, err := credentials.Parse(auth, "")
	if err != nil {
		panic(err)
	}
	return k.Mask()
}

// discard is a Directory whose files are empty.
type discard struct{}

func (discard) Create(string) (io.WriteCloser, error) { return discard{}, nil }
func (discard) Write(p []byte) (int, error)           { return len(p), nil }
func (discard) Close() error                          { return nil }
