package hints

import (
	"regexp"
	"slices"
	"strings"
)

// subject says what a message is about: a place it writes out, or words one of which may be the field or its value.
type subject struct {
	in    string
	path  []string
	maybe []string
}

var (
	// written is a place as validators write one: data.items[0].sku, body/name, /items/0/sku, $.name.
	written = regexp.MustCompile(`^\s*["'\x60]?((?:data|body|requestBody|querystring|query|params|headers?|cookies?|path|instance|\$|#)?(?:[./][A-Za-z0-9_$-]+|\[["']?[A-Za-z0-9_$-]+["']?\])+)["'\x60]?[\s:]`)
	// afterWord is a name behind a word for a field.
	afterWord = regexp.MustCompile(`(?i)\b(?:fields?|parameters?|params?|propert(?:y|ies)|attributes?|keys?|arguments?|columns?|inputs?|members?|elements?|variables?|headers?|cookies?|named|called|for)\s*(?:with )?(?:name(?:d)?|called)?\s*[:=]?\s*["'\x60‘“\[<:(]{0,2}([A-Za-z_$][\w.$\[\]-]*)`)
	// beforeWord is a name before a word for a field, as in "the email field".
	beforeWord = regexp.MustCompile(`(?i)([\w.$\[\]-]+(?: [\w-]+)?)["'\x60]?\s+(?:query |request |path |form |body |header )?(?:field|parameter|param|property|attribute|key|argument|header)\b`)
	// beforeVerb are the words that a sentence says something of.
	beforeVerb = regexp.MustCompile(`(?i)^\s*(?:error:?\s+)?(?:the |an? |your )?["'\x60\[]?([\w.$\[\]-]+(?: [\w-]+){0,2}?)["'\x60\]]?:?\s+(?:is|are|was|must|should|shall|can|can't|cannot|could|may|might|has|have|had|needs?|does|do|not|contains?|only|already|required|missing|invalid|exceeds?|length|size|value|:)\b`)
	// afterFault is what a message begins with a complaint of.
	afterFault = regexp.MustCompile(`(?i)\b(?:missing|required|invalid|unknown|unexpected|duplicate|bad|malformed|illegal|no|unsupported|unpermitted|unrecogni[sz]ed|parse|provide|specify|supply|include|without|of)\s+(?:required |request |query |path |the |an? |value for |value |valid |mandatory |string |int )*(?:parameters?|params?|fields?|propert(?:y|ies)|keys?|attributes?|headers?|arguments?|data for)?\s*(?:for )?[:=]?\s*["'\x60‘“\[<:(]{0,2}([A-Za-z_$][\w.$\[\]-]*(?: [A-Za-z]+)?)`)
	// afterColon is what a message ends with.
	afterColon = regexp.MustCompile(`:\s*["'\x60]?([^\s"'\x60:][^"'\x60:]*?)["'\x60]?[.!]?\s*$`)
	// beforeColon is what a message begins with, or has before a complaint.
	beforeColon = regexp.MustCompile(`(?:^|:\s)["'\x60]?([\w.$\[\]-]+)["'\x60]?:\s`)
	// lastWord is the value that a message ends with.
	lastWord = regexp.MustCompile(`(?i)\b(?:unknown|invalid|unsupported|illegal|bad)\b.*\s(\S+)$`)
	// inParens is a value in parentheses.
	inParens = regexp.MustCompile(`\((\S+)\)`)
	// inPlace is a name and its place, as in "name in body is required".
	inPlace   = regexp.MustCompile(`^\s*["'\x60]?([\w.$\[\]-]+)["'\x60]? in (body|query|path|header|formData|cookie)\b`)
	listAfter = regexp.MustCompile(`(?i)\b(?:missing|required|mandatory|unknown|unexpected|unpermitted|unrecogni[sz]ed|provide|include)\b[^:]*\b(?:fields?|parameters?|params?|propert(?:y|ies)|keys?|arguments?|attributes?|values?|inputs?)\b(?: are| is)?(?: missing)?\s*[:=]\s*(.+)$`)
)

