package values

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode"

	"github.com/restest/restest/settings/document"
)

// kind is a kind of thing that a name or a description implies where the document gives no format: an e-mail address, a
// country, a date written in the way described.
type kind struct {
	name string
	// text makes one as a text, number one as a number; either may be nil, where none is written so.
	text   func(r *rand.Rand) string
	number func(r *rand.Rand) json.Number
}

// kindRule says which names mean a kind: those that end in one of the phrases, words apart. "contactEmail" ends in
// "email"; "mailboxSize" ends in a size, and says nothing of mail.
type kindRule struct {
	kind *kind
	// ends are phrases in small letters, their words apart by a space, phrases apart by a comma.
	ends string
	// alone has the phrases count only where they are the whole name: "mail", "line 1".
	alone string
}

var kindRules = []kindRule{
	{emailKind, "email, e mail, email address, mail address, email addr, e mail address", "mail"},
	{phoneKind, "phone, telephone, phone number, telephone number, mobile, mobile number, cell phone, fax, fax number, msisdn, phone no, mobile no", "tel, cell"},
	{countryKind, "country code, country, country iso, nationality, iso country, country iso2", ""},
	{countryNameKind, "country name", ""},
	{currencyKind, "currency, currency code, currency iso", ""},
	{languageKind, "language, language code, lang, lang code", ""},
	{localeKind, "locale, locale code, language tag", ""},
	{timeZoneKind, "time zone, timezone, tz, zone id, time zone id, timezone id", ""},
	{cardKind, "card number, credit card, credit card number, card no, debit card number", ""},
	{securityCodeKind, "cvv, cvc, cvv2, card security code", ""},
	{ibanKind, "iban", ""},
	{bicKind, "bic, swift code, bic code", "swift"},
	{isbnKind, "isbn, isbn13", ""},
	{passwordKind, "password, passwd, pwd, passphrase, password confirmation, confirm password, repeat password, password repeat, password confirm", ""},
	{userNameKind, "user name, username, login name, nickname, nick name, screen name", "login, handle, nick"},
	{firstNameKind, "first name, given name, forename, fname, middle name", ""},
	{lastNameKind, "last name, surname, family name, lname", ""},
	{fullNameKind, "full name, customer name, contact name, owner name, author name, person name, recipient name, sender name, holder name, patient name, employee name, student name, guest name, legal name, account holder", ""},
	{companyKind, "company, company name, organization name, organisation name, employer, business name, organisation", ""},
	{genderKind, "gender, sex", ""},
	{streetKind, "street, street address, street name, address line, address line 1, address line1, address 1, address1, street 1, postal address, home address, billing address, shipping address, delivery address", "address, line 1, line1, addr"},
	{cityKind, "city, town, city name", ""},
	{postalCodeKind, "zip, zip code, zipcode, postal code, post code, postcode, plz", ""},
	{stateKind, "state code, province, province code, state or province, address state, billing state, shipping state, state province", ""},
	{latitudeKind, "latitude, lat", ""},
	{longitudeKind, "longitude, lng, lon", ""},
	{urlKind, "url, uri, link, href, website, web site, homepage, home page, permalink, webhook, callback url", ""},
	{hostKind, "hostname, host name, domain, domain name, fqdn", "host"},
	{ipKind, "ip, ip address, ip addr, ipv4, ipv4 address, remote addr, client ip", ""},
	{ipv6Kind, "ipv6, ipv6 address", ""},
	{macKind, "mac address, mac addr", "mac"},
	{uuidKind, "uuid, guid, correlation id, request id, trace id, idempotency key", ""},
	{identifierKind, "id, identifier", ""},
	{colourKind, "color, colour, color code, hex color, hex colour, color hex", ""},
	{grantTypeKind, "grant type", ""},
	{mediaTypeKind, "mime type, mimetype, content type, media type, mime", ""},
	{versionKind, "version, version number, semver, app version", ""},
	{slugKind, "slug", ""},
	{fileNameKind, "file name, filename", ""},
	{md5Kind, "md5, md5 hash, md5sum", ""},
	{sha1Kind, "sha1, sha 1", "sha"},
	{sha256Kind, "sha256, sha 256", ""},
	{birthKind, "birthday, birth date, date of birth, dob, day of birth, birthdate", ""},
	{dateKind, "date, start date, end date, due date", ""},
	{momentKind, "timestamp, time stamp, datetime, date time, created at, updated at, deleted at, expires at, modified at, started at, ended at, published at, starts at, ends at, created on, updated on", ""},
	{clockKind, "opening time, closing time, time of day", ""},
	{yearKind, "year, expiry year, exp year", ""},
	{monthKind, "month, expiry month, exp month", ""},
	{ageKind, "age", ""},
	{portKind, "port, port number", ""},
}

