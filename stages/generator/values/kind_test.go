package values

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/restest/restest/settings"
)

func TestNamesAndDescriptionsImplyKinds(t *testing.T) {
	for _, row := range []struct{ name, description, want string }{
		{"email", "", "email"},
		{"contactEmail", "", "email"},
		{"e-mail", "", "email"},
		{"EMail", "", "email"},
		{"email_address", "", "email"},
		{"emails", "", "email"},
		{"mail", "", "email"},
		{"mailboxSize", "", ""},
		{"mailbox size", "", ""},
		{"emailVerified", "", ""},
		{"useEmail", "", ""},
		{"emailTemplateId", "", "identifier"},
		{"emailCount", "", ""},
		{"numberOfEmails", "", ""},
		{"voicemail", "", ""},
		{"phone", "", "phone"},
		{"mobile_number", "", "phone"},
		{"telephone", "", "phone"},
		{"tel", "", "phone"},
		{"hotel", "", ""},
		{"isMobile", "", ""},
		{"microphone", "", ""},
		{"country", "", "country"},
		{"countryCode", "", "country"},
		{"country", "The ISO 3166-1 alpha-3 code", "country of three letters"},
		{"country", "Full name of the country", "country name"},
		{"country_name", "", "country name"},
		{"countryside", "", ""},
		{"currency", "", "currency"},
		{"currencyCode", "", "currency"},
		{"grant_type", "", "grant type"},
		{"unit", "Three-letter currency code (ISO 4217)", "currency"},
		{"language", "", "language"},
		{"lang", "", "language"},
		{"language", "A BCP 47 tag, such as en-US", "locale"},
		{"programmingLanguage", "", ""},
		{"locale", "", "locale"},
		{"timezone", "", "time zone"},
		{"timeZone", "", "time zone"},
		{"cardNumber", "", "card number"},
		{"credit_card_number", "", "card number"},
		{"card", "", ""},
		{"discard", "", ""},
		{"cvv", "", "card security code"},
		{"iban", "", "IBAN"},
		{"password", "", "password"},
		{"newPassword", "", "password"},
		{"confirm_password", "", "password"},
		{"passwordPolicy", "", ""},
		{"username", "", "user name"},
		{"userName", "", "user name"},
		{"login", "", "user name"},
		{"userName", "The user's email address", "email"},
		{"lastLogin", "", ""},
		{"firstName", "", "first name"},
		{"last_name", "", "last name"},
		{"surname", "", "last name"},
		{"fullName", "", "full name"},
		{"name", "", ""},
		{"fileName", "", "file name"},
		{"company", "", "company"},
		{"companyName", "", "company"},
		{"companySize", "", ""},
		{"gender", "", "gender"},
		{"sex", "", "gender"},
		{"Essex", "", ""},
		{"street", "", "street"},
		{"addressLine1", "", "street"},
		{"shippingAddress", "", "street"},
		{"ipAddress", "", "ipv4"},
		{"walletAddress", "", ""},
		{"city", "", "city"},
		{"capacity", "", ""},
		{"zip", "", "postal code"},
		{"postal_code", "", "postal code"},
		{"gzip", "", ""},
		{"state", "", ""},
		{"province", "", "state"},
		{"latitude", "", "latitude"},
		{"lng", "", "longitude"},
		{"flat", "", ""},
		{"website", "", "uri"},
		{"callbackUrl", "", "uri"},
		{"imageURL", "", "uri"},
		{"urls", "", "uri"},
		{"curl", "", ""},
		{"shortLinkCount", "", ""},
		{"ip", "", "ipv4"},
		{"IPAddress", "", "ipv4"},
		{"ip", "IPv6 of the peer", "ipv6"},
		{"tip", "", ""},
		{"hostname", "", "hostname"},
		{"macAddress", "", "MAC address"},
		{"requestUuid", "", "uuid"},
		{"userId", "", "identifier"},
		{"user_id", "A UUID", "uuid"},
		{"id", "", "identifier"},
		{"valid", "", ""},
		{"paid", "", ""},
		{"backgroundColor", "", "colour"},
		{"mimeType", "", "media type"},
		{"Content-Type", "", "media type"},
		{"version", "", "version"},
		{"conversion", "", ""},
		{"slug", "", "slug"},
		{"isbn", "", "ISBN"},
		{"sha256", "", "SHA-256"},
		{"birthday", "", "date of birth"},
		{"startDate", "", "date"},
		{"update", "", ""},
		{"candidate", "", ""},
		{"createdAt", "", "date-time"},
		{"created", "Seconds since the Unix epoch", "Unix time"},
		{"created", "Epoch milliseconds", "Unix time in milliseconds"},
		{"arrival", "The day in the format YYYY-MM-DD", "date as 2006-01-02"},
		{"arrival", "dd/MM/yyyy", "date as 02/01/2006"},
		{"arrival", "as 'yyyyMMdd'.", "date as 20060102"},
		{"arrival", "DD.MM.YYYY HH:mm.", "date as 02.01.2006 15:04"},
		{"arrival", "yyyy-MM-dd'T'HH:mm:ssZ", "date as 2006-01-02T15:04:05Z07:00"},
		{"arrival", "The day, month and year", ""},
		{"arrival", "MM and DD", ""},
		{"dueDate", "An RFC 3339 date-time", "date-time"},
		{"age", "", "age"},
		{"maxAge", "", ""},
		{"image", "", ""},
		{"port", "", "port"},
		{"airport", "", ""},
		{"to", "A valid e-mail address", "email"},
		{"to", "Who is told by email", ""},
		{"data", "The base64-encoded content", "byte"},
		{"", "", ""},
	} {
		got := ""
		if k := kindOf(row.name, row.description); k != nil {
			got = k.name
		}
		if got != row.want {
			t.Errorf("%q, described as %q: %q, want %q", row.name, row.description, got, row.want)
		}
	}
}

