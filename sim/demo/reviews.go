package demo

import (
	"strconv"
)

// review is one review, in the form in which it is shown.
type review struct {
	ID        int64    `json:"id"`
	BookID    int64    `json:"bookId"`
	Rating    int64    `json:"rating"`
	Text      string   `json:"text,omitempty"`
	Tags      []string `json:"tags"`
	Mood      string   `json:"mood"`
	WrittenOn string   `json:"writtenOn"`
}

func (a *API) reviewsOf(book int64, n int) []*review {
	return a.reviews.newest(n, func(r *review) bool { return r.BookID == book })
}

// shownReviews are the reviews of a book that its list shows: the faulty one leaves out the bad ones.
func (a *API) shownReviews(book int64) []*review {
	return a.reviews.newest(3, func(r *review) bool { return r.BookID == book && !a.planted(r.Rating < 3) })
}

func (a *API) listReviews(c *call) Reply {
	id := c.given.whole("bookId", 0)
	if a.books.get(id) == nil {
		return problem(404, "there is no such book")
	}
	return answerJSON(200, a.shownReviews(id))
}

func (a *API) addReview(c *call) Reply {
	id := c.given.whole("bookId", 0)
	if a.books.get(id) == nil && !a.planted(a.books.was(id) && c.body.whole("rating", 0) == 5) {
		return problem(404, "there is no such book")
	}
	r := &review{
		BookID:    id,
		Rating:    c.body.whole("rating", 0),
		Text:      c.body.text("text"),
		Tags:      c.body.texts("tags"),
		WrittenOn: date(c.now),
	}
	switch {
	case r.Rating > 3:
		r.Mood = "glad"
	case r.Rating < 3:
		r.Mood = "sad"
	default:
		r.Mood = "even"
	}
	r.ID = a.reviews.add(r)
	shown := *r
	if a.planted(r.Rating == 3) {
		shown.Mood = "neutral"
	}
	return answerJSON(201, shown)
}

// review is the review that a request names, nil if it is not there or is of another book.
func (a *API) review(c *call) *review {
	r := a.reviews.get(c.given.whole("reviewId", 0))
	if r == nil || r.BookID != c.given.whole("bookId", 0) {
		return nil
	}
	return r
}

func (a *API) readReview(c *call) Reply {
	r := a.review(c)
	if r == nil {
		return problem(404, "there is no such review of this book")
	}
	shown := answerJSON(200, r)
	if last := len(r.Tags) - 1; a.planted(last >= 0) {
		r.Tags = r.Tags[:last:last] // to make room for others
	}
	return shown
}

func (a *API) deleteReview(c *call) Reply {
	r := a.review(c)
	if r == nil {
		return problem(404, "there is no such review of this book")
	}
	a.reviews.remove(r.ID)
	if a.planted(r.Rating < 5) {
		return answerEmpty(204).with("Content-Length", "2")
	}
	return answerEmpty(204)
}

func (a *API) latestReviews(c *call) Reply {
	order := c.given.text("order")
	if order != "best" {
		return answerJSON(200, a.reviews.newest(2, nil))
	}
	best := a.reviews.newest(2, func(r *review) bool { return r.Rating == 5 })
	if !a.planted(true) {
		return answerJSON(200, best)
	}
	// The tags are wrong in the last review only, and there only the last one.
	type faulty struct {
		*review
		Tags []any `json:"tags"`
	}
	shown := make([]any, len(best))
	for i, r := range best {
		shown[i] = r
		if i == len(best)-1 {
			tags := []any{"best of " + strconv.Itoa(len(best))}
			shown[i] = faulty{r, append(tags, len(r.Tags))}
		}
	}
	return answerJSON(200, shown)
}
