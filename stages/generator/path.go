package generator

import (
	"net/url"
	"strings"

	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/settings/document/graph"
)

// path is a path template taken apart: literals, with a gap between each two.
type path struct {
	literals []string // as they go on the wire; one more than gaps
	gaps     []gap
	// segments are the template's, behind the base path, for finding the gaps' values in a target.
	base     string
	segments []string
}

// gap is one {name} of a path template.
type gap struct {
	name      string
	parameter *parameter
	// kind is the template up to this gap, with the names of earlier gaps left out: "/pets/{}/photos". Things that
	// replies told of are kept by it. It is "" for a gap that does not fill its segment, or comes after such a one.
	kind string
	// noun is the word before the gap in the singular, such as "photo", "" if there is none.
	noun string
}

func newPath(op *document.Operation) path {
	p := path{base: op.BasePath, segments: strings.Split(op.Path, "/")}
	rest, kind, whole := op.Path, "", true
	literal := string(escape(nil, op.BasePath, &templated))
	for {
		before, name, after, found := cutGap(rest)
		if !found {
			break
		}
		literal += string(escape(nil, before, &templated))
		p.literals = append(p.literals, literal)
		literal = ""
		g := gap{name: name}
		whole = whole && strings.HasSuffix(before, "/") && (after == "" || after[0] == '/')
		if whole {
			kind += before
			g.kind = op.BasePath + strings.TrimSuffix(kind, "/")
			g.noun = noun(g.kind)
			kind += "{}"
		}
		p.gaps = append(p.gaps, g)
		rest = after
	}
	p.literals = append(p.literals, literal+string(escape(nil, rest, &templated)))
	return p
}

// cutGap cuts s around its first {name}.
func cutGap(s string) (before, name, after string, found bool) {
	open := strings.IndexByte(s, '{')
	if open < 0 {
		return s, "", "", false
	}
	size := strings.IndexByte(s[open:], '}')
	if size < 0 {
		return s, "", "", false
	}
	return s[:open], s[open+1 : open+size], s[open+size+1:], true
}

// noun is the last word of the template in the singular.
func noun(template string) string {
	return graph.Singular(template[strings.LastIndexByte(template, '/')+1:])
}

// memoryName is the name by which values for the gap are remembered. Many gaps are called just "id": what they
// identify is told by the word before them.
func (g *gap) memoryName() string {
	if g.noun != "" && isPlainID(g.name) {
		return g.noun + g.name
	}
	return g.name
}

func isPlainID(name string) bool { return graph.IsPlainID(name) }

// nameFor is the name by which values for the parameter are remembered.
func (p *path) nameFor(declared *document.Parameter) string {
	if declared.In == "path" {
		for i := range p.gaps {
			if p.gaps[i].name == declared.Name {
				return p.gaps[i].memoryName()
			}
		}
	}
	return declared.Name
}

// sendable says whether the path holds no segment that is empty because of a gap, nor "." or "..", which clients and
// servers take out (RFC 3986 §5.2.4).
func sendable(target []byte) bool {
	rest := string(target)
	rest, _, _ = strings.Cut(rest, "?")
	for segment := range strings.SplitSeq(rest, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// values are the texts that fill the gaps of a target built from this path, in order; nil if it was not.
func (p *path) values(target string) []string {
	target, _, _ = strings.Cut(target, "?")
	target, ok := strings.CutPrefix(target, p.base)
	if !ok {
		return nil
	}
	got := strings.Split(target, "/")
	if len(got) != len(p.segments) {
		return nil
	}
	found := make([]string, 0, len(p.gaps))
	for i, segment := range p.segments {
		if strings.HasPrefix(segment, "{") && strings.IndexByte(segment, '}') == len(segment)-1 {
			v, err := url.PathUnescape(got[i])
			if err != nil || v == "" {
				return nil
			}
			found = append(found, v)
			continue
		}
		if strings.Contains(segment, "{") || !sameSegment(segment, got[i]) {
			return nil
		}
	}
	return found
}

func sameSegment(template, got string) bool {
	return template == got || string(escape(nil, template, &templated)) == got
}

// endsInGap says whether the last segment is a gap.
func (p *path) endsInGap() bool {
	n := len(p.gaps)
	return n > 0 && p.literals[n] == "" && p.gaps[n-1].kind != ""
}
