package classifier

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
)

// elsewhere says whether the request went to another origin than the API's: what comes back says nothing of the API.
func elsewhere(r *messages.Request) bool { return r.SignIn != nil && r.SignIn.Elsewhere != "" }

// signedIn reads what the reply to a sign-in gave, nil for every other exchange and where there is no reply.
func (c *Classifier) signedIn(e *messages.Exchange, at messages.Instant) *messages.SignedIn {
	step := e.Request.SignIn
	if step == nil || e.Reply == nil || step.Login < 0 || step.Login >= len(c.logins) {
		return nil
	}
	login := c.logins[step.Login]
	g := login.Read(credentials.Answer{
		Label: e.Request.Method + " " + step.Elsewhere + pathOf(e.Request.Target), Status: e.Reply.Status,
		Header: lines(e.Reply.Header), Body: e.Reply.Body, At: c.clock.Wall(at),
	}, step.Creates)
	s := &messages.SignedIn{
		Login: step.Login, User: e.Request.User, Creates: step.Creates,
		Lasts: g.Lasts, Failure: g.Failure, Definite: g.Definite, Secrets: g.Secrets,
	}
	if e.Outcome != messages.Answered && s.Failure == "" {
		s.Failure = "its reply broke off"
	}
	if s.Failure == "" {
		for _, k := range g.Keys {
			s.Keys = append(s.Keys, messages.Key(k))
		}
	}
	return s
}

func lines(fields []messages.Field) []credentials.Line {
	all := make([]credentials.Line, len(fields))
	for i, f := range fields {
		all[i] = credentials.Line(f)
	}
	return all
}

// pathOf is the target without its query, which may hold a key.
func pathOf(target string) string {
	for i := range len(target) {
		if target[i] == '?' {
			return target[:i]
		}
	}
	return target
}
