package generator

import (
	"slices"
	"strings"
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/dictionary"
	"github.com/restest/restest/settings/document"
)

const orders = `
  /orders:
    post:
      operationId: addOrder
      parameters:
        - {name: currency, in: query, required: true, schema: {type: string, enum: [EUR, USD]}}
        - {name: note, in: query, required: true, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [items, email, count]
              properties:
                items: {type: array, minItems: 1, items: {type: object, required: [sku], properties: {sku: {type: string, maxLength: 4}}}}
                email: {type: string, format: email}
                count: {type: integer, minimum: 5}
      ` + ok + `
  /orders/{orderId}:
    get:
      parameters: [{name: orderId, in: path, required: true, schema: {type: string}}]
      ` + ok + `
`

func dictionaries(t *testing.T, content string) []*dictionary.Dictionary {
	t.Helper()
	d := dictionary.Read("d.yaml", []byte("version: 1\nname: words\nvalues:\n"+content))
	if len(d.Problems) > 0 {
		t.Fatal(d.Problems)
	}
	return []*dictionary.Dictionary{d}
}

// sources counts where the values at the place came from in n requests to the operation.
func sources(t *testing.T, doc *document.Document, d []*dictionary.Dictionary, id, place string, n int) map[string]int {
	t.Helper()
	s := newScript(t, doc, func(c *Config) {
		c.Dictionaries = d
		withoutLap(c)
	})
	count := map[string]int{}
	for range n {
		r := s.of(id)
		at := slices.IndexFunc(r.Origins, func(o messages.Origin) bool { return strings.HasPrefix(o.Place, place) })
		if at < 0 {
			t.Fatalf("nothing at %s: %v", place, r.Origins)
		}
		count[r.Origins[at].Source]++
	}
	return count
}

func TestADictionaryIsUsedByItsWeight(t *testing.T) {
	doc := api(t, orders)
	d := dictionaries(t, `
  operation: {"POST /orders": {"body.items[].sku": [A-1, much-too-long]}, addOrder: {query.currency: [GBP, USD]}}
  name: {order_id: [o1, o2], note: [from-name]}
  format: {email: [ada@example.com, none]}
  type: {integer: [7, 2], string: [ß]}
`)
	for _, row := range []struct{ id, place string }{
		{"POST /orders", "body.items[0].sku"},
		{"POST /orders", "body.email"},
		{"POST /orders", "body.count"},
		{"POST /orders", "query.note"},
		{"GET /orders/{orderId}", "path.orderId"},
	} {
		// 40 for dictionaries against 20 for random.
		if got := sources(t, doc, d, row.id, row.place, 300); got["dictionary words"] < 160 || got["dictionary words"] > 240 {
			t.Errorf("%s: %v", row.place, got)
		}
	}
	if got := sources(t, doc, d, "POST /orders", "query.currency", 50); got["enum"] != 50 {
		t.Errorf("what the document lists comes first: %v", got)
	}
}

func TestADictionarysValuesFitOrAreNotSent(t *testing.T) {
	d := dictionaries(t, `
  operation: {"any": {"body.items[].sku": [A-1, much-too-long, 5]}}
  name: {count: [7, 2, x]}
`)
	s := newScript(t, api(t, orders), func(c *Config) { c.Dictionaries = d; withoutLap(c) })
	seen := map[bool]int{}
	for range 200 {
		r := s.of("POST /orders")
		if strings.Contains(string(r.Body), "much-too-long") || strings.Contains(string(r.Body), `"count":2,`) {
			t.Fatalf("%s", r.Body)
		}
		seen[strings.Contains(string(r.Body), `"A-1"`) && strings.Contains(string(r.Body), `"count":7`)]++
	}
	if seen[true] == 0 {
		t.Error("what fits was never sent")
	}
}

