package checks

import (
	"net/url"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// invalidLocation, F120, finds a Location that is no URI reference, and a 201 whose Location leads elsewhere than the API.
//
// The field's value is a URI reference (RFC 9110 §10.2.2), so it holds no space, no letter beyond ASCII and no broken
// percent sign: that is certain. Of a 201 it names what was made. Where that is at another origin than the one the
// client asked, it is mostly the address that the server knows itself by, behind a proxy; it can also be a store meant
// to be asked directly, so that is likely and no more. A redirect may lead anywhere.
type invalidLocation struct{}

func (invalidLocation) About() About {
	return About{
		Code: 120, Name: "invalidLocation", Title: "The Location leads nowhere",
		On: func(c settings.Checks) bool { return c.InvalidLocation },
	}
}

func (c invalidLocation) Check(in *Input) []messages.Finding {
	e := in.Exchange
	if e.Reply == nil || in.Refused {
		return nil
	}
	status, location := e.Reply.Status, messages.Get(e.Reply.Header, "Location")
	if len(e.Hops) > 0 {
		status, location = e.Hops[0].Status, e.Hops[0].Location
	}
	if location == "" {
		return nil
	}
	about := c.About()
	if why := noReference(location); why != "" {
		f := about.finding("The Location is no URI reference: it "+why, "a URI reference (RFC 9110 §10.2.2)", location)
		f.Place, f.Cause = "Location", why
		return []messages.Finding{f}
	}
	if status != 201 || in.Origin == "" {
		return nil
	}
	to, err := url.Parse(location)
	from, err2 := url.Parse(in.Origin)
	if err != nil || err2 != nil || to.Host == "" || strings.EqualFold(host(to, from.Scheme), host(from, "")) {
		return nil
	}
	f := about.finding("What was created is said to be at another server", "a Location at "+in.Origin, location)
	f.Place, f.Cause, f.Certainty = "Location", "elsewhere", messages.Likely
	return []messages.Finding{f}
}

// host is the host with its port; a reference without a scheme has that of where it stands.
func host(u *url.URL, scheme string) string {
	if u.Scheme != "" {
		scheme = u.Scheme
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(scheme)]
	}
	return u.Hostname() + ":" + port
}

// noReference says why a text is no URI reference (RFC 3986 §4.1), "" if it is one.
func noReference(text string) string {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ' || c == '\t':
			return "holds a space"
		case c > '~' || c < ' ':
			return "holds a character beyond ASCII"
		case strings.IndexByte("\"<>\\^`{|}", c) >= 0:
			return "holds " + string(c)
		case c == '%' && (i+2 >= len(text) || !isHex(text[i+1]) || !isHex(text[i+2])):
			return "holds a percent sign that encodes nothing"
		}
	}
	if _, err := url.Parse(text); err != nil {
		return "cannot be taken apart"
	}
	return ""
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }
