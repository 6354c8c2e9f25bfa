package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// notRecognized, F305, finds 401 to a user who asks for another's thing with good credentials.
//
// 401 says that credentials are lacking or wrong, 403 that they do not suffice (RFC 9110 §15.5.2, §15.5.4): with 401 a
// client signs in again, in vain. That they are good an earlier step of the same series shows. It is likely and no more:
// they can have ended in between.
type notRecognized struct{}

func (notRecognized) About() About {
	return About{
		Code: 305, Name: "notRecognized", Title: "401 to good credentials", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.NotRecognized },
	}
}

func (c notRecognized) Check(in *Input) []messages.Finding {
	s := in.probe(messages.OtherUser)
	if s == nil || in.reply().Status != 401 {
		return nil
	}
	for _, t := range s.Taken {
		if t.Request.Probe == messages.OtherUser && t.Request.User == in.Exchange.Request.User && good(t.Reply.Status) {
			return []messages.Finding{c.About().finding("401 for another user's thing, to credentials that were accepted before",
				"403, or 404 to hide that it is there", answer(in.reply()))}
		}
	}
	return nil
}