func TestTheMostExactGroupCounts(t *testing.T) {
	doc := api(t, orders)
	for i, groups := range []string{
		"  any: [f]\n", "  any: [f]\n  type: {string: [e]}\n", "  type: {string: [e]}\n  name: {note: [d]}\n",
		"  name: {note: [d]}\n  operation: {any: {query.note: [b]}}\n",
	} {
		d := dictionaries(t, groups)
		s := newScript(t, doc, func(c *Config) { c.Dictionaries = d; withoutLap(c) })
		want, hit := []string{"f", "e", "d", "b"}[i], 0
		for range 60 {
			target := s.of("POST /orders").Target
			if strings.HasSuffix(target, "note="+want) {
				hit++
			} else if other := target[strings.LastIndexByte(target, '=')+1:]; len(other) == 1 && strings.Contains("bdef", other) {
				t.Errorf("%q: %s", groups, target)
			}
		}
		if hit < 20 {
			t.Errorf("%q: used %d times of 60", groups, hit)
		}
	}
}

func TestValuesThatCannotBeUsedAreToldWithTheirLine(t *testing.T) {
	cfg := Config{Document: api(t, orders), Settings: settings.Default()}
	got := CheckDictionaries(cfg, dictionaries(t, `
  operation:
    POST /order: {query.note: [x]}
    addOrder:
      query.nope: [x]
      body.count: [3, 9]
  name: {skus: [a], sku: [longer, b]}
  format: {emial: [x], email: [nobody]}
  schema: {Order: [1]}
  type: {boolean: [true], integer: [1, 8]}
  any: [true, x]
`))
	want := []string{
		`d.yaml:6: "POST /order" is no operation of the document; did you mean POST /orders?`,
		`d.yaml:8: addOrder has no place query.nope; did you mean query.note?`,
		`d.yaml:9: 3 does not fit the schema of body.count in addOrder, so it is not used`,
		`d.yaml:10: the document has no place of name skus; did you mean sku?`,
		`d.yaml:10: "longer" does not fit the schema of any place of name sku, so it is not used`,
		`d.yaml:11: the document has no place of format emial; did you mean email?`,
		`d.yaml:11: "nobody" does not fit the schema of any place of format email, so it is not used`,
		`d.yaml:12: the document has no place of schema Order`,
		`d.yaml:13: the document has no place of type boolean`,
		`d.yaml:13: 1 does not fit the schema of any place of type integer, so it is not used`,
		`d.yaml:14: true fits no place of the document, so it is not used`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestPlacesThatTheDocumentGivesNoValueForAreListed(t *testing.T) {
	var got []string
	for _, p := range PlacesWithoutValues(api(t, orders), settings.Default()) {
		got = append(got, p.Operation.ID+" "+p.Place+" "+p.What)
	}
	want := []string{
		"addOrder query.note string", "addOrder body.items[].sku string", "addOrder body.email string, email", "addOrder body.count integer",
		"GET /orders/{orderId} path.orderId string",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestWeightsCanBeGivenPerDraw(t *testing.T) {
	d := dictionaries(t, "  name: {note: [x]}\n")
	s := newScript(t, api(t, orders), func(c *Config) { c.Dictionaries = d; withoutLap(c) })
	s.g.draw.Weights.Random = 0
	for range 30 {
		if r := s.of("POST /orders"); !strings.HasSuffix(r.Target, "note=x") {
			t.Fatalf("%s", r.Target)
		}
	}
}

// What a body says of another thing is mostly one that is there (decision 0018 §1), also where the rest is new (0017 §3).
func TestABodyMostlyRefersToThingsThatAreThere(t *testing.T) {
	s := newScript(t, api(t, `
  /pets: {post: {requestBody: {required: true, content: {application/json: {schema: {type: object, required: [petId], properties: {petId: {type: integer}}}}}}, `+ok+`}}
  /pets/{petId}: {parameters: [{name: petId, in: path, required: true, schema: {type: integer}}], get: {`+ok+`}}
  /orders: {post: {requestBody: {required: true, content: {application/json: {schema: {type: object, required: [petId], properties: {petId: {type: integer}}}}}}, `+ok+`}}
`), withoutLap)
	s.answer(s.of("POST /pets"), 201, `{"petId": 70707}`)
	ordered, again := 0, 0
	for range 400 {
		if r := s.of("POST /orders"); strings.Contains(string(r.Body), "70707") {
			ordered++
		}
		if r := s.of("POST /pets"); strings.Contains(string(r.Body), "70707") {
			again++
		}
	}
	if ordered < 320 || ordered > 390 {
		t.Errorf("%d of 400 orders are for the pet that is there", ordered)
	}
	if again > 0 {
		t.Errorf("%d of 400 pets are made by the id of one that is there", again)
	}
}
