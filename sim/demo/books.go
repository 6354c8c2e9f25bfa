package demo

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/restest/restest/messages"
)

// book is one book, in the form in which it is shown.
type book struct {
	ID       int64       `json:"id"`
	Title    string      `json:"title"`
	Author   string      `json:"author"`
	Year     int64       `json:"year"`
	ISBN     string      `json:"isbn,omitempty"`
	Genres   []string    `json:"genres"`
	Language string      `json:"language,omitempty"`
	Pages    json.Number `json:"pages,omitempty"`
	Price    json.Number `json:"price,omitempty"`
	Shelf    *string     `json:"shelf"`
	InPrint  *bool       `json:"inPrint,omitempty"`
	AddedAt  string      `json:"addedAt"`
	version  int
	words    string // what a search looks at
}

// titleColumn is how many letters of a title the faulty store behind the API can take.
const titleColumn = 40

// recount is how long a count of the stock is good for; counting takes countTakes.
const (
	recount    = time.Second
	countTakes = 150 * time.Millisecond
)

func bookFrom(f fields) *book {
	b := &book{
		Title:    f.text("title"),
		Author:   f.text("author"),
		Year:     f.whole("year", 0),
		ISBN:     f.text("isbn"),
		Genres:   f.texts("genres"),
		Language: f.text("language"),
		Pages:    f.number("pages"),
		Price:    f.number("price"),
		Shelf:    f.textOrNil("shelf"),
	}
	if f.has("inPrint") {
		inPrint := f.flag("inPrint")
		b.InPrint = &inPrint
	}
	b.index()
	return b
}

// index makes the book's words anew.
func (b *book) index() { b.words = strings.ToLower(b.Title + " " + b.Author) }

func (b *book) tag() string { return fmt.Sprintf(`"%d-%d"`, b.ID, b.version) }

func (b *book) cents() int64 {
	price, _ := b.Price.Float64() // a book without a price is given away
	return int64(price*100 + 0.5)
}

// missing is the reply for a book that is not there.
func (a *API) missing(id int64) Reply {
	if a.books.was(id) {
		return problem(410, "this book is gone")
	}
	return problem(404, "there never was such a book")
}

// page is a page of books.
type page struct {
	Items []*book `json:"items"`
	Total int     `json:"total"`
}

func (a *API) listBooks(c *call) Reply {
	genres := c.given.texts("genre")
	if a.planted(c.given.whole("offset", 0) == 1000) {
		return problem(403, "this page is for the shop alone")
	}
	found := a.books.newest(looked, func(b *book) bool { return isOf(b, genres) })
	switch c.given.text("sort") {
	case "title":
		slices.SortStableFunc(found, func(x, y *book) int { return strings.Compare(x.Title, y.Title) })
	case "year":
		slices.SortStableFunc(found, func(x, y *book) int { return cmp.Compare(x.Year, y.Year) })
	}
	from := int(min(c.given.whole("offset", 0), int64(len(found))))
	to := min(from+int(c.given.whole("limit", 2)), len(found))
	return answerAs(200, "application/json; charset=utf-8", page{found[from:to], len(found)})
}

// isOf says whether the book is of one of the genres; no genres are all of them.
func isOf(b *book, genres []string) bool {
	return len(genres) == 0 || slices.ContainsFunc(b.Genres, func(g string) bool { return slices.Contains(genres, g) })
}

func (a *API) addBook(c *call) Reply {
	b := bookFrom(c.body)
	if a.planted(len(b.Genres) == 0) {
		return problem(500, stackTrace("index out of range [0] with length 0", "books.(*Index).file", "index.go:58"))
	}
	b.AddedAt = timestamp(c.now)
	b.ID = a.books.add(b)
	return answerJSON(201, b).with("Location", "/v1/books/"+strconv.FormatInt(b.ID, 10))
}

// stackTrace is what a service shows of itself when it has failed and nobody has seen to it that it keeps that to itself.
func stackTrace(failure, function, line string) string {
	return "panic: runtime error: " + failure + "\n\ngoroutine 71 [running]:\nshop/" + function +
		"(0xc00012e000)\n\tshop/" + line + " +0x1d4\nshop/web.serve(0xc000116008)\n\tshop/web.go:112 +0x5e"
}

func (a *API) readBook(c *call) Reply {
	id := c.given.whole("bookId", 0)
	b := a.books.get(id)
	if b == nil {
		return a.missing(id)
	}
	known := c.given.text("If-None-Match")
	if known == "*" || strings.Contains(known, b.tag()) {
		return answerEmpty(304).with("ETag", b.tag())
	}
	// More than the document names, which it allows.
	links := map[string]string{"reviews": fmt.Sprintf("/v1/books/%d/reviews", id)}
	if a.planted(b.Pages == "") {
		return answerJSON(200, struct {
			*book
			Pages *int64            `json:"pages"`
			Links map[string]string `json:"links"`
		}{b, nil, links}).with("ETag", b.tag())
	}
	return answerJSON(200, struct {
		*book
		Links map[string]string `json:"links"`
	}{b, links}).with("ETag", b.tag())
}

