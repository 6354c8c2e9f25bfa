package demo

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// order is one order, in the form in which it is shown.
type order struct {
	ID       int64       `json:"id"`
	Lines    []line      `json:"lines"`
	GiftNote *string     `json:"giftNote"`
	Status   string      `json:"status"`
	Total    json.Number `json:"total"`
	Tracking int64       `json:"tracking"`
	PlacedAt string      `json:"placedAt"`
}

type line struct {
	BookID   int64 `json:"bookId"`
	Quantity int64 `json:"quantity"`
}

// firstTracking is the first integer that a double cannot hold: 2^53 + 1.
const firstTracking = 1<<53 + 1

// linesFrom are the lines of an order's content.
func linesFrom(f fields) []line {
	items, _ := f["lines"].([]any)
	lines := make([]line, len(items))
	for i, item := range items {
		properties, _ := item.(map[string]any)
		lines[i] = line{fields(properties).whole("bookId", 0), fields(properties).whole("quantity", 0)}
	}
	return lines
}

func (a *API) placeOrder(c *call) Reply {
	o := &order{Lines: linesFrom(c.body), GiftNote: c.body.textOrNil("giftNote"), Status: "placed", PlacedAt: timestamp(c.now)}
	var cents int64
	for _, l := range o.Lines {
		if a.planted(l.Quantity == 0) {
			return problem(500, stackTrace("integer divide by zero", "orders.(*Order).share", "order.go:81"))
		}
		b := a.books.get(l.BookID)
		if b == nil {
			return problem(422, "there is no book "+strconv.FormatInt(l.BookID, 10))
		}
		cents += l.Quantity * b.cents()
	}
	o.Total = money(cents)
	o.ID = a.orders.add(o)
	o.Tracking = firstTracking + 2*o.ID
	reply := answerJSON(201, o)
	if a.planted(len(o.Lines) == 1) {
		return reply
	}
	return reply.with("Location", "/v1/orders/"+strconv.FormatInt(o.ID, 10))
}

func money(cents int64) json.Number { return json.Number(fmt.Sprintf("%d.%02d", cents/100, cents%100)) }

func (a *API) listOrders(c *call) Reply {
	status, since := c.given.text("status"), c.given.text("placedSince")
	if a.planted(status == "shipped") {
		return problem(504, "the parcel service did not answer in time")
	}
	if a.planted(status == "cancelled") {
		return problem(413, "the list would be too long")
	}
	return answerJSON(200, a.orders.newest(2, func(o *order) bool {
		return (status == "" || o.Status == status) && o.PlacedAt >= since
	}))
}

// theOrder is the order that a request names, nil if it is not there.
func (a *API) theOrder(c *call) *order { return a.orders.get(c.given.whole("orderId", 0)) }

func noOrder() Reply { return problem(404, "there is no such order") }

func (a *API) readOrder(c *call) Reply {
	o := a.theOrder(c)
	if o == nil {
		return noOrder()
	}
	return answerJSON(200, o)
}

// move puts an order that was placed into another state.
func (a *API) move(c *call, status string) Reply {
	o := a.theOrder(c)
	switch {
	case o == nil:
		return noOrder()
	case o.Status != "placed":
		return problem(409, "the order has been "+o.Status)
	}
	o.Status = status
	return answerJSON(200, o)
}

func (a *API) cancelOrder(c *call) Reply { return a.move(c, "cancelled") }

func (a *API) payOrder(c *call) Reply {
	if a.planted(c.body.text("method") == "voucher") {
		return problem(600, "the voucher service said something odd")
	}
	o, reply := a.theOrder(c), a.move(c, "paid")
	switch {
	case reply.Status != 409:
	case a.planted(o.Status == "cancelled"):
		return problem(405, "what was cancelled is not paid")
	case a.planted(o.Status == "paid" && c.body.text("method") == "cash"):
		return reply.with("Retry-After", "never")
	}
	return reply
}

func (a *API) readInvoice(c *call) Reply {
	if a.planted(c.given.text("paper") == "letter") {
		return problem(426, "letters are printed by a newer version")
	}
	o := a.theOrder(c)
	if o == nil {
		return noOrder()
	}
	var table strings.Builder
	table.WriteString("book,quantity\r\n")
	for _, l := range o.Lines {
		fmt.Fprintf(&table, "%d,%d\r\n", l.BookID, l.Quantity)
	}
	fmt.Fprintf(&table, "total,%s\r\n", o.Total)
	reply := Reply{Status: 200, Body: []byte(table.String())}
	return reply.with("content-TYPE", "text/csv; header=present")
}

func (a *API) readBasket(c *call) Reply {
	if visitor := c.given.text("visitor"); a.planted(visitor[0] <= '9') {
		return answerJSON(200, map[string]any{"visitor": visitor, "lines": []line{}, "voucher": 0})
	}
	return answerJSON(200, struct {
		Visitor string  `json:"visitor"`
		Lines   []line  `json:"lines"`
		Voucher *string `json:"voucher"`
	}{c.given.text("visitor"), []line{}, nil})
}
