package messages

import (
	"encoding/json"
	"testing"
)

func TestAMakerSaysWhereWhatItMakesIs(t *testing.T) {
	located := func(to string) *Reply { return &Reply{Header: []Field{{"Location", to}}} }
	value := func(text string) any {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		name    string
		reply   *Reply
		value   string
		address string
		place   string
		// again and anew are another answer, and what it made.
		again *Reply
		anew  string
		now   string
	}{
		{"a path", located("/a/1"), `{}`, "/a/1", "Location", located("/a/2"), `{}`, "/a/2"},
		{"an address", located("http://h/a/1"), `{}`, "/a/1", "Location", located("https://h/a/%C3%A4/"), `{}`, "/a/%C3%A4"},
		{"another Location", located("/b"), `{"id":1}`, "/a/1", "/id", located("/b"), `{"id":2}`, "/a/2"},
		{"a name", &Reply{}, `{"name":"x y"}`, "/a/x%20y", "/name", &Reply{}, `{"name":"z/z"}`, "/a/z%2Fz"},
		{"the shallowest", &Reply{}, `{"a":{"id":1},"b":1}`, "/a/1", "/b", &Reply{}, `{"b":"2"}`, "/a/2"},
		{"an id before what is like it", &Reply{}, `{"bookId":1,"id":1}`, "/a/1", "/id", &Reply{}, `{"bookId":2,"id":3}`, "/a/3"},
		{"in an envelope", &Reply{}, `{"a/b":{"id":"1"}}`, "/a/1", "/a~1b/id", &Reply{}, `{"a/b":{"id":"2"}}`, "/a/2"},
		{"nowhere", &Reply{}, `{"id":3}`, "/a/1", "", &Reply{}, `{"id":2}`, ""},
		{"nowhere the next time", &Reply{}, `{"id":1}`, "/a/1", "/id", &Reply{}, `[]`, ""},
	} {
		m := MakerOf(&Request{}, c.reply, value(c.value), c.address)
		if m.Place != c.place || m.Address != c.address {
			t.Errorf("%s: %+v", c.name, m)
		}
		if now := m.Made(c.again, value(c.anew)); now != c.now {
			t.Errorf("%s: it is at %q, want %q", c.name, now, c.now)
		}
	}
}

func TestTheMakersOfARequestInASeriesAreItsSteps(t *testing.T) {
	create := Taken{Request: &Request{Method: "POST", Target: "/a"}, Reply: &Reply{Status: 201}, Value: map[string]any{"id": json.Number("12")}}
	change := Taken{Request: &Request{Method: "PATCH", Target: "/a/12"}, Reply: &Reply{Status: 200}}
	r := &Request{Target: "/a/12/parts?x=/12", Series: &Step{Nth: 3, Thing: "12", Taken: []Taken{create, change}}}
	makers := r.Makers()
	if len(makers) != 2 || makers[0] != (Maker{Request: create.Request, Address: "/a/12", Place: "/id"}) || makers[1] != (Maker{Request: change.Request}) {
		t.Errorf("got %+v", makers)
	}
	r.Target = "/a/123"
	if makers := r.Makers(); makers[0].Address != "" {
		t.Errorf("another thing's address: %+v", makers[0])
	}
	if (&Request{}).Makers() != nil {
		t.Error("a request by itself has makers")
	}
}
