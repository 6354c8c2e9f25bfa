package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// authNotEnforced, F311, finds a probe without credentials, or with wrong ones, that is accepted where the document asks
// for credentials.
//
// The same request with credentials came before it and was answered alike, so it is certain: either the document asks for
// what is not needed, or the API does not enforce it. It is likely for a POST, which is another one than before, and for a
// DELETE, which cannot be done twice. Changes without credentials are F308, and what another user is forbidden F307.
type authNotEnforced struct{}

func (authNotEnforced) About() About {
	return About{
		Code: 311, Name: "authNotEnforced", Title: "The credentials the document asks for are not needed", Error: true,
		On: func(c settings.Checks) bool { return c.AuthNotEnforced },
	}
}

func (c authNotEnforced) Check(in *Input) []messages.Finding {
	s := in.probe(messages.Anonymous, messages.WrongCredentials)
	if s == nil || !in.asks() {
		return nil
	}
	r, reply := in.Exchange.Request, in.reply()
	modifies := r.Method == "PUT" || r.Method == "PATCH" || r.Method == "DELETE"
	if modifies && r.Probe == messages.Anonymous || forbiddenToOther(in, s) {
		return nil
	}
	f := c.About().finding("Accepted "+without(r.Probe)+": "+status(reply), "401 or 403, as the document asks for credentials", answer(reply))
	f.Cause = string(r.Probe)
	switch {
	case r.Method == "DELETE":
		if !good(reply.Status) {
			return nil
		}
		f.Certainty = messages.Likely
	case !in.accepted(s, r.Method != "POST"):
		return nil
	case r.Method == "POST":
		f.Certainty = messages.Likely
	}
	return []messages.Finding{f}
}
