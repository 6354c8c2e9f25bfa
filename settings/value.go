package settings

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// longestDuration keeps twice a duration, and a moment of a run plus one, far from overflow.
const longestDuration = 8760 * time.Hour

var durationText = regexp.MustCompile(`^([0-9]{1,20}(?:\.[0-9]{1,20})?)(ms|s|m|h)?$`)

var units = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "": time.Second, "m": time.Minute, "h": time.Hour,
}

// ParseDuration reads a duration written as 500ms, 30s, 5m, 2h or bare seconds (30, 1.5). An error says in half a
// sentence, beginning with the text, what is wrong and what to do.
func ParseDuration(text string) (time.Duration, error) {
	if strings.HasPrefix(text, "-") && durationText.MatchString(text[1:]) {
		return 0, fmt.Errorf("%s is negative; write a duration of at least 0", Quote(text))
	}
	parts := durationText.FindStringSubmatch(text)
	if parts == nil {
		return 0, fmt.Errorf("%s is not a duration; write it like 500ms, 30s, 5m, 2h or in bare seconds", Quote(text))
	}
	amount, _ := new(big.Rat).SetString(parts[1])
	amount.Mul(amount, new(big.Rat).SetInt64(int64(units[parts[2]])))
	if amount.Cmp(new(big.Rat).SetInt64(int64(longestDuration))) > 0 {
		return 0, fmt.Errorf("%s is longer than a year; write at most 8760h", Quote(text))
	}
	nanoseconds := new(big.Int).Quo(amount.Num(), amount.Denom())
	return time.Duration(nanoseconds.Int64()), nil
}

// FormatDuration writes a duration as ParseDuration reads it, in the largest unit that leaves a whole number.
func FormatDuration(d time.Duration) string {
	switch {
	case d == 0:
		return "0s"
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d%time.Second == 0:
		return fmt.Sprintf("%ds", d/time.Second)
	case d%time.Millisecond == 0:
		return fmt.Sprintf("%dms", d/time.Millisecond)
	}
	return strings.TrimRight(fmt.Sprintf("%d.%06d", d/time.Millisecond, d%time.Millisecond), "0") + "ms"
}

// put reads the text into the setting. It returns what is wrong and what to do, "" if nothing is.
func (s *setting) put(into *Settings, text string) string {
	field := s.field(into)
	switch s.kind {
	case isSwitch:
		if text != "true" && text != "false" {
			return Quote(text) + " is not a switch; write true or false"
		}
		field.SetBool(text == "true")
	case isNumber:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil && !wholeNumber.MatchString(text) {
			return Quote(text) + " is not a whole number; write one from " + s.bounds()
		}
		if s.name == "engine.mostRequestsPerMinute" && n == 0 && err == nil {
			return "0 is not a rate; engine.limitTheRate=false is how a rate is left alone"
		}
		if err != nil || n < s.least || n > s.most {
			return Quote(text) + " is out of bounds; write a whole number from " + s.bounds()
		}
		field.SetInt(n)
	case isChance:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !(f >= 0 && f <= 1) {
			return Quote(text) + " is not a chance; write a number from 0 to 1"
		}
		field.SetFloat(f)
	case isDuration:
		d, err := ParseDuration(text)
		if err != nil {
			return err.Error()
		}
		if int64(d) < s.least {
			return Quote(text) + " is too short; write at least " + FormatDuration(time.Duration(s.least))
		}
		field.SetInt(int64(d))
	case isText:
		if wrong := s.check(text); wrong != "" {
			return wrong
		}
		field.SetString(text)
	}
	return ""
}

var wholeNumber = regexp.MustCompile(`^[+-]?[0-9]+$`)

func (s *setting) bounds() string { return fmt.Sprintf("%d to %d", s.least, s.most) }

// Quote shows what somebody wrote within one line: short, and with nothing in it that a terminal would act on.
func Quote(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	if quoted := strconv.Quote(text); text == "" || quoted != `"`+text+`"` || strings.ContainsAny(text, " :;,") {
		return quoted
	}
	return text
}
