package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// hiddenAccessible, F310, finds a GET that is answered though the document does not declare it for its path.
//
// What no document tells of is easily left out of the tests, and unprotected. Pages are not looked at: some servers show
// one for every address. Nor are servers that answer with success for what is not there. It is likely and no more: a
// document may leave out on purpose what is harmless.
type hiddenAccessible struct{}

func (hiddenAccessible) About() About {
	return About{
		Code: 310, Name: "hiddenAccessible", Title: "A GET that is not declared is answered", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.HiddenAccessible },
	}
}

func (c hiddenAccessible) Check(in *Input) []messages.Finding {
	s := in.probe(messages.HiddenMethod)
	if s == nil || in.reply().Status != 200 && in.reply().Status != 206 || len(in.reply().Body) == 0 {
		return nil
	}
	if t := essence(messages.Get(in.reply().Header, "Content-Type")); t == "text/html" || t == "application/xhtml+xml" || t == "" {
		return nil
	}
	n := len(s.Taken)
	if n < 2 {
		return nil
	}
	nowhere := s.Taken[n-1]
	if nowhere.Request.Probe != messages.HiddenMethod || nowhere.Reply.Status < 400 || nowhere.Reply.Status > 499 {
		return nil
	}
	return []messages.Finding{c.About().finding("GET is answered, which the document does not declare here: "+status(in.reply()),
		"401, 403, 404 or 405, or the operation in the document", answer(in.reply()))}
}
