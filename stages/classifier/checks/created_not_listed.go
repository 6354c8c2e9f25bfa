package checks

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// createdNotListed, F926, finds lists that lack what was just created in them.
//
// It is likely and no more, as a list can leave out what is not published yet. It speaks only of a list that is whole:
// one array, shorter than its schema allows, asked for without a query, without a sign of more pages, and of an operation
// that declares no paging.
type createdNotListed struct{}

func (createdNotListed) About() About {
	return About{
		Code: 926, Name: "createdNotListed", Title: "What was created is not in the list", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.CreatedNotListed },
	}
}

// pagingWords are names of parameters and members that say a list has pages.
var pagingWords = []string{"page", "limit", "offset", "cursor", "size", "next", "after", "skip", "start", "first", "take", "top", "more", "total", "count", "continue"}

func (c createdNotListed) Check(in *Input) []messages.Finding {
	s := in.steps("listContains")
	if s == nil || in.reply().Status != 200 || in.Exchange.Request.Method != "GET" || strings.Contains(in.Exchange.Request.Target, "?") {
		return nil
	}
	made := s.Taken[0]
	items, whole := listOf(in.Content.Value)
	id, member := idOf(made)
	if media := in.Declared.Media; media != nil && media.Schema != nil && media.Schema.MaxItems > 0 && int64(len(items)) >= media.Schema.MaxItems {
		return nil // the document lets it show so many and no more
	}
	if made.Reply.Status != 201 || !whole || len(items) >= 10 || id == "" || has(in.reply().Header, "Link") {
		return nil
	}
	for _, p := range in.Operation.Parameters {
		if p.In == "query" && mentions(strings.ToLower(p.Name), pagingWords) {
			return nil
		}
	}
	if slices.ContainsFunc(items, func(item any) bool { return holds(item, id) }) || !showIDs(items, member) {
		return nil
	}
	return []messages.Finding{c.About().finding("What was created is not in the list", "an item with "+id, answer(in.reply()))}
}

// listOf is the array of a list; whole says that nothing hints at more pages.
func listOf(v any) (items []any, whole bool) {
	if items, is := v.([]any); is {
		return items, true
	}
	found := 0
	for name, value := range object(v) {
		if list, is := value.([]any); is {
			items = list
			found++
		} else if mentions(strings.ToLower(name), pagingWords) {
			return nil, false
		}
	}
	return items, found == 1
}

// idNames are the names that ids go by in what they identify.
var idNames = []string{"id", "Id", "ID", "_id", "uuid"}

// idOf is the id of what was made: its member, or the end of its Location.
func idOf(made messages.Taken) (id, member string) {
	for _, name := range idNames {
		switch v := object(made.Value)[name].(type) {
		case string:
			return v, name
		case json.Number:
			return string(v), name
		}
	}
	location := pathOf(strings.TrimRight(messages.Get(made.Reply.Header, "Location"), "/"))
	return location[strings.LastIndexByte(location, '/')+1:], ""
}

// showIDs says whether the items would show such an id: a list can be of names, or of other sides of its things.
func showIDs(items []any, member string) bool {
	names := idNames
	if member != "" {
		names = []string{member}
	}
	return !slices.ContainsFunc(items, func(item any) bool {
		o, is := item.(map[string]any)
		return is && !slices.ContainsFunc(names, func(name string) bool { _, has := o[name]; return has })
	})
}

// holds says whether a value has that text or number somewhere, or as the end of an address.
func holds(v any, id string) bool {
	switch v := v.(type) {
	case string:
		return v == id || strings.HasSuffix(v, "/"+id)
	case json.Number:
		return string(v) == id
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return holds(item, id) })
	case map[string]any:
		for _, value := range v {
			if holds(value, id) {
				return true
			}
		}
	}
	return false
}
