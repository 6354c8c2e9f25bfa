package demo

import (
	"strconv"
	"strings"
)

// event is something that takes place in the shop, in the form in which it is shown.
type event struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	Kind  string `json:"kind"`
	Day   string `json:"day"`
	Seats int64  `json:"seats"`
	Room  string `json:"room"`
	Host  string `json:"host,omitempty"`
	// dropped says that it does not take place: the faulty page goes on showing it. put says that it was replaced.
	dropped, put bool
}

// mostSeats is how many chairs there are, theRoom where an event is that says nothing of a room.
const (
	mostSeats = 200
	theRoom   = "hall"
	// chairsInARow is how many chairs the faulty shop puts into a row.
	chairsInARow = 10
)

func eventFrom(f fields) event {
	e := event{
		Title: f.text("title"), Kind: f.text("kind"), Day: f.text("day"), Seats: f.whole("seats", 1),
		Room: f.text("room"), Host: f.text("host"),
	}
	if e.Room == "" {
		e.Room = theRoom
	}
	return e
}

func (a *API) listEvents(c *call) Reply {
	kind, host := c.given.text("kind"), c.given.text("host")
	if a.planted(strings.Contains(host, "'")) {
		return problem(500, `ERROR: syntax error at or near "'" (SQLSTATE 42601)`)
	}
	found := a.events.newest(looked, func(e *event) bool {
		return !e.dropped && (kind == "" || e.Kind == kind) && strings.Contains(e.Host, host)
	})
	total := strconv.Itoa(len(found))
	if a.planted(kind == "workshop") {
		total = "about " + total
	}
	found = found[:min(len(found), int(c.given.whole("limit", 2)))]
	reply := answerJSON(200, found)
	if a.planted(kind == "signing" && len(found) > 0) {
		first := *found[0]
		first.Kind = "Signing"
		reply = answerJSON(200, []event{first})
	}
	return reply.with("X-Total-Count", total)
}

func (a *API) planEvent(c *call) Reply {
	e := eventFrom(c.body)
	e.ID = a.events.add(&e)
	location := "/v1/events/" + strconv.FormatInt(e.ID, 10)
	if a.planted(e.Kind == "signing") {
		location += " (to be confirmed)"
	}
	return answerJSON(201, e).with("Location", location)
}

// event is the event that a request names, nil if it is not there or does not take place.
func (a *API) event(c *call) *event {
	e := a.events.get(c.given.whole("eventId", 0))
	if e == nil || e.dropped {
		return nil
	}
	return e
}

func noEvent() Reply { return problem(404, "there is no such event") }

func (a *API) readEvent(c *call) Reply {
	e := a.events.get(c.given.whole("eventId", 0))
	if e == nil || e.dropped && !a.planted(e.Kind == "reading") {
		return noEvent()
	}
	return answerJSON(200, e)
}

func (a *API) replaceEvent(c *call) Reply {
	before := a.event(c)
	if before == nil {
		return noEvent()
	}
	e := eventFrom(c.body)
	e.ID, e.put = before.ID, true
	if a.planted(e.Host == "") {
		e.Host = before.Host
	}
	same := e == *before
	*before = e
	if a.planted(same) {
		return answerJSON(201, e)
	}
	return answerJSON(200, e)
}

func (a *API) changeEvent(c *call) Reply {
	before := a.event(c)
	if before == nil {
		return noEvent()
	}
	e := *before
	if title := c.body.text("title"); title != "" {
		e.Title = title
		if a.planted(true) {
			e.Day = date(c.now) // that of the change
		}
	}
	if kind := c.body.text("kind"); kind != "" {
		e.Kind = kind
	}
	e.Seats = c.body.whole("seats", e.Seats)
	if room := c.body.text("room"); room != "" {
		e.Room = room
	}
	if a.planted(c.body.has("seats") && e.Seats < chairsInARow) {
		return problem(500, "Traceback (most recent call last):\n  File \"/srv/shop/events.py\", line 88, in change\n"+
			"    chairs = e.seats // (e.seats // 10)\nZeroDivisionError: integer division or modulo by zero")
	}
	*before = e
	if a.planted(c.body.text("kind") == "signing") {
		return answerJSON(201, e)
	}
	return answerJSON(200, e)
}

func (a *API) dropEvent(c *call) Reply {
	e := a.event(c)
	if e == nil {
		return noEvent()
	}
	e.dropped = true
	return answerEmpty(204)
}
