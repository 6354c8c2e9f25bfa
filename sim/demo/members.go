package demo

import (
	"fmt"
	"strings"
	"time"
)

// member is one member. The password is never shown.
type member struct {
	ID       int64  `json:"id"`
	Email    string `json:"email"`
	Name     string `json:"name"`
	Level    string `json:"level"`
	Card     string `json:"card,omitempty"`
	JoinedOn string `json:"joinedOn"`
	Visits   int64  `json:"visits"`
	password string
}

// memberOf is the member with that address, nil if there is none. Addresses compare without case.
func (a *API) memberOf(email string) *member {
	found := a.members.newest(1, func(m *member) bool { return strings.EqualFold(m.Email, email) })
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

func (a *API) signUp(c *call) Reply {
	email := c.body.text("email")
	if a.memberOf(email) != nil {
		return problem(409, "somebody signed up with this e-mail address before")
	}
	m := &member{
		Email: email, Name: c.body.text("name"), Level: c.body.text("level"),
		JoinedOn: date(c.now), password: c.body.text("password"),
	}
	m.ID = a.members.add(m)
	m.Card = fmt.Sprintf("C%06d", m.ID%1_000_000)
	shown := *m
	if a.planted(m.Level == "child") {
		shown.Card = ""
	}
	return answerJSON(201, shown)
}

func (a *API) readMember(c *call) Reply {
	m := a.members.get(c.given.whole("memberId", 0))
	if m == nil {
		return problem(404, "there is no such member")
	}
	m.Visits++ // it counts how often somebody asked for it
	shown := *m
	if a.planted(m.Level == "senior") {
		joined, _ := time.Parse(time.DateOnly, m.JoinedOn)
		shown.JoinedOn = joined.Format("02.01.2006")
	}
	return answerJSON(200, shown)
}

func (a *API) closeAccount(c *call) Reply {
	id := c.given.whole("memberId", 0)
	m := a.members.get(id)
	if m == nil {
		return problem(404, "there is no such member")
	}
	a.members.remove(id)
	status := 202
	if a.planted(m.Level == "child") {
		status = 201
	}
	return answerJSON(status, struct {
		MemberID int64  `json:"memberId"`
		State    string `json:"state"`
	}{id, "closing"})
}

func (a *API) signIn(c *call) Reply {
	m := a.memberOf(c.body.text("email"))
	if m == nil || m.password != c.body.text("password") {
		no := problem(401, "this is not the password of this member")
		if a.planted(len(c.body.text("email")) > longAddress) {
			return no
		}
		return no.with("WWW-Authenticate", `Form realm="bookshop"`)
	}
	token := fmt.Sprintf("%016x", a.number())
	return answerJSON(201, struct {
		Token     string `json:"token"`
		ExpiresAt string `json:"expiresAt"`
	}{token, timestamp(c.now + time.Hour)}).with("Set-Cookie", "session="+token+"; Path=/v1; HttpOnly")
}

// longAddress is how long an e-mail address is that the faulty sign-in has no words for.
const longAddress = 20

func (a *API) signOut(c *call) Reply {
	reply := answerEmpty(204)
	if a.planted(!c.given.has("session")) {
		reply = answerBytes(205, "text/plain", []byte("nobody was signed in"))
	}
	reply = reply.with("Set-Cookie", "session=; Path=/v1; Max-Age=0")
	reply.Close = true
	return reply
}
