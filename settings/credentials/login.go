package credentials

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/restest/restest/settings/document"
)

// Everyone stands for all users where a Login belongs to no single one.
const Everyone = -1

// User is one of those whose credentials requests can carry.
type User struct {
	Name string `json:"name"`
	// Fixed go with every request of the user's.
	Fixed []Placed `json:"fixed,omitempty"`
}

// Login is how credentials are obtained while a run goes: a request to sign in, before it perhaps one that creates the
// user, and what of the reply later requests carry.
type Login struct {
	// User is the place among Users of the one who signs in, or Everyone.
	User int `json:"user"`
	// Scheme is the security scheme of the document that is answered; "": what is obtained goes with every request.
	Scheme string `json:"scheme,omitempty"`
	// Operation is the place of the operation that is asked among the document's.
	Operation int `json:"-"`
	// Method and Target are the request's; Elsewhere is the origin it goes to where that is not the API's.
	Method    string `json:"method,omitempty"`
	Target    string `json:"target,omitempty"`
	Elsewhere string `json:"elsewhere,omitempty"`
	// Ways are the requests to try, one after another where the one before was refused for what it says of the client.
	Ways []Way `json:"ways,omitempty"`
	// Creation creates the user first, nil where the user is there.
	Creation *Creation `json:"creation,omitempty"`
	// SignUp says how an own user is created and signed in with operations of the document; it stands for Method, Target,
	// Ways and Creation.
	SignUp *SignUp `json:"signUp,omitempty"`
	Take   Take    `json:"take"`
}

// Way is what a request to sign in carries.
type Way struct {
	Header []Line `json:"header,omitempty"`
	// Body is the content, nil for none.
	Body *string `json:"body,omitempty"`
}

// Line is a header field.
type Line struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Creation is a request that creates a user, with placeholders that new values stand in for, also in what signs in.
type Creation struct {
	Operation  int         `json:"-"`
	Method     string      `json:"method"`
	Target     string      `json:"target"`
	Elsewhere  string      `json:"elsewhere,omitempty"`
	Way        Way         `json:"way"`
	Generators []Generator `json:"generators"`
}

// Generator makes the values of one placeholder.
type Generator struct {
	PlaceHolder string `json:"placeHolder"`
	// MinLength and MaxLength count characters, prefix and postfix included; MaxLength 0: no bound.
	MinLength int    `json:"minLength"`
	MaxLength int    `json:"maxLength"`
	Prefix    string `json:"prefix"`
	Postfix   string `json:"postfix"`
}

// The places a credential can be taken from.
const (
	fromBody    = "body"
	fromHeader  = "header"
	fromCookies = "cookies"
	// fromAnywhere looks for what is named as a token, in the header, the body and the cookies.
	fromAnywhere = "anywhere"
)

// Take says what of a reply is the credential, and where later requests carry it.
type Take struct {
	From string `json:"from"`
	// Selector is a JSON pointer (RFC 6901) into the body, or a header field's name.
	Selector string `json:"selector,omitempty"`
	// In and Name are where it goes; cookies go as cookies, by their own names.
	In   string `json:"in,omitempty"`
	Name string `json:"name,omitempty"`
	// Template is what is sent, with {token} where the token goes.
	Template string `json:"template,omitempty"`
}

// Places are where the credential goes; the names of cookies are not known before they come.
func (t Take) Places() []Placed {
	if t.From == fromCookies {
		return []Placed{{In: "cookie"}}
	}
	if t.In == "" {
		return []Placed{authorization("")}
	}
	return []Placed{{In: t.In, Name: t.Name}}
}

// Label names the request that signs in, for a message.
func (l *Login) Label(doc *document.Document) string {
	if s := l.SignUp; s != nil {
		create := doc.Operations[s.Operation]
		if s.Login < 0 {
			return create.Method + " " + create.Path
		}
		login := doc.Operations[s.Login]
		return create.Method + " " + create.Path + ", then " + login.Method + " " + login.Path
	}
	path, _, _ := strings.Cut(l.Target, "?")
	return l.Method + " " + l.Elsewhere + path
}

