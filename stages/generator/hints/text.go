package hints

import (
	"regexp"
	"strings"
)

// rule finds one kind of demand in a message.
type rule struct {
	// any are words one of which the message holds, in small letters: a quick way to pass the rule over.
	any  []string
	find *regexp.Regexp // in the message as it is
	// wants says what the match asks for; m are its groups.
	wants func(m []string, message string) []Want
}

func just(k Kind) func([]string, string) []Want {
	return func([]string, string) []Want { return []Want{{Kind: k}} }
}

func typed(name string) func([]string, string) []Want {
	return func([]string, string) []Want { return []Want{{Kind: Typed, Text: name}} }
}

const (
	mustBe  = `(?:(?:must|should|shall|has to|have to|needs? to|can only|ought to|to) be|is not|must|should|expected(?: to be)?|was expected to be|input should be|value should be)`
	decimal = `['"]?(-?[0-9]+(?:\.[0-9]+)?)['"]?`
)

// rules in the order they are tried. Several can apply to one message; of those that speak of presence the first counts.
var presence = []rule{
	{
		[]string{"unknown", "unrecogni", "additional", "extra", "unexpected", "not allowed", "should not exist", "not permitted", "unpermitted", "read-only", "readonly", "read only", "unsupported", "no such", "not a "},
		regexp.MustCompile(`(?i)\bunknown (?:field|key|property|parameter|param|argument|attribute|member|query)|unrecogni[sz]ed (?:field|key|property|parameter|argument|attribute|name|query)|` +
			`additional propert|extra (?:inputs?|fields?|keys?|propert(?:y|ies)|data|attributes?)[^.]*not (?:permitted|allowed|expected)|unexpected (?:field|key|property|parameter|argument|attribute|keyword|query)|` +
			`["'\x60] is not allowed\s*$|\bis not allowed here|should not exist|(?:parameter|field|property|attribute|key) [^ ]+ (?:is|are) not (?:permitted|allowed|recogni[sz]ed|supported)|unpermitted parameter|` +
			`\b(?:is|are) read-? ?only\b|unsupported (?:field|parameter|property|query parameter|attribute)|no such (?:field|property|parameter)|not a (?:valid|known|permitted|recogni[sz]ed) (?:field|parameter|property|attribute)|` +
			`must not be (?:specified|provided|set|present|given|sent)`),
		just(Unwanted),
	},
	{
		[]string{"required", "mandatory", "missing", "absent", "not present", "not provided", "not supplied", "not specified", "not given", "not set", "must be p", "must be sp", "must be su", "must be se", "must be given", "must be de", "null", "blank", "empty", "omitted", "undefined", "no value", "must have", "must include", "must contain a", "without", "need", "expects", "must provide", "must specify"},
		regexp.MustCompile(`(?i)\b(?:required|mandatory|missing|absent|omitted)\b|not (?:be )?(?:present|provided|supplied|specified|given|set|null|blank|empty|nil|undefined|none|omitted)\b|` +
			`\bmust be (?:present|provided|specified|supplied|set|given|defined)\b|\b(?:is|was) (?:undefined|null|blank|empty|nil)\b|(?:can't|cannot|can not|may not|must not|mustn't|should not|shouldn't|can never) be (?:null|blank|empty|nil|undefined|missing|omitted|left blank)|` +
			`non-?(?:empty|null|blank)|no (?:value|data) (?:was |is )?(?:given|provided|supplied|present)|\b(?:must|need to|needs to|have to) (?:provide|specify|supply|include)\b|received undefined|\bis needed\b`),
		func(_ []string, message string) []Want {
			if filled.MatchString(message) {
				return []Want{{Kind: Required}, {Kind: NoShorter, Bound: "1"}, {Kind: NoFewer, Bound: "1"}}
			}
			return []Want{{Kind: Required}}
		},
	},
}

var filled = regexp.MustCompile(`(?i)\b(?:blank|empty)\b`)

