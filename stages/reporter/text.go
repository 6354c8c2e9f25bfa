package reporter

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// number writes n with a comma between thousands.
func number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// plural is n of the thing: "1 reply", "2 replies".
func plural(n int64, thing string) string {
	if n != 1 {
		if stem, ok := strings.CutSuffix(thing, "y"); ok {
			thing = stem + "ies"
		} else {
			thing += "s"
		}
	}
	return number(n) + " " + thing
}

// names lists at most so many of the names, and how many more there are.
func names(all []string, most int) string {
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(all[:most], ", "), number(int64(len(all)-most)))
}

// length is a duration as people write it: 200ms, 1.5s, 2m.
func length(d time.Duration) string {
	switch {
	case d >= time.Second:
		d = d.Round(100 * time.Millisecond)
	default:
		d = d.Round(time.Microsecond)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// seconds is a duration in seconds with one decimal: 10.0s.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

// iso is a duration as ISO 8601 has it, in seconds alone: PT0S, PT1.5S, PT90S.
func iso(d time.Duration) string {
	sign := ""
	n := uint64(d)
	if d < 0 {
		sign, n = "-", -n
	}
	s := strconv.FormatUint(n/uint64(time.Second), 10)
	if fraction := n % uint64(time.Second); fraction != 0 {
		s += strings.TrimRight(fmt.Sprintf(".%09d", fraction), "0")
	}
	return sign + "PT" + s + "S"
}

// parseISO reads what iso writes.
func parseISO(s string) (time.Duration, error) {
	sign, amount, ok := strings.Cut(s, "PT")
	amount, ends := strings.CutSuffix(amount, "S")
	d, err := time.ParseDuration(sign + amount + "s")
	if !ok || !ends || err != nil || iso(d) != s {
		return 0, fmt.Errorf("%q is no duration in seconds as ISO 8601 has it", s)
	}
	return d, nil
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// percent is the share of the whole that the part is, in whole percent: from 0 to 100 whatever the two are.
func percent(part, whole time.Duration) int {
	if whole <= 0 || part <= 0 {
		return 0
	}
	return int(math.Round(100 * min(part.Seconds()/whole.Seconds(), 1)))
}

// clean is the text on one line of a terminal: what does not print is written as an escape, so that nothing an API
// says can move the cursor or hide a line.
func clean(s string, utf8OK bool) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !shows(r, utf8OK) }) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case shows(r, utf8OK):
			b.WriteRune(r)
		case r == '…':
			b.WriteString("...")
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
		i += n
	}
	return b.String()
}

func shows(r rune, utf8OK bool) bool {
	return unicode.IsPrint(r) && (utf8OK || r < utf8.RuneSelf)
}

// cut is the line, at most so many characters long.
func cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	runes := []rune(s)
	return string(runes[:max(width, 0)])
}