// Answer is a reply to a request to sign in.
type Answer struct {
	// Label names the request.
	Label  string
	Status int
	Header []Line
	Body   []byte
	// At is when its header came.
	At time.Time
}

// Granted is what a reply gave.
type Granted struct {
	Keys     []Placed
	Lasts    time.Duration
	Failure  string
	Definite bool
	Secrets  []string
}

const (
	// mostSecrets and longestSecret bound what is hidden of one reply.
	mostSecrets   = 32
	longestSecret = 16 << 10
	// longestLasting is the longest a credential is taken to be good for.
	longestLasting = 10 * 365 * 24 * time.Hour
)

// Read takes the credential from the reply to the request that signs in, or with creates to the one before it.
func (l *Login) Read(a Answer, creates bool) Granted {
	value := decode(a.Body)
	g := Granted{Secrets: secretsIn(a, value)}
	if ok := a.Status >= 200 && a.Status <= 299; !ok && (a.Status < 300 || a.Status > 399 || l.Take.From != fromCookies) {
		g.Failure = a.Label + " answered " + strings.TrimSpace(strconv.Itoa(a.Status)+" "+http.StatusText(a.Status)) + errorCode(value)
		g.Definite = a.Status >= 300 && a.Status <= 499 && a.Status != 408 && a.Status != 425 && a.Status != 429
		return g
	}
	if creates && (l.SignUp == nil || l.SignUp.Login >= 0 || l.SignUp.Basic) {
		return g
	}
	g.Keys, g.Failure = l.Take.keys(a, value)
	if g.Failure != "" {
		g.Failure, g.Definite, g.Keys = a.Label+" "+g.Failure, true, nil
		return g
	}
	for _, k := range g.Keys {
		g.hide(tokenOf(l.Take, k))
	}
	g.Lasts = lasting(a, value, g.Keys)
	return g
}

// tokenOf is the key without what the template puts around it.
func tokenOf(t Take, k Placed) string {
	before, after, found := strings.Cut(t.Template, "{token}")
	if !found {
		return k.Value
	}
	return strings.TrimSuffix(strings.TrimPrefix(k.Value, before), after)
}

// hide has a text kept out of what is written, unless it is too short or too long for that.
func (g *Granted) hide(text string) {
	if utf8.RuneCountInString(text) >= shortest && len(text) <= longestSecret && len(g.Secrets) < mostSecrets && !slices.Contains(g.Secrets, text) {
		g.Secrets = append(g.Secrets, text)
	}
}

// keys are the credentials in the reply; failure says why there are none.
func (t Take) keys(a Answer, value any) (keys []Placed, failure string) {
	token := ""
	switch t.From {
	case fromBody:
		found, ok := pointed(value, t.Selector)
		if !ok || found == "" {
			return nil, "has no text or number at " + t.Selector + " in its reply"
		}
		token = found
	case fromHeader:
		if token = header(a, t.Selector); token == "" {
			return nil, "has no header " + t.Selector + " in its reply"
		}
	case fromCookies:
		if keys = cookies(a); len(keys) == 0 {
			return nil, "set no cookie"
		}
		return keys, ""
	default:
		if token = anyToken(a, value); token == "" {
			if keys = cookies(a); len(keys) > 0 {
				return keys, ""
			}
			return nil, "gave no token and set no cookie"
		}
	}
	sent := strings.ReplaceAll(t.Template, "{token}", token)
	if t.From != fromBody && strings.HasSuffix(t.Template, " {token}") {
		// A header or a body may hold the word before the token already.
		if word := strings.TrimSuffix(t.Template, "{token}"); len(token) > len(word) && strings.EqualFold(token[:len(word)], word) {
			sent = token
		}
	}
	if !sendable(t.In, sent) {
		return nil, "gave a token with a character that cannot be sent in a " + t.In
	}
	return []Placed{{t.In, t.Name, sent}}, ""
}

