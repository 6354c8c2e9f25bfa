package checks

import (
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// createdNotFound, F122, finds things that are not there right after a POST was answered with 201.
//
// 201 says that the thing has been made by the time the reply is sent (RFC 9110 §15.3.2). It is likely and no more: a
// store that takes a moment to show what it was given breaks the promise too, and less badly; sending it again tells the
// two apart. It is silent after any other status, of every refusal but 404 and 410, where the address goes on below the
// collection's before it comes to the thing, and where it is not plain that the thing goes by the name in the address.
type createdNotFound struct{}

func (createdNotFound) About() About {
	return About{
		Code: 122, Name: "createdNotFound", Title: "What was created is not there", Error: true, Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.CreatedNotFound },
	}
}

func (c createdNotFound) Check(in *Input) []messages.Finding {
	s := in.steps("")
	if s == nil || s.Kind != "readAfterCreate" && s.Kind != "safeGet" || len(s.Taken) != 1 || in.Exchange.Request.Method != "GET" {
		return nil
	}
	reply, made := in.reply(), s.Taken[0]
	if made.Reply.Status != 201 || reply.Status != 404 && reply.Status != 410 {
		return nil
	}
	if below, is := strings.CutPrefix(pathOf(in.Exchange.Request.Target), pathOf(made.Request.Target)+"/"); is && strings.Contains(below, "/") {
		return nil // /releases/tags/{tag} may want another name of it than /releases/{id} does
	}
	if !in.identifies(made) {
		return nil
	}
	return []messages.Finding{c.About().finding("What was created is not there: "+status(reply),
		"the thing that "+made.Request.Method+" "+pathOf(made.Request.Target)+" was answered with 201 for", answer(reply))}
}
