package generator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document/graph"
)

func TestTheIDOfWhatWasMadeIsFoundHoweverTheReplySaysIt(t *testing.T) {
	for _, row := range []struct {
		name, body, location, text, want string
		status                           int
	}{
		{name: "in the body", body: `{"id": "a."}`, want: "/zones/a."},
		{name: "in a wrapper", body: `{"data": {"id": "a."}}`, want: "/zones/a."},
		{name: "in a list", body: `[{"id": "a."}]`, want: "/zones/a."},
		{name: "alone in a list", body: `["a."]`, want: "/zones/a."},
		{name: "by the gap's name", body: `{"zone": "a.", "id": "x"}`, want: "/zones/a."},
		{name: "as JSON text", body: `"a."`, want: "/zones/a."},
		{name: "as a number", body: `17`, want: "/zones/17"},
		{name: "as plain text", text: "a7.", want: "/zones/a7."},
		{name: "not as a word", text: "Created", want: ""},
		{name: "as an address", location: "/zones/a.", want: "/zones/a."},
		{name: "as a whole address", location: "http://127.0.0.1:8080/zones/a.?x=1", want: "/zones/a."},
		{name: "as a relative address", location: "zones/a.", want: "/zones/a."},
		{name: "as the last part of an address", location: "a.", want: "/zones/a."},
		{name: "behind a gateway's prefix", location: "https://example.com/api/v2/zones/a.", want: "/zones/a."},
		{name: "elsewhere", location: "/jobs/7", want: ""},
		{name: "as the name that was asked for", want: "/zones/asked"},
	} {
		s, _ := tidying(t, nil)
		r := s.of("POST /zones")
		r.Body = []byte(`{"name": "asked"}`)
		l := messages.Learned{Request: r, Outcome: messages.Answered, Reply: &messages.Reply{Status: 201, Body: []byte(row.body)}}
		if row.body != "" {
			d := json.NewDecoder(strings.NewReader(row.body))
			d.UseNumber()
			if err := d.Decode(&l.Value); err != nil {
				t.Fatal(err)
			}
		}
		if row.text != "" {
			l.Reply.Body = []byte(row.text)
			l.Reply.Header = []messages.Field{{Name: "Content-Type", Value: "text/plain; charset=utf-8"}}
		}
		if row.location != "" {
			l.Reply.Header = append(l.Reply.Header, messages.Field{Name: "Location", Value: row.location})
		}
		s.g.Handle(l)
		got := ""
		if len(s.g.owned.things) > 0 {
			got = s.g.owned.things[0].address
		}
		if row.name == "elsewhere" || row.name == "not as a word" {
			if got != row.want && got != "/zones/asked" {
				t.Errorf("%s: %q, want %q", row.name, got, row.want)
			}
			continue
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

func TestLinksSayWhatOtherOperationsAreSentWith(t *testing.T) {
	s := newScript(t, api(t, `
  /jobs:
    post:
      requestBody: {content: {application/json: {schema: {type: object, properties: {color: {type: string}}}}}}
      responses:
        '201':
          description: made
          links:
            watch: {operationId: watch, parameters: {handle: '$response.header.X-Handle'}}
            see: {operationId: see, parameters: {number: '$response.body#/ticket/no'}}
  /watch:
    get: {operationId: watch, parameters: [{name: handle, in: query, required: true, schema: {type: string}}], `+ok+`}
  /tickets/{number}:
    get: {operationId: see, parameters: [{name: number, in: path, required: true, schema: {type: string}}], `+ok+`}
`), withoutLap)
	s.answer(s.of("POST /jobs"), 201, `{"ticket": {"no": "t-17"}}`, messages.Field{Name: "X-Handle", Value: "h-42"})
	watched, seen := 0, 0
	for range 200 {
		if strings.Contains(s.of("GET /watch").Target, "handle=h-42") {
			watched++
		}
		if s.of("GET /tickets/{number}").Target == "/tickets/t-17" {
			seen++
		}
	}
	if watched < 50 || seen < 120 {
		t.Errorf("the handle was used %d times, the ticket %d times, of 200", watched, seen)
	}
}

func TestAValueIsNotOfferedBackToTheOperationThatMadeIt(t *testing.T) {
	s := newScript(t, api(t, `
  /users:
    post: {requestBody: {required: true, content: {application/json: {schema: {type: object, required: [nick], properties: {nick: {type: string}}}}}}, `+ok+`}
  /invitations:
    post: {requestBody: {required: true, content: {application/json: {schema: {type: object, required: [nick], properties: {nick: {type: string}}}}}}, `+ok+`}
`), withoutLap)
	r := s.of("POST /users")
	r.Body = []byte(`{"nick": "zorro-the-first"}`)
	s.answer(r, 201, `{"nick": "zorro-the-first"}`)
	invited, silent := 0, 0
	for range 1000 {
		if r := s.of("POST /users"); strings.Contains(string(r.Body), "zorro") {
			t.Fatalf("a second user of the name: %s", r.Body)
		}
		if r := s.of("POST /invitations"); strings.Contains(string(r.Body), "zorro") {
			invited++
		} else {
			silent++
		}
	}
	// Of seven bodies in ten that take something, half of the weight is the memory's.
	if invited < 250 || invited > 450 {
		t.Errorf("%d of 1000 invitations name the user", invited)
	}
}

func TestAcceptedRequestsTeachTheirValues(t *testing.T) {
	s := newScript(t, api(t, `
  /a:
    post: {requestBody: {required: true, content: {application/json: {schema: {type: object, required: [city], properties: {city: {type: string}, ownerId: {type: string}}}}}}, `+ok+`}
  /b:
    get: {parameters: [{name: city, in: query, required: true, schema: {type: string}}], `+ok+`}
`), withoutLap)
	r := s.of("POST /a")
	r.Body = []byte(`{"city": "Seville", "ownerId": "invented"}`)
	s.answer(r, 400, "")
	if v := s.g.memory.Values("city"); len(v) != 0 {
		t.Errorf("a refused request taught %v", v)
	}
	s.answer(r, 204, "")
	s.of("GET /b") // what it made itself is not offered to POST /a
	if v := s.g.memory.Values("city"); fmt.Sprint(v) != "[Seville]" {
		t.Errorf("an accepted one taught %v", v)
	}
	if v := s.g.memory.Values("ownerid"); len(v) != 0 {
		t.Errorf("an id that was made up counts as one there is: %v", v)
	}
}

func TestAThingThatIsNotFoundIsForgotten(t *testing.T) {
	s, _ := tidying(t, nil)
	s.make("POST /zones", "", `{"id": "a."}`)
	r := s.of("GET /zones/{zone}")
	for r.Target != "/zones/a." {
		r = s.of("GET /zones/{zone}")
	}
	s.answer(r, 500, "")
	if got := s.known("/zones", "zone"); got != "[[a.]]" {
		t.Errorf("after a 500: %s", got)
	}
	s.answer(r, 404, "")
	if got := s.known("/zones", "zone"); got != "[]" {
		t.Errorf("after a 404: %s", got)
	}
}

// "One that is found elsewhere is known by where it is now" (decision 0017).
func TestAThingThatWasMovedIsKnownByWhereItIsNow(t *testing.T) {
	for _, row := range []struct {
		name, location, want string
		status               int
	}{
		{"renamed", "/zones/b./keys?x=1", "[[b.]]", 307},
		{"for good", "http://127.0.0.1:8080/zones/b./keys", "[[b.]]", 301},
		{"to another kind of thing", "/sites/b./keys", "[[a.]]", 301},
		{"to itself", "/zones/a./keys/", "[[a.]]", 308},
		{"to see something else", "/zones/b./keys", "[[a.]]", 303},
	} {
		s, _ := tidying(t, nil)
		s.make("POST /zones", "", `{"id": "a."}`)
		r := s.of("POST /zones/{zone}/keys")
		for r.Target != "/zones/a./keys" {
			r = s.of("POST /zones/{zone}/keys")
		}
		s.answer(r, row.status, "", messages.Field{Name: "Location", Value: row.location})
		if got := s.known("/zones", "zone"); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
		if mine := s.g.memory.kinds["/zones"].by("zone").mine; !mine[0] {
			t.Errorf("%s: it counts no more as one that the run has made", row.name)
		}
	}
}

func TestTheMemoryIsBoundedWhateverRepliesHold(t *testing.T) {
	doc := api(t, nested)
	rapid.Check(t, func(t *rapid.T) {
		s := scriptOf(t, doc, func(c *Config) {
			c.Settings.Memory = settings.Memory{LearnFromReplies: true, ValuesPerName: 3, MostNames: 7, ReadUpTo: 1 << 10, MostDepth: 3}
			shareOfSeries(c, 0.3)
		})
		value := rapid.Deferred(func() *rapid.Generator[any] { return anything(3) })
		for range rapid.IntRange(1, 30).Draw(t, "replies") {
			o := s.ask()
			if o.Request == nil {
				break
			}
			s.g.Handle(messages.Learned{
				Request: o.Request, Outcome: messages.Answered, Value: value.Draw(t, "value"),
				Reply: &messages.Reply{Status: 201, Header: []messages.Field{{Name: "Location", Value: rapid.String().Draw(t, "location")}}},
			})
			m := s.g.memory
			if len(m.names) > 7 || len(m.order) != len(m.names) {
				t.Fatalf("%d names, %d in order", len(m.names), len(m.order))
			}
			for name, seen := range m.names {
				if len(seen.values) > 3 || len(seen.values) != len(seen.from) || !slices.Contains(m.order, name) {
					t.Fatalf("%s has %d values", name, len(seen.values))
				}
			}
			for _, k := range m.kinds {
				for _, b := range k.gaps {
					if len(b.things) > 3 || len(b.things) != len(b.since) {
						t.Fatalf("%d things, %d moments", len(b.things), len(b.since))
					}
				}
			}
			if len(s.g.follow.running) > mostSeries {
				t.Fatalf("%d series", len(s.g.follow.running))
			}
		}
	})
}

func anything(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil),
		rapid.Custom(func(t *rapid.T) any { return rapid.StringN(0, 20, 400).Draw(t, "text") }),
		rapid.Custom(func(t *rapid.T) any { return json.Number(fmt.Sprint(rapid.Int().Draw(t, "number"))) }),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	names := rapid.OneOf(rapid.SampledFrom([]string{"id", "zone", "name", "data", "items"}), rapid.String())
	return rapid.OneOf(append(scalars,
		rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(anything(depth-1), 0, 4).Draw(t, "list") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.MapOfN(names, anything(depth-1), 0, 4).Draw(t, "object") }),
	)...)
}

