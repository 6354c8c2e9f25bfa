package checks

import (
	"fmt"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// nonStandardStatusCode, F101, finds status codes outside 100 to 599.
//
// RFC 9110 §15 knows five classes and calls every other code invalid: a client has to treat it as a server error. A
// code inside a class is never a fault here, known or not: the class says what it means.
type nonStandardStatusCode struct{}

func (nonStandardStatusCode) About() About {
	return About{
		Code: 101, Name: "nonStandardStatusCode", Title: "The status code is none of HTTP's", Error: true,
		On: func(c settings.Checks) bool { return c.NonStandardStatusCode },
	}
}

func (c nonStandardStatusCode) Check(in *Input) []messages.Finding {
	reply := in.reply()
	if reply == nil || reply.Status >= 100 && reply.Status <= 599 {
		return nil
	}
	f := c.About().finding(fmt.Sprintf("The status code is none of HTTP's: %d", reply.Status),
		"a status code from 100 to 599 (RFC 9110 §15)", answer(reply))
	return []messages.Finding{f}
}
