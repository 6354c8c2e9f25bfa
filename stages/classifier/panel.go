package classifier

import (
	"fmt"
	"path"
	"runtime"
	"strings"

	"github.com/sourcegraph/conc/panics"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/classifier/checks"
)

// panel asks the checks about one exchange after another.
type panel struct {
	checks []checks.Check
	caught panics.Catcher
}

// judge asks every check. One that panics loses its own findings for this exchange, and nothing else.
func (p *panel) judge(in *checks.Input) (findings []messages.Finding, broken []string) {
	for next := 0; next < len(p.checks); {
		p.caught.Try(func() {
			for next < len(p.checks) {
				check := p.checks[next]
				next++
				findings = append(findings, check.Check(in)...)
			}
		})
		if panicked := p.caught.Recovered(); panicked != nil {
			p.caught = panics.Catcher{} // it keeps its first panic for good
			broken = append(broken, failure(p.checks[next-1].About(), panicked))
		}
	}
	return findings, broken
}

// failure is one line on a check that panicked. What a runtime error says is safe to write; what else a panic holds
// may be taken from the reply, so only its type is told.
func failure(about checks.About, panicked *panics.Recovered) string {
	why := fmt.Sprintf("a panic of type %T", panicked.Value)
	if err, ok := panicked.Value.(runtime.Error); ok {
		why = err.Error()
	}
	return fmt.Sprintf("check F%d failed: %s%s", about.Code, why, where(panicked.Callers))
}

// where names the function that panicked.
func where(callers []uintptr) string {
	frames := runtime.CallersFrames(callers)
	for {
		frame, more := frames.Next()
		name := path.Base(frame.Function)
		if name != "." && !strings.HasPrefix(name, "runtime.") && !strings.HasPrefix(name, "panics.") {
			return fmt.Sprintf(" in %s, line %d", name, frame.Line)
		}
		if !more {
			return ""
		}
	}
}
