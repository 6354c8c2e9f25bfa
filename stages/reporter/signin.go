package reporter

import (
	"fmt"
	"strings"

	"github.com/restest/restest/messages"
)

// SignIn is one of the run's sign-ins.
type SignIn struct {
	// User names who signs in, "" where that is the run itself; Label the request, such as "POST /login".
	User, Label string
	// Operations are those that need it.
	Operations []int
	// Own is true for a user of the run's own: where that fails, requests go without.
	Own bool
}

// signInTally is how a sign-in went: the requests it took, how often it gave something, and what was wrong last.
type signInTally struct {
	requests, obtained int64
	failure            string
}

// SignInTold is how a sign-in went.
type SignInTold struct {
	User     string `json:"user,omitempty"`
	Request  string `json:"request"`
	Requests int64  `json:"requests"`
	Obtained int64  `json:"obtained"`
	// Failure says why it gave nothing in the end, "" if it did; NotReached are the operations that were not asked for
	// want of it.
	Failure    string   `json:"failure,omitempty"`
	NotReached []string `json:"notReached,omitempty"`
}

// signedIn accounts for a request to sign in. What it gave is hidden from now on, and before anything of it is written.
func (r *Reporter) signedIn(j *messages.Judged) {
	step := j.Exchange.Request.SignIn
	if step == nil || step.Login < 0 || step.Login >= len(r.signIns) {
		return
	}
	t, cfg := &r.signIns[step.Login], &r.cfg.SignIns[step.Login]
	if j.Exchange.Outcome != messages.NeverSent {
		t.requests++
	}
	label := cfg.Label
	if cfg.User != "" {
		label += ", signing in as " + cfg.User
	}
	switch s := j.SignedIn; {
	case j.Exchange.Outcome == messages.NeverSent && j.Exchange.Kind == messages.Kept:
	case j.Refused:
		t.failure = j.Exchange.Request.Method + " " + j.Exchange.Request.SignIn.Elsewhere + pathOf(j.Exchange.Request.Target) + " asked to wait"
	case s == nil:
		t.failure = r.mask.Text(clip(j.Exchange.Failure, longestWords))
	default:
		if len(s.Secrets) > 0 {
			r.mask = r.mask.With(step.Login, "what is obtained by "+label, s.Secrets)
			if r.recording != nil {
				r.recording.teller.mask = r.mask
			}
		}
		if t.failure = s.Failure; s.Failure == "" && (len(s.Keys) > 0 || !s.Creates) {
			t.obtained++
		}
	}
}

// signInTold is how the sign-ins went, nil for a run without.
func (r *Reporter) signInTold() []SignInTold {
	var all []SignInTold
	for i := range r.signIns {
		t, cfg := &r.signIns[i], &r.cfg.SignIns[i]
		told := SignInTold{
			User: r.mask.Text(cfg.User), Request: r.mask.Text(cfg.Label), Requests: t.requests, Obtained: t.obtained, Failure: r.mask.Text(t.failure),
		}
		for _, operation := range cfg.Operations {
			if t.failure != "" && !cfg.Own && r.tally.operations[operation].answered() == 0 {
				told.NotReached = append(told.NotReached, r.cfg.Document.Operations[operation].ID)
			}
		}
		all = append(all, told)
	}
	return all
}

// signInFailed says in a few words which sign-in failed and why, "" if none that a request hangs on did.
func (r *Reporter) signInFailed() string {
	for i := range r.signIns {
		if t, cfg := &r.signIns[i], &r.cfg.SignIns[i]; t.failure != "" && !cfg.Own {
			return "the sign-in" + as(cfg.User) + " failed: " + t.failure
		}
	}
	return ""
}

// pathOf is the target without its query, which may hold a key.
func pathOf(target string) string {
	path, _, _ := strings.Cut(target, "?")
	return path
}

func as(user string) string {
	if user == "" {
		return ""
	}
	return " as " + user
}

// signedInLines are the lines on the sign-ins.
func (s *summary) signedInLines() {
	for i, told := range s.signInTold() {
		own := s.cfg.SignIns[i].Own
		switch {
		case told.Failure != "" && own:
			s.line("no user of its own could be signed up (%s); requests went without", clip(told.Failure, 300))
		case told.Failure != "":
			line := "the sign-in" + as(told.User) + " failed: " + clip(told.Failure, 300)
			if n := len(told.NotReached); n > 0 {
				line += fmt.Sprintf("; %s that need it were not reached: %s", plural(int64(n), "operation"), names(told.NotReached, mostNames))
			}
			s.line("%s", line)
		case told.Obtained > 0:
			s.line("signed in%s by %s, %s", as(told.User), told.Request, plural(told.Obtained, "time"))
		}
	}
}
