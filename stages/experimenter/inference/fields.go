package inference

import (
	"strings"

	"github.com/restest/restest/messages"
)

// spellings are the beginnings of the fields on a quota, as they have been spelled; the longest comes first.
var spellings = []string{"X-RateLimit-", "X-Rate-Limit-", "RateLimit-", "Anthropic-RateLimit-Requests-"}

// FieldsOf is what a header says of a quota in its own words, nil if there are no such fields.
func FieldsOf(header []messages.Field) *Said {
	if v := messages.Values(header, "RateLimit"); v != nil {
		return &Said{
			Family: "RateLimit", Remaining: strings.Join(v, ", "),
			Limit: strings.Join(messages.Values(header, "RateLimit-Policy"), ", "),
		}
	}
	for _, s := range spellings {
		said := Said{
			Family:    strings.TrimSuffix(s, "-"),
			Limit:     messages.Get(header, s+"Limit"),
			Remaining: messages.Get(header, s+"Remaining"),
			Reset:     messages.Get(header, s+"Reset"),
		}
		if said.Limit != "" || said.Remaining != "" || said.Reset != "" {
			return &said
		}
	}
	return nil
}