var demands = []rule{
	{
		[]string{"already", "taken", "unique", "duplicate", "in use", "exists"},
		regexp.MustCompile(`(?i)\balready (?:exists?|been (?:taken|used|registered)|taken|in use|used|registered|present|defined|has)|\bis taken\b|\bmust be unique\b|\bnot unique\b|\bduplicate[sd]?\b|\b(?:is|are) in use\b|\bwith (?:this|that|the same) [^.]* exists\b`),
		just(Taken),
	},
	{
		[]string{"one of", "either of", "any of", "allowed", "permitted", "possible", "supported", "accepted", "acceptable", "available", "valid", "choose", "expected", "options"},
		regexp.MustCompile(`(?i)(?:\b(?:one|any|either) of(?: (?:the )?(?:following|these|those|allowed|accepted|valid|permitted|supported)?(?: (?:\w+ )?(?:values?|options?|choices?|types?|strings?|items?|variants?|constants?|ones))?(?: (?:are|is))?(?: accepted for Enum class)?)?|` +
			`\b(?:allowed|permitted|possible|supported|accepted|acceptable|available|valid|expected)(?: enum)? (?:values?|options?|choices?|types?|ones|modes?|states?|status(?:es)?|algorithms?|kinds?|formats?|members?|constants?|variants?|names?)(?: for [^ :]+(?: [^ :]+)?)?(?: (?:are|is|include|must be))?|` +
			`\bbe in|choose from)\s*[:=]?\s*([\[({"'\x60‘“]?.+)$`),
		func(m []string, _ string) []Want {
			if listed := readList(m[1], true); len(listed) > 1 || len(listed) == 1 && sureList.MatchString(m[0]) {
				return []Want{{Kind: OneOf, Values: listed}}
			}
			return nil
		},
	},
	{
		[]string{"true or false"},
		regexp.MustCompile(`(?i)\btrue or false\b`),
		typed("boolean"),
	},
	{
		[]string{"match", "pattern", "regex", "regular expression"},
		regexp.MustCompile(`(?i)\b(?:match(?:es|ing|ed)?|satisfy|follow|pattern|regex(?:p|ular expression)?)\b(?: (?:the|a|following|required|expected|this|is|used for validation is|validation))*(?: (?:pattern|regex(?:p|ular expression)?|format))?(?: is)?\s*[:=]?\s*(?:of )?["'\x60/(]?(\S.*)$`),
		func(m []string, _ string) []Want {
			if p := readPattern(m[1], m[0][:len(m[0])-len(m[1])]); p != "" {
				return []Want{{Kind: Matching, Text: p}}
			}
			return nil
		},
	},
	{
		[]string{" or ", "|"},
		regexp.MustCompile(`(?i)\b(?:be|expected|either|expects?)\s*:?\s*((?:["'\x60‘“][^"'\x60’”]{1,100}["'\x60’”]\s*(?:,\s*or|,|\bor|\|)?\s*){2,})`),
		func(m []string, _ string) []Want {
			if listed := readList(m[1], false); len(listed) > 1 {
				return []Want{{Kind: OneOf, Values: listed}}
			}
			return nil
		},
	},
	{
		[]string{"between", "range", "from"},
		regexp.MustCompile(`(?i)\b(?:between|range(?: of| from| is| must be)?:?|from|within)\s*[\[(]?\s*` + decimal + `\s*(?:and|to|-|–|,|\.\.\.?)\s*` + decimal + `(.*)$`),
		func(m []string, message string) []Want {
			low, high := measure(message, m[3])
			return []Want{{Kind: low, Bound: m[1]}, {Kind: high, Bound: m[2]}}
		},
	},
	{
		[]string{"wrong length", "exactly", "length must be", "length of"},
		regexp.MustCompile(`(?i)(?:wrong length \(should be|\bexactly|length must be|must have (?:a )?length of|be of length)\s*(?:equal to )?` + decimal + `(.*)$`),
		func(m []string, message string) []Want {
			low, high := measure(message, m[2])
			return []Want{{Kind: low, Bound: m[1]}, {Kind: high, Bound: m[1]}}
		},
	},
	{
		[]string{"at least", "minimum", "greater than or equal", ">=", "≥", "no fewer", "not have fewer", "fewer than", "less than", "or more", "longer than or equal", "more than or equal", "min", "lower than", "short", "higher than or equal", "larger than or equal", "not be below"},
		regexp.MustCompile(`(?i)(?:\bat least|\bminimum(?: (?:allowed )?(?:value|length|size|number))?(?: (?:is|of|allowed is|must be|required is|for \S+ is))?:?|(?:greater|longer|more|larger|higher|bigger)(?: than)?,? or equal(?: to)?(?: than)?|>=|≥|\bno fewer than|not have fewer than|(?:not|n't) be (?:less|lower|shorter|fewer|smaller) than|not be below|\bmin(?:imum)?(?:[lL]ength|[iI]tems)?\s*(?:[:=(]| is| of)?)\s*` + decimal + `(.*)$`),
		func(m []string, message string) []Want {
			low, _ := measure(message, m[2])
			return []Want{{Kind: low, Bound: m[1]}}
		},
	},
	{
		[]string{"at most", "maximum", "less than or equal", "<=", "≤", "no more than", "not have more", "more than", "greater than", "shorter than or equal", "up to", "exceed", "max", "fewer than or equal", "longer than", "lower than or equal", "limit", "not be above"},
		regexp.MustCompile(`(?i)(?:\bat most|\bmaximum(?: (?:allowed )?(?:value|length|size|number))?(?: (?:is|of|allowed is|must be|for \S+ is))?:?|(?:less|shorter|lower|fewer|smaller)(?: than)?,? or equal(?: to)?(?: than)?|<=|≤|\bno (?:more|longer|greater|larger) than|not have more than|(?:not|n't) be (?:more|longer|greater|larger|bigger|higher) than|not be above|\bup to|\bexceeds?(?: the)?(?: (?:maximum|limit))?(?: (?:length|size|value))?(?: of)?|\bmax(?:imum)?(?:[lL]ength|[iI]tems)?\s*(?:[:=(]| is| of)?|\blimited to)\s*` + decimal + `(.*)$`),
		func(m []string, message string) []Want {
			_, high := measure(message, m[2])
			return []Want{{Kind: high, Bound: m[1]}}
		},
	},
	{
		[]string{"greater than", "more than", "larger than", "bigger than", "higher than", "above", "exceed", ">"},
		regexp.MustCompile(`(?i)\b(?:be|is|are|must|should|have) (?:strictly )?(?:(?:greater|more|larger|bigger|higher) than|above|>)\s*` + decimal + `(.*)$`),
		func(m []string, message string) []Want {
			if negated.MatchString(message) {
				return nil
			}
			if low, _ := measure(message, m[2]); low != AtLeast {
				return nil
			}
			return []Want{{Kind: MoreThan, Bound: m[1]}}
		},
	},
	{
		[]string{"less than", "lower than", "smaller than", "below", "under", "<"},
		regexp.MustCompile(`(?i)\b(?:be|is|are|must|should) (?:strictly )?(?:(?:less|lower|smaller) than|below|under|<)\s*` + decimal + `(.*)$`),
		func(m []string, message string) []Want {
			if _, high := measure(message, m[2]); high != AtMost || negatedLess.MatchString(message) {
				return nil
			}
			return []Want{{Kind: LessThan, Bound: m[1]}}
		},
	},
	{
		[]string{"positive", "negative"},
		regexp.MustCompile(`(?i)\b(?:be|is|a)(?: an?)?(?: \w+)? (non-?negative|positive or zero|zero or positive|not negative|positive|negative)|\b(negative) (?:values? )?(?:is |are )?not allowed|\bnot be (negative)`),
		func(m []string, _ string) []Want {
			switch strings.ToLower(m[1]) {
			case "positive":
				return []Want{{Kind: MoreThan, Bound: "0"}}
			case "negative":
				return []Want{{Kind: LessThan, Bound: "0"}}
			}
			return []Want{{Kind: AtLeast, Bound: "0"}}
		},
	},
	{
		[]string{"start with", "begin with", "starts with", "begins with", "prefixed"},
		regexp.MustCompile(`(?i)\b(?:starts?|begins?|prefixed) with (?:an? |the )?(.+)$`),
		func(m []string, _ string) []Want {
			if p := readAffix(m[1]); p != "" {
				return []Want{{Kind: Matching, Text: "^" + p + "[a-z0-9]{3,12}$"}}
			}
			return nil
		},
	},
	{
		[]string{"end with", "ends with", "end in "},
		regexp.MustCompile(`(?i)\bends? (?:with|in) (?:an? |the )?(.+)$`),
		func(m []string, _ string) []Want {
			switch p := readAffix(m[1]); p {
			case "":
				return nil
			case `\.`:
				return []Want{{Kind: Formatted, Text: "domain name that ends with a dot"}}
			default:
				return []Want{{Kind: Matching, Text: "^[a-z0-9]{3,12}" + p + "$"}}
			}
		},
	},
	{
		[]string{"only", "alphanumeric", "lowercase", "lower case", "uppercase", "upper case", "alphabetic", "consist"},
		regexp.MustCompile(`(?i)\b(?:only(?: contain| include| have| be| allowed)?|consists? (?:only )?of|contains? only|must be|be all|be in)\b(.*(?:letter|alpha|case|digit|number|character|hyphen|dash|underscore).*)$`),
		func(m []string, _ string) []Want {
			if class := readClass(m[1]); class != "" {
				return []Want{{Kind: Matching, Text: "^[" + class + "]+$"}}
			}
			return nil
		},
	},
	{
		[]string{"in the past", "past date", "before today"},
		regexp.MustCompile(`(?i)\bin the past\b|\bpast date\b|before (?:today|now)`),
		func([]string, string) []Want { return []Want{{Kind: Matching, Text: "^20(0[0-9]|1[0-9])-"}} },
	},
	{
		[]string{"future"},
		regexp.MustCompile(`(?i)\bin the future\b|\bfuture date\b|\bafter (?:today|now)\b`),
		func([]string, string) []Want { return []Want{{Kind: Matching, Text: "^203[0-7]-"}} },
	},
}

