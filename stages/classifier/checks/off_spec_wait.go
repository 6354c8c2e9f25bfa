package checks

import (
	"strings"

	"github.com/restest/restest/clock/retryafter"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// offSpecWait, F924, finds a Retry-After that is not in one of RFC 9110's forms, and RateLimit fields that do not say what
// they should.
//
// The run obeys them all the same where it can guess what is meant; other clients may not. Of Retry-After it is certain
// (RFC 9110 §10.2.3). The RateLimit fields are a draft's still, in which forms have changed, so that is likely and no
// more. Fields named X-RateLimit and the like keep to no specification, and are not looked at. It is one finding for a
// field, and the only check that looks at the header of a refusal.
type offSpecWait struct{}

func (offSpecWait) About() About {
	return About{
		Code: 924, Name: "offSpecWait", Title: "A Retry-After or RateLimit field is off its specification",
		On: func(c settings.Checks) bool { return c.OffSpecWait },
	}
}

func (c offSpecWait) Check(in *Input) []messages.Finding {
	reply := in.reply()
	if reply == nil || len(in.Exchange.Hops) > 0 {
		return nil
	}
	var findings []messages.Finding
	if lines := messages.Values(reply.Header, "Retry-After"); lines != nil {
		reading, read := retryafter.Read(lines, messages.Get(reply.Header, "Date"), in.Received)
		if !read || reading.OffSpec != "" {
			f := c.About().finding("Retry-After is neither a number of seconds nor a date of HTTP's",
				"such as 120, or Fri, 31 Dec 2027 23:59:59 GMT (RFC 9110 §10.2.3)", "Retry-After: "+strings.Join(lines, ", "))
			f.Place, f.Cause = "Retry-After", "Retry-After"
			findings = append(findings, f)
		}
	}
	for _, p := range in.Misspelt {
		if len(p.Field) < len("RateLimit") || !strings.EqualFold(p.Field[:len("RateLimit")], "RateLimit") || told(findings, Line(p.Field)) {
			continue
		}
		f := c.About().finding(p.Field+" does not say what it should", "draft-ietf-httpapi-ratelimit-headers", p.Field+" "+p.What)
		f.Place, f.Cause, f.Certainty = Line(p.Field), Line(p.Field), messages.Likely
		findings = append(findings, f)
	}
	return findings
}
