package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// putCreatesExisting, F116, finds a PUT that is answered with 201 though the thing was there: the series had made it.
//
// RFC 9110 §9.3.4 has 201 for what was not there alone. A POST that was answered with 201 had made it, so it is certain;
// it is silent after any other answer to the POST, and where the PUT may go by another name of it. A warning, as clients mostly look at the class alone.
type putCreatesExisting struct{}

func (putCreatesExisting) About() About {
	return About{
		Code: 116, Name: "putCreatesExisting", Title: "A PUT says that it has created what was there",
		On: func(c settings.Checks) bool { return c.PutCreatesExisting },
	}
}

func (c putCreatesExisting) Check(in *Input) []messages.Finding {
	s := in.steps("putTwice")
	if s == nil || len(s.Taken) != 1 || in.Exchange.Request.Method != "PUT" || in.reply().Status != 201 || s.Taken[0].Reply.Status != 201 || !in.identifies(s.Taken[0]) {
		return nil
	}
	return []messages.Finding{c.About().finding("A PUT says that it has created what was there", "200 or 204 (RFC 9110 §9.3.4)", answer(in.reply()))}
}