// subjectOf finds what the message is about.
func subjectOf(message string) subject {
	var s subject
	if m := written.FindStringSubmatch(message + " "); m != nil {
		s.in, s.path = place(names(m[1]))
		if len(s.path) > 0 || s.in != "" {
			return s
		}
	}
	if m := inPlace.FindStringSubmatch(message); m != nil {
		s.in, s.path = places[m[2]], names(m[1])
		return s
	}
	for _, q := range quoted.FindAllStringSubmatch(message, 4) {
		s.might(firstOf(q[1:]))
	}
	for _, find := range []*regexp.Regexp{afterWord, beforeWord, beforeVerb, afterFault, afterColon, beforeColon, lastWord, inParens} {
		for _, m := range find.FindAllStringSubmatch(message, 2) {
			s.might(m[1])
		}
	}
	switch small := strings.ToLower(message); {
	case strings.Contains(small, "query"):
		s.in = "query"
	case strings.Contains(small, "path variable"), strings.Contains(small, "path param"), strings.Contains(small, "uri var"):
		s.in = "path"
	case strings.Contains(small, "header"):
		s.in = "header"
	case strings.Contains(small, "cookie"):
		s.in = "cookie"
	}
	return s
}

// stopWords are words that a message uses and no field is meant by.
var stopWords = []string{
	"", "it", "this", "that", "there", "the", "a", "an", "you", "your", "one", "value", "request", "error", "input", "string",
	"integer", "number", "required", "optional", "missing", "invalid", "must", "and", "or", "not", "of", "in", "is", "are", "be", "to",
}

func (s *subject) might(word string) {
	word = strings.Trim(word, " \t.,;:!?\"'`()[]<>")
	if len(word) > longestName || len(s.maybe) >= mostMaybes || slices.Contains(stopWords, strings.ToLower(word)) || slices.Contains(s.maybe, word) {
		return
	}
	s.maybe = append(s.maybe, word)
}

// wholeBody finds complaints of a body that is not there.
var wholeBody = regexp.MustCompile(`(?i)^\s*EOF\s*$|\b(?:request )?(?:body|payload) (?:is |was )?(?:missing|required|empty|not (?:found|present|provided))|\b(?:missing|empty|no) (?:request )?(?:body|payload)\b|` +
	`required request body is missing|unexpected end of (?:json|input|file)|no content to map|a non-empty request body is required|(?:body|payload) (?:cannot|must not|can't) be (?:empty|null|blank)|document is empty`)

// sentence reads a message. Of the field that it is about, in and path are known from where the message stood, if from
// anywhere.
func (l *list) sentence(in string, path []string, message string) {
	message = cut(message, min(mostText, mostRead-l.read))
	l.read += len(message)
	for _, line := range clauses(message) {
		l.clause(in, path, line)
	}
}

func (l *list) clause(in string, path []string, message string) {
	if len(path) == 0 && wholeBody.MatchString(message) && !inPlace.MatchString(message) {
		l.add(Hint{In: "body", Want: Want{Kind: Required}})
		return
	}
	if len(path) == 0 && apart.MatchString(message) {
		for _, word := range distinct(message) {
			l.add(Hint{In: in, Maybe: []string{word}, Want: Want{Kind: Unwanted}})
		}
		return
	}
	wants := wantsOf(message)
	if len(wants) == 0 {
		return
	}
	kind := wants[0].Kind
	if (kind == Required || kind == Unwanted) && len(wants) == 1 {
		if m := listAfter.FindStringSubmatch(message); m != nil {
			if listed := readList(m[1], true); len(listed) > 1 {
				for _, name := range listed {
					sub := subject{}
					sub.might(name)
					l.add(Hint{In: in, Maybe: sub.maybe, Want: wants[0]})
				}
				return
			}
		}
	}
	about := subjectOf(message)
	for _, w := range wants {
		h := Hint{In: in, Path: path, Want: w}
		switch {
		case len(about.path) > 0 && len(path) == 0:
			h.In, h.Path = about.in, about.path
			if w.Kind == Required || w.Kind == Unwanted {
				if inner := innerName(message); inner != "" {
					h.Path = append(slices.Clone(about.path), inner)
				}
			}
		case about.in == "body" && len(path) == 0 && (w.Kind == Required || w.Kind == Unwanted) && innerName(message) != "":
			h.In, h.Path = "body", []string{innerName(message)}
		case len(path) > 0:
			// The message itself may name a field of the one it stands at, as ajv does for a missing property.
			if inner := innerName(message); inner != "" && path[len(path)-1] != inner {
				h.Path = append(slices.Clone(path), inner)
			}
		default:
			h.Maybe = w.without(about.maybe)
			if h.In == "" {
				h.In = about.in
			}
		}
		l.add(h)
	}
}

