package values

import (
	"encoding/base64"
	"math/rand/v2"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dlclark/regexp2/v2"
)

// format is how one kind of text is made and known.
type format struct {
	name string // as documents write it
	// draw makes one; tight asks for as short a one as there is.
	draw func(r *rand.Rand, tight bool) string
	// fits says whether a text is one.
	fits func(s string) bool
	// wrong are texts that are none, though they come near.
	wrong []string
}

// formats by their names in the OpenAPI format registry and JSON Schema 2020-12 §7.3. Others say nothing.
var formats = map[string]*format{
	"date":                  {"date", drawDate, layout(time.DateOnly), []string{`2024-02-30`, `2024-13-01`, `24-01-01`, `2024/01/15`, `2024-1-5`}},
	"date-time":             {"date-time", drawDateTime, isDateTime, []string{`2024-02-30T10:00:00Z`, `2024-01-15T25:00:00Z`, `2024-01-15`, `2024-01-15 10:00`, `2024-01-15T10:00:00`}},
	"time":                  {"time", drawTime, isTime, []string{`25:00:00Z`, `10:61:00Z`, `10:00`, `10 am`}},
	"duration":              {"duration", drawDuration, isDuration, []string{`1D`, `P`, `PT`, `P1S`, `one day`}},
	"uuid":                  {"uuid", drawUUID, isUUID, []string{`123e4567-e89b-12d3-a456-42661417400`, `123e4567-e89b-12d3-a456-42661417400g`, `not-a-uuid`}},
	"email":                 {"email", drawEmail, isEmail, []string{`nobody`, `nobody@`, `two@at@example.com`, `a b@example.com`}},
	"idn-email":             {"idn-email", drawIDNEmail, isIDNEmail, []string{`nobody`, `nobody@`}},
	"hostname":              {"hostname", drawHost, isHost, []string{`-leading.example.com`, `two..dots.example.com`, `under_score.example.com`, `sp ace.example.com`}},
	"idn-hostname":          {"idn-hostname", drawIDNHost, isIDNHost, []string{`-leading.example.com`, `two..dots.example.com`, `sp ace.example.com`}},
	"ipv4":                  {"ipv4", drawIPv4, isIPv4, []string{`192.0.2.256`, `192.0.2`, `192.0.2.1.1`, `host`}},
	"ip":                    {"ip", drawIPv4, func(s string) bool { return isIPv4(s) || isIPv6(s) }, []string{`192.0.2.256`, `192.0.2`, `2001:db8::g`, `host`}},
	"ipv6":                  {"ipv6", drawIPv6, isIPv6, []string{`2001:db8::g`, `2001:db8`, `1::2::3`, `192.0.2.1`}},
	"uri":                   {"uri", drawURI, isURI, []string{`example.com`, `/only/a/path`, `http://exa mple.com`, `://example.com`}},
	"url":                   {"url", drawURI, isURI, []string{`example.com`, `/only/a/path`, `http://exa mple.com`, `://example.com`}},
	"iri":                   {"iri", drawIRI, isURI, []string{`example.com`, `/only/a/path`, `http://exa mple.com`}},
	"uri-reference":         {"uri-reference", drawReference, isReference, []string{`\\WINDOWS\share`, `a b`, `%zz`}},
	"iri-reference":         {"iri-reference", drawIRIReference, isReference, []string{`\\WINDOWS\share`, `a b`}},
	"uri-template":          {"uri-template", drawTemplate, isTemplate, []string{`/a b`, `/{unclosed`, `/closed}`}},
	"byte":                  {"byte", drawBase64, isBase64, []string{`a`, `ab*d`}},
	"base64url":             {"base64url", drawBase64URL, isBase64URL, []string{`a`, `ab*d`}},
	"json-pointer":          {"json-pointer", drawPointer, isPointer, []string{`a`, `/~`, `/~2`, `#/a`}},
	"relative-json-pointer": {"relative-json-pointer", drawRelativePointer, isRelativePointer, []string{`/a`, `-1/a`, `01/a`, `a`}},
	"regex":                 {"regex", drawRegex, isRegex, []string{`(`, `[a`, `*`, `a{2,1}`}},
}

