package reporter

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

var update = flag.Bool("update", false, "write the golden files anew")

// situation is a run as a person sees it.
type situation struct {
	name   string
	config func(*Config)
	play   func(*scene) Result
	report bool // keep the report, too
}

// situations are runs as a person sees them. Each is kept in testdata, under its name.
var situations = []situation{
	{
		name: "clean",
		play: func(s *scene) Result {
			for i := range 30 {
				s.at(time.Duration(i) * 300 * time.Millisecond)
				s.judged(i%3, []int{200, 201, 404, 200}[i%4])
			}
			s.at(10 * time.Second)
			return s.over(messages.DeadlineCame)
		},
	},
	{
		name:   "faults with keys",
		report: true,
		config: func(c *Config) {
			c.Mask = keys("header:X-Key=sesame-4711", "query:token=open+sesame")
			c.KeysUsed, c.KeysMissing = []string{"header X-Key", "query token"}, []string{"petstore_auth"}
			c.Unbuildable = []Unbuildable{{2, "no value fits the pattern of petId"}}
			c.Document.Issues = []document.Issue{{
				Place:   document.Place{File: "shop.yaml", Pointer: "#/paths/~1pets/get", Line: 7, Column: 3},
				Message: "operationId is given twice; the second is left out", Severity: "warning",
			}}
			c.Notes = []string{"engine.mostRequestsPerMinute is 300, but engine.limitTheRate is false, so no rate is kept to"}
		},
		play: func(s *scene) Result {
			key := request(func(r *messages.Request) {
				r.Header = append(r.Header, messages.Field{Name: "X-Key", Value: "sesame-4711"})
				r.Target += "?token=open%2Bsesame&q=it's"
				r.Origins = []messages.Origin{{Place: "query.q", Source: "example"}}
			})
			body := request(func(r *messages.Request) {
				r.Header = append(r.Header, messages.Field{Name: "Content-Type", Value: "application/json"})
				r.Body = []byte(`{"name":"it's","n":"$5"}`)
			})
			for i := range 12 {
				s.at(time.Duration(i) * 500 * time.Millisecond)
				s.judged(0, 200, key, func(j *messages.Judged) { j.Unjudged = "the schema could not be compiled" })
				s.judged(1, 500, key, body, finding(serverError), reply(func(r *messages.Reply) {
					r.Body = []byte("\x1b[2Jno \xff key sesame-4711")
					r.Length = int64(len(r.Body))
					r.Header = append(r.Header, messages.Field{Name: "Set-Cookie", Value: "sid=Abc123; Path=/"})
				}))
				s.judged(0, 418, key, finding(undeclared))
			}
			s.judged(1, 200, key, body, finding(messages.Finding{
				Code: 200, Error: true, Title: "The body does not fit its schema", Expected: "an integer", Got: `"one"`, Place: "/id", Cause: "/id type",
			}))
			s.judged(1, 0, key, body, unanswered(messages.NoReply, messages.TimedOut, "no reply within 30s"), finding(messages.Finding{
				Code: 312, Error: true, Title: "No reply came in time", Expected: "a reply within 30s", Got: "none", Cause: "timeout",
			}))
			s.at(10 * time.Second)
			return s.over(messages.DeadlineCame)
		},
	},
	{
		name:   "security probes",
		report: true,
		config: func(c *Config) {
			c.Mask = keys("header:X-Key=sesame-4711")
			c.KeysUsed = []string{"header X-Key"}
			c.Probes = &Probes{Share: 0.1, Kinds: []ProbeTold{
				{Kind: "anonymous", Operations: 2},
				{Kind: "wrongCredentials", Operations: 2},
				{Kind: "otherUser", Why: "no thing can be made and read, or there is no second user (--auth-file)"},
				{Kind: "injection", Operations: 1},
			}}
		},
		play: func(s *scene) Result {
			key := request(func(r *messages.Request) {
				r.Header = append(r.Header, messages.Field{Name: "X-Key", Value: "sesame-4711"})
			})
			probe := func(kind messages.Probe) func(*messages.Judged) {
				return request(func(r *messages.Request) {
					r.Purpose, r.Probe, r.Valid = messages.Probing, kind, false
				})
			}
			for i := range 8 {
				s.at(time.Duration(i) * 500 * time.Millisecond)
				s.judged(0, 200, key)
				s.judged(1, 201, key)
				s.judged(1, 401, probe(messages.WrongCredentials), request(func(r *messages.Request) {
					r.Header = append(r.Header, messages.Field{Name: "X-Key", Value: "restest-no-such-key"})
				}))
			}
			s.judged(0, 200, probe(messages.Anonymous), finding(messages.Finding{
				Code: 311, Error: true, Title: "Accepted without credentials: 200 OK", Expected: "401 or 403, as the document asks for credentials", Got: "200 OK", Cause: "anonymous",
			}))
			s.at(10 * time.Second)
			return s.over(messages.DeadlineCame)
		},
	},
	{
		name: "told to wait",
		config: func(c *Config) {
			c.Document = shop(8)
		},
		play: func(s *scene) Result {
			for op := range 8 {
				s.at(time.Duration(op) * 100 * time.Millisecond)
				s.judged(op, 200)
				s.judged(op, 429, refusal)
			}
			s.paced.HeldUntil = 7e9
			s.paced.Waits = []messages.Waited{
				{Operation: 1, Times: 1, Lasted: time.Second, Skipped: 1, Until: 6e9},
				{Operation: 2, Times: 12, Stated: 4, Lasted: 4 * time.Second, Skipped: 57728, Until: 65e8},
				{Operation: 3, Times: 2, Lasted: 3 * time.Second, Until: 65e8},
				{Operation: 4, Times: 2, Stated: 2, Lasted: 2 * time.Second},
				{Operation: 5, Times: 1, Lasted: time.Second},
			}
			s.paced.WholeAPI = messages.Held{Times: 2, Stated: 1, Lasted: 3500 * time.Millisecond}
			s.at(6 * time.Second)
			for op := range 8 {
				s.judged(op, 200)
			}
			s.paced.HeldUntil = 0
			s.at(10 * time.Second)
			return s.over(messages.DeadlineCame, func(p *messages.Paced) {
				p.Idle, p.IdleAsked = 4*time.Second, 3800*time.Millisecond
			})
		},
	},
	{
		name: "a rate",
		config: func(c *Config) {
			c.Settings.Engine.LimitTheRate, c.Settings.Engine.MostRequestsPerMinute = true, 300
		},
		play: func(s *scene) Result {
			s.paced.Interval = 200 * time.Millisecond
			for i := range 48 {
				s.at(time.Duration(i) * 205 * time.Millisecond)
				s.judged(i%3, 200)
				s.paced.FirstSentAt, s.paced.LastSentAt = 1, s.clock.Now()
			}
			s.judged(0, 0, unanswered(messages.NeverSent, messages.Kept, "its turn did not come before the end"))
			s.at(10 * time.Second)
			return s.over(messages.DeadlineCame, func(p *messages.Paced) {
				p.Idle, p.IdleAsked, p.IdleRate = 85*time.Second/10, 3*time.Second, 81*time.Second/10
				p.ShortestGap, p.TurnsDue, p.TurnsUsed = 200123*time.Microsecond, 50, 48
			})
		},
	},
	{
		name: "a quota",
		config: func(c *Config) {
			c.Settings.Engine.LimitTheRate, c.Settings.Engine.MostRequestsPerHour, c.Settings.Engine.MostRequestsPerMinute = true, 1800, 30
			c.Settings.Engine.MostRequestsPerMinuteFor = "createPet=12, GET /pets=30"
		},
		play: func(s *scene) Result {
			s.paced.Interval = 2 * time.Second
			for i := range 5 {
				s.at(time.Duration(i) * 2 * time.Second)
				s.judged(i%3, 200)
				s.paced.FirstSentAt, s.paced.LastSentAt = 1, s.clock.Now()
				s.paced.Foreseen = []messages.Waited{{Operation: 2, Times: 1, Lasted: time.Second, Skipped: 3, Until: s.clock.Now().Add(2500 * time.Millisecond)}}
			}
			s.r.tally.unread["RateLimit is malformed"] = 3
			s.at(10 * time.Second)
			return s.over(messages.DeadlineCame, func(p *messages.Paced) {
				p.Idle, p.IdleAsked, p.IdleRate = 9*time.Second, time.Second, 8*time.Second
				p.ShortestGap, p.TurnsDue, p.TurnsUsed = 2*time.Second, 5, 5
				p.WholeAPIForeseen = messages.Held{Times: 1, Lasted: 1500 * time.Millisecond}
				p.Rates = []messages.OperationRate{
					{Operation: 0, Interval: 2 * time.Second, ShortestGap: 6 * time.Second},
					{Operation: 1, Interval: 5 * time.Second, ShortestGap: -1},
				}
			})
		},
	},
	{
		name:   "a storm of 429",
		config: func(c *Config) { c.Document = shop(5) },
		play: func(s *scene) Result {
			for i := range 25 {
				s.at(time.Duration(i) * 200 * time.Millisecond)
				switch {
				case i < 3:
					s.judged(i, 200)
				case i%5 == 3:
					s.judged(3, 429, refusal, finding(messages.Finding{
						Code: 920, Title: "The status code is not declared", Expected: "200", Got: "429", Cause: "429",
					}))
				default:
					s.judged(i%5, 429, refusal)
				}
			}
			s.at(10 * time.Second)
			return s.over(messages.DeadlineCame)
		},
	},
	{
		name: "nothing but refusals",
		play: func(s *scene) Result {
			for op := range 3 {
				s.judged(op, 429, refusal)
			}
			s.at(10 * time.Second)
			return s.over(messages.DeadlineCame)
		},
	},
	{
		name: "nothing but 400",
		play: func(s *scene) Result {
			for i := range 9 {
				s.judged(i%3, 400, body(`{"error": "petId has to be a number",`+"\n\t"+`"code": 17}`))
			}
			s.at(10 * time.Second)
			return s.over(messages.DeadlineCame)
		},
	},
	{
		name:   "unauthorized",
		config: func(c *Config) { c.KeysMissing = []string{"api_key"} },
		play: func(s *scene) Result {
			for op := range 3 {
				s.at(time.Duration(op) * 10 * time.Millisecond)
				s.judged(op, 401)
			}
			s.at(50 * time.Millisecond)
			return s.over(messages.Unauthorized)
		},
	},
	{
		name: "held to the end",
		play: func(s *scene) Result {
			s.judged(0, 200)
			s.judged(1, 429, refusal)
			s.judged(2, 503, refusal)
			s.at(time.Second)
			return s.over(messages.HeldToTheEnd, func(p *messages.Paced) {
				p.WholeAPI = messages.Held{Times: 1, Stated: 1, Lasted: time.Second}
				p.Reason = "Retry-After: 3600"
			})
		},
	},
	{
		name: "no connection",
		play: func(s *scene) Result {
			s.at(2 * time.Second)
			return s.over(messages.Unconnected, func(p *messages.Paced) { p.Reason = "dial tcp 127.0.0.1:8080: connection refused" })
		},
	},
	{
		name: "nothing to send",
		config: func(c *Config) {
			for _, op := range c.Document.Operations {
				op.Untestable = "its body is of a kind that cannot be built: multipart/form-data"
			}
		},
		play: func(s *scene) Result { return s.over(messages.NothingToSend) },
	},
	{
		name: "stopped by Ctrl-C",
		play: func(s *scene) Result {
			s.judged(0, 200)
			s.judged(1, 500, finding(serverError))
			s.at(3 * time.Second)
			return s.over(messages.Interrupted)
		},
	},
	{
		name: "stopped twice",
		play: func(s *scene) Result {
			s.judged(0, 200)
			s.at(3 * time.Second)
			return s.r.Finish(Stopped{messages.Terminated})
		},
	},
	{
		name: "a crash",
		play: func(s *scene) Result {
			s.judged(0, 200)
			s.judged(1, 500, finding(serverError), func(j *messages.Judged) {
				j.Broken = []string{"the check responseSchema panicked: index out of range"}
			})
			s.at(time.Second)
			return s.r.Finish(errors.New("the generator panicked: nil map"))
		},
	},
	{
		name: "a full disk",
		play: func(s *scene) Result {
			s.out.room = 100
			s.judged(0, 200)
			s.at(5 * time.Second)
			s.judged(1, 500, finding(serverError))
			s.at(10 * time.Second)
			return s.over(messages.DeadlineCame)
		},
	},
	{
		name:   "very many",
		config: func(c *Config) { c.Document = shop(60); c.Settings.Report.MostFindings = 50 },
		play: func(s *scene) Result {
			for op := range 60 {
				switch {
				case op%2 == 1:
					s.judged(op, 418, finding(undeclared))
				case op%10 == 0:
					s.judged(op, 200)
				default:
					s.judged(op, 500, finding(serverError))
				}
			}
			s.at(10 * time.Second)
			return s.over(messages.DeadlineCame)
		},
	},
	{
		name: "a terminal",
		config: func(c *Config) {
			c.LiveTTY, c.Color, c.Width, c.Out = true, true, 100, nil
			c.Settings.Report.LiveEvery, c.Settings.Checks.FailOnWarnings = 500*time.Millisecond, true
		},
		play: func(s *scene) Result {
			for i := range 5 {
				s.at(time.Duration(i+1) * 300 * time.Millisecond)
				s.judged(0, 200)
			}
			s.judged(2, 418, finding(undeclared))
			fmt.Fprintln(s.r.Log(), "a line of the log")
			s.at(2 * time.Second)
			return s.over(messages.DeadlineCame)
		},
	},
	{
		name: "an old terminal",
		config: func(c *Config) {
			c.UTF8, c.Settings.Report.Recording = false, false
			c.Document.Title = "Café \u202e…"
		},
		play: func(s *scene) Result {
			s.judged(2, 418, finding(undeclared), request(func(r *messages.Request) { r.Target = "/v1/pets/caf%C3%A9" }))
			s.at(5 * time.Second)
			return s.over(messages.DeadlineCame)
		},
	},
	{
		name:   "quiet",
		config: func(c *Config) { c.Quiet, c.Out = true, nil },
		play: func(s *scene) Result {
			s.judged(1, 500, finding(serverError))
			s.at(10 * time.Second)
			return s.over(messages.DeadlineCame)
		},
	},
}