// The kinds. Where things can belong to somebody, those are made that belong to nobody: reserved domains, test networks,
// numbers kept for fiction, cards that payment services publish for tests.
var (
	emailKind        = asFormat("email")
	urlKind          = asFormat("uri")
	hostKind         = asFormat("hostname")
	ipKind           = asFormat("ipv4")
	ipv6Kind         = asFormat("ipv6")
	uuidKind         = asFormat("uuid")
	durationKind     = asFormat("duration")
	base64Kind       = asFormat("byte")
	base64URLKind    = asFormat("base64url")
	jsonTextKind     = &kind{"JSON", func(r *rand.Rand) string { return `{"` + word(r) + `":` + strconv.Itoa(r.IntN(100)) + `}` }, nil}
	phoneKind        = &kind{"phone", func(r *rand.Rand) string { return "+1202555" + padded(r, 100, 199, 4) }, func(r *rand.Rand) json.Number { return json.Number("1202555" + padded(r, 100, 199, 4)) }}
	countryKind      = oneOfTexts("country", `US GB DE FR ES IT NL SE PL PT BR MX CA AU JP IN ZA CH AT IE`)
	country3Kind     = oneOfTexts("country of three letters", `USA GBR DEU FRA ESP ITA NLD SWE POL PRT BRA MEX CAN AUS JPN IND ZAF CHE AUT IRL`)
	countryNameKind  = oneOfTexts("country name", `Germany France Spain Italy Sweden Poland Portugal Brazil Mexico Canada Australia Japan India Ireland`)
	currencyKind     = oneOfTexts("currency", `EUR USD GBP CHF SEK PLN BRL MXN CAD AUD JPY INR ZAR`)
	languageKind     = oneOfTexts("language", `en de fr es it nl sv pl pt ja`)
	localeKind       = oneOfTexts("locale", `en-US en-GB de-DE fr-FR es-ES it-IT nl-NL sv-SE pl-PL pt-BR ja-JP`)
	timeZoneKind     = oneOfTexts("time zone", `UTC Europe/Berlin Europe/Madrid Europe/London America/New_York America/Sao_Paulo Asia/Tokyo Australia/Sydney`)
	cardKind         = oneOfTexts("card number", `4111111111111111 4012888888881881 4242424242424242 5555555555554444 5105105105105100 378282246310005 6011111111111117`).alsoNumber()
	securityCodeKind = digitsOf("card security code", 100, 999, 3)
	ibanKind         = &kind{"IBAN", drawIBAN, nil}
	bicKind          = oneOfTexts("BIC", `DEUTDEFF BNPAFRPP CHASUS33 BARCGB22 INGBNL2A`)
	isbnKind         = &kind{"ISBN", drawISBN, nil}
	passwordKind     = &kind{"password", drawPassword, nil}
	userNameKind     = &kind{"user name", func(r *rand.Rand) string { return word(r) + letters(r, 3) + strconv.Itoa(10+r.IntN(90)) }, nil}
	firstNameKind    = oneOfTexts("first name", firstNames)
	lastNameKind     = oneOfTexts("last name", lastNames)
	fullNameKind     = &kind{"full name", func(r *rand.Rand) string { return firstNameKind.text(r) + " " + lastNameKind.text(r) }, nil}
	companyKind      = &kind{"company", func(r *rand.Rand) string { return lastNameKind.text(r) + " Ltd" }, nil}
	genderKind       = oneOfTexts("gender", `female male other`)
	streetKind       = &kind{"street", func(r *rand.Rand) string { return strconv.Itoa(1+r.IntN(200)) + " " + capital(word(r)) + " Street" }, nil}
	cityKind         = oneOfTexts("city", `Berlin Madrid Paris London Rome Lisbon Dublin Vienna Boston Chicago Toronto Sydney Osaka`)
	postalCodeKind   = digitsOf("postal code", 10000, 99999, 5)
	stateKind        = oneOfTexts("state", `CA NY TX WA MA IL FL CO OR GA`)
	latitudeKind     = degrees("latitude", 90)
	longitudeKind    = degrees("longitude", 180)
	macKind          = &kind{"MAC address", func(r *rand.Rand) string { return "00:00:5e:00:53:" + hex(r, 2) }, nil} // RFC 7042 §2.1.2
	identifierKind   = &kind{"identifier", drawIdentifier, func(r *rand.Rand) json.Number { return json.Number(strconv.Itoa(1 + r.IntN(100))) }}
	colourKind       = &kind{"colour", func(r *rand.Rand) string { return "#" + hex(r, 6) }, nil}
	grantTypeKind    = oneOfTexts("grant type", `client_credentials client_credentials authorization_code refresh_token password`) // RFC 6749 §1.3
	mediaTypeKind    = oneOfTexts("media type", `application/json text/plain text/html image/png image/jpeg application/pdf`)
	versionKind      = &kind{"version", func(r *rand.Rand) string {
		return strconv.Itoa(1+r.IntN(9)) + "." + strconv.Itoa(r.IntN(20)) + "." + strconv.Itoa(r.IntN(20))
	}, nil}
	slugKind     = &kind{"slug", func(r *rand.Rand) string { return word(r) + "-" + word(r) }, nil}
	fileNameKind = &kind{"file name", func(r *rand.Rand) string { return word(r) + "." + pick(r, []string{"txt", "pdf", "png", "csv"}) }, nil}
	md5Kind      = hexOf("MD5", 32)
	sha1Kind     = hexOf("SHA-1", 40)
	sha256Kind   = hexOf("SHA-256", 64)
	dateKind     = &kind{"date", formats["date"].plain(), unixTime(1)}
	birthKind    = &kind{"date of birth", func(r *rand.Rand) string { return moment(r).AddDate(-45, 0, 0).Format("2006-01-02") }, nil}
	momentKind   = &kind{"date-time", formats["date-time"].plain(), unixTime(1)}
	unixKind     = &kind{"Unix time", func(r *rand.Rand) string { return strconv.FormatInt(moment(r).Unix(), 10) }, unixTime(1)}
	unixMsKind   = &kind{"Unix time in milliseconds", func(r *rand.Rand) string { return strconv.FormatInt(moment(r).UnixMilli(), 10) }, unixTime(1000)}
	clockKind    = &kind{"time of day", func(r *rand.Rand) string { return moment(r).Format("15:04") }, nil}
	yearKind     = digitsOf("year", 1990, 2040, 4)
	monthKind    = digitsOf("month", 1, 12, 2)
	ageKind      = digitsOf("age", 18, 90, 2)
	portKind     = digitsOf("port", 1024, 49151, 4)
)

