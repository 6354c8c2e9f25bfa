package inference

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/restest/restest/messages"
)

// rejection reads one rejection in full, and holds what it says against what happened.
func (r *reporting) rejection() {
	reply := r.whole.Rejected
	if reply == nil {
		return
	}
	typed := messages.Get(reply.Header, "Content-Type")
	retry := messages.Values(reply.Header, "Retry-After")
	lines := []string{fmt.Sprintf("%d %s, %d bytes of %s", reply.Status, reply.Reason, reply.Length, or(typed, "no type"))}
	if reply.Status != 429 {
		r.find(Warning, Rejection, fmt.Sprintf("It refuses with %d", reply.Status), lines[0],
			"Answer 429 (RFC 6585, section 4): other statuses say that something else is wrong, and clients treat them so.")
	}
	if strings.Contains(typed, "json") && !json.Valid(reply.Body) && !reply.Cut {
		r.find(Warning, Rejection, "A refusal's content is not the JSON it says it is", lines[0], "Write the content in the type that is named.")
	}
	if len(retry) == 0 {
		lines = append(lines, "no Retry-After")
		r.find(Warning, Rejection, "A refusal does not say when to come back", "it has no Retry-After", "Send Retry-After: without it clients guess, and most guess too short.")
		r.answer(Rejection, Sure, fmt.Sprintf("a %d without Retry-After", reply.Status), lines...)
		return
	}
	text := fmt.Sprintf("a %d with Retry-After: %s", reply.Status, retry[0])
	r.retryAfter(&lines)
	if words, wait, ok := contentSays(reply.Body); ok {
		if told, read := r.told(retry[0]); read && (told-wait).Abs() >= time.Second {
			r.find(Warning, Rejection, "Retry-After and the content disagree", fmt.Sprintf("Retry-After says %s, the content %q", retry[0], words), "Name one moment in both.")
		}
	}
	r.answer(Rejection, Sure, text, lines...)
}

// told is what a Retry-After of these words means.
func (r *reporting) told(words string) (time.Duration, bool) {
	for _, b := range r.e.batches {
		for _, a := range b.Answers {
			if a.Said != nil && a.Said.Stated && a.Said.RetryAfter == words {
				return a.Said.Wait, true
			}
		}
	}
	return 0, false
}

// saysWait is how the contents of refusals say when to come back: as a member, or in words.
var saysWait = regexp.MustCompile(`(?i)"retry[-_]?after([-_]?ms)?"\s*:\s*"?(\d{1,7}(?:\.\d+)?)\b|\b(?:in|after|for) (\d{1,7}(?:\.\d+)?) ?(m?s|(?:milli)?seconds?|minutes?)\b`)

