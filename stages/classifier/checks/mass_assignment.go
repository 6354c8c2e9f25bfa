package checks

import (
	"maps"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// massAssignment, F303, finds a property that the document has in replies alone and that is taken from a request.
//
// The probe sends one with another value than a reply has shown. Where the thing, read after it, has that value, whoever
// may write the thing may write the property. It is likely and no more: the API may have meant to allow it. Where only the
// reply to the write shows it, that may be an echo: a warning. Such a write makes another thing than the one that was seen:
// it is silent where that can have the value by itself, as one of an enum can have been worked out of the rest.
type massAssignment struct{}

func (massAssignment) About() About {
	return About{
		Code: 303, Name: "massAssignment", Title: "A property that only replies have is taken from a request", Error: true, Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.MassAssignment },
	}
}

func (c massAssignment) Check(in *Input) []messages.Finding {
	s := in.probe(messages.MassAssignment)
	if s == nil || !good(in.reply().Status) {
		return nil
	}
	write := in.Exchange.Request
	if n := len(s.Taken); write.Method == "GET" {
		if n < 2 || s.Taken[n-1].Request.Probe != messages.MassAssignment || !good(s.Taken[n-1].Reply.Status) {
			return nil
		}
		write = s.Taken[n-1].Request
	} else if write.Method != "POST" {
		return nil // it is read after it
	}
	name := assigned(s, write)
	sent, there := sentObject(write)[name]
	now, shown := object(in.Content.Value)[name]
	if name == "" || !there || !shown || !same(sent, now) || hadBefore(s, write, name, sent) {
		return nil
	}
	if in.Exchange.Request == write && !in.unlikely(name, sent) {
		return nil
	}
	f := c.About().finding("The property "+name+" is taken from a "+write.Method+", though only replies have it", "the value that it had", answer(in.reply()))
	f.Error, f.Place, f.Cause = in.Exchange.Request != write, clip("/"+name, longestPlace), Line(name)
	return []messages.Finding{f}
}

// unlikely says whether a server hardly gives the property that value by itself: it is a text, and none of a few.
func (in *Input) unlikely(name string, value any) bool {
	if _, isText := value.(string); !isText {
		return false
	}
	if in.Declared.Media == nil {
		return true
	}
	p := property(in.Declared.Media.Schema, name, 8)
	return p == nil || !p.HasEnum
}

// assigned is the property that makes the write a probe: the one that an accepted write before it had not.
func assigned(s *messages.Step, write *messages.Request) string {
	for _, o := range write.Origins {
		if o.Source == "probe" {
			return strings.TrimPrefix(o.Place, "body.")
		}
	}
	sent := sentObject(write) // it is sent again later, and nothing is known of it but its bytes
	for _, t := range slices.Backward(s.Taken) {
		if t.Request.Probe != messages.NoProbe || t.Request.Method != write.Method {
			continue
		}
		before := sentObject(t.Request)
		for _, name := range slices.Sorted(maps.Keys(sent)) {
			if _, there := before[name]; !there {
				return name
			}
		}
	}
	return ""
}

// hadBefore says whether a reply before the write shows the value already, or none shows another.
func hadBefore(s *messages.Step, write *messages.Request, name string, sent any) bool {
	other := false
	for _, t := range s.Taken {
		if t.Request == write {
			break
		}
		if v, there := object(t.Value)[name]; there {
			other = !same(v, sent)
		}
	}
	return !other
}
