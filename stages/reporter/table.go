package reporter

import (
	"cmp"
	"slices"

	"github.com/restest/restest/settings/document"
)

const (
	// usualRows is how many lines the table by operation may have where the height of the screen is not known.
	usualRows = 30
	// fewestRows is how many it has on any screen, narrowestName how wide its first column can be on any.
	fewestRows    = 5
	narrowestName = 12
)

// mostRows is how many operations the table lists: its head, and what tells of the rest, are on the screen too.
func (s *summary) mostRows() int {
	if s.cfg.Height <= 0 {
		return usualRows
	}
	return max(s.cfg.Height-3, fewestRows)
}

// table is the replies by operation and class of status.
func (s *summary) table() {
	rows, folded := s.rows()
	if len(rows) == 0 {
		return
	}
	type column struct {
		name  string
		count func(*operationTally) int64
	}
	columns := []column{{"requests", func(t *operationTally) int64 { return t.sent }}}
	for _, i := range []int{1, 2, 3, 4, 5, 0} {
		columns = append(columns, column{classNames[i], func(t *operationTally) int64 { return t.classes[i] }})
	}
	columns = append(columns,
		column{"no reply", func(t *operationTally) int64 { return t.noReply }},
		column{"never sent", func(t *operationTally) int64 { return t.neverSent }})
	columns = slices.DeleteFunc(columns, func(c column) bool {
		return !slices.ContainsFunc(s.tally.operations, func(t operationTally) bool { return c.count(&t) > 0 })
	})
	widest := widestName
	if s.cfg.LiveTTY { // a table whose lines wrap is none
		room := s.cfg.Width - 1
		for _, c := range columns {
			cell := len(c.name)
			for _, op := range rows {
				cell = max(cell, len(number(c.count(&s.tally.operations[op.Index]))))
			}
			room -= 2 + cell
		}
		widest = min(widest, max(room, narrowestName))
	}
	cells := [][]string{{"operation"}}
	for _, c := range columns {
		cells[0] = append(cells[0], c.name)
	}
	for _, op := range rows {
		row := []string{cut(s.shown(op.ID), widest)}
		for _, c := range columns {
			row = append(row, number(c.count(&s.tally.operations[op.Index])))
		}
		cells = append(cells, row)
	}
	s.section()
	for _, line := range aligned(cells) {
		s.b.WriteString(line + "\n")
	}
	if folded > 0 {
		s.line("and %s in which there is less to see", plural(int64(folded), "operation"))
	}
}

// rows are the operations to list, in the document's order: those requests were made for or, if they are too many,
// those worth seeing first. It also counts those left out.
func (s *summary) rows() ([]*document.Operation, int) {
	var rows []*document.Operation
	for _, op := range s.cfg.Document.Operations {
		if t := &s.tally.operations[op.Index]; t.sent > 0 || t.neverSent > 0 {
			rows = append(rows, op)
		}
	}
	most := s.mostRows()
	if len(rows) <= most {
		return rows, 0
	}
	worth := func(op *document.Operation) int {
		t, f := &s.tally.operations[op.Index], s.gathered.byOperation[op.Index]
		switch {
		case f != nil && f.errors > 0:
			return 0
		case t.classes[5] > 0 || t.classes[0] > 0 || t.noReply > 0:
			return 1
		case f != nil:
			return 2
		case t.onlyRefused():
			return 3
		case t.classes[2] == 0:
			return 4
		}
		return 5
	}
	slices.SortStableFunc(rows, func(a, b *document.Operation) int { return cmp.Compare(worth(a), worth(b)) })
	folded := len(rows) - most
	rows = rows[:most]
	slices.SortFunc(rows, func(a, b *document.Operation) int { return cmp.Compare(a.Index, b.Index) })
	return rows, folded
}
