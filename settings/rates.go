package settings

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// RateFor is the rate of one operation, or of each operation of a tag.
type RateFor struct {
	// Name is an operationId, a METHOD /path or a tag.
	Name      string
	PerMinute int64
}

// RatesFor are the rates that engine.mostRequestsPerMinuteFor lists.
func (e *Engine) RatesFor() []RateFor {
	rates, _ := parseRates(e.MostRequestsPerMinuteFor)
	return rates
}

// Interval is the least time between two writes that the rate promises, rounded up to the next nanosecond; 0 with no
// rate. Of a rate a minute and one an hour the slower counts.
func (e *Engine) Interval() time.Duration {
	if !e.LimitTheRate {
		return 0
	}
	return max(Interval(time.Minute, e.MostRequestsPerMinute), Interval(time.Hour, e.MostRequestsPerHour))
}

// Hourly says whether it is the rate an hour that decides, not the one a minute.
func (e *Engine) Hourly() bool {
	return Interval(time.Hour, e.MostRequestsPerHour) >= Interval(time.Minute, e.MostRequestsPerMinute)
}

// Interval is the least time between two requests at so many in a time, rounded up to the next nanosecond so that it is
// never shorter than the time divided by their number; 0 for none.
func Interval(in time.Duration, number int64) time.Duration {
	if number < 1 {
		return 0
	}
	return time.Duration((int64(in) + number - 1) / number)
}

// parseRates reads "name=number, name=number". The number follows the last equals sign; a name may hold others, but no
// comma.
func parseRates(text string) ([]RateFor, string) {
	if strings.TrimSpace(text) == "" {
		return nil, ""
	}
	const advice = "write name=number, such as listPets=30, by operationId, METHOD /path or tag"
	var rates []RateFor
	for part := range strings.SplitSeq(text, ",") {
		at := strings.LastIndexByte(part, '=')
		if at < 0 {
			return nil, Quote(strings.TrimSpace(part)) + " has no number; " + advice
		}
		name, number := strings.TrimSpace(part[:at]), strings.TrimSpace(part[at+1:])
		n, err := strconv.ParseInt(number, 10, 64)
		switch {
		case name == "":
			return nil, Quote(strings.TrimSpace(part)) + " has no name; " + advice
		case err != nil || n < 1 || n > 60*million:
			return nil, fmt.Sprintf("%s of %s is not a rate; write a whole number from 1 to %d", Quote(number), Quote(name), 60*million)
		}
		rates = append(rates, RateFor{name, n})
	}
	return rates, ""
}

func checkRates(text string) string {
	_, wrong := parseRates(text)
	return wrong
}