var (
	// negated and negatedLess say that a bound is the other one.
	negatedLess = regexp.MustCompile(`(?i)(?:not|n't) (?:be )?(?:strictly )?(?:less|lower|smaller|below|fewer|shorter)`)
	negated     = regexp.MustCompile(`(?i)(?:not|n't) (?:be )?(?:strictly )?(?:greater|more|larger|bigger|higher) than`)
	sureList    = regexp.MustCompile(`(?i)(?:\b(?:one|any|either) of|\b(?:allowed|permitted|possible|supported|valid|accepted) values?)`)
	typeWord    = regexp.MustCompile(`(?i)` + mustBe + `\s+(?:of (?:type )?|an? |the )*(?:valid |whole |json |type )*(string|text|integer|int(?:eger)?(?:32|64)?|whole number|number|numeric|float|double|decimal|boolean|bool|array|list|object|dict(?:ionary)?|map)\b|` +
		`\b(?:an?|not a|invalid) (?:valid )?(integer|number|boolean) is required|\bnot a (?:valid )?(integer|number|boolean)|\binvalid (integer|number|boolean)|(?:parse|convert) .* (?:as|to|into) (?:an? )?(?:type )?["'\x60]?(?:java\.lang\.)?(integer|int|long|number|double|float|boolean)|\bexpected (?:type )?["'\x60]?(string|number|integer|boolean|array|object|i32|i64|u32|u64|f64)|` +
		`invalid type: .*expected (?:an? )?(string|number|integer|boolean|sequence|map|i32|i64|u32|u64|f64)|parsing "[^"]*": invalid (syntax)`)
	badText = regexp.MustCompile(`(?i)\b(?:in|mal)valid\b|\bmalformed\b|\bill-?formed\b|\bwell-?formed\b|\bvalid\b|not (?:a |an )?(?:proper|correct|canonical|recogni[sz]ed|parseable)|\bmust be\b|\bshould be\b|\bexpected\b|\bwrong format\b|\bcannot (?:parse|be parsed)|(?:unable|failed|could not|couldn't|can't) (?:to )?(?:be )?(?:parse|decode|load)|cannot be [a-z0-9-]*-?decoded|\bformat\b|\bunknown\b|\bnot a\b|\bends? with\b|\bunsupported\b|\bfailed on the\b`)
)

