package checks

import (
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// undeclaredStatusCode, F920, finds status codes that the operation does not declare, by itself, by its range or by
// a default.
//
// It is a warning, as many documents leave out what goes without saying. A server error, and a code that is none of
// HTTP's, are found by checks of their own, which say more: one fault is not told twice. An operation without any
// response declared says nothing about them.
type undeclaredStatusCode struct{}

func (undeclaredStatusCode) About() About {
	return About{
		Code: 920, Name: "undeclaredStatusCode", Title: "The status code is not declared",
		On: func(c settings.Checks) bool { return c.UndeclaredStatusCode },
	}
}

func (c undeclaredStatusCode) Check(in *Input) []messages.Finding {
	reply := in.own()
	if reply == nil || in.Declared.Response != nil || len(in.Operation.Responses) == 0 {
		return nil
	}
	if reply.Status < 100 || reply.Status > 499 {
		return nil
	}
	if in.astray() {
		return nil
	}
	var codes []string
	for _, r := range in.Operation.Responses {
		codes = append(codes, r.Code)
	}
	f := c.About().finding("The status code is not declared: "+status(reply), oneOf(codes), answer(reply))
	return []messages.Finding{f}
}

// oneOf lists what is declared.
func oneOf(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return "one of " + strings.Join(names, ", ")
}
