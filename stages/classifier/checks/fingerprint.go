package checks

import (
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/restest/restest/messages"
)

// longestMessage is how much of a server's message counts, in bytes.
const longestMessage = 4 << 10

// fingerprint tells the causes of server errors apart by what the server says: the same failure for another id, at
// another time, is the same. It is a hash, so that a message's secrets and size stay out of it.
func fingerprint(request *messages.Request, reply *messages.Reply, content Content) string {
	var message strings.Builder
	if content.State == IsJSON {
		gather(&message, "", content.Value)
	} else {
		message.Write(reply.Body[:min(len(reply.Body), longestMessage)])
	}
	h := fnv.New64a()
	words, phrases := sentBy(request)
	for w := range strings.FieldsSeq(http.StatusText(reply.Status)) {
		delete(words, w) // it says this of any request
	}
	text := strings.ToValidUTF8(message.String(), " ")
	for _, phrase := range phrases {
		text = strings.ReplaceAll(text, phrase, "#")
	}
	h.Write([]byte(steady(text, words)))
	return fmt.Sprintf("%016x", h.Sum64())
}

// ofPrograms are words that requests hold because programs stumble over them, and that messages have of their own.
var ofPrograms = map[string]bool{
	"null": true, "nil": true, "none": true, "undefined": true, "true": true, "false": true, "nan": true, "infinity": true,
	"yes": true, "no": true, "on": true, "off": true, "length": true, "id": true, "prototype": true, "constructor": true,
}

// meansSomething says whether r is more than a mark: a mark that was sent is in messages for reasons of their own.
func meansSomething(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// longestSent is how much of a request's content is looked at for words that its reply repeats, in bytes.
const longestSent = 64 << 10

const (
	// shortestPhrase and mostPhrases bound the phrases that are looked for in a message.
	shortestPhrase = 4
	mostPhrases    = 64
	// longEnough is how long a word of a phrase is, in bytes, to be looked for by itself. Those that are shorter, such as
	// in, by and of, are in any sentence and so in any message.
	longEnough = 5
)

// sentBy is what the request sent in its path, its query and its content, as a message may repeat it: words, and texts of
// several words, the longest first.
func sentBy(request *messages.Request) (words map[string]bool, phrases []string) {
	if request == nil {
		return nil, nil
	}
	words = map[string]bool{}
	add := func(text string) {
		switch {
		case len(text) > longestMessage || strings.IndexFunc(text, meansSomething) < 0 || ofPrograms[strings.ToLower(text)]:
		case strings.IndexFunc(text, func(r rune) bool { return !isWord(r) }) < 0:
			words[text] = true
		case len(text) >= shortestPhrase && len(phrases) < mostPhrases:
			phrases = append(phrases, text)
			for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWord(r) }) {
				if len(w) >= longEnough && strings.IndexFunc(w, meansSomething) >= 0 {
					words[w] = true
				}
			}
		}
	}
	path, query, _ := strings.Cut(request.Target, "?")
	for segment := range strings.SplitSeq(path, "/") {
		if text, err := url.PathUnescape(segment); err == nil {
			add(text)
		}
	}
	for pair := range strings.SplitSeq(query, "&") {
		_, value, _ := strings.Cut(pair, "=")
		if text, err := url.QueryUnescape(value); err == nil {
			add(text)
		}
	}
	if body := request.Body; len(body) <= longestSent {
		eachText(Read(body).Value, add)
	}
	slices.SortStableFunc(phrases, func(a, b string) int { return len(b) - len(a) })
	return words, phrases
}

// eachText calls back with each text of a JSON value; names are not among them.
func eachText(value any, f func(string)) {
	switch v := value.(type) {
	case string:
		f(v)
	case []any:
		for _, item := range v {
			eachText(item, f)
		}
	case map[string]any:
		for _, item := range v {
			eachText(item, f)
		}
	}
}

// gather writes the texts of a JSON value with their names, in the order of the names, and once where several are
// the same, as those of a list's items.
func gather(message *strings.Builder, name string, value any) {
	if message.Len() > longestMessage {
		return
	}
	switch v := value.(type) {
	case string:
		text := v[:min(len(v), longestMessage)]
		line := name + ": " + text + "\n"
		if !strings.Contains(message.String(), line) {
			message.WriteString(line)
		}
	case []any:
		for _, item := range v {
			gather(message, name, item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			gather(message, key, v[key])
		}
	}
}

// steady is a message without what changes from one time to the next: what is quoted, words that were sent, and words that
// are numbers, ids, times and addresses.
func steady(message string, sent map[string]bool) string {
	var out strings.Builder
	for i := 0; i < len(message); {
		switch c := message[i]; {
		case closing(c) && (i == 0 || !isWord(rune(message[i-1]))):
			end := strings.IndexByte(message[i+1:], c)
			if end < 0 || strings.IndexByte(message[i+1:i+1+end], '\n') >= 0 {
				out.WriteByte(c)
				i++
				continue
			}
			out.WriteString(`""`)
			i += end + 2
		case isWord(rune(c)):
			end := i
			for end < len(message) && isWord(rune(message[end])) {
				end++
			}
			if w := message[i:end]; sent[w] || sent[strings.TrimRight(w, ".:?")] {
				out.WriteByte('#')
			} else {
				out.WriteString(word(w))
			}
			i = end
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.String()
}

// closing says whether c is a mark that opens and closes a quotation.
func closing(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// isWord says whether r can stand inside a word, an id, a time or an address. Bytes beyond ASCII are parts of letters.
func isWord(r rune) bool {
	return r >= 0x80 || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./:@%+~&=?#", r)
}

// word is the word itself, with # for one number in it, or # for all of it if it is an address, a time or an id.
func word(w string) string {
	bare := strings.Trim(w, ".:-?")
	if calendar[strings.ToLower(bare)] {
		return "#"
	}
	digits := strings.IndexAny(w, "0123456789")
	switch {
	case strings.ContainsAny(bare, "/@"):
		return "#"
	case digits < 0:
		return w
	}
	rest := strings.TrimLeft(w[digits:], "0123456789")
	if strings.ContainsAny(rest, "0123456789") || strings.Trim(bare, "0123456789abcdefABCDEFx:.-") == "" {
		return "#"
	}
	return w[:digits] + "#" + rest
}

// calendar holds the names that stand in dates.
var calendar = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(`sun mon tue wed thu fri sat sunday monday tuesday wednesday thursday friday saturday
		jan feb mar apr may jun jul aug sep oct nov dec gmt utc am pm`) {
		names[name] = true
	}
	return names
}()