// typesByWord are JSON types by what messages call them.
var typesByWord = map[string]string{
	"string": "string", "text": "string",
	"integer": "integer", "int": "integer", "int32": "integer", "int64": "integer", "integer32": "integer", "integer64": "integer",
	"whole number": "integer", "long": "integer", "i32": "integer", "i64": "integer", "u32": "integer", "u64": "integer", "syntax": "integer",
	"number": "number", "numeric": "number", "float": "number", "double": "number", "decimal": "number", "f64": "number",
	"boolean": "boolean", "bool": "boolean", "array": "array", "list": "array", "sequence": "array",
	"object": "object", "dict": "object", "dictionary": "object", "map": "object",
}

// wantsOf reads one message.
func wantsOf(message string) []Want {
	small := strings.ToLower(message)
	var found []Want
	for _, r := range presence {
		if m := r.match(message, small); m != nil {
			found = r.wants(m, message)
			break
		}
	}
	exact := false // whether a list or a pattern was found: nothing says it better
	for _, r := range demands {
		m := r.match(message, small)
		if m == nil {
			continue
		}
		more := r.wants(m, message)
		for _, w := range more {
			exact = exact || w.Kind == OneOf || w.Kind == Matching || w.Kind == Formatted
		}
		found = append(found, more...)
		if exact {
			break
		}
	}
	if exact || len(found) > 0 && found[0].Kind == Unwanted {
		return found
	}
	if template := dateTemplate(message); template != "" && !strings.Contains(template, "T") {
		return append(found, Want{Kind: Matching, Text: template})
	}
	if m := typeWord.FindStringSubmatch(message); m != nil && (len(found) == 0 || found[len(found)-1].Kind == Required) {
		for _, word := range m[1:] {
			if t := typesByWord[strings.ToLower(word)]; t != "" {
				return append(found, Want{Kind: Typed, Text: t})
			}
		}
	}
	if len(found) == 0 && badText.MatchString(message) {
		for i := range kindsOfText {
			if kindsOfText[i].named.MatchString(small) {
				return append(found, Want{Kind: Formatted, Text: kindsOfText[i].name})
			}
		}
	}
	return found
}

