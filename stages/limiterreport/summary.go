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
	inference.StrictLog: "log+", inference.Counter: "count", inference.StrictCounter: "count+", inference.Bucket: "bucket",
	inference.Leaky: "leaky", inference.Concurrency: "under way",
}

func (r *Reporter) summary(p inference.Report) string {
	var b strings.Builder
	for _, line := range p.Lines {
		r.wrapped(&b, "", line)
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
	if naming, measuring := split(p.Rows); len(p.Rows) > 0 {
		r.table(&b, "Experiments", naming, r.shown(p.Compared, naming))
		r.table(&b, "Measurements", measuring, nil)
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

// split are the experiments by which the limiter was named, and those that measured it. What only shows that the plain
// request is still refused is one, and so are polls, one after the other, that were all refused: the last.
func split(rows []inference.Row) (naming, measuring []folded) {
	control := -1
	for i, row := range rows {
		all := &measuring
		if row.Question <= inference.Which {
			all = &naming
		}
		if shut(row) && control >= 0 {
			(*all)[control].N += row.N
			(*all)[control].times++
			continue
		}
		f := folded{row, 1}
		if n := len(*all) - 1; i > 0 && n >= 0 && polled(row) && polled(rows[i-1]) && row.Why == rows[i-1].Why {
			f.N, f.times = row.N+(*all)[n].N, (*all)[n].times+1
			*all = (*all)[:n]
		}
		if *all = append(*all, f); shut(row) {
			control = len(*all) - 1
		}
	}
	return naming, measuring
}

// folded is a row that stands for so many.
type folded struct {
	inference.Row
	times int
}

func polled(row inference.Row) bool {
	return row.N == 1 && row.Accepted == 0 && row.Variant == "" && !row.Control
}

// shut says that a row shows what was to be shown: that the plain request is still refused.
func shut(row inference.Row) bool { return row.Control && row.Accepted == 0 }

// leastWhy is how many columns the reasons have at least.
const leastWhy = 30

// shown are as many of the families as there is room for.
func (r *Reporter) shown(all []inference.Family, rows []folded) []inference.Family {
	room := r.cfg.Width - len(beginning(0, 0, 0)) - leastWhy
	for i, f := range all {
		if room -= width(i, f, rows); room < 0 {
			return all[:i]
		}
	}
	return all
}

// width is how wide the column of the i-th family is.
func width(i int, f inference.Family, rows []folded) int {
	w := len(short[f]) + 1
	for _, row := range rows {
		if i < len(row.Expected) {
			w = max(w, len(expected(row, i)))
		}
	}
	return w + 1
}

// expected is how many of a row a family would have let through, with a mark if it is not what happened.
func expected(row folded, i int) string {
	x := row.Expected[i]
	cell := fmt.Sprint(x[0])
	if x[0] != x[1] {
		cell = fmt.Sprintf("%d-%d", x[0], x[1])
	}
	if row.Accepted < x[0] || row.Accepted > x[1] {
		return cell + "!"
	}
	return cell + " "
}

func beginning(at time.Duration, sent, accepted int) string {
	return fmt.Sprintf("  %8s  %5d  %8d ", "+"+offset(at), sent, accepted)
}

// table is experiments: sent, when, accepted, and expected under each family.
func (r *Reporter) table(b *strings.Builder, title string, rows []folded, families []inference.Family) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n  %8s  %5s  %8s ", title, "when", "sent", "accepted")
	for i, f := range families {
		fmt.Fprintf(b, "%*s ", width(i, f, rows)-1, short[f])
	}
	b.WriteString(" why\n")
	for _, row := range rows {
		head := beginning(row.At, row.N, row.Accepted)
		for i, f := range families {
			cell := ""
			if i < len(row.Expected) {
				cell = expected(row, i)
			}
			head += fmt.Sprintf("%*s", width(i, f, rows), cell)
		}
		why := row.Why
		if row.Variant != "" {
			why = row.Variant + ", " + why
		}
		if row.times > 1 {
			why += fmt.Sprintf(", %d times", row.times)
		}
		r.wrapped(b, head+" ", why)
	}
	if len(families) > 0 {
		r.wrapped(b, "  ", "Beneath each family is how many it would have let through, with a ! where that is not what came. "+
			"A + is one that counts refusals too.")
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