// "Its place has to go by the name of a kind, as the memory of things does" (decision 0022).
func TestAPlaceIsForANameWhereItGoesByThatOfAKind(t *testing.T) {
	s := newScript(t, api(t, `
  /books: {post: {`+ok+`}}
  /books/{id}: {get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], `+ok+`}}
  /queues/{name}: {get: {parameters: [{name: name, in: path, required: true, schema: {type: string}}], `+ok+`}}
`), withoutLap)
	for place, want := range map[string]string{
		"body.bookId": "/books", "body.lines[].book_id": "/books", "query.book": "/books", "body.bookIds[]": "/books", "body.books[]": "/books",
		"header.Book-Id": "/books", "body.queueName": "/queues", "body.id": "", "body.name": "", "body.count": "", "body": "", "body[]": "", "body.bookIds": "",
	} {
		if got := strings.Join(s.g.memory.kindsAt(place), " "); got != want {
			t.Errorf("%s is for names of %q, want %q", place, got, want)
		}
	}
}

// "where the likeliest is wanted, the newest that the API gave comes before them" (decision 0017).
func TestTheLikeliestValueIsOneThatTheAPIGave(t *testing.T) {
	m := newMemory(settings.Memory{ValuesPerName: 4, MostNames: 4, MostDepth: 3}, &graph.Graph{})
	given, sent := origin{maker: noOne}, origin{maker: noOne, sent: true}
	for _, v := range []struct {
		text string
		from origin
	}{{"a", sent}, {"self", given}, {"b", sent}, {"other", given}, {"c", sent}, {"d", sent}} {
		m.keepName("pool", v.text, v.from)
	}
	if got := fmt.Sprint(m.Values("pool")); got != "[c d self other]" {
		t.Errorf("offered are %s", got)
	}
	m.keepName("pool", "third", given)
	if got := fmt.Sprint(m.Values("pool")); got != "[d self other third]" {
		t.Errorf("once the API gave another, offered are %s", got)
	}
}
