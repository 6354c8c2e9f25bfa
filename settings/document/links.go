package document

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Link says what of an exchange another operation can be sent with (OpenAPI 3.1 §4.8.20).
type Link struct {
	Name string
	// Operation is the index of the operation it leads to.
	Operation int
	// Parameters are the values for that operation's parameters, in the order of the document.
	Parameters []LinkParameter
	// Body is what to send as the body: a value, or a text with runtime expressions; HasBody tells null from none.
	Body    any
	HasBody bool
	Place   Place
}

// LinkParameter is the value a link has for one parameter.
type LinkParameter struct {
	Name string
	// In is where the parameter goes, "" where the link names it by its name alone.
	In string
	// Value is a value, or a text with runtime expressions, such as "$response.body#/id" (OpenAPI 3.1 §4.8.20.4).
	Value any
}

// linked is a link whose operation is looked up once all of them have been read.
type linked struct {
	link     *Link
	response *Response
	at       at
}

// links reads the links of a response.
func (l *loader) links(r *Response, list at) {
	if !l.is(list, isObject) {
		return
	}
	for _, m := range list.n.members {
		a, err := l.follow(list.child(m.key, m.value), "warning")
		if err != nil || strings.HasPrefix(m.key, "x-") {
			continue
		}
		if a.n.kind != isObject {
			l.issue(a, "warning", "the link %q is %s, not an object; it is left out", shorten(m.key), a.n.describe())
			continue
		}
		k := &Link{Name: m.key, Operation: -1, Place: a.place()}
		if parameters, ok := a.down("parameters"); ok && l.is(parameters, isObject) {
			for _, p := range parameters.n.members {
				value := LinkParameter{Name: p.key, Value: l.value(p.value)}
				if in, name, ok := strings.Cut(p.key, "."); ok && slices.Contains([]string{"path", "query", "header", "cookie"}, in) {
					value.In, value.Name = in, name
				}
				k.Parameters = append(k.Parameters, value)
			}
		}
		if body, ok := a.down("requestBody"); ok {
			k.Body, k.HasBody = l.value(body.n), true
		}
		l.linked = append(l.linked, linked{k, r, a})
	}
}

// settleLinks finds the operations that the links lead to. A link that leads nowhere is left out.
func (l *loader) settleLinks() {
	byID, byPlace := map[string]int{}, map[string]int{}
	for i, op := range l.doc.Operations {
		byID[op.ID] = i
		if op.Place.File == l.root.location {
			byPlace[op.Place.Pointer] = i
		}
	}
	for _, k := range l.linked {
		i, wrong := k.leadsTo(byID, byPlace)
		if wrong != "" {
			l.issue(k.at, "warning", "the link %q %s; it is left out", shorten(k.link.Name), wrong)
			continue
		}
		k.link.Operation = i
		k.response.Links = append(k.response.Links, k.link)
	}
}

// leadsTo is the index of the link's operation; wrong says why there is none.
func (k *linked) leadsTo(byID, byPlace map[string]int) (i int, wrong string) {
	if v, ok := k.at.down("operationId"); ok && v.n.kind == isText {
		if i, known := byID[v.n.text]; known {
			return i, ""
		}
		return 0, fmt.Sprintf("names the operationId %q, which no operation has", shorten(v.n.text))
	}
	v, ok := k.at.down("operationRef")
	if !ok || v.n.kind != isText {
		return 0, "names no operation"
	}
	// Within a fragment a pointer may be percent-encoded (RFC 6901 §6).
	ref, err := url.PathUnescape(v.n.text)
	if i, known := byPlace[ref]; err == nil && known {
		return i, ""
	}
	return 0, fmt.Sprintf("leads to %q, where this document has no operation", shorten(v.n.text))
}