func (r *rule) match(message, small string) []string {
	for _, word := range r.any {
		if strings.Contains(small, word) {
			return r.find.FindStringSubmatch(message)
		}
	}
	return nil
}

// measure says what a bound is one of: characters, items, or the number itself. After is what follows the number.
func measure(message, after string) (low, high Kind) {
	switch {
	case inItems.MatchString(after):
		return NoFewer, NoMore
	case inCharacters.MatchString(after), aboutLength.MatchString(message):
		return NoShorter, NoLonger
	}
	return AtLeast, AtMost
}

var (
	inItems      = regexp.MustCompile(`(?i)^\)?\s*(?:items?|elements?|entries|entry|values|members)\b`)
	inCharacters = regexp.MustCompile(`(?i)^\)?\s*(?:or more |or fewer )?(?:char(?:acter)?s?|letters?|symbols?|bytes?|digits?|long\b|in length)`)
	aboutLength  = regexp.MustCompile(`(?i)\b(?:length|size|long(?:er)?|short(?:er)?|characters?)\b`)
)

// readList reads the values of a list as messages write one. Plain words count only where bare says so.
func readList(text string, bare bool) []string {
	text = strings.TrimSpace(text)
	enclosed := false
	if i := strings.IndexAny(text, "[({"); i == 0 {
		if end := strings.IndexByte(text, "])}"[strings.IndexByte("[({", text[0])]); end > 0 {
			text, bare, enclosed = text[1:end], true, true
		}
	} else if i > 0 && text[i] == '[' && i < 40 {
		if end := strings.IndexByte(text[i:], ']'); end > 0 {
			text, bare, enclosed = text[i+1:i+end], true, true
		}
	}
	text = strings.ReplaceAll(text, `\"`, `"`)
	if quotes := quoted.FindAllStringSubmatch(text, mostValues+1); len(quotes) > 0 {
		var values []string
		for _, q := range quotes {
			if v := firstOf(q[1:]); v != "" && len(v) <= longestWord {
				values = append(values, v)
			}
		}
		return values[:min(len(values), mostValues)]
	}
	if !bare {
		return nil
	}
	text = strings.TrimRight(text, ".;!)]} \t")
	if enclosed && !strings.ContainsAny(text, ",|;") {
		text = strings.Join(strings.Fields(text), ",")
	}
	var values []string
	for _, part := range betweenValues.Split(text, mostValues+1) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if len(part) > longestWord || strings.Count(part, " ") > 0 || strings.ContainsAny(part, ":=") {
			if len(values) > 1 {
				break // the sentence goes on
			}
			return nil
		}
		values = append(values, part)
	}
	return values[:min(len(values), mostValues)]
}

