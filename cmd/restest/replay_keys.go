package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/sim"
	"github.com/restest/restest/stages/reporter"
)

// signedIn is how the run of a report signed in: the request, and who by it, "" for nobody in particular.
type signedIn struct{ user, request string }

func (s signedIn) own() bool { return s.user == credentials.OwnUser }

// bindKeys has the keys of a replay belong to the document, and signs up the user that the run had signed up for itself. It
// returns what is to be said of them.
func (p *prepared) bindKeys() (warnings []string, err error) {
	given := environment(p.options.environ, token+"1") != ""
	if p.given.Generation.SignUp && p.keys.None() && !given && slices.ContainsFunc(p.signedIn, signedIn.own) {
		if how := p.keys.SignUpOwn(p.doc); how != "" {
			warnings = append(warnings, "the run had signed up a user of its own, and the replay signs in as that one, or signs it up ("+how+"); generation.signUp=false keeps it from that")
		}
	}
	if err := p.keys.Bind(p.doc); err != nil {
		return nil, err
	}
	return append(warnings, p.keys.Warnings()...), nil
}

// token is what the variables of what a sign-in obtained begin with, before its number.
const token = "RESTEST_TOKEN_"

// userOf is the user whose credentials the request is to carry, by its place among those given; -1 where that is another one
// and nobody is given by name, and why says why it cannot be sent.
func (p *prepared) userOf(r *messages.Request) (user int, why string) {
	users := p.keys.Users()
	name := r.User
	for _, s := range p.signedIn {
		if name == "" && len(users) > 0 && !s.own() { // the run had no more than one
			name = s.user
		}
	}
	if name == "" {
		return 0, ""
	}
	at := slices.Index(users, name)
	if at < 0 && len(users) > 0 && holdsVariable(r) {
		return -1, "it was sent as " + settings.Quote(name) + ", who is not among the users given; write --auth-file with that user"
	}
	return at, ""
}

// carry puts the keys that were given in the places of those that the request had. What a sign-in obtains comes later; what
// stood there is taken out.
func (p *prepared) carry(r *messages.Request, user int) {
	for _, k := range p.keysOf(r, user) {
		if k.In != "cookie" || k.Name != "" {
			r.Carry(messages.Key(k), false)
			continue
		}
		for i, f := range r.Header { // any of them may be the sign-in's
			if strings.EqualFold(f.Name, "Cookie") {
				r.Header[i].Value = withoutVariables(f.Value)
			}
		}
	}
}

// holdsVariable says whether the request holds a key of the run, as the variable that stands for it.
func holdsVariable(r *messages.Request) bool {
	holds := func(text string) bool { return strings.Contains(text, "${RESTEST_") }
	return holds(r.Target) || holds(string(r.Body)) || slices.ContainsFunc(r.Header, func(f messages.Field) bool { return holds(f.Value) })
}

// withoutVariables is the Cookie field without the values that are hidden.
func withoutVariables(cookies string) string {
	pairs := strings.Split(cookies, ";")
	for i, pair := range pairs {
		if name, value, _ := strings.Cut(pair, "="); strings.Contains(value, "${RESTEST_") {
			pairs[i] = name + "="
		}
	}
	return strings.Join(pairs, ";")
}

// keysOf are the keys that a request of the user's carries, as far as they were given; what a sign-in obtains has no value.
func (p *prepared) keysOf(r *messages.Request, user int) []credentials.Placed {
	if user < 0 || r.Probe.Unauthenticated() {
		return nil
	}
	return p.keys.For(p.doc, p.doc.Operations[r.Operation], user, func(int) []credentials.Placed { return nil })
}

// lacking says what to give for a variable of the report that nobody has given.
func (p *prepared) lacking(name string) string {
	after, isToken := strings.CutPrefix(name, token)
	if !isToken {
		return "the key in " + name + " is not given; set it, or write --auth or --auth-file as to the run"
	}
	number, _, _ := strings.Cut(after, "_")
	n, err := strconv.Atoi(number)
	or := ", or set " + name
	if err != nil || n < 1 || n > len(p.signedIn) {
		return "what a sign-in of the run obtained is not given; write --auth or --auth-file as to the run" + or
	}
	switch s := p.signedIn[n-1]; {
	case s.own():
		return "what the run's own user obtained by " + s.request + " is not given; let it sign in (generation.signUp, and no key)" + or
	case s.user == "":
		return "what was obtained by " + s.request + " is not given; write --auth as to the run" + or
	default:
		return "what " + s.user + " obtained by " + s.request + " is not given; write --auth-file with that user" + or
	}
}

// unsent says why a request that could have been sent was not.
func (p *prepared) unsent(a *again, signIns []reporter.SignInTold) string {
	for _, r := range a.requests() {
		user, _ := p.userOf(r)
		for _, i := range p.keys.Going(p.doc, p.doc.Operations[r.Operation], user) {
			if i < len(signIns) && signIns[i].Failure != "" {
				who := ""
				if signIns[i].User != "" {
					who = " as " + signIns[i].User
				}
				return "the sign-in" + who + " failed: " + signIns[i].Failure
			}
		}
	}
	return "the time was over before; give it more with --budget"
}

// signedInBy notes how the recorded run signed in.
func (p *prepared) signedInBy(rec *sim.Recording) error {
	keys, err := rec.Keys(p.doc)
	if err != nil {
		return err
	}
	users := keys.Users()
	for _, l := range keys.Logins() {
		s := signedIn{request: l.Label(p.doc)}
		if l.User >= 0 {
			s.user = users[l.User]
		}
		p.signedIn = append(p.signedIn, s)
	}
	return nil
}