// apart finds complaints of fields that do not go together. It is the simplest request that has none of them; should one
// be needed after all, the next refusal says so.
var apart = regexp.MustCompile(`(?i)\bnot both\b|\bmutually exclusive\b|(?:can't|cannot|can not|may not|must not) (?:both )?(?:be )?(?:give|gave|given|specify|specified|use|used|combine|combined|set|provide|provided|mix|mixed) .*\b(?:and|with|together)\b|` +
	`(?:can't|cannot|may not|must not) be (?:used|combined|given|specified|set|mixed) (?:together|with|at the same time)|\bincompatible with\b|\bonly one of\b.* (?:may|can|must|should) be (?:given|specified|set|used|provided)`)

// fewWords are words that complaints of what does not go together use for other things than fields.
var fewWords = []string{
	"cannot", "give", "given", "both", "either", "may", "specify", "specified", "use", "used", "not", "can", "with", "mutually", "exclusive", "combine",
	"combined", "only", "set", "same", "time", "at", "but", "mix", "mixed", "together", "provide", "provided", "field", "fields", "parameter", "parameters", "as", "data", "incompatible",
}

// distinct are the words of a message that may be fields.
func distinct(message string) []string {
	var found []string
	for word := range strings.FieldsFuncSeq(message, func(r rune) bool { return strings.ContainsRune(" ,;:'\"`()[]!?", r) }) {
		word = strings.TrimRight(word, ".")
		small := strings.ToLower(word)
		if len(found) < mostMaybes && len(word) > 1 && len(word) <= longestName && !slices.Contains(stopWords, small) && !slices.Contains(fewWords, small) {
			found = append(found, word)
		}
	}
	return found
}

// without takes out of the words those that are values or patterns that the message lists.
func (w Want) without(maybe []string) []string {
	return slices.DeleteFunc(slices.Clone(maybe), func(word string) bool {
		return slices.Contains(w.Values, word) || w.Kind == Matching && strings.Contains(w.Text, word) && !isPlainName(word)
	})
}

func isPlainName(word string) bool { return plainName.MatchString(word) }

var (
	plainName = regexp.MustCompile(`^[A-Za-z_][\w.-]*$`)
	// inner is a property that a message names beside the object that it stands at.
	inner = regexp.MustCompile(`(?i)(?:have (?:the )?(?:required )?property|additional propert(?:y|ies)|required propert(?:y|ies)|missing propert(?:y|ies)|property|key)\s*[:(]?\s*["'\x60]([^"'\x60]+)["'\x60]`)
)

func innerName(message string) string {
	if m := inner.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return ""
}

// clauses cuts a message into what it says one after the other.
func clauses(message string) []string {
	parts := betweenClauses.Split(nextPlace.ReplaceAllString(message, "\n$1"), 17)
	return slices.DeleteFunc(parts[:min(len(parts), 16)], func(s string) bool { return strings.TrimSpace(s) == "" })
}

var (
	betweenClauses = regexp.MustCompile(`[\r\n]+|;\s`)
	nextPlace      = regexp.MustCompile(`, ((?:data|body|querystring|params|headers)[./])`)
)

// names cuts a written place into its names: dots, slashes and brackets go, and so do indexes.
func names(place string) []string {
	if len(place) > 8*longestName {
		return nil
	}
	place = strings.NewReplacer("~1", "\x00", "~0", "~").Replace(place)
	parts := strings.FieldsFunc(place, func(r rune) bool { return strings.ContainsRune("./[]\"'#$ ", r) })
	found := parts[:0]
	for _, p := range parts {
		if p = strings.ReplaceAll(p, "\x00", "/"); p != "" && strings.Trim(p, "0123456789*") != "" {
			found = append(found, p)
		}
	}
	return found
}

// places are where a first name says that the others are.
var places = map[string]string{
	"body": "body", "requestBody": "body", "request": "body", "json": "body", "payload": "body", "data": "", "instance": "", "root": "", "input": "",
	"query": "query", "querystring": "query", "queryParams": "query", "params": "path", "path": "path", "pathParams": "path", "uri": "path",
	"header": "header", "headers": "header", "cookie": "cookie", "cookies": "cookie", "form": "body", "formData": "body",
}

// place takes the first name off where it says where the others are.
func place(path []string) (in string, rest []string) {
	if len(path) == 0 {
		return "", nil
	}
	if in, known := places[path[0]]; known && len(path) > 1 {
		return in, path[1:]
	}
	return "", path
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