const firstNames = `Ada Ben Clara David Elena Felix Grace Hugo Ines Jonas Katja Liam Maria Noah Olivia Paul Rosa Simon Teresa Victor`

const lastNames = `Adams Bauer Costa Diaz Evans Fischer Garcia Hansen Ivanov Jensen Keller Lopez Meyer Novak Olsen Perez Quinn Rossi Silva Weber`

func asFormat(name string) *kind { return &kind{name, formats[name].plain(), nil} }

// plain makes texts of the format that are not as short as they can be.
func (f *format) plain() func(*rand.Rand) string {
	return func(r *rand.Rand) string { return f.draw(r, false) }
}

func pick(r *rand.Rand, of []string) string { return of[r.IntN(len(of))] }

func oneOfTexts(name, texts string) *kind {
	all := strings.Fields(texts)
	return &kind{name, func(r *rand.Rand) string { return pick(r, all) }, nil}
}

func (k *kind) alsoNumber() *kind {
	k.number = func(r *rand.Rand) json.Number { return json.Number(k.text(r)) }
	return k
}

// padded is a number from low to high, with zeros before it to so many digits.
func padded(r *rand.Rand, low, high, width int) string {
	t := strconv.Itoa(low + r.IntN(high-low+1))
	return strings.Repeat("0", max(0, width-len(t))) + t
}

