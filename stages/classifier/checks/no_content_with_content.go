package checks

import (
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// noContentWithContent, F105, finds a 204 whose header announces content: a Content-Length other than 0, or a
// Transfer-Encoding.
//
// A 204 ends with its header (RFC 9110 §15.3.5) and must have neither field (§8.6, RFC 9112 §6.1); a client that
// believes them waits for what never comes, or takes it for the next reply. A Content-Length of 0 breaks the letter
// and harms nobody. It is certain.
type noContentWithContent struct{}

func (noContentWithContent) About() About {
	return About{
		Code: 105, Name: "noContentWithContent", Title: "204 No Content announces content",
		On: func(c settings.Checks) bool { return c.NoContentWithContent },
	}
}

func (c noContentWithContent) Check(in *Input) []messages.Finding {
	reply := in.answered(204)
	if reply == nil {
		return nil
	}
	field, value := "Transfer-Encoding", messages.Get(reply.Header, "Transfer-Encoding")
	if value == "" {
		field, value = "Content-Length", messages.Get(reply.Header, "Content-Length")
	}
	if value == "" || strings.Trim(value, "0") == "" {
		return nil
	}
	f := c.About().finding("204 No Content announces content", "a 204 without "+field+" (RFC 9110 §8.6)", field+": "+value)
	f.Place, f.Cause = field, field
	return []messages.Finding{f}
}
