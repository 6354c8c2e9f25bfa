package demo

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/restest/restest/messages"
)

// catalogue is the printed catalogue as JSON, plain and compressed. It is the same all the year round.
var catalogue = sync.OnceValues(func() (plain, zipped []byte) {
	titles := make([]string, len(stocked))
	for i, b := range stocked {
		titles[i] = b.title + " (" + b.author + ")"
	}
	plain, err := json.Marshal(struct {
		Edition string   `json:"edition"`
		Titles  []string `json:"titles"`
	}{"Spring 2026", titles})
	if err != nil {
		panic("demo: the catalogue cannot be written: " + err.Error())
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(plain); err != nil {
		panic("demo: the catalogue cannot be compressed: " + err.Error())
	}
	if err := w.Close(); err != nil {
		panic("demo: the catalogue cannot be compressed: " + err.Error())
	}
	return plain, b.Bytes()
})

func (a *API) exportCatalogue(c *call) Reply {
	plain, zipped := catalogue()
	if a.planted(c.given.text("detail") == "full") {
		reply := answerBytes(200, "application/json", plain)
		reply.Break = InChunk
		return reply
	}
	if since := c.given.text("If-Modified-Since"); since != "" || a.planted(c.given.text("detail") == "short") {
		return answerEmpty(304).with("Vary", "Accept-Encoding")
	}
	if strings.Contains(messages.Get(c.header, "Accept-Encoding"), "gzip") {
		return answerBytes(200, "application/json", zipped).with("Content-Encoding", "gzip").with("Vary", "Accept-Encoding")
	}
	return answerBytes(200, "application/json", plain).with("Vary", "Accept-Encoding")
}

func (a *API) readStatistics(c *call) Reply {
	period := c.given.text("period")
	if a.planted(period == "month") {
		return problem(401, "who wants to know?").with("WWW-Authenticate", `ShopKey realm="statistics"`)
	}
	if a.planted(period == "day") {
		return answerJSON(200, map[string]any{"period": period, "sold": "none yet", "byGenre": struct{}{}})
	}
	reply := answerJSON(200, struct {
		Period  string           `json:"period"`
		Sold    int64            `json:"sold"`
		ByGenre map[string]int64 `json:"byGenre"`
	}{period, firstTracking, map[string]int64{"novel": firstTracking - 1, "poetry": 0, "travel": 1}})
	reply.Chunked = period == "week"
	if a.planted(period == "year") {
		reply.Break = InLength
	}
	return reply
}

func (a *API) recommend(*call) Reply {
	if a.planted(true) {
		return problem(501, "recommendations are planned for the autumn")
	}
	return answerJSON(200, a.books.newest(2, nil))
}

func (a *API) findOffers(c *call) Reply {
	radius := c.given.whole("radius", 5)
	if a.planted(radius > 25) {
		return problem(502, "a shop farther away gave no good answer")
	}
	type offer struct {
		Shop     string  `json:"shop"`
		Discount float64 `json:"discount"`
	}
	status := 200
	if a.planted(radius == 1) {
		status = 201
	}
	reply := answerJSON(status, []offer{{"Łódź & Söhne", 0.1}, {"café 本", 1}})
	reply.Early = []messages.Field{{Name: "Link", Value: "</v1/opening-hours>; rel=preload"}}
	return reply
}

func (a *API) openingHours(c *call) Reply {
	if !a.options.WithoutLimits && a.planted(a.limits.asks(c.now)) {
		return problem(503, "the sign is being painted").with("Retry-After", "1")
	}
	closes := "18:30"
	day := c.given.text("day")
	if at, err := time.Parse(time.DateOnly, day); err == nil && at.Weekday() == time.Saturday {
		closes = "16:00"
		if a.planted(true) {
			closes = "late"
		}
	}
	return answerJSON(200, struct {
		Day    string `json:"day,omitempty"`
		Opens  string `json:"opens"`
		Closes string `json:"closes"`
	}{day, "09:00", closes})
}

func (a *API) oldOpeningHours(*call) Reply {
	return answerEmpty(301).with("Location", "/v1/opening-hours")
}

func (a *API) notify(c *call) Reply {
	if !a.options.WithoutLimits && a.limits.exceeded(c.now) {
		return answerEmpty(429)
	}
	return answerJSON(202, struct {
		ID      int64  `json:"id"`
		Text    string `json:"text"`
		Channel string `json:"channel,omitempty"`
	}{a.number(), c.body.text("text"), c.body.text("channel")})
}

func (a *API) contactShop(c *call) Reply {
	if a.planted(c.body.flag("urgent") && c.body.text("topic") == "praise") {
		return problem(400, "praise is never urgent")
	}
	items, _ := c.body["about"].([]any)
	about := make([]int64, len(items))
	for i, item := range items {
		about[i] = whole(item.(json.Number)) // the document has integers here
	}
	return answerJSON(201, struct {
		Ticket int64   `json:"ticket"`
		Topic  string  `json:"topic"`
		About  []int64 `json:"about"`
	}{a.number(), c.body.text("topic"), about})
}

// markup are the marks that HTML reads as its own.
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func (a *API) makeBookplate(c *call) Reply {
	name := c.given.text("name")
	if !a.planted(strings.Contains(strings.ToLower(name), "<script")) {
		name = markup.Replace(name)
	}
	return answerBytes(200, "text/html; charset=utf-8", []byte("<!doctype html><title>Ex libris</title><h1>Ex libris "+name+"</h1>"))
}

// shopKey is the key to the reports. It is no secret: the document names it.
const shopKey = "bookshop"

func (a *API) salesReport(c *call) Reply {
	if messages.Get(c.header, "X-Shop-Key") != shopKey {
		return problem(401, "the reports need the shop's key").with("WWW-Authenticate", `ShopKey realm="reports"`)
	}
	return answerJSON(200, struct {
		Year int64 `json:"year"`
		Sold int64 `json:"sold"`
	}{c.given.whole("year", 2026), 1204})
}

// stocked are the books in the shop when it opens.
var stocked = []struct {
	title, author string
	year, pages   int64
	genre         string
	price         string
}{
	{"The Lighthouse Keeper's Almanac", "Ida Lund", 1897, 312, "novel", "12.90"},
	{"Rivers That Run North", "Tomás Abreu", 1954, 0, "travel", "18.50"},
	{"A Short History of Ink", "Mei Tanaka", 2003, 208, "history", "0.19"},
	{"Songs for an Empty Platform", "Ruth Okafor", 1931, 96, "poetry", "9.00"},
	{"The Weight of Small Stars", "Anselm Brandt", 2018, 0, "science", "24.99"},
	{"Eleven Kites", "Noor Haddad", 2011, 48, "children", "8.20"},
	{"Ночной поезд", "Вера Лисицына", 1978, 402, "novel", "14.00"},
	{"山の手帳", "Ken Mori", 1989, 0, "travel", "19.99"},
}

// stock puts into the API what is there in its first state.
func (a *API) stock() {
	added, joined := timestamp(0), date(0)
	for i, s := range stocked {
		b := &book{
			Title: s.title, Author: s.author, Year: s.year, Genres: []string{s.genre},
			Language: "de-CH", Price: json.Number(s.price), AddedAt: added,
		}
		if s.pages > 0 {
			b.Pages = json.Number(fmt.Sprint(s.pages))
			shelf := fmt.Sprintf("%c-%d", 'A'+i, i+1)
			b.Shelf = &shelf
		}
		b.index()
		b.ID = a.books.add(b)
	}
	for i, rating := range []int64{5, 4, 5, 2} {
		mood := "glad"
		if rating < 3 {
			mood = "sad"
		}
		r := &review{
			BookID: int64(1 + i/2), Rating: rating, Text: "Read it on the train 🚆", Tags: []string{"train"},
			Mood: mood, WrittenOn: joined,
		}
		r.ID = a.reviews.add(r)
	}
	for _, w := range []wish{
		{Title: "The Ink Makers", Copies: 2, Priority: "high"},
		{Title: "Night Trains", Copies: 1, Priority: "urgent", Note: "for the reading in May"},
	} {
		w.ID = a.wishes.add(&w)
	}
	for _, e := range []event{
		{Title: "An evening of kites", Kind: "reading", Day: "2026-04-11", Seats: 40, Room: theRoom, Host: "Noor Haddad"},
		{Title: "Binding by hand", Kind: "workshop", Day: "2026-04-18", Seats: 8, Room: "attic"},
		{Title: "Small stars", Kind: "signing", Day: "2026-05-02", Seats: 120, Room: theRoom, Host: "Anselm Brandt"},
	} {
		e.ID = a.events.add(&e)
	}
	for i, level := range []string{"adult", "senior", "child"} {
		m := &member{
			Email: fmt.Sprintf("member%d@example.org", i+1), Name: "Member " + fmt.Sprint(i+1), Level: level,
			Card: fmt.Sprintf("C%06d", i+1), JoinedOn: joined, password: "open sesame",
		}
		m.ID = a.members.add(m)
	}
	for i, status := range []string{"placed", "paid", "shipped", "cancelled"} {
		b := a.books.get(int64(i + 1))
		o := &order{
			Lines: []line{{b.ID, 1}, {b.ID, 2}}, Status: status, Total: money(3 * b.cents()), PlacedAt: added,
			Tracking: firstTracking + 2*int64(i+1),
		}
		o.ID = a.orders.add(o)
	}
}
