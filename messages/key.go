package messages

import (
	"net/url"
	"slices"
	"strings"
)

// Carries says whether something stands in the key's place of the request; a cookie without a name is any.
func (r *Request) Carries(k Key) bool {
	_, _, ok := r.find(k)
	return ok
}

// Carry puts the key's value in the place of what stands there. Where nothing does it is left out, or added if add is
// true. What the request shares with others is not changed.
func (r *Request) Carry(k Key, add bool) {
	from, to, ok := r.find(k)
	if !ok && !add {
		return
	}
	switch k.In {
	case "query":
		value := strings.ReplaceAll(url.QueryEscape(k.Value), "+", "%20")
		if ok {
			r.Target = r.Target[:from] + value + r.Target[to:]
			return
		}
		between := "?"
		if strings.Contains(r.Target, "?") {
			between = "&"
		}
		r.Target += between + strings.ReplaceAll(url.QueryEscape(k.Name), "+", "%20") + "=" + value
	case "cookie":
		i := fieldNamed(r.Header, cookieField)
		if i < 0 {
			r.Header = append(slices.Clip(r.Header), Field{cookieField, k.Name + "=" + k.Value})
			return
		}
		r.Header = slices.Clone(r.Header)
		if text := &r.Header[i].Value; ok {
			*text = (*text)[:from] + k.Value + (*text)[to:]
		} else {
			*text += "; " + k.Name + "=" + k.Value
		}
	default:
		r.Header = slices.Clone(r.Header)
		if i := fieldNamed(r.Header, k.Name); i >= 0 {
			r.Header[i].Value = k.Value
		} else {
			r.Header = append(r.Header, Field{k.Name, k.Value})
		}
	}
}

const cookieField = "Cookie"

func fieldNamed(fields []Field, name string) int {
	return slices.IndexFunc(fields, func(f Field) bool { return strings.EqualFold(f.Name, name) })
}

// find is where in its part of the request the value in the key's place stands; ok is false where there is none.
func (r *Request) find(k Key) (from, to int, ok bool) {
	part, between, name := "", "&", k.Name
	switch k.In {
	case "query":
		if from = strings.IndexByte(r.Target, '?') + 1; from > 0 {
			part = r.Target[from:]
		}
	case "cookie":
		part, between = Get(r.Header, cookieField), ";"
	default:
		return 0, 0, fieldNamed(r.Header, k.Name) >= 0
	}
	for pair := range strings.SplitSeq(part, between) {
		written, value, has := strings.Cut(pair, "=")
		is := strings.TrimSpace(written)
		if k.In == "query" {
			is, _ = url.QueryUnescape(written)
		}
		if has && (is == name || k.In == "cookie" && name == "") {
			from += len(written) + 1
			return from, from + len(value), true
		}
		from += len(pair) + len(between)
	}
	return 0, 0, false
}
