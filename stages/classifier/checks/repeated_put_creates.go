package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// repeatedPutCreates, F115, finds a PUT that is answered with 201 though the same PUT just succeeded.
//
// 201 is for a PUT that has made what was not there; of what was there it says 200 or 204 (RFC 9110 §9.3.4). After the
// first one succeeded the thing was there, so it is certain. A warning, as clients mostly look at the class alone.
type repeatedPutCreates struct{}

func (repeatedPutCreates) About() About {
	return About{
		Code: 115, Name: "repeatedPutCreates", Title: "A repeated PUT says that it has created again",
		On: func(c settings.Checks) bool { return c.RepeatedPutCreates },
	}
}

func (c repeatedPutCreates) Check(in *Input) []messages.Finding {
	s := in.steps("putTwice")
	if s == nil || in.Exchange.Request.Method != "PUT" || in.reply().Status != 201 {
		return nil
	}
	first := s.Taken[len(s.Taken)-1]
	if first.Request.Method != "PUT" || first.Request.Target != in.Exchange.Request.Target || !good(first.Reply.Status) {
		return nil
	}
	return []messages.Finding{c.About().finding("A repeated PUT says that it has created again",
		"200 or 204, as the first was answered with "+status(first.Reply), answer(in.reply()))}
}