func layout(layout string) func(string) bool {
	return func(s string) bool {
		_, err := time.Parse(layout, s)
		return err == nil
	}
}

// moment is a time between 2000 and 2038, whole seconds.
func moment(r *rand.Rand) time.Time {
	return time.Unix(between(r, 946684800, 2145916800), 0).UTC()
}

func drawDate(r *rand.Rand, _ bool) string     { return moment(r).Format(time.DateOnly) }
func drawDateTime(r *rand.Rand, _ bool) string { return moment(r).Format(time.RFC3339) }
func drawTime(r *rand.Rand, _ bool) string     { return moment(r).Format("15:04:05Z") }

func isDateTime(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

func isTime(s string) bool {
	_, err := time.Parse("15:04:05Z07:00", s)
	return err == nil
}

func drawDuration(r *rand.Rand, tight bool) string {
	if tight {
		return "P" + strconv.Itoa(1+r.IntN(9)) + "D"
	}
	return "PT" + strconv.Itoa(1+r.IntN(600)) + "S"
}

// isDuration knows the grammar of RFC 3339, appendix A.
func isDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if !ok || s == "" {
		return false
	}
	if weeks, ok := strings.CutSuffix(s, "W"); ok {
		return allDigits(weeks)
	}
	date, clock, hasClock := strings.Cut(s, "T")
	if hasClock && clock == "" {
		return false
	}
	return unitsInOrder(date, "YMD") && unitsInOrder(clock, "HMS")
}

// unitsInOrder says whether s is numbers, each followed by a unit, with the units in order and none left out between.
func unitsInOrder(s, units string) bool {
	last := -1
	for s != "" {
		n := 0
		for n < len(s) && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		if n == 0 || n == len(s) {
			return false
		}
		unit := strings.IndexByte(units, s[n])
		if unit < 0 || last >= 0 && unit != last+1 {
			return false
		}
		last, s = unit, s[n+1:]
	}
	return true
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func drawUUID(r *rand.Rand, _ bool) string {
	// Version 4, variant 1 (RFC 9562 §5.4).
	return hex(r, 8) + "-" + hex(r, 4) + "-4" + hex(r, 3) + "-" + digits[8+r.IntN(4):][:1] + hex(r, 3) + "-" + hex(r, 12)
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !isHex(s[i]) {
			return false
		}
	}
	return true
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func drawEmail(r *rand.Rand, tight bool) string {
	if tight {
		return letters(r, 1) + "@" + letters(r, 1) + ".io"
	}
	return word(r) + "." + letters(r, 4) + "@example.com"
}

func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > 254 {
		return false
	}
	at := strings.LastIndexByte(s, '@')
	return at <= 64 && isHost(s[at+1:])
}

func drawHost(r *rand.Rand, tight bool) string {
	if tight {
		return letters(r, 1)
	}
	return word(r) + ".example.com"
}

// international are labels of host names beyond ASCII that IDNA 2008 (RFC 5890) allows.
var international = []string{"müller", "españa", "łódź", "παράδειγμα", "пример", "例え"}

func drawIDNHost(r *rand.Rand, tight bool) string {
	if tight || r.IntN(2) == 0 {
		return drawHost(r, tight)
	}
	return pick(r, international) + ".example.com"
}

func drawIDNEmail(r *rand.Rand, tight bool) string {
	if tight || r.IntN(2) == 0 {
		return drawEmail(r, tight)
	}
	return pick(r, international) + letters(r, 3) + "@example.com"
}

// isIDNHost knows host names of any letters: where a label holds others than those of ASCII, they count as one.
func isIDNHost(s string) bool { return isHost(plainLetters(s)) }

func isIDNEmail(s string) bool {
	// The local part is any text without spaces and signs that separate (RFC 6531 §3.3).
	at := strings.LastIndexByte(s, '@')
	return at > 0 && len(s) <= 254 && isIDNHost(s[at+1:]) && isEmail(plainLetters(s[:at])+"@example.com")
}

