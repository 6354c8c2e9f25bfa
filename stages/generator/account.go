package generator

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/stages/generator/values"
)

// account is what the one goes by whom the run signs in as, in small letters, as far as that is known: one who is renamed,
// blocked or deleted is let in no more (decision 0017).
type account map[string]bool

// mostNames is how many names and ids are kept.
const mostNames = 64

func (a account) keep(name string) {
	if name != "" && len(a) < mostNames {
		a[strings.ToLower(name)] = true
	}
}

// signsIn takes the name from credentials that hold one (RFC 7617 §2).
func (a account) signsIn(with []credentials.Placed) {
	for _, k := range with {
		encoded, isBasic := strings.CutPrefix(k.Value, "Basic ")
		if pair, err := base64.StdEncoding.DecodeString(encoded); isBasic && err == nil {
			name, _, _ := strings.Cut(string(pair), ":")
			a.keep(name)
		}
	}
}

// learn takes names and ids from a reply that is about whoever asks.
func (a account) learn(p *plan, l *messages.Learned) {
	if !p.tells || l.Outcome != messages.Answered || l.Reply == nil || l.Reply.Status != 200 {
		return
	}
	if _, isObject := l.Value.(map[string]any); !isObject || strings.Contains(l.Request.Target, "?") && l.Request.Purpose != messages.OpeningLap {
		return // with a query it may be about someone else
	}
	for _, o := range objects(l.Value, false) {
		for _, name := range sortedNames(nil, o) {
			if sayable(o[name]) && slices.Contains(callerNames, values.Key(name)) {
				a.keep(plainText(o[name]))
			}
		}
	}
}

var (
	// callerWords end paths that lead to whoever asks, and callerNames are the properties by which one is found.
	callerWords = []string{"me", "self", "myself", "user", "whoami", "userinfo", "account", "profile", "currentuser", "currentaccount"}
	callerNames = []string{"id", "uuid", "guid", "userid", "accountid", "login", "loginname", "username", "name", "slug", "email", "sub"}
	// accountNouns are the kinds of things that sign in, and lockingWords what ends a path that makes of one what it was not.
	accountNouns = []string{"user", "account", "person", "people", "profile", "customer", "client", "admin", "employee", "operator"}
	lockingWords = []string{
		"rename", "block", "suspend", "ban", "deactivate", "disable", "lock", "archive", "delete", "remove", "terminate", "close", "expire", "merge",
		"password", "resetpassword", "changepassword", "username", "login", "status", "state", "role", "roles", "permissions", "revoke",
	}
)

// isOfCaller says whether replies of the plan's operation are about whoever asks.
func (p *plan) isOfCaller() bool {
	last := p.path.segments[len(p.path.segments)-1]
	return p.op.Method == "GET" && len(p.path.gaps) == 0 && len(p.taken) > 0 && slices.Contains(callerWords, values.Key(last))
}

// couldLockOut says whether requests of the plan change or delete the account that the last gap of its path leads to.
func (p *plan) couldLockOut() bool {
	n := len(p.path.gaps)
	if n == 0 || safe(p.op.Method) || !slices.Contains(accountNouns, values.Key(p.path.gaps[n-1].noun)) {
		return false
	}
	if p.path.endsInGap() {
		return p.op.Method != "POST"
	}
	return slices.Contains(lockingWords, values.Key(strings.Trim(p.path.literals[n], "/")))
}

// isOwn says whether the value would have a request of the plan, in the last gap of its path, change whom the run signs in as.
func (m *memory) isOwn(p *plan, v any) bool {
	return p.locks && m.account[strings.ToLower(plainText(v))]
}

// locksOut says whether the request could keep the run from being let in again.
func (g *Generator) locksOut(r *messages.Request) bool {
	p := g.plans[r.Operation]
	if !p.locks || len(g.memory.account) == 0 {
		return false
	}
	sent := p.path.values(r.Target)
	return len(sent) == len(p.path.gaps) && g.memory.isOwn(p, sent[len(sent)-1])
}