// contentSays is after how long a refusal's content says to come back, in its own words.
func contentSays(body []byte) (words string, wait time.Duration, ok bool) {
	m := saysWait.FindStringSubmatch(string(body))
	if m == nil {
		return "", 0, false
	}
	unit := time.Second
	switch name := strings.ToLower(m[1] + m[4]); {
	case strings.HasPrefix(name, "ms"), strings.HasPrefix(name, "milli"), strings.HasSuffix(m[1], "ms"):
		unit = time.Millisecond
	case strings.HasPrefix(name, "minute"):
		unit = time.Minute
	}
	n, err := strconv.ParseFloat(m[2]+m[3], 64)
	return m[0], time.Duration(n * float64(unit)), err == nil
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// retryAfter holds Retry-After against the reopening.
func (r *reporting) retryAfter(lines *[]string) {
	var told *Said
	disagree := time.Duration(0)
	unread, offSpec := "", ""
	for _, b := range r.e.batches {
		for _, a := range b.Answers {
			if a.Accepted || a.Said == nil || a.Said.RetryAfter == "" {
				continue
			}
			s := a.Said
			if !s.Stated {
				unread = s.RetryAfter
				continue
			}
			if s.OffSpec != "" {
				offSpec = s.RetryAfter
			}
			if b.Why == whyEmptied {
				told = s
			}
			if s.Read && s.Left == 0 {
				disagree = max(disagree, (s.Wait - s.More).Abs())
			}
		}
	}
	if unread != "" {
		r.find(Error, Rejection, "Retry-After cannot be read", strconv.Quote(unread), "Write whole seconds, or a date as RFC 9110, section 10.2.3, has it.")
	}
	if offSpec != "" {
		r.find(Warning, Rejection, "Retry-After is not written as RFC 9110 has it", strconv.Quote(offSpec), "Write whole seconds, or an IMF-fixdate.")
	}
	if disagree > 1500*time.Millisecond {
		r.find(Warning, Rejection, "Retry-After and the fields on the quota disagree", fmt.Sprintf("by up to %s", length(disagree)), "Name one moment in both.")
	}
	halfway, asTold := r.of(whyHalfway), r.of(whyAsTold)
	if told == nil || len(asTold) == 0 {
		return
	}
	if asTold[0].Accepted == 0 {
		*lines = append(*lines, fmt.Sprintf("Retry-After said %s, and it was still shut then", told.RetryAfter))
		r.find(Error, Rejection, "Retry-After is too short", fmt.Sprintf("one that came when it said (%s) was refused again", told.RetryAfter), "Round up, to when it really opens.")
		return
	}
	*lines = append(*lines, fmt.Sprintf("Retry-After said %s, and it was open then", told.RetryAfter))
	if len(halfway) > 0 && halfway[0].Accepted == 1 {
		*lines = append(*lines, "it was open at half that time too")
		if told.Wait > 2*time.Second {
			r.find(Note, Rejection, "Retry-After is longer than it has to be", fmt.Sprintf("half of %s was enough", told.RetryAfter), "Name the moment the next request comes through, if clients are to be quick.")
		}
	}
}

// whose says whose budget it is.
func (r *reporting) whose() {
	own, tried := map[int]bool{}, map[int]bool{}
	whole, same := map[int]bool{}, map[int]bool{} // more than the limit came through; it was answered as the plain request is
	answered := map[int]int{}                     // with this status
	for i, b := range r.e.batches {
		// Only what was tried between two refusals of the plain request counts: its window may have ended meanwhile.
		if b.Why != whyVariant && b.Why != whyVariantOn || i+1 == len(r.e.batches) {
			continue
		}
		if before, after := r.e.batches[i-1], r.e.batches[i+1]; before.Refused() == 0 || !r.stillShut(after) {
			continue
		}
		if b.Why == whyVariantOn {
			whole[b.Variant] = b.Refused() == 0
			continue
		}
		tried[b.Variant] = true
		own[b.Variant] = 5*b.Accepted >= 4*b.N // a few may have come back meanwhile
		answered[b.Variant] = status(b)
		same[b.Variant] = status(b) == r.usual()
	}
	var lines []string
	key, address, operation, elsewhere := "", "", "", ""
	for i, v := range r.e.variants {
		if !tried[i] {
			continue
		}
		evidence := fmt.Sprintf("%s came through while the plain request was refused", v.Name)
		switch {
		case v.Kind == NoKey && own[i] && same[i] && !whole[i]:
			lines = append(lines, v.Name+": a budget of its own")
		case own[i] && !same[i] && answered[i] > 0:
			lines = append(lines, fmt.Sprintf("%s: answered %d while the plain request was refused", v.Name, answered[i]))
		case own[i]:
			lines = append(lines, v.Name+": not refused while the plain request was")
		default:
			lines = append(lines, v.Name+": refused with it")
		}
		switch {
		case v.Kind == OtherKey:
			key = yes(own[i])
		case v.Kind == NoKey && own[i] && whole[i] && same[i]:
			r.find(Error, Whose, "A client without a key escapes the limit", evidence, "Limit requests without a key too, by their address.")
		case v.Kind == OtherAddress:
			address = yes(own[i])
		case v.Kind == OtherOperation:
			operation = yes(own[i])
		case v.Kind == Faulty:
			elsewhere = yes(own[i])
		case v.Kind == Forged && own[i]:
			r.find(Error, Whose, "The limit can be escaped with a header anyone can write", evidence, "Take the address from the connection, or from a proxy of yours alone.")
		case v.Kind == OtherTarget && own[i] && same[i]:
			r.find(Warning, Whose, "The limit can be escaped by spelling the path another way", evidence, "Count by the route, not by the raw path.")
		case v.Kind == OtherMethod && own[i]:
			r.find(Note, Whose, "Another method has a budget of its own, or none", evidence, "See that it is meant so.")
		}
	}
	if faulty := r.of(whyFaultyOn); len(faulty) > 0 {
		what, spends := "requests for a path that is not there", "spend it too"
		if b := r.of(whyFaulty)[0]; status(b) >= 400 {
			what = fmt.Sprintf("requests that are answered %d", status(b))
		}
		if 2*faulty[0].Accepted >= faulty[0].N {
			spends = "do not spend it"
		}
		lines = append(lines, what+" "+spends)
	}
	if len(lines) == 0 {
		return
	}
	text := "no other key or address was tried (--key twice, --from)"
	switch {
	case key == "yes" && address == "yes":
		text = "each key's and each address's together"
	case key == "yes":
		text = "each key's"
	case address == "yes":
		text = "each address's"
	case key == "no" && address == "no":
		text = "everybody's"
	case key == "no":
		text = "not the key's: the address's, or everybody's"
	case address == "no":
		text = "not the address's: the key's, or everybody's"
	}
	switch {
	case operation == "no":
		text += "; of both operations together"
	case operation == "yes":
		text += "; of this operation alone"
	case elsewhere == "no":
		text += "; of other paths too"
	}
	r.answer(Whose, Likely, text, lines...)
}

// stillShut says of a batch of plain requests that the window in which they were refused before has not ended: then
// nearly all of a new one would have come through.
func (r *reporting) stillShut(b Batch) bool {
	return b.Why == whyPlain && b.Refused() > 0 && 2*b.Accepted < r.e.measure.limit()
}

// usual is the status of the plain request that is let through.
func (r *reporting) usual() int {
	for _, b := range r.e.batches {
		if b.Variant == 0 && b.Accepted > 0 {
			return status(b)
		}
	}
	return 0
}

// status is that of the first that was let through.
func status(b Batch) int {
	for _, a := range b.Answers {
		if a.Accepted {
			return a.Status
		}
	}
	return 0
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// costs says whether it rejects or delays, and what it costs.
func (r *reporting) costs() {
	v := r.Verdict
	if v.Family == "" || v.Family == None {
		return
	}
	text, lines := "it rejects", []string(nil)
	if v.Family == Queue || v.Family == SlowDown {
		text = "it delays"
	}
	for _, l := range r.Load {
		line := fmt.Sprintf("%s: %d of %d served", l.Name, l.Served, l.Offered)
		if l.Served > 0 {
			line += ", in a median of " + length(l.MedianServed)
		}
		if l.Served < l.Offered && l.MedianAll > 0 {
			line += "; all answered in a median of " + length(l.MedianAll)
		}
		lines = append(lines, line)
	}
	var pairs [2][]time.Duration
	for _, b := range r.of(whyPaired) {
		if len(b.Answers) == 1 && b.Answers[0].How == Replied {
			other := min(b.Variant, 1)
			pairs[other] = append(pairs[other], b.Answers[0].Took())
		}
	}
	if n := min(len(pairs[0]), len(pairs[1])); n > 0 {
		ratios := make([]time.Duration, n)
		for i := range n {
			ratios[i] = time.Duration(1000 * float64(pairs[0][i]) / math.Max(1, float64(pairs[1][i])))
		}
		ratio := float64(median(ratios)) / 1000
		lines = append(lines, fmt.Sprintf("%d pairs with the route without a limiter: %s to %s, the median of the ratios %.2f", n, length(median(pairs[0])), length(median(pairs[1])), ratio))
		text += fmt.Sprintf(", and takes %.2f times as long as the route compared", ratio)
		if ratio > 2 && n >= 5 {
			r.find(Warning, Costs, "The limiter costs more than the route itself", lines[len(lines)-1], "Look at what it stores for each client and request.")
		}
	}
	r.answer(Costs, Likely, text, lines...)
}

// headers reads what the fields on a quota say, and holds it against what happened.
func (r *reporting) headers() {
	var all []Answer
	onRefusals := 0
	refused := 0
	for _, b := range r.e.batches {
		if b.Variant != 0 {
			continue
		}
		for _, a := range b.Answers {
			if a.How != Replied {
				continue
			}
			if !a.Accepted {
				refused++
			}
			if a.Said == nil || a.Said.Family == "" {
				continue
			}
			if !a.Accepted {
				onRefusals++
			}
			all = append(all, a)
		}
	}
	if len(all) == 0 && len(r.e.batches) == 0 {
		return
	}
	if len(all) == 0 {
		r.answer(Headers, Sure, "no fields on a quota")
		return
	}
	first := all[0].Said
	lines := []string{first.words()}
	if unit := resetUnit(all); unit != "" {
		lines = append(lines, "the reset is "+unit)
	}
	if refused > 0 && onRefusals == 0 {
		r.find(Note, Headers, "The fields on the quota are missing from refusals", fmt.Sprintf("none of %d has them", refused), "Send them there too, where they are needed most.")
	}
	v := r.Verdict
	if said := leading(first.Limit, first.Family); said > 0 && v.Certainty > NotSure && v.Limit > 0 && said != v.Limit && said != v.AtOnce {
		r.find(Warning, Headers, "The fields name another limit than the one that is kept", fmt.Sprintf("they say %d, and %d were let through at once", said, v.AtOnce), "Name the limit that is kept.")
	}
	wrong, sure := 0, 0
	for _, a := range all {
		if a.Said.Read && !a.Accepted {
			sure++
			if a.Said.Left > 0 {
				wrong++
			}
		}
	}
	if wrong > 0 {
		r.find(Warning, Headers, "A refusal says that requests are left", fmt.Sprintf("%d of %d refusals", wrong, sure), "Say 0 when nothing is left.")
	} else if sure > 0 {
		lines = append(lines, "every refusal says that nothing is left")
	}
	r.answer(Headers, Likely, first.Family+" fields", lines...)
}

// words are the fields as they were sent.
func (s *Said) words() string {
	fields := []string{s.Family + "-Limit: " + s.Limit, s.Family + "-Remaining: " + s.Remaining, s.Family + "-Reset: " + s.Reset}
	if s.Family == "RateLimit" && s.Reset == "" {
		fields = []string{"RateLimit-Policy: " + s.Limit, "RateLimit: " + s.Remaining}
	}
	fields = slices.DeleteFunc(fields, func(f string) bool { return strings.HasSuffix(f, ": ") })
	return strings.Join(fields, ", ")
}

// leading is the number that a limit begins with: "100", "100, 100;w=60", or the q of a policy.
func leading(text, family string) int {
	if family == "RateLimit" {
		if _, rest, ok := strings.Cut(strings.ReplaceAll(text, " ", ""), ";q="); ok {
			text = rest
		}
	}
	end := strings.IndexFunc(text, func(c rune) bool { return c < '0' || c > '9' })
	if end < 0 {
		end = len(text)
	}
	n, err := strconv.Atoi(text[:end])
	if err != nil {
		return 0
	}
	return n
}

// resetUnit tells what a reset counts by how it moves: a length falls as time passes, a moment stays. It is "" where
// nothing moves enough to tell.
func resetUnit(all []Answer) string {
	type seen struct {
		at    Instant
		value float64
	}
	var before *seen
	falls, stays := 0, 0
	unit := ""
	for _, a := range all {
		value, err := strconv.ParseFloat(a.Said.Reset, 64)
		if err != nil {
			if a.Said.Reset == "" {
				return ""
			}
			return "not a number, and read as a date or a length with its unit"
		}
		switch {
		case value >= 1e12:
			unit = "a moment, in milliseconds since 1970"
		case value >= 1e9:
			unit = "a moment, in seconds since 1970"
		default:
			unit = "a length, in seconds"
		}
		if before != nil {
			passed := a.Heard.Sub(before.at).Seconds()
			if passed >= 1 {
				switch fell := before.value - value; {
				case fell >= 0.5*passed && fell <= passed+1.5:
					falls++
				case fell > 500*passed && fell < 1500*passed+1500:
					falls++
					unit = "a length, in milliseconds"
				case fell == 0:
					stays++
				}
				before = nil
			}
		}
		if before == nil {
			before = &seen{a.Heard, value}
		}
	}
	switch {
	case strings.HasPrefix(unit, "a length") && falls > 0:
		return unit + ", as it falls while time passes"
	case strings.HasPrefix(unit, "a moment") && stays > 0:
		return unit + ", as it stays while time passes"
	case unit == "":
		return ""
	}
	return unit + ", by its size"
}
