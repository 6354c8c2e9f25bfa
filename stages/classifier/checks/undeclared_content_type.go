package checks

import (
	"regexp"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// undeclaredContentType, F921, finds content of a type that the response does not declare, or of none.
//
// A type with other parameters is the same type, and a range such as "text/*" declares each type in it. A response
// that declares no content at all says nothing about types, and a reply without a body has none.
type undeclaredContentType struct{}

// mediaType is a type and its subtype (RFC 9110 §8.3.1), in lower case.
var mediaType = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9a-z-]+/[!#$%&'*+.^_`|~0-9a-z-]+$")

func (undeclaredContentType) About() About {
	return About{
		Code: 921, Name: "undeclaredContentType", Title: "The content type is not declared",
		On: func(c settings.Checks) bool { return c.UndeclaredContentType },
	}
}

func (c undeclaredContentType) Check(in *Input) []messages.Finding {
	reply := in.own()
	if reply == nil || len(reply.Body) == 0 || in.Refused || in.astray() {
		return nil
	}
	d := in.Declared
	if d.Response == nil || d.Response.Unusable != "" || len(d.Response.Media) == 0 || d.Typed {
		return nil
	}
	var types []string
	for _, m := range d.Response.Media {
		types = append(types, m.Type)
	}
	f := c.About().finding("The content type is not declared: "+d.Type, oneOf(types), messages.Get(reply.Header, "Content-Type"))
	f.Cause = Line(d.Type)
	switch {
	case d.Type == "":
		f = c.About().finding("The reply has content and no Content-Type", oneOf(types), "no Content-Type")
	case !mediaType.MatchString(d.Type):
		// Such as a name that somebody gave a file: each is another text, and all are one fault.
		f = c.About().finding("The Content-Type is no media type", oneOf(types), f.Got)
		f.Cause = "no media type"
	}
	f.Place = "Content-Type"
	return []messages.Finding{f}
}