// sendable says whether a value can be sent in that place.
func sendable(in, value string) bool {
	bad := func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }
	if in == "cookie" {
		return !strings.ContainsFunc(value, bad) && !strings.ContainsAny(value, "; ,\"\\")
	}
	return !strings.ContainsFunc(value, bad)
}

func decode(body []byte) any {
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

func header(a Answer, name string) string {
	for _, l := range a.Header {
		if strings.EqualFold(l.Name, name) {
			return strings.TrimSpace(l.Value)
		}
	}
	return ""
}

// pointed is the text or number that a JSON pointer (RFC 6901) leads to.
func pointed(v any, pointer string) (string, bool) {
	if pointer != "" {
		for _, part := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
			part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
			switch w := v.(type) {
			case map[string]any:
				v = w[part]
			case []any:
				i, err := strconv.Atoi(part)
				if err != nil || i < 0 || i >= len(w) {
					return "", false
				}
				v = w[i]
			default:
				return "", false
			}
		}
	}
	switch w := v.(type) {
	case string:
		return w, true
	case json.Number:
		return string(w), true
	}
	return "", false
}

// cookies are those that a reply sets and does not take away (RFC 6265 §5.2).
func cookies(a Answer) []Placed {
	var keys []Placed
	for _, c := range setCookies(a) {
		if c.Value == "" || c.MaxAge < 0 || !c.Expires.IsZero() && c.MaxAge == 0 && !c.Expires.After(a.At) {
			continue
		}
		p := Placed{"cookie", c.Name, c.Value}
		keys = append(slices.DeleteFunc(keys, p.same), p)
	}
	return keys
}

func setCookies(a Answer) []*http.Cookie {
	var all []*http.Cookie
	for _, l := range a.Header {
		if strings.EqualFold(l.Name, "Set-Cookie") {
			if c, err := http.ParseSetCookie(l.Value); err == nil && isToken(c.Name) && sendable("cookie", c.Value) {
				all = append(all, c)
			}
		}
	}
	return all
}

// tokenNames are what a reply calls a token, the surest first, in small letters without dashes and underscores.
var tokenNames = []string{
	"accesstoken", "token", "jwt", "jwttoken", "authtoken", "bearertoken", "idtoken", "sessiontoken", "apitoken", "apikey",
	"authorization", "bearer", "sessionid", "sid", "key",
}

// deepest is how many levels of a reply are looked through.
const deepest = 5

// anyToken is what looks most like a token in the reply, "" if nothing does.
func anyToken(a Answer, value any) string {
	for _, name := range []string{"Authorization", "X-Auth-Token", "X-Access-Token", "X-Token"} {
		if token := header(a, name); token != "" {
			return token
		}
	}
	if text, ok := value.(string); ok && len(text) >= shortest && !strings.ContainsAny(text, " \n") {
		return text
	}
	found, rank := "", len(tokenNames)
	eachText(value, "", 0, func(name, text string) {
		if r := slices.Index(tokenNames, plainName(name)); r >= 0 && r < rank && len(text) >= shortest && !strings.ContainsAny(text, "\n") {
			found, rank = text, r
		}
	})
	if text := strings.TrimSpace(string(a.Body)); found == "" && isJWT(text) {
		return text
	}
	return found
}

// eachText calls f with each text and the name it stands under, in a fixed order.
func eachText(v any, name string, depth int, f func(name, text string)) {
	switch w := v.(type) {
	case string:
		f(name, w)
	case map[string]any:
		if depth < deepest {
			for _, member := range slices.Sorted(maps.Keys(w)) {
				eachText(w[member], member, depth+1, f)
			}
		}
	case []any:
		if depth < deepest {
			for _, item := range w[:min(len(w), mostSecrets)] {
				eachText(item, name, depth+1, f)
			}
		}
	}
}