// always is a drawer that follows what is implied every time.
func always(seed uint64) (*Shapes, *Draw) {
	limits := settings.Default().Generation
	limits.ImpliedKindChance = 1
	shapes := NewShapes(limits)
	return shapes, shapes.Draw(rand.New(rand.NewPCG(seed, 1)), nil)
}

func TestTextsAreOfTheKindThatTheirNameImplies(t *testing.T) {
	shapes, d := always(3)
	for name, fits := range map[string]func(string) bool{
		"email": isEmail, "contact_email": isEmail, "callbackUrl": isURI, "start-date": formats["date"].fits, "requestUuid": isUUID,
		"cardNumber": luhn, "clientIp": isIPv4, "isbn": func(t string) bool { return len(t) == 13 },
		"password": func(t string) bool {
			return len(t) >= 10 && strings.ContainsFunc(t, unicode.IsUpper) && strings.ContainsFunc(t, unicode.IsLower) &&
				strings.ContainsFunc(t, unicode.IsDigit) && strings.ContainsAny(t, "!#-_@?$")
		},
		"birthday": func(t string) bool {
			born, err := time.Parse(time.DateOnly, t)
			return err == nil && born.Year() < 2000
		},
	} {
		f := NewField(name, shapes.Of(OfType("string")))
		for range 50 {
			if v, ok := d.Make(&f, "body"); !ok || !fits(v.(string)) {
				t.Errorf("%s: made %v", name, v)
			}
		}
	}
}

func luhn(t string) bool {
	sum := 0
	for i := range len(t) {
		digit := int(t[len(t)-1-i] - '0')
		if i%2 == 1 {
			if digit *= 2; digit > 9 {
				digit -= 9
			}
		}
		sum += digit
	}
	return sum%10 == 0
}

func TestNumbersAreOfTheKindThatTheirNameImplies(t *testing.T) {
	shapes, d := always(3)
	far := false
	for range 200 {
		f := NewField("longitude", shapes.Of(OfType("number")))
		v, _ := d.Make(&f, "body")
		degrees, err := v.(json.Number).Float64()
		if err != nil || degrees < -180 || degrees > 180 {
			t.Fatalf("made %v", v)
		}
		far = far || degrees < -90
	}
	if !far {
		t.Error("never further west than 90 degrees")
	}
}

func TestWhatIsImpliedNeverBreaksTheSchema(t *testing.T) {
	shapes, d := always(3)
	for _, row := range []struct{ name, schema string }{
		{"email", `{"type": "string", "maxLength": 4}`},
		{"phone", `{"type": "string", "pattern": "^0\\d{8}$"}`},
		{"latitude", `{"type": "integer", "maximum": 10}`},
		{"password", `{"type": "string", "maxLength": 8, "pattern": "^[a-z]+$"}`},
		{"country", `{"type": "string", "not": {"maxLength": 2}}`},
		{"date", `{"type": "integer", "minimum": 1, "maximum": 31}`},
		{"email", `{"type": "string", "format": "uuid"}`},
	} {
		s, j := loaded(t, row.schema, ""), judge(t, row.schema, "")
		f := NewField(row.name, shapes.Of(s))
		for range 50 {
			if v, ok := d.Make(&f, "body"); !ok || j.Validate(recoded(t, v)) != nil {
				t.Errorf("%s, %s: made %v %s", row.name, row.schema, v, d.Reason())
				break
			}
		}
	}
}

func TestWhatIsImpliedIsFollowedByItsShare(t *testing.T) {
	shapes, d := drawer(3)
	f := NewField("email", shapes.Of(OfType("string")))
	const n = 4000
	implied := 0
	for range n {
		d.Reset(1)
		if v, _ := d.Make(&f, "body"); isEmail(v.(string)) {
			implied++
		}
	}
	if implied < n*45/100 || implied > n*55/100 {
		t.Errorf("%d of %d are e-mail addresses, want about half", implied, n)
	}
}

func TestItemsAreOfTheKindThatTheListsNameImplies(t *testing.T) {
	shapes, d := always(3)
	f := NewField("emails", shapes.Of(loaded(t, `{"type": "array", "items": {"type": "string"}, "minItems": 2}`, "")))
	v, _ := d.Make(&f, "body")
	for _, item := range v.([]any) {
		if !isEmail(item.(string)) {
			t.Errorf("made %v", v)
		}
	}
}

func TestAFormatThatNobodyJudgesStillSaysWhatToMake(t *testing.T) {
	shapes, d := drawer(3)
	for schema, fits := range map[string]func(string) bool{
		`{"type": "string", "format": "int64"}`:   allDigits,
		`{"type": "string", "format": "phone"}`:   func(t string) bool { return strings.HasPrefix(t, "+") },
		`{"type": "string", "format": "decimal"}`: func(t string) bool { return strings.Contains(t, ".") },
	} {
		f := NewField("x", shapes.Of(loaded(t, schema, "")))
		for range 20 {
			if v, ok := d.Make(&f, "body"); !ok || !fits(v.(string)) {
				t.Errorf("%s: made %v", schema, v)
			}
		}
	}
}

func TestAnIBANHasRightCheckDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		t1 := drawIBAN(r)
		rest := 0
		for _, c := range t1[4:] + "1314" + t1[2:4] {
			rest = (rest*10 + int(c-'0')) % 97
		}
		if rest != 1 || len(t1) != 22 {
			t.Errorf("%s", t1)
		}
	}
}
