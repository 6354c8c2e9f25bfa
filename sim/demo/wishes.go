package demo

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// wish is a book that a reader wishes the shop had, in the form in which it is shown.
type wish struct {
	ID       int64  `json:"id"`
	Title    string `json:"title"`
	Copies   int64  `json:"copies"`
	Priority string `json:"priority"`
	Note     string `json:"note,omitempty"`
	replaced int64  // how often it was
}

// mostCopies is how many copies of a book can be wished for, longestTitle how long its title is at most, longTitle how long
// a title the faulty form can take.
const (
	mostCopies   = 99
	longestTitle = 60
	longTitle    = 30
)

func wishFrom(f fields) wish {
	return wish{Title: f.text("title"), Copies: f.whole("copies", 1), Priority: f.text("priority"), Note: f.text("note")}
}

func (a *API) listWishes(c *call) Reply {
	priority := c.given.text("priority")
	if a.planted(priority == "low") {
		return answerJSON(200, nil) // none of them is kept
	}
	return answerJSON(200, a.wishes.newest(int(c.given.whole("limit", 2)), func(w *wish) bool {
		return priority == "" || w.Priority == priority
	}))
}

func (a *API) addWish(c *call) Reply {
	w := wishFrom(c.body)
	if a.planted(len(w.Title) > longTitle) {
		return problem(400, "this title is too long for the form")
	}
	w.ID = a.wishes.add(&w)
	if a.planted(w.Priority == "low") {
		a.wishes.remove(w.ID)
	}
	location := "/v1/wishes/" + strconv.FormatInt(w.ID, 10)
	if a.planted(w.Copies > 50) {
		location = "http://wishes.shop.internal" + location
	}
	return answerJSON(201, w).with("Location", location)
}

// wish is the wish that a request names, nil if it is not there.
func (a *API) wish(c *call) *wish { return a.wishes.get(c.given.whole("wishId", 0)) }

func noWish() Reply { return problem(404, "there is no such wish") }

func (a *API) readWish(c *call) Reply {
	w := a.wish(c)
	if w == nil {
		return noWish()
	}
	return answerJSON(200, w)
}

func (a *API) replaceWish(c *call) Reply {
	before := a.wish(c)
	if before == nil {
		return noWish()
	}
	w := wishFrom(c.body)
	w.ID, w.replaced = before.ID, before.replaced+1
	if a.planted(w.Priority == "urgent") {
		w.Copies = min(mostCopies, w.Copies+w.replaced)
	}
	*before = w
	if a.planted(w.replaced == 1) {
		return answerJSON(201, w)
	}
	return answerJSON(200, w)
}

// keepAllTheSame is what the faulty API does with a PUT of a wish that it refuses: it has taken the title by then.
func (a *API) keepAllTheSame(op *operation, values []string, body []byte) {
	var content struct {
		Title string `json:"title"`
	}
	if !a.planted(op.ID == "replaceWish") || json.Unmarshal(body, &content) != nil {
		return
	}
	id, err := strconv.ParseInt(values[0], 10, 64)
	if n := utf8.RuneCountInString(content.Title); err != nil || n < 1 || n > longestTitle {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if w := a.wishes.get(id); w != nil {
		w.Title = content.Title
	}
}

func (a *API) dropWish(c *call) Reply {
	w := a.wish(c)
	if w == nil {
		return noWish()
	}
	a.wishes.remove(w.ID)
	return answerEmpty(204)
}
