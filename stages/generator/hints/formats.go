package hints

import (
	"regexp"
	"strings"
)

// kindOfText is a kind of text that messages name, and how to make one.
type kindOfText struct {
	name string
	// named finds it in a message, in small letters.
	named *regexp.Regexp
	// format is OpenAPI's or JSON Schema's name for it; else pattern leads to one, or values are some.
	format  string
	pattern string
	values  []string
}

// kindsOfText in the order they are looked for: the more exact before the more general.
var kindsOfText = []kindOfText{
	{name: "e-mail address", named: words(`e-?mail`), format: "email"},
	{name: "TSIG algorithm", named: words(`tsig algorithm`), values: []string{"hmac-sha256", "hmac-sha512"}}, // RFC 8945 §6
	{name: "UUID", named: words(`u?uid(?:v?\d)?|guid`), format: "uuid"},
	{name: "MAC address", named: words(`mac address`), pattern: `^02(:[0-9a-f]{2}){5}$`},
	{name: "network in CIDR notation", named: words(`cidr|subnet|ip (?:range|network|prefix)`), pattern: `^192\.0\.2\.0/2[4-8]$`},
	{name: "IPv6 address", named: words(`ipv6`), format: "ipv6"},
	{name: "IP address", named: words(`ipv?4?(?: or ipv?6)?(?: address)?|inet address`), format: "ipv4"},
	{
		name: "domain name that ends with a dot", pattern: `^[a-z]{3,12}\.example\.$`,
		named: regexp.MustCompile(`(?:dns|domain|zone|host|qname|name ?server)s?\b.*\bcanonical|\bcanonical\b.*(?:dns|domain|zone|host|name ?server)|` +
			`(?:end|terminate)s?d? (?:with|in|by) (?:a |an )?(?:trailing )?(?:dot|period)\b|trailing (?:dot|period)|fully[- ]qualified`),
	},
	{name: "host name", named: words(`host ?names?|domain(?: names?)?|dns names?|rfc ?1123 (?:label|subdomain)`), pattern: `^[a-z]{3,12}\.example\.com$`},
	{name: "URL", named: words(`ur[il]|web address|link`), format: "uri"},
	{name: "name of a time zone", named: words(`time ?zone|unknown zone|tz(?: database)?`), values: []string{"UTC", "Europe/Madrid", "America/New_York"}},
	{name: "country code", named: words(`iso ?3166(?:-1)?|country code|(?:two|2)[- ]letter country|valid country`), values: []string{"US", "ES", "DE", "GB", "JP"}},
	{name: "currency code", named: words(`iso ?4217|currency(?: code)?`), values: []string{"USD", "EUR", "GBP"}},
	{name: "language code", named: words(`iso ?639(?:-1)?|language code|locale|bcp ?47`), values: []string{"en", "es", "de"}},
	{name: "telephone number", named: words(`e\.164|(?:tele)?phone(?: number)?|mobile(?: number)?`), pattern: `^\+1202555[0-9]{4}$`},
	{name: "card number", named: words(`(?:credit )?card number|credit card|luhn`), values: []string{"4111111111111111", "5555555555554444"}},
	{name: "colour", named: words(`hex(?:adecimal)? colou?r|colou?r (?:code|hex)`), pattern: `^#[0-9a-f]{6}$`},
	{name: "semantic version", named: words(`sem(?:antic )?ver(?:sion)?`), pattern: `^[0-9]\.[0-9]{1,2}\.[0-9]$`},
	{name: "cron expression", named: words(`cron(?: expression)?`), values: []string{"0 0 * * *", "*/5 * * * *"}},
	{name: "date and time", named: words(`rfc ?3339|iso ?-?8601(?: date-?time)?|date-?time|timestamp|datetime`), format: "date-time"},
	{name: "duration", named: words(`duration`), pattern: `^[1-9][0-9]?[smh]$`},
	{name: "date", named: words(`date`), format: "date"},
	{name: "time", named: words(`time of day|valid time`), pattern: `^([01][0-9]|2[0-3]):[0-5][0-9]$`},
	{name: "text in base64", named: words(`base-?64`), format: "byte"},
	{name: "text in hexadecimal", named: words(`hex(?:adecimal)?(?: string)?`), pattern: `^([0-9a-f]{2}){4,8}$`},
	{name: "strong password", named: words(`password`), pattern: `^[A-Z][a-z]{5,8}[0-9]{3}[!#%][a-z]{2}$`},
	{name: "JSON text", named: regexp.MustCompile(`\bjson(?: (?:text|string|data|value|document|format|object|array|syntax|content|body|input|in|at|for|is|was|and|or)\b| ?[^a-z0-9_ -]| ?$)`), values: []string{`{}`, `[]`, `{"a": 1}`}},
	{name: "regular expression", named: words(`regex(?:p|ular expression)?`), format: "regex"},
}

