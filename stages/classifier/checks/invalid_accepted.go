package checks

import (
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// invalidAccepted, F206, finds a success in reply to a request that breaks one rule of the document on purpose.
//
// Which rule that is the generator says, and it breaks no other. In a body of JSON a missing property, a wrong type, a
// value that is none of the enum's or beyond a bound cannot be read otherwise, so that is certain. It is likely for what
// a server may mend or leave to somebody else: text that is turned into another type, as everything in a target, a header
// or a form is; formats and patterns; properties nobody knows; the Content-Type. It is likely, too, for a 202, since what
// was accepted may still be refused. It is silent about header fields that HTTP lets a server ignore. A warning: the data that comes of it is somebody's trouble later.
type invalidAccepted struct{}

func (invalidAccepted) About() About {
	return About{
		Code: 206, Name: "invalidAccepted", Title: "A request that breaks the document is accepted",
		On: func(c settings.Checks) bool { return c.InvalidAccepted },
	}
}

// plainRules are the rules that a body of JSON breaks or does not, whoever reads it.
var plainRules = map[string]bool{
	"required": true, "type": true, "enum": true, "const": true,
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true,
	"minLength": true, "maxLength": true, "minItems": true, "maxItems": true, "minProperties": true, "maxProperties": true,
}

// ignored are the fields of requests that a server may ignore where it does not understand them, by RFC 9110 §12.5, §13.1,
// §14.2 and RFC 7240 §2: what they ask for is no condition of being served. If-Match and If-Unmodified-Since are none of them.
var ignored = map[string]bool{
	"range": true, "if-range": true, "if-none-match": true, "if-modified-since": true, "accept": true, "accept-language": true,
	"accept-encoding": true, "accept-charset": true, "prefer": true, "cache-control": true, "pragma": true, "user-agent": true,
	"referer": true, "from": true, "dnt": true, "te": true,
}

func (c invalidAccepted) Check(in *Input) []messages.Finding {
	r := in.Exchange.Request
	if r.Breaks == "" {
		return nil
	}
	reply := in.plain()
	if reply == nil || reply.Status < 200 || reply.Status > 299 || in.Exchange.Outcome != messages.Answered {
		return nil
	}
	place, rule, _ := strings.Cut(r.Breaks, ": ")
	if name, is := strings.CutPrefix(place, "header."); is && ignored[strings.ToLower(name)] {
		return nil
	}
	f := c.About().finding("A request that breaks the document is accepted: "+r.Breaks, "a refusal with 4xx", answer(reply))
	keyword, _, _ := strings.Cut(rule, " ")
	inBody := place == "body" || strings.HasPrefix(place, "body.") || strings.HasPrefix(place, "body[")
	if !inBody || !plainRules[keyword] || reply.Status == 202 || !isJSON(essence(messages.Get(r.Header, "Content-Type"))) {
		f.Certainty = messages.Likely
	}
	f.Place, f.Cause = "", Line(unnumbered(place)+": "+rule)
	return []messages.Finding{f}
}

// unnumbered is a place such as "body.tags[3]" with * for each index: the same rule of another item is the same fault.
func unnumbered(place string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(place, "[")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		_, rest, _ = strings.Cut(rest, "]")
		out.WriteString("[*]")
		place = rest
	}
}