// watched is a config for a terminal.
func watched(width, height int) func(*Config) {
	return func(c *Config) {
		c.LiveTTY, c.Color, c.Width, c.Height = true, true, width, height
		c.Settings.Report.LiveEvery = 500 * time.Millisecond
	}
}

// busy is a run of which there is something to see in the live line.
func busy(s *scene) Result {
	s.paced.InFlight = 3
	for i := range 12 {
		s.at(time.Duration(i+1) * 300 * time.Millisecond)
		s.judged(i%3, []int{200, 404, 500}[i%3])
	}
	s.judged(1, 500, finding(serverError))
	s.at(4 * time.Second)
	return s.over(messages.DeadlineCame)
}

func init() {
	situations = append(situations, []situation{
		{name: "a narrow terminal", config: watched(40, 24), play: busy},
		{name: "a wide terminal", config: watched(200, 60), play: busy},
		{
			name: "NO_COLOR",
			config: func(c *Config) {
				watched(100, 40)(c)
				c.Color = false
			},
			play: busy,
		},
		{
			name: "a low terminal",
			config: func(c *Config) {
				watched(60, 10)(c)
				c.Document = shop(20)
			},
			play: func(s *scene) Result {
				for op := range 20 {
					s.judged(op, []int{200, 404, 200, 500}[op%4])
				}
				s.at(time.Second)
				return s.over(messages.DeadlineCame)
			},
		},
		{
			name:   "a hold counts down",
			config: watched(120, 40),
			play: func(s *scene) Result {
				s.judged(0, 200)
				s.judged(1, 429, refusal)
				s.judged(2, 429, refusal)
				s.paced.HeldUntil = 3e9
				for i := range 4 {
					s.at(time.Duration(i+1) * time.Second)
				}
				s.paced.HeldUntil = 0
				s.judged(0, 200)
				s.at(5 * time.Second)
				return s.over(messages.DeadlineCame, func(p *messages.Paced) {
					p.WholeAPI = messages.Held{Times: 1, Stated: 1, Lasted: 3 * time.Second}
					p.Idle, p.IdleAsked = 32*time.Second/10, 3*time.Second
				})
			},
		},
		{
			name: "killed",
			play: func(s *scene) Result {
				s.judged(0, 200)
				s.judged(1, 500, finding(serverError))
				s.at(3 * time.Second)
				return s.over(messages.Killed)
			},
		},
		{
			name:   "nothing in the document",
			config: func(c *Config) { c.Document = shop(0) },
			play:   func(s *scene) Result { return s.over(messages.NothingToSend) },
		},
		{
			name: "no reply at all",
			play: func(s *scene) Result {
				for op := range 3 {
					s.judged(op, 0, unanswered(messages.NoReply, messages.TimedOut, "no reply within 30s"))
				}
				s.at(10 * time.Second)
				return s.over(messages.DeadlineCame)
			},
		},
		{
			name:   "401 in places",
			config: func(c *Config) { c.KeysMissing = []string{"api_key", "petstore_auth"} },
			play: func(s *scene) Result {
				for i := range 9 {
					s.judged(i%3, []int{200, 401, 403}[i%3])
				}
				s.at(10 * time.Second)
				return s.over(messages.DeadlineCame)
			},
		},
		{
			name:   "a key that may do little",
			config: func(c *Config) { c.KeysUsed = []string{"api_key"} },
			play: func(s *scene) Result {
				for i := range 9 {
					s.judged(i%3, []int{200, 403, 200}[i%3])
				}
				s.at(10 * time.Second)
				return s.over(messages.DeadlineCame)
			},
		},
		{
			name: "nothing found under any id",
			play: func(s *scene) Result {
				for i := range 9 {
					s.judged(i%3, []int{200, 201, 404}[i%3])
				}
				s.at(10 * time.Second)
				return s.over(messages.DeadlineCame)
			},
		},
		{
			name: "resting to the end",
			play: func(s *scene) Result {
				s.judged(0, 200)
				s.judged(1, 200)
				s.judged(2, 429, refusal)
				for range 20 {
					s.judged(0, 200)
				}
				s.at(10 * time.Second)
				return s.over(messages.DeadlineCame, func(p *messages.Paced) {
					p.Waits = []messages.Waited{{Operation: 2, Times: 1, Stated: 1, Lasted: 10 * time.Second, Until: 60e9}}
				})
			},
		},
		{
			name: "a dictionary",
			config: func(c *Config) {
				c.Dictionaries = []Dictionary{{File: "values.yaml", Name: "values", Values: 3, NotUsed: []string{"values.yaml:4: no operation nope"}}}
			},
			play: func(s *scene) Result {
				s.judged(0, 200, request(func(r *messages.Request) {
					r.Origins = []messages.Origin{{Place: "query.q", Source: "dictionary values"}}
				}))
				s.judged(1, 201)
				s.judged(2, 404)
				s.at(10 * time.Second)
				return s.over(messages.DeadlineCame)
			},
		},
		{
			name: "simulated",
			config: func(c *Config) {
				c.Simulated = func() Simulated {
					return Simulated{From: "run.ndjson.zst", Replies: 3, Invented: 1, Masked: 1, Notes: []string{"The recording ends early."}}
				}
			},
			play: func(s *scene) Result {
				for op := range 3 {
					s.judged(op, 200)
				}
				s.at(10 * time.Second)
				return s.over(messages.DeadlineCame)
			},
		},
	}...)
}

