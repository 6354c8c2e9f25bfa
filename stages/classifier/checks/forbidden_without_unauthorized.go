package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// forbiddenWithoutUnauthorized, F203, finds 403 where the document does not say that 401 can come.
//
// Who can be forbidden something is somebody, and whoever is nobody is to be told so with 401 (RFC 9110 §15.5.2,
// §15.5.4). It is an opinion: an API can forbid things to everybody, or by address.
type forbiddenWithoutUnauthorized struct{}

func (forbiddenWithoutUnauthorized) About() About {
	return About{
		Code: 203, Name: "forbiddenWithoutUnauthorized", Title: "403 where no 401 is declared", Certainty: messages.Opinion,
		On: func(c settings.Checks) bool { return c.ForbiddenWithoutUnauthorized },
	}
}

func (c forbiddenWithoutUnauthorized) Check(in *Input) []messages.Finding {
	reply := in.answered(403)
	if reply == nil || len(in.Operation.Responses) == 0 || responseFor(in.Operation, 401) != nil {
		return nil
	}
	return []messages.Finding{c.About().finding("403 Forbidden where the document declares no 401", "401 among the declared responses", answer(reply))}
}