func plainName(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

var secretName = regexp.MustCompile(`token|secret|passw|jwt|session|apikey|assertion|bearer|credential|^sid$|^key$|^code$`)

// secretsIn are the texts in the reply to a sign-in that nobody may see: what is named so, what is a JWT, and cookies.
func secretsIn(a Answer, value any) []string {
	var g Granted
	eachText(value, "", 0, func(name, text string) {
		if n := plainName(name); secretName.MatchString(n) && n != "tokentype" || isJWT(text) {
			g.hide(text)
		}
	})
	if text := strings.TrimSpace(string(a.Body)); isJWT(text) {
		g.hide(text)
	}
	for _, l := range a.Header {
		if n := plainName(l.Name); n == "authorization" || n != "setcookie" && secretName.MatchString(n) {
			_, token, several := strings.Cut(l.Value, " ")
			if !several {
				token = l.Value
			}
			g.hide(strings.TrimSpace(token))
		}
	}
	for _, c := range setCookies(a) {
		g.hide(c.Value)
	}
	return g.Secrets
}

var errorWord = regexp.MustCompile(`^[a-z_]{1,40}$`)

// errorCode is the error of RFC 6749 §5.2 in brackets, "" if there is none.
func errorCode(value any) string {
	if word, ok := pointed(value, "/error"); ok && errorWord.MatchString(word) {
		return " (" + word + ")"
	}
	return ""
}

var jwt = regexp.MustCompile(`^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*$`)

func isJWT(text string) bool { return len(text) <= longestSecret && jwt.MatchString(text) }

// lasting is how long the keys are good for: the shortest of what the reply says (RFC 6749 §5.1), what a JWT says of
// itself (RFC 7519 §4.1.4) and what cookies say; 0 if nothing does.
func lasting(a Answer, value any, keys []Placed) time.Duration {
	least := time.Duration(0)
	say := func(d time.Duration) {
		if d > 0 && d <= longestLasting && (least == 0 || d < least) {
			least = d
		}
	}
	for _, k := range keys {
		if k.In == "cookie" {
			for _, c := range setCookies(a) {
				if c.Name != k.Name {
					continue
				}
				say(seconds(json.Number(strconv.Itoa(c.MaxAge))))
				if c.MaxAge == 0 && !c.Expires.IsZero() {
					say(c.Expires.Sub(a.At))
				}
			}
		}
		if exp, ok := expiry(k.Value); ok {
			say(exp.Sub(a.At))
		}
	}
	if o, ok := value.(map[string]any); ok {
		for _, name := range []string{"expires_in", "expiresIn"} {
			if text, ok := pointed(o, "/"+name); ok {
				say(seconds(json.Number(text)))
			}
		}
	}
	return least
}

// seconds is a number of seconds as a length, 0 for one that is none or beyond use.
func seconds(n json.Number) time.Duration {
	f, err := n.Float64()
	if err != nil || f <= 0 || f > longestLasting.Seconds() {
		return 0
	}
	return time.Duration(f * float64(time.Second))
}

// expiry is the moment a JWT says it expires; the word before it is passed over.
func expiry(value string) (time.Time, bool) {
	token := value[strings.LastIndexByte(value, ' ')+1:]
	if !isJWT(token) {
		return time.Time{}, false
	}
	claims, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		return time.Time{}, false
	}
	var said struct{ Exp json.Number }
	if json.Unmarshal(claims, &said) != nil {
		return time.Time{}, false
	}
	f, err := said.Exp.Float64()
	if err != nil || f <= 0 || f > 1e11 {
		return time.Time{}, false
	}
	return time.Unix(0, 0).Add(time.Duration(f * float64(time.Second))), f < 9e9
}

// String does not show what the login carries.
func (l *Login) String() string { return fmt.Sprintf("a sign-in at %s", l.Target) }