// body has the reply say something.
func body(text string) change {
	return reply(func(r *messages.Reply) { r.Body, r.Length = []byte(text), int64(len(text)) })
}

func TestEachSituationIsToldAsItWas(t *testing.T) {
	for _, situation := range situations {
		t.Run(situation.name, func(t *testing.T) {
			s := newScene(t, situation.config)
			result := situation.play(s)
			if s.done != 1 {
				t.Errorf("Done was called %d times", s.done)
			}
			if again := s.r.Finish(errors.New("late")); !reflect.DeepEqual(again, result) {
				t.Errorf("finished again, it is %+v", again)
			}
			var b strings.Builder
			fmt.Fprintf(&b, "exit %d, %s, %d errors, %d warnings\n", result.Exit, result.Verdict, result.Errors, result.Warnings)
			fmt.Fprintf(&b, "-- standard error\n%s", strings.NewReplacer("\x1b", "ESC", "\r", "CR").Replace(s.live.String()))
			fmt.Fprintf(&b, "-- standard output\n%s", result.Summary)
			if situation.report {
				fmt.Fprintf(&b, "-- report.json\n%s", s.out.files[ReportName])
			}
			golden(t, filepath.Join("testdata", strings.ReplaceAll(situation.name, " ", "-")+".golden"), b.String())
			if strings.ContainsAny(result.Summary, "\x1b\x07\r") || !strings.HasSuffix(result.Summary, "\n") {
				t.Errorf("the summary is not plain lines: %q", result.Summary)
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			t.Fatalf("%s, line %d:\n got %q\nwant %q (go test -update writes it anew)", name, i+1, g[i], strings.Join(w[i:min(i+1, len(w))], ""))
		}
	}
	t.Fatalf("%s has more lines than came", name)
}
