package classifier

import (
	"fmt"
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// order is an operation whose name and note are free, and whose size and kind are not.
func order() *document.Operation {
	text := func(change func(*document.Schema)) *document.Schema {
		s := &document.Schema{Types: []string{"string"}, MinLength: -1, MaxLength: -1}
		if change != nil {
			change(s)
		}
		return s
	}
	return &document.Operation{
		Method: "POST", Path: "/orders",
		Parameters: []*document.Parameter{{Name: "q", In: "query", Schema: text(nil)}},
		Body: &document.Body{Media: []*document.Media{{Type: "application/json", Schema: &document.Schema{MinProperties: -1, MaxProperties: -1, Properties: []document.Property{
			{Name: "name", Schema: text(nil)},
			{Name: "note", Schema: text(nil)},
			{Name: "customerId", Schema: text(nil)},
			{Name: "size", Schema: text(func(s *document.Schema) { s.MaxLength = 2 })},
			{Name: "kind", Schema: text(func(s *document.Schema) { s.HasEnum, s.Enum = true, []any{"a", "b"} })},
		}}}}},
	}
}

func ordering(query, body string, status int) *messages.Exchange {
	e := exchange(0, reply(status, ""))
	e.Request = &messages.Request{
		Method: "POST", Target: "/orders" + query, Valid: true, Body: []byte(body),
		Header: []messages.Field{{Name: "Content-Type", Value: "application/json"}},
	}
	return e
}

func TestATwinDiffersInNothingTheDocumentConstrains(t *testing.T) {
	for _, r := range []struct {
		name, accepted, refused string
		want                    bool
	}{
		{"another name", `{"name":"a","size":"x"}`, `{"name":"b","size":"x"}`, true},
		{"in another order", `{"size":"x","name":"a"}`, `{"name":"b","size":"x"}`, true},
		{"another size", `{"name":"a","size":"x"}`, `{"name":"b","size":"y"}`, false},
		{"another kind", `{"name":"a","kind":"a"}`, `{"name":"b","kind":"b"}`, false},
		{"another reference", `{"name":"a","customerId":"1"}`, `{"name":"b","customerId":"2"}`, false},
		{"a member more", `{"name":"a"}`, `{"name":"b","note":"c"}`, false},
		{"the same", `{"name":"a"}`, `{"name":"a"}`, false},
		{"a value that was taken", `{"name":"a","note":"n"}`, `{"name":"a","note":"m"}`, false},
		{"no JSON", `{"name":`, `{"name":"b"}`, false},
	} {
		tw := newTwins([]*document.Operation{order()})
		tw.learn(ordering("", r.accepted, 201))
		if got := tw.accepted(ordering("", r.refused, 400).Request); got != r.want {
			t.Errorf("%s: %v", r.name, got)
		}
	}
	tw := newTwins([]*document.Operation{order()})
	tw.learn(ordering("?q=a", `{"size":"x"}`, 200))
	if !tw.accepted(ordering("?q=b", `{"size":"x"}`, 400).Request) || tw.accepted(ordering("?q=a", `{"size":"x"}`, 400).Request) {
		t.Error("a free value of the query is not taken for one")
	}
}

func TestOnlyWhatWasAcceptedAndIsValidHasTwins(t *testing.T) {
	for name, e := range map[string]*messages.Exchange{
		"refused":    ordering("", `{"name":"a"}`, 400),
		"redirected": ordering("", `{"name":"a"}`, 303),
		"not valid": func() *messages.Exchange {
			e := ordering("", `{"name":"a"}`, 201)
			e.Request.Valid = false
			return e
		}(),
	} {
		tw := newTwins([]*document.Operation{order()})
		tw.learn(e)
		if tw.accepted(ordering("", `{"name":"b"}`, 400).Request) {
			t.Errorf("%s: a twin was found", name)
		}
	}
}

func TestTheMemoryOfTwinsIsBounded(t *testing.T) {
	tw := newTwins([]*document.Operation{order()})
	for i := range 5 * mostValues {
		tw.learn(ordering("", fmt.Sprintf(`{"name":"%d","size":"%d"}`, i, i%100), 201))
		if l := tw[0]; len(l.values) > mostValues || len(l.outlines) > mostOutlines {
			t.Fatalf("%d values and %d outlines are remembered", len(l.values), len(l.outlines))
		}
	}
	if tw.accepted(ordering("", `{"name":"new","size":"1"}`, 400).Request) {
		t.Error("a value is taken for new after some were forgotten")
	}
}

func TestARefusedTwinIsACertainFinding(t *testing.T) {
	op := order()
	op.Responses = []*document.Response{{Code: "201"}, {Code: "400"}}
	h := listen(&document.Document{Operations: []*document.Operation{op}})
	h.judged(ordering("", `{"name":"a"}`, 201))
	j := h.judged(ordering("", `{"name":"b"}`, 400))
	if codes(j) != "F207" || j.Findings[0].Certainty != messages.Certain {
		t.Errorf("found %+v", j.Findings)
	}
	j = h.judged(ordering("", `{"note":"b"}`, 400))
	if codes(j) != "F207" || j.Findings[0].Certainty != messages.Likely {
		t.Errorf("without a twin: %+v", j.Findings)
	}
}
