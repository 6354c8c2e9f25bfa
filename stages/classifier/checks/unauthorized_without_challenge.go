package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// unauthorizedWithoutChallenge, F109, finds 401 without WWW-Authenticate.
//
// A 401 must say how a client can sign in (RFC 9110 §15.5.2, §11.6.1); without it no client can find out by itself. It is
// certain, and a warning, as most clients know beforehand.
type unauthorizedWithoutChallenge struct{}

func (unauthorizedWithoutChallenge) About() About {
	return About{
		Code: 109, Name: "unauthorizedWithoutChallenge", Title: "401 without WWW-Authenticate",
		On: func(c settings.Checks) bool { return c.UnauthorizedWithoutChallenge },
	}
}

func (c unauthorizedWithoutChallenge) Check(in *Input) []messages.Finding {
	reply := in.answered(401)
	if reply == nil || has(reply.Header, "WWW-Authenticate") {
		return nil
	}
	f := c.About().finding("401 without WWW-Authenticate", "the field WWW-Authenticate (RFC 9110 §15.5.2)", answer(reply))
	f.Place = "WWW-Authenticate"
	return []messages.Finding{f}
}
