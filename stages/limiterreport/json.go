package limiterreport

import (
	"time"

	"github.com/restest/restest/stages/experimenter/inference"
)

// The types below are report.json. Lengths are in seconds.

type encoded struct {
	Format      string       `json:"format"`
	Tool        string       `json:"tool"`
	Started     string       `json:"started"`
	Request     string       `json:"request"`
	Verdict     verdict      `json:"verdict"`
	Summary     [3]string    `json:"summary"`
	Answers     []answer     `json:"answers"`
	Findings    []finding    `json:"findings"`
	Families    []string     `json:"families,omitempty"`
	Experiments []experiment `json:"experiments"`
	Notes       []string     `json:"notes,omitempty"`
	Requests    int          `json:"requests"`
	Took        float64      `json:"tookSeconds"`
}

type verdict struct {
	Family     string   `json:"family,omitempty"`
	Certainty  string   `json:"certainty"`
	Candidates []string `json:"candidates"`
	AtOnce     int      `json:"atOnce"`
	Limit      int      `json:"limit"`
	Window     float64  `json:"windowSeconds"`
	Found      bool     `json:"foundByTrial"`
}

type answer struct {
	Question  string   `json:"question"`
	Text      string   `json:"text"`
	Certainty string   `json:"certainty"`
	Evidence  []string `json:"evidence,omitempty"`
}

type finding struct {
	Level    string `json:"level"`
	Question string `json:"question"`
	Title    string `json:"title"`
	Evidence string `json:"evidence"`
	Advice   string `json:"advice"`
}

type experiment struct {
	At       float64  `json:"atSeconds"`
	Took     float64  `json:"tookSeconds"`
	Why      string   `json:"why"`
	Question string   `json:"question"`
	Variant  string   `json:"variant,omitempty"`
	Sent     int      `json:"sent"`
	Accepted int      `json:"accepted"`
	Expected [][2]int `json:"expected,omitempty"`
	Control  bool     `json:"control,omitempty"`
}

func (r *Reporter) encode(p inference.Report) encoded {
	mask := r.cfg.Mask.Text
	all := func(texts []string) []string {
		var masked []string
		for _, t := range texts {
			masked = append(masked, mask(t))
		}
		return masked
	}
	e := encoded{
		Format: "restest-limiter/1", Tool: r.cfg.Tool, Started: r.cfg.Started.UTC().Format(time.RFC3339Nano),
		Request: mask(r.cfg.Method + " " + r.cfg.URL), Summary: p.Lines, Families: texts(p.Compared), Notes: all(p.Notes),
		Verdict: verdict{
			string(p.Verdict.Family), p.Verdict.Certainty.String(), texts(p.Verdict.Candidates), p.Verdict.AtOnce, p.Verdict.Limit,
			window(p).Seconds(), p.Known.Found,
		},
		Answers: []answer{}, Findings: []finding{}, Experiments: []experiment{},
		Requests: p.Sent, Took: p.Took.Seconds(),
	}
	for _, a := range p.Answers {
		e.Answers = append(e.Answers, answer{a.Question.String(), mask(a.Text), a.Certainty.String(), all(a.Evidence)})
	}
	for _, f := range p.Findings {
		e.Findings = append(e.Findings, finding{f.Level.String(), f.Question.String(), f.Title, mask(f.Evidence), f.Advice})
	}
	for _, row := range p.Rows {
		e.Experiments = append(e.Experiments, experiment{
			row.At.Seconds(), row.Hi.Sub(row.Lo).Seconds(), row.Why, row.Question.String(), mask(row.Variant), row.N, row.Accepted, row.Expected, row.Control,
		})
	}
	return e
}

func texts(fs []inference.Family) []string {
	all := []string{}
	for _, f := range fs {
		all = append(all, string(f))
	}
	return all
}

// window is the one the verdict names, or else the one that is known.
func window(p inference.Report) time.Duration {
	if p.Verdict.Window > 0 {
		return p.Verdict.Window
	}
	return p.Known.Window
}
