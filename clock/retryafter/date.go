package retryafter

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// readDate reads a moment: HTTP's three dates (RFC 9110 §5.6.7), and as Date what else servers write for them.
//
// http.ParseTime does not serve here: it turns two-digit years at 69 where the RFC has a rule of 50 years, takes any
// zone in the RFC 850 form, and refuses a leap second.
func readDate(text string, received time.Time) (time.Time, Form, bool) {
	if len(text) > longestDate {
		return time.Time{}, 0, false
	}
	if len(text) > 4 && text[4] == '-' {
		moment, err := time.Parse(time.RFC3339, strings.ToUpper(text))
		return moment, Date, err == nil
	}
	d, ok := split(text)
	if !ok {
		return time.Time{}, 0, false
	}
	moment, ok := d.moment(received)
	return moment, d.form(text), ok
}

// parts are the words of a date.
type parts struct {
	weekday                        string // as written, without its comma; "" for none
	day, month, year, clock, zone  string
	dashed, monthFirst, fourDigits bool
}

// split tells the words of a date apart, by their number and order.
func split(text string) (parts, bool) {
	words := strings.Fields(text)
	var d parts
	if len(words) > 0 && nameIn(weekdays, strings.TrimSuffix(words[0], ",")) >= 0 {
		d.weekday = strings.TrimSuffix(words[0], ",")
		words = words[1:]
	}
	switch {
	case len(words) == 4 && d.weekday != "": // asctime
		d.month, d.day, d.clock, d.year, d.zone = words[0], words[1], words[2], words[3], "GMT"
		d.monthFirst = true
	case len(words) == 5:
		d.day, d.month, d.year, d.clock, d.zone = words[0], words[1], words[2], words[3], words[4]
	case len(words) == 3:
		date := strings.Split(words[0], "-")
		if len(date) != 3 {
			return parts{}, false
		}
		d.day, d.month, d.year, d.clock, d.zone = date[0], date[1], date[2], words[1], words[2]
		d.dashed = true
	default:
		return parts{}, false
	}
	d.fourDigits = len(d.year) == 4
	return d, true
}

// moment is when the date is.
func (d parts) moment(received time.Time) (time.Time, bool) {
	day, ok1 := digits(d.day, 1, 2)
	year, ok2 := digits(d.year, 2, 4)
	month := time.Month(nameIn(months, d.month) + 1)
	clock, ok3 := readClock(d.clock)
	offset, ok4 := readZone(d.zone, !d.dashed)
	if !ok1 || !ok2 || !ok3 || !ok4 || month < time.January || len(d.month) != 3 ||
		len(d.year) == 3 || d.monthFirst && !d.fourDigits {
		return time.Time{}, false
	}
	at := func(year int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Add(clock - offset)
	}
	if !d.fourDigits {
		// A two-digit year is the latest one that is not more than 50 years ahead.
		latest := received.AddDate(50, 0, 0)
		year += latest.Year() / 100 * 100
		if at(year).After(latest) {
			year -= 100
		}
	}
	if day == 0 || time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Day() != day {
		return time.Time{}, false // no such day
	}
	return at(year), true
}

// form is the form of HTTP that text has to the letter, or Date. The weekday need not be the right one, and a day of
// one digit may follow one space in an asctime date.
func (d parts) form(text string) Form {
	if len(d.clock) != len("15:04:05") {
		return Date
	}
	weekday := nameIn(weekdays, d.weekday)
	month := nameIn(months, d.month)
	if weekday < 0 || month < 0 {
		return Date
	}
	long, name := weekdays[weekday], months[month][:3]
	short := long[:3]
	switch day, _ := strconv.Atoi(d.day); text {
	case fmt.Sprintf("%s, %02d %s %s %s GMT", short, day, name, d.year, d.clock):
		if d.fourDigits {
			return IMFFixdate
		}
	case fmt.Sprintf("%s, %02d-%s-%s %s GMT", long, day, name, d.year, d.clock):
		if !d.fourDigits {
			return RFC850
		}
	case fmt.Sprintf("%s %s %2d %s %s", short, name, day, d.clock, d.year),
		fmt.Sprintf("%s %s %02d %s %s", short, name, day, d.clock, d.year),
		fmt.Sprintf("%s %s %d %s %s", short, name, day, d.clock, d.year):
		return Asctime
	}
	return Date
}

// readClock reads "15:04:05", with 60 for a leap second, or with a fraction.
func readClock(s string) (time.Duration, bool) {
	if len(s) < 8 || s[2] != ':' || s[5] != ':' {
		return 0, false
	}
	hour, ok1 := digits(s[:2], 2, 2)
	minute, ok2 := digits(s[3:5], 2, 2)
	second, rest, ok3 := readNumber(s[6:])
	_, ok4 := digits(s[6:8], 2, 2)
	if !ok1 || !ok2 || !ok3 || !ok4 || rest != "" || hour > 23 || minute > 59 || second.whole > 60 {
		return 0, false
	}
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + second.times(time.Second), true
}

// readZone reads a zone that means the same everywhere: GMT, UTC, or, if offsets are taken, one such as "+0000".
// Abbreviations such as EST do not.
func readZone(s string, offsets bool) (time.Duration, bool) {
	switch strings.ToUpper(s) {
	case "GMT", "UTC":
		return 0, true
	}
	if !offsets || len(s) != 5 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	hours, ok1 := digits(s[1:3], 2, 2)
	minutes, ok2 := digits(s[3:], 2, 2)
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if s[0] == '-' {
		offset = -offset
	}
	return offset, ok1 && ok2 && hours < 24 && minutes < 60
}

// digits reads a number of least to most digits and nothing else.
func digits(s string, least, most int) (int, bool) {
	if len(s) < least || len(s) > most {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

var (
	weekdays = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	months   = []string{
		"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
		"November", "December",
	}
)

// nameIn is the index of the name that s is, in full or as its first three letters, in letters of any size; -1 for none.
func nameIn(names []string, s string) int {
	for i, name := range names {
		if strings.EqualFold(s, name) || strings.EqualFold(s, name[:3]) {
			return i
		}
	}
	return -1
}

// Moment reads a moment as those of Read are read; received is the wall time of the reply's receipt.
func Moment(text string, received time.Time) (time.Time, bool) {
	moment, _, ok := readDate(strings.Trim(text, " \t"), received.UTC())
	return moment, ok
}

// Length reads a length with its unit, such as "30s", "5 sec" or "6m0s".
func Length(text string) (time.Duration, bool) { return readLength(strings.Trim(text, " \t")) }
