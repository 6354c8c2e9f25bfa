package checks

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// responseSchema, F200, finds bodies that do not fit the schema declared for them.
//
// It speaks only where it is sure: of a whole body of JSON, of a status and a type that the document declares, with a
// schema that can be judged by. Where a body would have been judged and could not be, it says why instead. A body
// that claims to be JSON and is not fits no schema. Faults against one keyword of one schema are one finding, wherever in
// the body that schema stands: it was described once, and is mended once.
//
// Of a text that is not in its format it is certain where clients read the text as something else by that (OpenAPI 3.0 §4.4:
// dates, bytes; and identifiers). The formats that JSON Schema has besides are a note to most (2020-12 §7.2.1), and an empty
// e-mail address is one that nobody gave: likely, and a warning. So is that a member is missing where the request may have
// said which it wants.
type responseSchema struct{}

func (responseSchema) About() About {
	return About{
		Code: 200, Name: "responseSchema", Title: "The body does not fit its schema", Error: true,
		On: func(c settings.Checks) bool { return c.ResponseSchema },
	}
}

const (
	// mostFaults is how many findings one reply can give: no reply can fill the report by itself.
	mostFaults = 20
	// longestPlace and longestCause bound, in bytes, what a reply's own names make up of a finding. A place is to be
	// found in the body, however deep; a cause is only compared.
	longestPlace = 1000
	longestCause = 200
)

func (c responseSchema) Check(in *Input) []messages.Finding {
	reply := in.reply()
	if reply == nil || len(reply.Body) == 0 || in.Refused {
		return nil
	}
	if in.Unjudged = unjudgeable(in); in.Unjudged != "" {
		return nil
	}
	media := in.Declared.Media
	if media == nil {
		return nil // an undeclared status that is no success
	}
	if in.Content.State == Malformed {
		f := c.About().finding("The body is not JSON", "JSON, as its Content-Type says", in.Content.Flaw+": "+excerpt(reply.Body))
		f.Cause = "JSON"
		return []messages.Finding{f}
	}
	faults, err := in.Judge(media.Schema, document.InReply, in.Content.Value)
	if err != nil {
		in.Unjudged = Line(err.Error())
		return nil
	}
	var findings []messages.Finding
	for _, fault := range faults {
		if len(findings) == mostFaults {
			break
		}
		cause := fault.Schema + " " + fault.Keyword
		if told(findings, cause) {
			continue
		}
		place := clip(fault.Pointer, longestPlace)
		title := "The body does not fit its schema"
		if place != "" {
			title += " at " + place
		}
		rule := fault.Schema
		if fault.Keyword != "" {
			rule = fmt.Sprintf("%q as %s has it", fault.Keyword, fault.Schema)
		}
		// "must be integer, is null" is what was expected and what came.
		expected, got := rule, fault.Message
		if must, is, both := strings.Cut(fault.Message, ", is "); both {
			expected, got = must+" ("+rule+")", is
		}
		f := c.About().finding(title, expected, got)
		f.Place, f.Cause = place, cause
		if fault.Keyword == "format" && noted[formatIn(fault.Message)] || fault.Keyword == "required" && in.selects() {
			f.Error, f.Certainty = false, messages.Likely
		}
		findings = append(findings, f)
	}
	return findings
}

// selecting are words in the names of parameters that say which members a reply is to have.
var selecting = []string{"field", "select", "only", "exclude", "omit", "projection", "attribute", "column"}

// selects says whether the request may say which members the reply is to have: by a parameter, or by a member of one that
// is an object.
func (in *Input) selects() bool {
	_, query, _ := strings.Cut(in.Exchange.Request.Target, "?")
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if mentions(strings.ToLower(name), selecting) {
			return true
		}
		if text, err := url.QueryUnescape(value); err == nil && strings.HasPrefix(text, "{") && mentions(strings.ToLower(text), selecting) {
			return true
		}
	}
	return false
}

// noted are the formats of texts that clients mostly hand on as they are.
var noted = map[string]bool{
	"email": true, "hostname": true, "ipv4": true, "ipv6": true, "uri": true, "uri-reference": true, "json-pointer": true,
}

// formatIn is the format in what a judge says of one, such as "must be in the format email, is string".
func formatIn(message string) string {
	_, format, _ := strings.Cut(message, "the format ")
	format, _, _ = strings.Cut(format, ",")
	return format
}

// unjudgeable says why a body that should be judged can not be; "" too for one that need not be.
func unjudgeable(in *Input) string {
	reply, d := in.reply(), in.Declared
	success := reply.Status >= 200 && reply.Status <= 299
	switch {
	case len(in.Exchange.Hops) > 0:
		return "a redirect led to it"
	case d.Response == nil && !success:
		return ""
	case in.astray():
		return "its address may be taken for another's"
	case d.Response == nil:
		return "its status is not declared"
	case d.Response.Unusable != "":
		return Line(d.Response.Unusable)
	case len(d.Response.Media) == 0:
		return "no schema is declared"
	case d.Type == "":
		return "it has no Content-Type"
	case !d.Typed:
		return "its content type is not declared"
	case d.Media == nil:
		return "several of the declared content types fit"
	case d.Media.Schema == nil:
		return "no schema is declared"
	case strings.Contains(d.Media.Type, "*") && isText(d.Media.Schema):
		return "its content type is left open, and so is whether it is JSON"
	case in.Exchange.Outcome != messages.Answered:
		return "it broke off"
	case reply.Undecodable != "":
		return "it cannot be unpacked"
	case reply.Status == 206 && has(reply.Header, "Content-Range"):
		return "it is a part of the content"
	case reply.Cut:
		return "cut at " + size(in.MostKept)
	}
	switch in.Content.State {
	case NotRead:
		return "not JSON"
	case NotUTF8:
		return "not UTF-8"
	case TooDeep:
		return fmt.Sprintf("nested deeper than %d", mostNesting)
	}
	return ""
}

// isText says whether the schema asks for a text and nothing else. Where the content type is a range, that is how documents
// describe content that is handed out as it was handed in: a file of type application/json need not be a JSON text, nor
// JSON at all.
func isText(s *document.Schema) bool { return len(s.Types) == 1 && s.Types[0] == "string" }

// told says whether there is a finding of that cause.
func told(findings []messages.Finding, cause string) bool {
	for _, f := range findings {
		if f.Cause == cause {
			return true
		}
	}
	return false
}

// normal is a pointer with * for every index: what is wrong with each item of a list is one fault. Names that are
// numbers, as the keys of a map often are, count as indexes.
func normal(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, token := range tokens {
		if token != "" && strings.Trim(token, "0123456789") == "" {
			tokens[i] = "*"
		}
	}
	return clip(strings.Join(tokens, "/"), longestCause)
}

// clip is the beginning of a pointer, fit to be printed: it is made of the reply's own names.
func clip(pointer string, most int) string {
	printable := func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}
	return strings.Map(printable, strings.ToValidUTF8(pointer[:min(len(pointer), most)], ""))
}

// size is a number of bytes for people to read.
func size(bytes int64) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
