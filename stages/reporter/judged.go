package reporter

import (
	"cmp"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
)

// JudgedLine is what a recording holds of an exchange beside what was sent and came: all that its report needs to be made
// again (decision 0023). It holds no key.
type JudgedLine struct {
	// Findings are those of the exchange, each in full.
	Findings []FindingLine `json:"findings,omitempty"`
	// Again is what to send to see them again, where that is more, or other, than the recorded request shows.
	Again   *AgainLine        `json:"again,omitempty"`
	SignIn  *SignInLine       `json:"signIn,omitempty"`
	Recheck *messages.Recheck `json:"recheck,omitempty"`
	// Hints are those that the request followed: a place, and what is wanted there.
	Hints [][2]Text `json:"hints,omitempty"`
	// Unread are the fields on a quota that were ignored or capped, Broken the tool's own failures while judging.
	Unread []string `json:"unread,omitempty"`
	Broken []string `json:"broken,omitempty"`
}

// FindingLine is a finding in full.
type FindingLine struct {
	Code      int                `json:"code"`
	Error     bool               `json:"error"`
	Certainty messages.Certainty `json:"certainty"`
	Title     Text               `json:"title"`
	Expected  Text               `json:"expected,omitempty"`
	Got       Text               `json:"got,omitempty"`
	Place     Text               `json:"place,omitempty"`
	Cause     Text               `json:"cause,omitempty"`
}

// AgainLine is a request to send again, with keys as variables.
type AgainLine struct {
	Request   *Again         `json:"request"`
	Curl      string         `json:"curl,omitempty"`
	CurlNote  string         `json:"curlNote,omitempty"`
	Steps     []StepTold     `json:"steps,omitempty"`
	Variables []VariableLine `json:"variables,omitempty"`
}

// VariableLine is a variable for a key; Place is where it stands among all of the run.
type VariableLine struct {
	Place int `json:"place"`
	CurlVariable
}

// SignInLine is a step of a sign-in, and what came of it: Read is true if its reply was read, Obtained if that gave
// something to sign in with.
type SignInLine struct {
	Login    int    `json:"login"`
	Creates  bool   `json:"creates,omitempty"`
	Read     bool   `json:"read,omitempty"`
	Obtained bool   `json:"obtained,omitempty"`
	Failure  string `json:"failure,omitempty"`
}

// judged is what there is to say of an exchange beside what is told of it, nil for nothing.
func (t teller) judged(j *messages.Judged, told *ExchangeTold, sent func(*messages.Exchange) sent) *JudgedLine {
	r := j.Exchange.Request
	if len(j.Findings) == 0 && r.SignIn == nil && r.Recheck == nil && len(r.Hints) == 0 && len(j.Unread) == 0 && len(j.Broken) == 0 {
		return nil
	}
	line := &JudgedLine{Unread: j.Unread}
	for _, f := range j.Findings {
		line.Findings = append(line.Findings, FindingLine{
			Code: f.Code, Error: f.Error, Certainty: f.Certainty,
			Title: t.words("", f.Title), Expected: t.words("", f.Expected), Got: t.words("", f.Got), Place: t.words("", f.Place),
			Cause: t.text("", messages.KeyOf(r, j.Exchange.Reply, &f).Cause),
		})
	}
	if len(j.Findings) > 0 && (hides(told) || len(r.Makers())+len(r.Named)+len(r.Fresh) > 0) {
		to := sent(j.Exchange)
		again := &AgainLine{Request: to.again, Curl: to.curl.line, CurlNote: to.curl.note, Steps: to.steps}
		all := t.mask.Variables()
		for _, v := range t.mask.VariablesIn(to.keys()) {
			place := slices.Index(all, v)
			again.Variables = append(again.Variables, VariableLine{place, CurlVariable{v.Name, v.Meaning}})
		}
		line.Again = again
	}
	if step := r.SignIn; step != nil {
		line.SignIn = &SignInLine{Login: step.Login, Creates: step.Creates}
		if s := j.SignedIn; s != nil {
			line.SignIn.Read, line.SignIn.Obtained, line.SignIn.Failure = true, len(s.Keys) > 0, t.mask.Text(clip(s.Failure, longestWords))
		}
	}
	if r.Recheck != nil {
		again := *r.Recheck
		again.Finding.Cause = t.mask.Text(again.Finding.Cause)
		line.Recheck = &again
	}
	for _, h := range r.Hints {
		line.Hints = append(line.Hints, [2]Text{t.text("", h.Place), t.text("", h.Wants)})
	}
	for _, b := range j.Broken {
		line.Broken = append(line.Broken, t.mask.Text(b))
	}
	return line
}

// hides says whether the request could not be sent again as it is told: something in it is hidden, or only its beginning
// is told.
func hides(told *ExchangeTold) bool {
	if told.Request.Body != nil && told.Request.Body.Shortened {
		return true
	}
	return slices.ContainsFunc(told.Masked, func(place string) bool {
		return place == "target" || place == "body" || strings.HasPrefix(place, "header.")
	})
}

// variablesIn are the variables that a text uses, in the order of the keys.
func (r *Reporter) variablesIn(text string) []CurlVariable {
	var used []CurlVariable
	for _, v := range r.mask.VariablesIn(text) {
		used = append(used, CurlVariable{v.Name, v.Meaning})
	}
	slices.SortStableFunc(r.variables, func(a, b VariableLine) int { return cmp.Compare(a.Place, b.Place) })
	for _, v := range r.variables {
		if strings.Contains(text, `"$`+v.Name+`"`) || strings.Contains(text, "${"+v.Name+"}") {
			used = append(used, v.CurlVariable)
		}
	}
	return used
}