var (
	betweenValues = regexp.MustCompile(`\s*(?:,\s*(?:or|and)\s+|,|\||;|\s/\s|\s+or\s+|\s+and\s+)\s*`)
	quoted        = regexp.MustCompile(`"([^"]{0,200})"|(?:^|[\s(\[{:=,])'([^']{0,200})'|\x60([^\x60]{0,200})\x60|“([^”]{0,200})”|‘([^’]{0,200})’|«([^»]{0,200})»`)
)

func firstOf(groups []string) string {
	for _, g := range groups {
		if g != "" {
			return g
		}
	}
	return ""
}

// readPattern is the pattern at the beginning of the text, "" if there is none; before is what led to it.
func readPattern(text, before string) string {
	open := ""
	if before != "" {
		open = before[len(before)-1:]
	}
	switch open {
	case `"`, `'`, "`", "/":
		if end := strings.LastIndex(text, open); end > 0 {
			text = text[:end]
		}
	case "(":
		if strings.HasPrefix(text, "?") || strings.HasPrefix(text, "^") {
			text = "(" + text
		}
		text, _, _ = strings.Cut(text, " ")
		text = strings.TrimRight(text, ".")
	default:
		if strings.HasPrefix(text, "^") {
			if end := strings.LastIndexByte(text, '$'); end > 0 {
				text = text[:end+1]
				break
			}
		}
		text, _, _ = strings.Cut(text, " ")
		text = strings.TrimRight(text, ".,;'\"`")
	}
	if !strings.ContainsAny(text, `[\^$(|*+`) || strings.Contains(text, "://") {
		return ""
	}
	if !strings.HasPrefix(text, "^") && !strings.HasSuffix(text, "$") && !strings.HasPrefix(text, "(?") {
		text = "^(?:" + text + ")$" // most of those that write no anchors match the whole
	}
	if len(text) > longestRule {
		return ""
	}
	return text
}

// readAffix is a pattern for what a text is to begin or end with.
func readAffix(text string) string {
	if q := quoted.FindStringSubmatch(" " + text); q != nil {
		if v := firstOf(q[1:]); v != "" && len(v) <= 40 {
			return regexp.QuoteMeta(v)
		}
	}
	word, _, _ := strings.Cut(strings.ToLower(text), " ")
	switch {
	case strings.HasPrefix(strings.ToLower(text), "capital letter"), strings.HasPrefix(strings.ToLower(text), "uppercase letter"):
		return "[A-Z]"
	}
	switch word = strings.TrimRight(word, ".,;:!)"); word {
	case "dot", "period", "full", "trailing":
		return `\.`
	case "slash":
		return "/"
	case "letter", "lowercase", "alphabetic":
		return "[a-z]"
	case "digit", "number":
		return "[0-9]"
	case "underscore":
		return "_"
	case "http", "https", "http://", "https://":
		return "https://"
	}
	if word = strings.Fields(text + " .")[0]; len(word) <= 12 && strings.ContainsAny(word, "/:#@_-+") {
		return regexp.QuoteMeta(word)
	}
	return ""
}

// readClass are the characters that a text may hold, as a pattern has them between brackets.
func readClass(text string) string {
	small := strings.ToLower(text)
	if strings.Contains(small, "at least") {
		return "" // what it has to hold is not all it may hold
	}
	var class string
	has := func(names ...string) bool {
		for _, n := range names {
			if strings.Contains(small, n) {
				return true
			}
		}
		return false
	}
	lower, upper := has("lowercase", "lower case", "lower-case"), has("uppercase", "upper case", "upper-case", "capital")
	letters := has("letter", "alphabetic", "alphanumeric", "alpha-numeric", "alphanum")
	switch {
	case lower && !upper:
		class += "a-z"
	case upper && !lower:
		class += "A-Z"
	case letters || lower && upper:
		class += "a-zA-Z"
	}
	if has("digit", "number", "numeral", "alphanumeric", "alpha-numeric", "alphanum", "numeric") && !has("number of") {
		class += "0-9"
	}
	if has("underscore") {
		class += "_"
	}
	if has("dot", "period") {
		class += "."
	}
	if has("dash", "hyphen") {
		class += "-"
	}
	return class
}