// words are whole words of a message in small letters.
func words(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`\b(?:` + alternatives + `)\b`)
}

// byName are the kinds by what Formatted calls them.
var byName = func() map[string]*kindOfText {
	m := map[string]*kindOfText{}
	for i := range kindsOfText {
		m[kindsOfText[i].name] = &kindsOfText[i]
	}
	return m
}()

// formatNamed is the kind of text for a word that frameworks use in place of a message, such as a tag or a code.
func formatNamed(word string) string {
	switch word = strings.ToLower(word); {
	case strings.Contains(word, "email"):
		return "e-mail address"
	case strings.Contains(word, "uuid"), strings.Contains(word, "guid"):
		return "UUID"
	case strings.Contains(word, "ipv6"):
		return "IPv6 address"
	case strings.Contains(word, "ipv4"), word == "ip", word == "isip":
		return "IP address"
	case strings.Contains(word, "url"), strings.Contains(word, "uri"):
		return "URL"
	case strings.Contains(word, "datetime"), word == "date-time":
		return "date and time"
	case word == "date", word == "isdate", word == "isdatestring":
		return "date"
	case strings.Contains(word, "hostname"), word == "fqdn":
		return "host name"
	case strings.Contains(word, "base64"), word == "byte":
		return "text in base64"
	case word == "e164":
		return "telephone number"
	}
	return ""
}

// dateTemplate finds a template of a date such as dd/MM/yyyy, and gives the pattern of dates written so.
func dateTemplate(text string) string {
	found := templateOfDate.FindString(text)
	if found == "" {
		return ""
	}
	var b strings.Builder
	b.WriteByte('^')
	minutes := false // whether the next mm are minutes
	for i := 0; i < len(found); {
		n := 1
		for i+n < len(found) && found[i+n] == found[i] {
			n++
		}
		c := found[i]
		switch {
		case (c == 'y' || c == 'Y') && n >= 4:
			b.WriteString("20[0-3][0-9]")
		case c == 'y' || c == 'Y':
			b.WriteString("[0-3][0-9]")
		case c == 'd' || c == 'D':
			b.WriteString("(0[1-9]|1[0-9]|2[0-8])")
		case c == 'M' || c == 'm' && !minutes:
			b.WriteString("(0[1-9]|1[0-2])")
		case c == 'm':
			b.WriteString("[0-5][0-9]")
		case c == 'h' || c == 'H':
			b.WriteString("(0[1-9]|1[0-2])")
			minutes = true
		case c == 's' || c == 'S':
			b.WriteString("[0-5][0-9]")
		case c == 'T' || c == 'Z' || c == ' ' || c == '-' || c == '/' || c == ':':
			b.WriteString(strings.Repeat(string(c), n))
		case c == '.':
			b.WriteString(strings.Repeat(`\.`, n))
		}
		i += n
	}
	return b.String() + "$"
}

var templateOfDate = regexp.MustCompile(
	`\b(?:[yY]{4}|[yY]{2}|[dD]{2}|MM|mm)[-/. ]?(?:MM|mm|[dD]{2})[-/. ]?(?:[yY]{4}|[yY]{2}|[dD]{2})(?:[T ][hH]{2}:mm(?::ss)?Z?)?\b`)
