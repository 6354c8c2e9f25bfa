package classifier

import (
	"strings"
	"unicode"

	"github.com/restest/restest/clock/quota"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// quota reads what a reply whose header came at that moment says of a quota, and which of its fields were ignored or
// capped (decision 0012).
func (c *Classifier) quota(reply *messages.Reply, heardAt messages.Instant) (r quota.Reading, says bool, problems []quota.Problem) {
	if reply == nil || !c.foresees {
		return quota.Reading{}, false, nil
	}
	return quota.Read(reply.Header, c.clock.Wall(heardAt))
}

// alone says whether a refusal of the request says nothing of the whole API: a 429 to a wrong password of ours, or one by
// somebody else.
func (c *Classifier) alone(r *messages.Request, reply *messages.Reply) bool {
	if elsewhere(r) {
		return true
	}
	if reply == nil || reply.Status != 429 || r.Operation < 0 || r.Operation >= len(c.signIns) || !c.signIns[r.Operation] {
		return false
	}
	for _, o := range r.Origins {
		if o.Source != "key" && isPassword(o.Place) {
			return true
		}
	}
	return false
}

// signIns says of each operation whether it looks like a sign-in.
func signIns(operations []*document.Operation) []bool {
	are := make([]bool, len(operations))
	for i, op := range operations {
		are[i] = names(words(op.Path+" "+op.ID+" "+op.Summary+" "+strings.Join(op.Tags, " ")), signInWords) ||
			names(words(op.Description), signInVerbs)
	}
	return are
}

// isPassword says whether the last name of a place such as "body.user.password" is one of a password.
func isPassword(place string) bool {
	return names(words(place[strings.LastIndexByte(place, '.')+1:]), passwordWords)
}

var (
	signInVerbs = set("login", "logon", "signin", "signon", "authenticate")
	signInWords = set("login", "logon", "signin", "signon", "authenticate", "authentication", "auth", "oauth", "token", "tokens",
		"session", "sessions")
	passwordWords = set("password", "passwd", "pwd", "passphrase", "passcode", "pin", "secret", "otp")
)

func set(words ...string) map[string]bool {
	s := make(map[string]bool, len(words))
	for _, w := range words {
		s[w] = true
	}
	return s
}

// names says whether one of the words, or two that follow one another written as one, is in the set.
func names(words []string, set map[string]bool) bool {
	for i, w := range words {
		if set[w] || i > 0 && set[words[i-1]+w] {
			return true
		}
	}
	return false
}

// words are the words of a text or a name, in small letters: logIn, log-in and "log in" are two each.
func words(text string) []string {
	var list []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			list = append(list, word.String())
			word.Reset()
		}
	}
	before := rune(0)
	for _, c := range text {
		if !unicode.IsLetter(c) || unicode.IsUpper(c) && unicode.IsLower(before) {
			end()
		}
		if unicode.IsLetter(c) {
			word.WriteRune(unicode.ToLower(c))
		}
		before = c
	}
	end()
	return list
}
