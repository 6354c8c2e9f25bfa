package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// internalServerError, F100, finds replies of exactly 500.
//
// Whatever was sent, valid or not, 500 says that the server met a condition it did not expect (RFC 9110 §15.6.1): a
// request it does not like is answered with a 4xx. So it is an error without a look at the document, even where the
// document declares it. Two failures of one operation are told apart by their message.
type internalServerError struct{}

func (internalServerError) About() About {
	return About{
		Code: 100, Name: "internalServerError", Title: "The server failed with 500 Internal Server Error", Error: true,
		On: func(c settings.Checks) bool { return c.InternalServerError },
	}
}

func (c internalServerError) Check(in *Input) []messages.Finding {
	reply := in.reply()
	if reply == nil || reply.Status != 500 {
		return nil
	}
	f := c.About().finding("The server failed: "+status(reply), "an answer that is not a server error", answer(reply))
	f.Cause = fingerprint(in.Exchange.Request, reply, in.Content)
	return []messages.Finding{f}
}
