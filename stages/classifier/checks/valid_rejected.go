package checks

import (
	"slices"
	"strings"
	"unicode"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// validRejected, F207, finds 400 and 422 in reply to a request that fits the document.
//
// The generator has to hold that it fits, and the judge of bodies too. It is certain only where a twin was accepted: a
// request that differs from this one in nothing the document constrains, so that the API has a rule the document does not
// tell. Otherwise it is likely at most: the API may be in a state in which nothing will do. A warning.
//
// Nothing is found where the refusal may be of a thing that is not there: of an invented id in the target or the content,
// or of anything that goes by the name of a reference; where the refusal says that what was sent is there already, or is being done;
// of a request that should have carried credentials and did not; or, without a twin, of troublesome values.
type validRejected struct{}

func (validRejected) About() About {
	return About{
		Code: 207, Name: "validRejected", Title: "A request that fits the document is refused", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.ValidRejected },
	}
}

func (c validRejected) Check(in *Input) []messages.Finding {
	r, reply := in.Exchange.Request, in.plain()
	if reply == nil || reply.Status != 400 && reply.Status != 422 || !r.Valid || r.Breaks != "" || in.Exchange.Outcome != messages.Answered {
		return nil
	}
	if r.SignIn != nil || in.SignsIn || strings.Contains(in.Operation.Path, "{") || namesThings(r) || lacksKey(in) || saysTaken(reply.Body) || !in.bodyFits() {
		return nil
	}
	f := c.About().finding("A request that fits the document is refused: "+status(reply), "an answer that is no refusal of the request's form", answer(reply))
	switch twin := in.Twin != nil && in.Twin(); {
	case twin:
		f.Certainty, f.Cause = messages.Certain, "twin"
	case r.Purpose == messages.Mutating || troublesome(r) || len(r.Hints) > 0:
		return nil
	}
	return []messages.Finding{f}
}

// takenWords are what refusals say of a name that somebody else has, or of two requests at once, which other APIs refuse with 409.
var takenWords = []string{"already exist", "already taken", "already in use", "already been taken", "already registered", "is taken", "duplicate", "not unique", "must be unique", "unique constraint", "concurrent", "conflict"}

// saysTaken says whether a refusal is of something that is there already, or is being done.
func saysTaken(body []byte) bool {
	return mentions(strings.ToLower(string(body[:min(len(body), longestMessage)])), takenWords)
}

// namesThings says whether the request has a value that stands for a thing of the API's, which may not be there.
func namesThings(r *messages.Request) bool {
	for _, o := range r.Origins {
		if o.Source != "key" && NamesThing(o.Place) {
			return true
		}
	}
	if _, query, _ := strings.Cut(r.Target, "?"); query != "" {
		for pair := range strings.SplitSeq(query, "&") {
			if name, _, _ := strings.Cut(pair, "="); NamesThing(name) {
				return true
			}
		}
	}
	return sentObject(r) != nil && hasReference(sentObject(r))
}

// hasReference says whether an object, or one within it, has a member that goes by the name of a reference.
func hasReference(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, hasReference)
	case map[string]any:
		for name, value := range v {
			if NamesThing(name) || hasReference(value) {
				return true
			}
		}
	}
	return false
}

// NamesThing says whether the last name of a place, such as "body.lines[0].bookId", is that of a reference to a thing.
func NamesThing(place string) bool {
	name := place[strings.LastIndexByte(place, '.')+1:]
	name, _, _ = strings.Cut(name, "[")
	// The last word of bookId, book_ids or parent-ref.
	last := name
	for i := len(name) - 1; i > 0; i-- {
		if c := rune(name[i]); !unicode.IsLetter(c) {
			last = name[i+1:]
			break
		} else if unicode.IsUpper(c) && !unicode.IsUpper(rune(name[i-1])) {
			last = name[i:]
			break
		}
	}
	switch strings.ToLower(strings.TrimSuffix(last, "s")) {
	case "id", "uuid", "guid", "ref", "reference", "key", "slug", "sha", "hash", "token", "code", "parent", "owner", "url", "uri", "href", "link", "cursor":
		return true
	}
	return false
}

// lacksKey says whether the operation asks for credentials and the request carries none.
func lacksKey(in *Input) bool {
	for _, alternative := range in.Operation.Security {
		if len(alternative) == 0 {
			return false
		}
	}
	if len(in.Operation.Security) == 0 {
		return false
	}
	for _, o := range in.Exchange.Request.Origins {
		if o.Source == "key" {
			return false
		}
	}
	return true
}

// bodyFits says whether the request's content, where it is JSON, fits what the document declares for it.
func (in *Input) bodyFits() bool {
	r, body := in.Exchange.Request, in.Operation.Body
	if body == nil || len(r.Body) == 0 {
		return body == nil || !body.Required
	}
	contentType := messages.Get(r.Header, "Content-Type")
	media, typed := mediaFor(body.Media, contentType)
	if !typed || media == nil {
		return false
	}
	if !isJSON(essence(contentType)) || media.Schema == nil {
		return true
	}
	content := Read(r.Body)
	if content.State != IsJSON {
		return false
	}
	faults, err := in.Judge(media.Schema, document.InRequest, content.Value)
	return err == nil && len(faults) == 0
}
