package limiterreport

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/restest/restest/stages/experimenter/inference"
)

// short are the families as the heads of columns have them.
var short = map[inference.Family]string{
	inference.FixedWindow: "clock", inference.FirstWindow: "first", inference.TickingWindow: "ticks", inference.SlidingLog: "log",
	inference.StrictLog: "log+", inference.Counter: "counter", inference.StrictCounter: "counter+", inference.Bucket: "bucket",
	inference.Leaky: "leaky", inference.Concurrency: "at once",
}

func (r *Reporter) summary(p inference.Report) string {
	var b strings.Builder
	for _, line := range p.Lines {
		b.WriteString(r.clean(line) + "\n")
	}
	if len(p.Answers) > 0 {
		b.WriteString("\nWhat was found out\n")
		for _, a := range p.Answers {
			r.wrapped(&b, fmt.Sprintf("  %-9s  ", a.Question), fmt.Sprintf("%s (%s)", a.Text, a.Certainty))
			for _, e := range a.Evidence {
				r.wrapped(&b, "             - ", e)
			}
		}
	}
	if len(p.Findings) > 0 {
		b.WriteString("\nFindings\n")
		for _, f := range p.Findings {
			r.wrapped(&b, fmt.Sprintf("  %-7s  ", f.Level), f.Title+": "+f.Evidence+".")
			r.wrapped(&b, "           ", f.Advice)
		}
	}
	if len(p.Rows) > 0 {
		b.WriteString("\nExperiments\n")
		r.table(&b, p)
		b.WriteString("\n" + picture(p, r.cfg.Width, r.cfg.UTF8))
	}
	if len(p.Notes) > 0 {
		b.WriteString("\n")
		for _, n := range p.Notes {
			r.wrapped(&b, "Note: ", n+".")
		}
	}
	return b.String()
}

// table is the experiments: sent, when, accepted, and expected under each family.
func (r *Reporter) table(b *strings.Builder, p inference.Report) {
	fmt.Fprintf(b, "  %9s  %5s  %8s", "when", "sent", "accepted")
	for _, f := range p.Compared {
		fmt.Fprintf(b, "  %8s", short[f])
	}
	b.WriteString("  why\n")
	folded := 0
	for i, row := range p.Rows {
		// One poll after another with the same outcome is one line: the last.
		if i+1 < len(p.Rows) && row.N == 1 && row.Accepted == 0 && row.Variant == "" {
			if next := p.Rows[i+1]; next.Why == row.Why && next.Accepted == 0 {
				folded++
				continue
			}
		}
		fmt.Fprintf(b, "  %9s  %5d  %8d", "+"+offset(row.At), row.N+folded, row.Accepted)
		for i := range p.Compared {
			cell := ""
			if i < len(row.Expected) {
				x := row.Expected[i]
				cell = fmt.Sprint(x[0])
				if x[0] != x[1] {
					cell = fmt.Sprintf("%d-%d", x[0], x[1])
				}
				if row.Accepted < x[0] || row.Accepted > x[1] {
					cell += "!"
				} else {
					cell += " "
				}
			}
			fmt.Fprintf(b, "  %8s", cell)
		}
		why := row.Why
		if folded > 0 {
			why += ", time and again"
		}
		folded = 0
		if row.Variant != "" {
			why += " (" + row.Variant + ")"
		}
		fmt.Fprintf(b, "  %s\n", r.clean(why))
	}
	if len(p.Compared) > 0 {
		b.WriteString("  A ! marks what a family would not have let through.\n")
	}
}

// wrapped writes text after a head, further lines beneath its beginning.
func (r *Reporter) wrapped(b *strings.Builder, head, text string) {
	indent := strings.Repeat(" ", len(head))
	room := max(30, r.cfg.Width-len(head))
	line := ""
	for _, word := range strings.Fields(r.clean(text)) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room {
			b.WriteString(head + line + "\n")
			head, line = indent, ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	b.WriteString(head + line + "\n")
}

// clean keeps what an API has written from moving the cursor.
func (r *Reporter) clean(s string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) || !r.cfg.UTF8 && c >= utf8.RuneSelf {
			return '?'
		}
		return c
	}, s)
}

// offset is a length of a run, in as many digits as matter.
func offset(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.3fs", d.Seconds())
	case d < 10*time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
