package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// createdToDelete, F102, finds 201 in reply to a DELETE.
//
// 201 says that the request has led to a new resource (RFC 9110 §15.3.2), and a DELETE asks for the opposite (§9.3.5).
// It is certain. It is a warning, as clients mostly look at the class of a status alone.
type createdToDelete struct{}

func (createdToDelete) About() About {
	return About{
		Code: 102, Name: "createdToDelete", Title: "A DELETE is answered with 201 Created",
		On: func(c settings.Checks) bool { return c.CreatedToDelete },
	}
}

func (c createdToDelete) Check(in *Input) []messages.Finding {
	reply := in.answered(201)
	if reply == nil || in.Exchange.Request.Method != "DELETE" {
		return nil
	}
	return []messages.Finding{c.About().finding("A DELETE is answered with 201 Created", "200, 202 or 204 (RFC 9110 §9.3.5)", answer(reply))}
}
