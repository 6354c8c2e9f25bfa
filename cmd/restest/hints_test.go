package main

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// booking is a document that says nothing of what its API asks for.
const booking = `openapi: 3.0.3
info: {title: Booking, version: "1"}
paths:
  /bookings:
    post:
      operationId: book
      parameters: [{name: channel, in: query, schema: {type: string}}]
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                guest: {type: object, properties: {email: {type: string}, name: {type: string}}}
                rooms: {type: array, items: {type: object, properties: {kind: {type: string}, nights: {type: integer}}}}
                from: {type: string}
                internal: {type: boolean}
      responses: {"201": {description: booked}, "400": {description: refused}}
`

var (
	mailAddress = regexp.MustCompile(`^[^@ ]+@[^@ ]+\.[a-z]+$`)
	dayOfMonth  = regexp.MustCompile(`^\d\d/\d\d/20\d\d$`)
)

// book takes only what its refusals ask for, in the words of four frameworks.
func book(a *arrival) reply {
	query, _ := url.ParseQuery(strings.Join(a.query(), "&"))
	var b struct {
		Guest struct{ Email, Name string }
		Rooms []struct {
			Kind   string
			Nights int
		}
		From     string
		Internal *bool
	}
	switch err := json.Unmarshal(a.body, &b); {
	case err != nil:
		return sayJSON(400, `{"errors": {"": ["A non-empty request body is required."]}, "status": 400}`)
	case query.Get("channel") != "web" && query.Get("channel") != "desk":
		return sayJSON(400, `{"detail": [{"type": "enum", "loc": ["query", "channel"], "msg": "Input should be 'web' or 'desk'", "ctx": {"expected": "'web' or 'desk'"}}]}`)
	case !mailAddress.MatchString(b.Guest.Email):
		return sayJSON(422, `{"errors": [{"source": {"pointer": "/guest/email"}, "detail": "must be a valid e-mail address"}]}`)
	case len(b.Guest.Name) < 8:
		return sayJSON(422, `{"errors": {"guest.name": ["is too short (minimum is 8 characters)"]}}`)
	case len(b.Rooms) == 0:
		return sayJSON(400, `{"rooms": ["This field is required."]}`)
	case b.Internal != nil:
		return sayJSON(400, `{"statusCode": 400, "message": ["property internal should not exist"]}`)
	case !dayOfMonth.MatchString(b.From):
		return say(400, "text/plain", "from: use dd/MM/yyyy")
	}
	for _, r := range b.Rooms {
		if r.Nights < 2 || r.Nights > 14 {
			return sayJSON(400, `{"errors": [{"field": "rooms[0].nights", "defaultMessage": "must be between 2 and 14"}]}`)
		}
		if r.Kind != "single" && r.Kind != "double" {
			return sayJSON(400, `{"errors": [{"instancePath": "/rooms/0/kind", "keyword": "enum", "params": {"allowedValues": ["single", "double"]}, "message": "must be equal to one of the allowed values"}]}`)
		}
	}
	return sayJSON(201, `{"id": 1}`)
}

func TestARunReachesWhatOnlyRefusalsTell(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "booking.yaml")
	if err := os.WriteFile(file, []byte(booking), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, book)
	o := s.test(t, 400, file, "--url", s.url)
	if op := o.report.Operations[0]; op.ByClass.C2xx < op.Requests/5 {
		t.Errorf("%d of %d requests were accepted", op.ByClass.C2xx, op.Requests)
	}
	for _, place := range []string{"query.channel", "body.guest.email", "body.rooms[].nights", "body.internal", "body.from"} {
		found := false
		for _, l := range o.report.Learned {
			found = found || l.Operation == "book" && l.Place == place && l.Followed > 0 && l.Accepted > 0
		}
		if !found {
			t.Errorf("of %s nothing is told in %+v", place, o.report.Learned)
		}
	}
	without := s.test(t, 400, file, "--url", s.url, "--set", "generation.hintChance=0")
	if op := without.report.Operations[0]; op.ByClass.C2xx > 0 || len(without.report.Learned) > 0 {
		t.Errorf("without hints %d of %d requests were accepted", op.ByClass.C2xx, op.Requests)
	}
}