func digitsOf(name string, low, high, width int) *kind {
	return &kind{name, func(r *rand.Rand) string { return padded(r, low, high, width) }, func(r *rand.Rand) json.Number {
		return json.Number(strconv.Itoa(low + r.IntN(high-low+1)))
	}}
}

func degrees(name string, most int) *kind {
	draw := func(r *rand.Rand) string {
		return strconv.FormatFloat(float64(r.IntN(2*most*10000)-most*10000)/10000, 'f', -1, 64)
	}
	return &kind{name, draw, func(r *rand.Rand) json.Number { return json.Number(draw(r)) }}
}

func hexOf(name string, n int) *kind {
	return &kind{name, func(r *rand.Rand) string {
		t := hex(r, min(n, 32))
		if n > 32 {
			t += hex(r, n-32)
		}
		return t
	}, nil}
}

func unixTime(factor int64) func(*rand.Rand) json.Number {
	return func(r *rand.Rand) json.Number { return json.Number(strconv.FormatInt(factor*moment(r).Unix(), 10)) }
}

func capital(t string) string { return strings.ToUpper(t[:1]) + t[1:] }

// drawPassword makes one that the usual rules of sign-up forms accept: small and capital letters, digits, a sign, 14 in
// all, and no letter twice in a row.
func drawPassword(r *rand.Rand) string {
	return capital(word(r)[:3]) + letters(r, 3) + pick(r, []string{"!", "#", "-", "_", "@"}) + padded(r, 1000, 9999, 4) + "Kx" + pick(r, []string{"!", "?", "$"})
}

func drawIdentifier(r *rand.Rand) string {
	if r.IntN(2) == 0 {
		return strconv.Itoa(1 + r.IntN(100))
	}
	return drawUUID(r, false)
}

// drawIBAN makes a German one with right check digits (ISO 13616), of a bank code that no bank has.
func drawIBAN(r *rand.Rand) string {
	account := "10000000" + padded(r, 0, 999999999, 10)
	// The remainder of the number with the letters D and E as 13 and 14 and zeros for the check digits.
	rest := 0
	for _, c := range account + "131400" {
		rest = (rest*10 + int(c-'0')) % 97
	}
	check := strconv.Itoa(98 - rest)
	return "DE" + strings.Repeat("0", 2-len(check)) + check + account
}

// drawISBN makes one with a right check digit (ISO 2108).
func drawISBN(r *rand.Rand) string {
	t := "978" + padded(r, 100000000, 999999999, 9)
	sum := 0
	for i, c := range t {
		sum += int(c-'0') * (1 + 2*(i%2))
	}
	return t + strconv.Itoa((10-sum%10)%10)
}

// endings finds a rule by its phrase, and wholes one that counts only as the whole name.
var endings, wholes = func() (map[string]*kind, map[string]*kind) {
	endings, wholes := map[string]*kind{}, map[string]*kind{}
	for _, rule := range kindRules {
		for phrase := range strings.SplitSeq(rule.ends, ", ") {
			endings[phrase] = rule.kind
		}
		for phrase := range strings.SplitSeq(rule.alone, ", ") {
			wholes[phrase] = rule.kind
		}
	}
	delete(endings, "")
	delete(wholes, "")
	return endings, wholes
}()

// notKinds are endings that look like a kind and mean something else.
var notKinds = map[string]bool{
	"content language": true, "programming language": true, "primary link": true, "is mobile": true, "has phone": true, "api version": true,
	"resource version": true, "schema version": true, "memory address": true, "wallet address": true, "contract address": true,
	"token id": true, "email id": true, "state machine": true, "up to date": true, "template language": true, "query language": true,
	"sub domain": true, "problem domain": true, "average age": true, "s maxage": true,
	"in town": true, "deep link": true, "symbolic link": true, "hard link": true, "storage company": true,
}

