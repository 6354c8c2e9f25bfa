package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// createdToPatch, F104, finds 201 in reply to a PATCH.
//
// A PATCH changes what is there. It is an opinion and no more, since RFC 5789 §2 lets a PATCH make a resource that was
// not there, and a document that declares the 201 says that this one does: then nothing is found.
type createdToPatch struct{}

func (createdToPatch) About() About {
	return About{
		Code: 104, Name: "createdToPatch", Title: "A PATCH is answered with 201 Created", Certainty: messages.Opinion,
		On: func(c settings.Checks) bool { return c.CreatedToPatch },
	}
}

func (c createdToPatch) Check(in *Input) []messages.Finding {
	reply := in.answered(201)
	if reply == nil || in.Exchange.Request.Method != "PATCH" || in.Declared.Response != nil && in.Declared.Response.Code == "201" {
		return nil
	}
	return []messages.Finding{c.About().finding("A PATCH is answered with 201 Created", "200 or 204 for what was changed", answer(reply))}
}
