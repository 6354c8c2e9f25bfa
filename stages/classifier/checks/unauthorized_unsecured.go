package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// unauthorizedUnsecured, F202, finds 401 where neither the operation nor the document asks for credentials.
//
// A client that reads the document sends none, and is turned away. It is likely and no more: a document may say in words
// what it does not declare. Where the 401 itself is declared, or the operation is a sign-in, the credentials are in the
// request's own content, and nothing is found.
type unauthorizedUnsecured struct{}

func (unauthorizedUnsecured) About() About {
	return About{
		Code: 202, Name: "unauthorizedUnsecured", Title: "401 where no credentials are declared", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.UnauthorizedUnsecured },
	}
}

func (c unauthorizedUnsecured) Check(in *Input) []messages.Finding {
	reply := in.answered(401)
	if reply == nil || len(in.Operation.Security) > 0 || in.SignsIn || in.Declared.Response != nil && in.Declared.Response.Code == "401" {
		return nil
	}
	return []messages.Finding{c.About().finding("401 where the document asks for no credentials",
		"a security requirement in the document, or an answer without credentials", answer(reply))}
}