// formatKinds are formats that say how a text is written and that no judge looks at.
var formatKinds = map[string]*kind{
	"int8": digitsOf("int8", 1, 127, 1), "int16": digitsOf("int16", 1, 999, 1), "int32": digitsOf("int32", 1, 999, 1),
	"int64": digitsOf("int64", 1, 999, 1), "uint8": digitsOf("uint8", 1, 255, 1), "uint16": digitsOf("uint16", 1, 999, 1),
	"uint32": digitsOf("uint32", 1, 999, 1), "uint64": digitsOf("uint64", 1, 999, 1), "float": decimals("float"),
	"double": decimals("double"), "decimal": decimals("decimal"), "decimal128": decimals("decimal128"),
	"unixtime": unixKind, "unix-time": unixKind, "timestamp": momentKind, "datetime": momentKind, "http-date": {
		"HTTP date", func(r *rand.Rand) string { return moment(r).Format("Mon, 02 Jan 2006 15:04:05 GMT") }, nil,
	},
	"date-time-local": {"local date-time", func(r *rand.Rand) string { return moment(r).Format("2006-01-02T15:04:05") }, nil},
	"time-local":      {"local time", func(r *rand.Rand) string { return moment(r).Format("15:04:05") }, nil},
	"media-range":     mediaTypeKind, "char": {"character", func(r *rand.Rand) string { return letters(r, 1) }, nil},
	"sf-integer": digitsOf("sf-integer", 1, 999, 1), "sf-decimal": decimals("sf-decimal"), "sf-token": {"token", word, nil},
	"sf-string": {"sf-string", func(r *rand.Rand) string { return `"` + word(r) + `"` }, nil}, "sf-boolean": oneOfTexts("sf-boolean", "?0 ?1"),
	"sf-binary":  {"sf-binary", func(r *rand.Rand) string { return ":" + drawBase64(r, false) + ":" }, nil},
	"html":       {"HTML", func(r *rand.Rand) string { return "<p>" + word(r) + "</p>" }, nil},
	"commonmark": {"CommonMark", func(r *rand.Rand) string { return "**" + word(r) + "** " + word(r) }, nil},
	"password":   passwordKind, "date-only": dateKind,
}

func decimals(name string) *kind {
	draw := func(r *rand.Rand) string { return strconv.Itoa(r.IntN(1000)) + "." + padded(r, 1, 99, 2) }
	return &kind{name, draw, func(r *rand.Rand) json.Number { return json.Number(draw(r)) }}
}

// implied is the kind that the place's name, its description or a format that nobody judges imply for the shape; sure
// says that the document asks for it by a format.
func (f *Field) implied(s *Shape) (k *kind, sure bool) {
	if f.kindOf != s {
		f.kindOf, f.kind, f.kindSure = s, nil, false
		description := f.description
		for _, m := range s.members {
			if m.Description != "" && description == "" {
				description = m.Description
			}
			if k := contentKind(m); k != nil && !f.kindSure {
				f.kind, f.kindSure = k, true
			}
			if m.Format == "" || f.kindSure || formats[m.Format] != nil {
				continue
			}
			if k := formatKinds[strings.ToLower(m.Format)]; k != nil {
				f.kind, f.kindSure = k, true
			} else if k := namedKind(m.Format); k != nil && k != identifierKind {
				f.kind, f.kindSure = k, true
			}
		}
		if !f.kindSure {
			f.kind = kindOf(f.Name, description[:min(len(description), mostDescribed)])
		}
	}
	return f.kind, f.kindSure
}

// contentKind is what contentEncoding and contentMediaType ask of a text (JSON Schema 2020-12 validation §8); nil for
// what they leave open.
func contentKind(s *document.Schema) *kind {
	switch {
	case s.ContentEncoding == "base64":
		return base64Kind
	case s.ContentEncoding == "base64url":
		return base64URLKind
	case s.ContentEncoding == "base16":
		return hexOf("base16", 16)
	case s.ContentEncoding == "" && s.ContentMediaType == "application/json":
		return jsonTextKind
	}
	return nil
}

// mostDescribed is how much of a description is read: what the value is stands at its beginning.
const mostDescribed = 400

// Describe tells what the document says of the place, beyond the description of its schema.
func (f *Field) Describe(text string) { f.description = text }

// kind is the kind to make now, nil for none: what is implied is followed with the share that the settings give, and
// always where the likeliest value is wanted.
func (d *Draw) kind(s *Shape, f *Field) *kind {
	k, sure := f.implied(s)
	if k == nil || !sure && !d.Likeliest && d.Rand.Float64() >= d.all.limits.ImpliedKindChance {
		return nil
	}
	return k
}

// longestPhrase is how many words the longest phrase has.
const longestPhrase = 4

