package limiterreport

import (
	"fmt"
	"strings"
	"time"

	"github.com/restest/restest/stages/experimenter/inference"
)

// column is a stretch of time, and how many requests that were sent in it were let through and refused.
type column struct{ accepted, refused int }

// columns are the whole time in so many stretches.
func columns(p inference.Report, n int) (all []column, most int, length time.Duration) {
	all = make([]column, n)
	if len(p.Rows) == 0 {
		return all, 0, 0
	}
	begin := p.Rows[0].Lo
	length = max(p.Took, 1)
	for _, row := range p.Rows {
		for _, a := range row.Answers {
			i := min(n-1, max(0, int(int64(n)*int64(a.Sent.Sub(begin)/1000)/max(1, int64(length/1000)))))
			if a.Accepted {
				all[i].accepted++
			} else {
				all[i].refused++
			}
		}
	}
	for _, c := range all {
		most = max(most, c.accepted+c.refused)
	}
	return all, most, length
}

// height is how many lines the picture in the terminal has.
const height = 8

// picture draws what was accepted and refused over time, in characters.
func picture(p inference.Report, width int, unicode bool) string {
	full, hollow := "#", "."
	if unicode {
		full, hollow = "█", "░"
	}
	n := max(20, min(width, 120)-10)
	all, most, length := columns(p, n)
	if most == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Accepted (%s) and refused (%s) over time\n", full, hollow)
	for line := height; line > 0; line-- {
		label := ""
		if line == height {
			label = fmt.Sprint(most)
		}
		row := ""
		for _, c := range all {
			accepted := (c.accepted*height + most - 1) / most
			sum := ((c.accepted+c.refused)*height + most - 1) / most
			switch {
			case line <= accepted:
				row += full
			case line <= sum:
				row += hollow
			default:
				row += " "
			}
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%6s |%s", label, row), " ") + "\n")
	}
	end := offset(length)
	fmt.Fprintf(&b, "%6d +%s\n%8s0s%*s\n", 0, strings.Repeat("-", n), "", n-2, end)
	return b.String()
}

// svg draws the same as a picture that scales.
func svg(p inference.Report) string {
	const width, tall, left, bottom = 960, 320, 60, 40
	const n = 240
	all, most, length := columns(p, n)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", width, tall)
	fmt.Fprintf(&b, `<title>Accepted and refused requests over time</title><rect width="%d" height="%d" fill="#fff"/>`+"\n", width, tall)
	room, high := float64(width-left-10), float64(tall-bottom-30)
	bar := func(i, from, to int, fill string) {
		if to > from {
			y, h := high*float64(to)/float64(most), high*float64(to-from)/float64(most)
			fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", left+room*float64(i)/n, 30+high-y, room/n, h, fill)
		}
	}
	for i, c := range all {
		bar(i, 0, c.accepted, "#2a7d3f")
		bar(i, c.accepted, c.accepted+c.refused, "#c9482c")
	}
	fmt.Fprintf(&b, `<path d="M%d 30V%dH%d" fill="none" stroke="#333"/>`+"\n", left, tall-bottom, width-10)
	fmt.Fprintf(&b, `<text x="%d" y="40" text-anchor="end">%d</text><text x="%d" y="%d" text-anchor="end">0</text>`+"\n", left-6, most, left-6, tall-bottom)
	fmt.Fprintf(&b, `<text x="%d" y="%d">0 s</text><text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left, tall-bottom+18, width-10, tall-bottom+18, offset(length))
	fmt.Fprintf(&b, `<text x="%d" y="18" fill="#2a7d3f">accepted</text><text x="%d" y="18" fill="#c9482c">refused</text>`+"\n", left, left+80)
	b.WriteString("</svg>\n")
	return b.String()
}
