package messages

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Makers are the requests that make anew what the request is about, the first first: the steps of its series before it,
// after what made what that is about, or, for one that was sent again, those that are known for it.
func (r *Request) Makers() []Maker {
	switch {
	case r.Recheck != nil:
		return r.Recheck.Makers
	case r.Series == nil || len(r.Series.Taken) == 0:
		return nil
	}
	makers := slices.Clip(r.Series.Ahead)
	first := len(makers)
	for _, taken := range r.Series.Taken {
		makers = append(makers, Maker{Request: taken.Request})
	}
	path, _, _ := strings.Cut(r.Target, "?")
	thing := "/" + url.PathEscape(r.Series.Thing)
	if at := strings.Index(path+"/", thing+"/"); at >= 0 && r.Series.Thing != "" {
		made := r.Series.Taken[0]
		makers[first] = MakerOf(made.Request, made.Reply, made.Value, path[:at+len(thing)])
	}
	return makers
}

// MakerOf is the request, whose reply this is, as the maker of what is at the address.
func MakerOf(r *Request, reply *Reply, value any, address string) Maker {
	m := Maker{Request: r, Address: address}
	name, err := url.PathUnescape(address[strings.LastIndexByte(address, '/')+1:])
	switch {
	case reply != nil && LocationPath(reply.Header) == address:
		m.Place = inLocation
	case err == nil:
		m.Place = placeOf(value, name, mostNested)
	}
	return m
}

// inLocation is the place of what the Location field says.
const inLocation = "Location"

// Made is the path of what the maker has made another time, "" where the answer does not say.
func (m Maker) Made(reply *Reply, value any) string {
	switch {
	case m.Place == "" || reply == nil:
		return ""
	case m.Place == inLocation:
		return LocationPath(reply.Header)
	}
	for name := range strings.SplitSeq(m.Place[1:], "/") {
		object, _ := value.(map[string]any)
		value = object[unescape.Replace(name)]
	}
	name, ok := plain(value)
	if !ok || name == "" {
		return ""
	}
	return m.Address[:strings.LastIndexByte(m.Address, '/')+1] + url.PathEscape(name)
}

// LocationPath is the path that the Location field leads to, "" where there is none.
func LocationPath(header []Field) string {
	location := Get(header, "Location")
	if strings.ContainsAny(location, " \t") {
		return "" // no URI reference has a space (RFC 3986)
	}
	u, err := url.Parse(location)
	if err != nil || !strings.HasPrefix(u.Path, "/") {
		return ""
	}
	return strings.TrimSuffix(u.EscapedPath(), "/")
}

// mostNested is how deep in a reply a name is looked for: it may have an envelope.
const mostNested = 2

var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// placeOf is where an object says that name, the shallowest and of those an id, or first by the names of its members; ""
// where it does not.
func placeOf(value any, name string, levels int) string {
	object, _ := value.(map[string]any)
	members := slices.SortedFunc(maps.Keys(object), func(a, b string) int {
		return cmp.Or(cmp.Compare(notID(a), notID(b)), strings.Compare(a, b))
	})
	for _, member := range members {
		if text, ok := plain(object[member]); ok && text == name {
			return "/" + escape.Replace(member)
		}
	}
	for _, member := range members {
		if levels > 1 {
			if place := placeOf(object[member], name, levels-1); place != "" {
				return "/" + escape.Replace(member) + place
			}
		}
	}
	return ""
}

// notID is 0 for the name of an id, which other members can be equal to by chance, else 1.
func notID(member string) int {
	if strings.EqualFold(member, "id") {
		return 0
	}
	return 1
}

// plain is a text or a number as text.
func plain(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case json.Number:
		return string(value), true
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64), true
	}
	return "", false
}