// kindOf is the kind that a name implies, or else a description; nil for most.
func kindOf(name, description string) *kind {
	if k := describedTime(name, description); k != nil {
		return k
	}
	if k := namedKind(name); k != nil {
		return k.as(description)
	}
	return describedKind(description)
}

func namedKind(name string) *kind {
	parts := wordsOf(name)
	if len(parts) == 0 {
		return nil
	}
	for _, last := range []string{parts[len(parts)-1], singular(parts[len(parts)-1])} {
		parts[len(parts)-1] = last
		if k := wholes[strings.Join(parts, " ")]; k != nil {
			return k
		}
		for n := min(longestPhrase, len(parts)); n > 0; n-- {
			phrase := strings.Join(parts[len(parts)-n:], " ")
			if notKinds[phrase] {
				return nil
			}
			if k := endings[phrase]; k != nil && !flagged(parts) {
				return k
			}
		}
	}
	return nil
}

// flagged says whether the name is that of a switch, such as "useEmail" or "isMobile".
func flagged(parts []string) bool {
	switch parts[0] {
	case "is", "has", "use", "enable", "disable", "require", "requires", "show", "hide", "allow", "num", "number", "total", "max", "min", "count":
		return len(parts) > 1
	}
	return false
}

// wordsOf are the words of a name in small letters: userID, user_id and "User ID" have two.
func wordsOf(name string) []string {
	var parts []string
	var b strings.Builder
	letters := []rune(name)
	flush := func() {
		if b.Len() > 0 {
			parts = append(parts, b.String())
			b.Reset()
		}
	}
	for i, c := range letters {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			flush()
			continue
		case unicode.IsUpper(c) && i > 0:
			before := letters[i-1]
			// A word begins at a capital after a small letter, and at the last capital of several before a small one.
			if unicode.IsLower(before) || unicode.IsDigit(before) || unicode.IsUpper(before) && i+1 < len(letters) && unicode.IsLower(letters[i+1]) {
				flush()
			}
		}
		b.WriteRune(unicode.ToLower(c))
	}
	flush()
	return parts
}

func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "sses"):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && len(word) > 2:
		return word[:len(word)-1]
	}
	return word
}

// as is the kind in the way that the description asks for it.
func (k *kind) as(description string) *kind {
	lower := strings.ToLower(description)
	says := func(texts ...string) bool { return containsAny(lower, texts...) }
	switch k {
	case countryKind:
		switch {
		case says("alpha-3", "alpha3", "alpha 3", "three-letter", "three letter", "3-letter"):
			return country3Kind
		case says("name of the country", "country name", "full name"):
			return countryNameKind
		}
	case ipKind:
		if says("ipv6") && !says("ipv4") {
			return ipv6Kind
		}
	case languageKind:
		if says("bcp 47", "bcp47", "rfc 5646", "en-us") {
			return localeKind
		}
	case identifierKind, userNameKind:
		switch {
		case says("uuid", "guid"):
			return uuidKind
		case says("email address", "e-mail address") && k == userNameKind:
			return emailKind
		}
	}
	return k
}

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// describedKinds are what a description has to hold for a kind, in small letters. Only what is written by the name of a
// standard or as "a valid …" counts: descriptions speak of many things that the value is not.
var describedKinds = []struct {
	kind  *kind
	texts []string
}{
	{currencyKind, []string{"iso 4217", "iso-4217", "iso4217", "three-letter currency code", "3-letter currency code"}},
	{country3Kind, []string{"alpha-3 country", "iso 3166-1 alpha-3", "three-letter country code"}},
	{countryKind, []string{"iso 3166", "iso-3166", "iso3166", "two-letter country code", "2-letter country code"}},
	{localeKind, []string{"bcp 47", "bcp47", "ietf language tag", "locale code"}},
	{languageKind, []string{"iso 639", "iso-639", "iso639"}},
	{timeZoneKind, []string{"iana time zone", "iana timezone", "tz database", "olson"}},
	{phoneKind, []string{"e.164", "valid phone number", "valid telephone number"}},
	{emailKind, []string{"valid email", "valid e-mail", "must be an email", "rfc 5322"}},
	{uuidKind, []string{"a valid uuid", "uuid v4", "uuidv4", "rfc 4122", "must be a uuid", "in uuid format"}},
	{urlKind, []string{"valid url", "a fully qualified url", "valid uri", "absolute url"}},
	{ipv6Kind, []string{"valid ipv6"}},
	{ipKind, []string{"valid ip address", "ipv4 address", "valid ipv4"}},
	{mediaTypeKind, []string{"mime type of", "media type of", "valid mime type"}},
	{colourKind, []string{"hex color", "hexadecimal color", "hex colour", "#rrggbb", "css color"}},
	{base64Kind, []string{"base64-encoded", "base64 encoded", "base-64 encoded"}},
	{versionKind, []string{"semantic version", "semver"}},
	{durationKind, []string{"iso 8601 duration", "iso-8601 duration", "iso8601 duration"}},
	{latitudeKind, []string{"latitude in degrees", "latitude in decimal degrees"}},
	{longitudeKind, []string{"longitude in degrees", "longitude in decimal degrees"}},
	{momentKind, []string{"rfc 3339", "rfc3339", "iso 8601 timestamp", "iso 8601 date-time", "iso-8601 timestamp", "iso 8601 format", "iso 8601 datetime"}},
}