// peekBook answers as readBook does, as a HEAD is to (RFC 9110 §9.3.2), and says what can be done with the book.
func (a *API) peekBook(c *call) Reply {
	reply := a.readBook(c)
	if reply.Status != 200 {
		return reply
	}
	b := a.books.get(c.given.whole("bookId", 0))
	allow := "DELETE, GET, HEAD, PATCH, PUT"
	if a.planted(b.InPrint == nil || !*b.InPrint) {
		allow = "GET, HEAD"
	}
	return reply.with("Allow", allow)
}

func (a *API) replaceBook(c *call) Reply {
	id := c.given.whole("bookId", 0)
	before := a.books.get(id)
	if before == nil {
		return a.missing(id)
	}
	b := bookFrom(c.body)
	b.ID, b.AddedAt, b.version = id, before.AddedAt, before.version+1
	*before = *b
	if a.planted(b.Year < 1800) {
		return answerJSON(200, struct {
			*book
			Year string `json:"year"`
		}{b, strconv.FormatInt(b.Year, 10)})
	}
	return answerJSON(200, b)
}

func (a *API) changeBook(c *call) Reply {
	id := c.given.whole("bookId", 0)
	before := a.books.get(id)
	if before == nil {
		return a.missing(id)
	}
	if a.planted(utf8.RuneCountInString(c.body.text("title")) > titleColumn) {
		return problem(500, "value too long for type character varying(40)")
	}
	b := *before
	b.version++
	changed := bookFrom(c.body)
	if c.body.has("title") {
		b.Title = changed.Title
	}
	if c.body.has("price") {
		b.Price = changed.Price
	}
	if c.body.has("inPrint") {
		b.InPrint = changed.InPrint
	}
	if _, given := c.body["shelf"]; given {
		b.Shelf = changed.Shelf
	}
	b.index()
	*before = b
	if c.given.text("Prefer") == "return=minimal" {
		return answerEmpty(204).with("Preference-Applied", "return=minimal")
	}
	return answerJSON(200, b)
}

func (a *API) deleteBook(c *call) Reply {
	id := c.given.whole("bookId", 0)
	if a.books.get(id) == nil {
		return a.missing(id)
	}
	if a.planted(len(a.reviewsOf(id, 1)) > 0) {
		return problem(409, "a book with reviews is kept")
	}
	a.books.remove(id)
	return answerEmpty(204)
}

func (a *API) readExcerpt(c *call) Reply {
	b := a.books.get(c.given.whole("bookId", 0))
	if b == nil {
		return problem(404, "there is no such book")
	}
	if a.planted(c.given.text("layout") == "page") {
		return answerBytes(200, "text/html", []byte("<!doctype html><title>Excerpt</title><p>Es war einmal …"))
	}
	return answerBytes(200, "Text/Plain; Charset=UTF-8", []byte("„"+b.Title+"“\n\nEs war einmal … 昔々、あるところに 📖🦉\n"))
}

// picture is a PNG of one dot.
var picture, _ = base64.StdEncoding.DecodeString(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

func (a *API) readCover(c *call) Reply {
	if a.planted(c.given.text("size") == "large") {
		return Reply{Status: 200, Header: []messages.Field{{Name: "Cache-Control", Value: "max-age=60"}}, Body: picture}
	}
	if a.planted(c.given.text("size") == "small") {
		return problem(406, "there is no small picture")
	}
	return answerBytes(200, "image/png", picture)
}

func (a *API) readStock(c *call) Reply {
	id, branch := c.given.whole("bookId", 0), c.given.text("branch")
	copies := json.Number(strconv.FormatInt(id%7, 10))
	switch {
	case a.planted(branch == "campus"):
		copies = "-1"
	case branch == "":
		copies += ".0" // an integer all the same (JSON Schema 2020-12 §4.2.3)
	}
	reply := answerJSON(200, struct {
		BookID int64       `json:"bookId"`
		Branch string      `json:"branch,omitempty"`
		Copies json.Number `json:"copies"`
	}{id, branch, copies})
	if c.now-a.countedAt >= recount {
		a.countedAt = c.now
		reply.After = countTakes
	}
	return reply
}

func (a *API) searchBooks(c *call) Reply {
	from, to := c.given.whole("yearFrom", 0), c.given.whole("yearTo", 9999)
	if a.planted(from > to) {
		return problem(500, "begin of range must not be after its end")
	}
	words, genres := strings.ToLower(c.given.text("q")), c.given.texts("genres")
	if a.planted(c.given.has("genres") && c.given.has("inPrint")) {
		return problem(415, "a search by genre and print needs a form")
	}
	found := a.books.newest(looked, func(b *book) bool {
		return strings.Contains(b.words, words) && isOf(b, genres) &&
			b.Year >= from && b.Year <= to &&
			(!c.given.has("inPrint") || b.InPrint != nil && *b.InPrint == c.given.flag("inPrint"))
	})
	sort := c.given.text("sort")
	switch sort {
	case "price":
		slices.SortStableFunc(found, func(x, y *book) int { return cmp.Compare(x.cents(), y.cents()) })
	case "year":
		slices.SortStableFunc(found, func(x, y *book) int { return cmp.Compare(x.Year, y.Year) })
	}
	result := page{found[:min(2, len(found))], len(found)}
	reply := answerJSON(200, result)
	if a.planted(sort == "price") {
		reply = answerJSON(200, map[string]page{"data": result})
	}
	if id := c.given.text("X-Request-ID"); id != "" {
		reply = reply.with("X-Request-ID", id)
	}
	return reply
}
