package coverage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/restest/restest/stages/generator/values"
)

// aims are requests for the statuses that the document declares and that a request can be made for without knowing the
// API: 404 and 410 by an address that names nothing, 415 by another content type, 406 by another Accept. A 400 or 422
// comes of the values outside a bound.
func (c *Coverage) aims() []Wish {
	var wishes []Wish
	if c.declares("404", "410") {
		places := c.form.Places()
		for i := len(places) - 1; i >= 0; i-- {
			if p := &places[i]; p.Root() && p.Part >= 0 && c.form.Parts[p.Part].In == "path" {
				w := around(p, c.form)
				w.do = strange
				wishes = append(wishes, w)
			}
		}
	}
	if other := c.form.OtherType(); other != "" && c.declares("415") {
		wishes = append(wishes, Wish{Parts: []string{"body"}, do: otherType, value: other})
	}
	if c.declares("406") {
		wishes = append(wishes, Wish{Parts: []string{"body"}, do: noType, value: "application/x-none"})
	}
	return wishes
}

// declares says whether the document declares one of the statuses, alone or in a range.
func (c *Coverage) declares(statuses ...string) bool {
	return slices.ContainsFunc(c.statuses, func(s string) bool {
		return slices.Contains(statuses, s) || s == "4XX"
	})
}

// nobody is a value that fits and surely names nothing there is.
func nobody(d *values.Draw, s *values.Shape) (any, bool) {
	n := d.Rand.Uint64()
	for _, v := range []any{
		json.Number(fmt.Sprint(2_000_000_000 + n%100_000_000)), json.Number(fmt.Sprint(900_000_000 + n%90_000_000)),
		fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(n>>32), n&0xffffffffffff),
		fmt.Sprintf("nosuch%016x", n), fmt.Sprintf("%024x", n), strings.ToUpper(fmt.Sprintf("%08x", uint32(n))), fmt.Sprint(2_000_000_000 + n%100_000_000),
	} {
		if s.Fits(v) {
			return v, true
		}
	}
	return nil, false
}