func describedKind(description string) *kind {
	lower := strings.ToLower(description)
	for _, row := range describedKinds {
		if containsAny(lower, row.texts...) {
			return row.kind
		}
	}
	return nil
}

// describedTime is a date or a time in the way that the description writes it: by a template, or as a number.
func describedTime(name, description string) *kind {
	lower := strings.ToLower(description)
	switch {
	case containsAny(lower, "unix timestamp", "unix time", "epoch", "unix epoch", "posix time"):
		if containsAny(lower, "milli", "epoch ms", "(ms)") {
			return unixMsKind
		}
		return unixKind
	}
	if layout := templateIn(description); layout != "" {
		return &kind{"date as " + layout, func(r *rand.Rand) string { return moment(r).Format(layout) }, func(r *rand.Rand) json.Number {
			return json.Number(strings.TrimLeft(moment(r).Format(layout), "0"))
		}}
	}
	if k := namedKind(name); k == dateKind && containsAny(lower, "rfc 3339", "rfc3339", "date-time", "datetime", "date and time", "timestamp") {
		return momentKind
	}
	return nil
}

// templateIn finds a template for dates, such as YYYY-MM-DD or dd/MM/yyyy HH:mm:ss, and gives it as a layout of package
// time; "" without one.
func templateIn(text string) string {
	for i := range text {
		if (i == 0 || !isLetter(text[i-1])) && strings.IndexByte("yYdDmM", text[i]) >= 0 {
			if layout := templateAt(text[i:]); layout != "" {
				return layout
			}
		}
	}
	return ""
}

// templateAt reads the template at the text's beginning; it has to name year, month and day.
func templateAt(text string) string {
	var layout strings.Builder
	var year, month, day, hour bool
	end := 0 // of the layout after its last part, as separators at its end belong to the sentence
	for text != "" {
		n := 1
		for n < len(text) && text[n] == text[0] {
			n++
		}
		part := ""
		switch run := text[:n]; {
		case run == "yyyy" || run == "YYYY":
			part, year = "2006", true
		case (run == "yy" || run == "YY") && !year:
			part, year = "06", true
		case (run == "MM" || run == "mm" && !month) && !hour:
			part, month = "01", true
		case run == "dd" || run == "DD":
			part, day = "02", true
		case run == "HH" || run == "hh":
			part, hour = "15", true
		case (run == "mm" || run == "MM") && hour:
			part = "04"
		case (run == "ss" || run == "SS") && hour:
			part = "05"
		case (run == "SSS" || run == "sss" || run == "fff") && hour && strings.HasSuffix(layout.String(), "."):
			part = "000"
		case run == "T" && day, run == "'" && day:
			if run == "T" {
				layout.WriteByte('T')
			}
			text = text[n:]
			continue
		case (run == "Z" || run == "X" || run == "XXX") && hour:
			part = "Z07:00"
		case n == 1 && strings.ContainsAny(run, "-/.: "):
			layout.WriteString(run)
			text = text[n:]
			continue
		}
		if part == "" {
			break
		}
		layout.WriteString(part)
		end = layout.Len()
		text = text[n:]
	}
	if !year || !month || !day || text != "" && end == layout.Len() && isLetter(text[0]) {
		return ""
	}
	return layout.String()[:end]
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
