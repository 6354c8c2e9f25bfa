package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// otherServerError, F121, finds server errors other than 500, and 501, which is a check of its own.
//
// They come as often from what stands before the API or behind it, a gateway or a database, as from the API itself,
// so their messages say little: one finding for each status. A 503 that says when to come back is obeyed and still a
// fault (ADR-0042 §4): a client that keeps its pace was turned away.
type otherServerError struct{}

func (otherServerError) About() About {
	return About{
		Code: 121, Name: "otherServerError", Title: "The server failed with a 5xx other than 500 and 501", Error: true,
		On: func(c settings.Checks) bool { return c.OtherServerError },
	}
}

func (c otherServerError) Check(in *Input) []messages.Finding {
	reply := in.reply()
	if reply == nil || reply.Status < 502 || reply.Status > 599 {
		return nil
	}
	title := "The server failed: "
	if in.Refused {
		title = "The server asks to come back later: "
	}
	f := c.About().finding(title+status(reply), "an answer that is not a server error", answer(reply))
	return []messages.Finding{f}
}