// plainLetters writes each letter beyond ASCII as an x.
func plainLetters(s string) string {
	return strings.Map(func(c rune) rune {
		if c > unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsDigit(c)) {
			return 'x'
		}
		return c
	}, s)
}

// isHost knows the names of RFC 1123 §2.1.
func isHost(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			c := label[i] | 0x20
			if label[i] != '-' && (c < 'a' || c > 'z') && (label[i] < '0' || label[i] > '9') {
				return false
			}
		}
	}
	return true
}

func drawIPv4(r *rand.Rand, _ bool) string {
	// TEST-NET-1 (RFC 5737): nobody's address.
	return "192.0.2." + strconv.Itoa(1+r.IntN(254))
}

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

func drawIPv6(r *rand.Rand, _ bool) string {
	// Documentation prefix (RFC 3849).
	return "2001:db8::" + strconv.Itoa(1+r.IntN(999))
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

func drawURI(r *rand.Rand, tight bool) string {
	if tight {
		return "urn:" + letters(r, 2) + ":" + letters(r, 1)
	}
	return "https://example.com/" + word(r)
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.IsAbs() && !strings.ContainsAny(s, " \\\"<>^`{|}")
}

func drawReference(r *rand.Rand, tight bool) string {
	if tight {
		return letters(r, 1)
	}
	return "/" + word(r)
}

func isReference(s string) bool {
	_, err := url.Parse(s)
	return err == nil && !strings.ContainsAny(s, " \\\"<>^`|")
}

func drawIRI(r *rand.Rand, tight bool) string {
	if tight || r.IntN(2) == 0 {
		return drawURI(r, tight)
	}
	return "https://example.com/" + pick(r, international)
}

func drawIRIReference(r *rand.Rand, tight bool) string {
	if tight || r.IntN(2) == 0 {
		return drawReference(r, tight)
	}
	return "/" + pick(r, international)
}

func drawTemplate(r *rand.Rand, tight bool) string {
	if tight {
		return letters(r, 1)
	}
	return "/" + word(r) + "/{" + word(r) + "}"
}

// isTemplate knows the brackets and the characters of RFC 6570; what stands between the brackets is looked at for
// characters alone.
func isTemplate(s string) bool {
	open := false
	for _, c := range s {
		switch {
		case c <= ' ' || strings.ContainsRune("\"'<>\\^`", c), c == '|' && !open:
			return false
		case c == '{' && open, c == '}' && !open:
			return false
		case c == '{' || c == '}':
			open = c == '{'
		}
	}
	return !open
}

func drawBase64(r *rand.Rand, tight bool) string {
	return base64.StdEncoding.EncodeToString([]byte(base64Text(r, tight)))
}

func drawBase64URL(r *rand.Rand, tight bool) string {
	return base64.RawURLEncoding.EncodeToString([]byte(base64Text(r, tight)))
}

func base64Text(r *rand.Rand, tight bool) string {
	if tight {
		return letters(r, 1)
	}
	return word(r)
}

func isBase64(s string) bool {
	_, err := base64.StdEncoding.DecodeString(s)
	return err == nil
}

func isBase64URL(s string) bool {
	_, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
	return err == nil
}

func drawPointer(r *rand.Rand, tight bool) string {
	if tight {
		return "/" + letters(r, 1)
	}
	return "/" + word(r) + "/" + strconv.Itoa(r.IntN(3))
}

func isPointer(s string) bool {
	if s == "" {
		return true
	}
	if s[0] != '/' {
		return false
	}
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return true
}

func drawRelativePointer(r *rand.Rand, _ bool) string {
	return strconv.Itoa(r.IntN(3)) + "/" + letters(r, 1)
}

func isRelativePointer(s string) bool {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n > 0 && (n == 1 || s[0] != '0') && (s[n:] == "#" || isPointer(s[n:]))
}

func drawRegex(r *rand.Rand, tight bool) string {
	if tight {
		return letters(r, 1)
	}
	return "^" + word(r) + "$"
}

func isRegex(s string) bool {
	if len(s) > 1000 {
		return false
	}
	_, err := regexp2.Compile(s, regexp2.ECMAScript|regexp2.Unicode)
	return err == nil
}
