package credentials

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/restest/restest/settings/document"
)

var (
	apiKey  = document.Scheme{Name: "api_key", Type: "apiKey", In: "header", Key: "X-Api-Key"}
	inQuery = document.Scheme{Name: "query_key", Type: "apiKey", In: "query", Key: "key"}
	session = document.Scheme{Name: "session", Type: "apiKey", In: "cookie", Key: "SID"}
	byName  = document.Scheme{Name: "basic_auth", Type: "http", HTTP: "basic"}
	token   = document.Scheme{Name: "token", Type: "http", HTTP: "bearer"}
	digest  = document.Scheme{Name: "digest", Type: "http", HTTP: "digest"}
	oauth   = document.Scheme{Name: "oauth", Type: "oauth2"}
	connect = document.Scheme{Name: "connect", Type: "openIdConnect"}
	mutual  = document.Scheme{Name: "mutual", Type: "mutualTLS"}
)

// asking is an operation that asks for any of the alternatives, written as schemes joined by +; "" needs none.
func asking(alternatives ...string) *document.Operation {
	op := &document.Operation{}
	for _, a := range alternatives {
		needed := []document.Requirement{}
		for _, name := range strings.FieldsFunc(a, func(r rune) bool { return r == '+' }) {
			needed = append(needed, document.Requirement{Scheme: name})
		}
		op.Security = append(op.Security, needed)
	}
	return op
}

// with is a document of these schemes in which one operation asks for each of them, and one for nothing.
func with(schemes ...document.Scheme) *document.Document {
	doc := &document.Document{Schemes: schemes, Operations: []*document.Operation{asking()}}
	for _, s := range schemes {
		doc.Operations = append(doc.Operations, asking(s.Name))
	}
	return doc
}

func parse(t *testing.T, environment string, args ...string) *Keys {
	t.Helper()
	keys, warnings, err := Parse(args, environment)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("%q is refused: %v, warnings %q", args, err, warnings)
	}
	return keys
}

func bound(t *testing.T, doc *document.Document, args ...string) *Keys {
	t.Helper()
	keys := parse(t, "", args...)
	if err := keys.Bind(doc); err != nil {
		t.Fatalf("%q is refused: %v", args, err)
	}
	return keys
}

func text(placed []Placed) string {
	var all []string
	for _, p := range placed {
		all = append(all, fmt.Sprintf("%s %s: %s", p.In, p.Name, p.Value))
	}
	return strings.Join(all, "; ")
}

func TestWhereAKeyGoes(t *testing.T) {
	for _, row := range []struct {
		name    string
		schemes []document.Scheme
		auth    []string
		op      *document.Operation
		want    string
	}{
		{"the one apiKey", []document.Scheme{apiKey}, []string{"s3cret"}, asking("api_key"), "header X-Api-Key: s3cret"},
		{"an operation that asks for nothing gets nothing", []document.Scheme{apiKey}, []string{"s3cret"}, asking(), ""},
		{"a named scheme", []document.Scheme{apiKey, inQuery}, []string{"query_key=a=b=c"}, asking("query_key"), "query key: a=b=c"},
		{"another scheme's operation gets nothing", []document.Scheme{apiKey, inQuery}, []string{"query_key=s3cret"}, asking("api_key"), ""},
		{"a cookie", []document.Scheme{session}, []string{"s3cret"}, asking("session"), "cookie SID: s3cret"},
		{"a key that ends as base64 does", []document.Scheme{apiKey}, []string{"czNjcmV0=="}, asking("api_key"), "header X-Api-Key: czNjcmV0=="},
		{"basic by its scheme", []document.Scheme{byName}, []string{"basic_auth=me:pass:word"}, asking("basic_auth"), "header Authorization: Basic bWU6cGFzczp3b3Jk"},
		{"basic as the one scheme", []document.Scheme{byName}, []string{"me:pass:word"}, asking("basic_auth"), "header Authorization: Basic bWU6cGFzczp3b3Jk"},
		{"basic by its kind", []document.Scheme{byName}, []string{"basic:me:pass:word"}, asking("basic_auth"), "header Authorization: Basic bWU6cGFzczp3b3Jk"},
		{"basic leaves others alone", []document.Scheme{byName, apiKey}, []string{"basic:me:password"}, asking("api_key"), ""},
		{"basic goes everywhere where no such scheme is declared", []document.Scheme{apiKey}, []string{"basic:me:pass:word"}, asking(), "header Authorization: Basic bWU6cGFzczp3b3Jk"},
		{"a name without a password", []document.Scheme{byName}, []string{"basic:sk_test_1:"}, asking("basic_auth"), "header Authorization: Basic c2tfdGVzdF8xOg=="},
		{"bearer", []document.Scheme{token}, []string{"s3cret"}, asking("token"), "header Authorization: Bearer s3cret"},
		{"bearer by its kind", []document.Scheme{token}, []string{"bearer:s3cret"}, asking("token"), "header Authorization: Bearer s3cret"},
		{"bearer for OAuth", []document.Scheme{oauth}, []string{"bearer:s3cret"}, asking("oauth"), "header Authorization: Bearer s3cret"},
		{"bearer for OpenID", []document.Scheme{connect}, []string{"s3cret"}, asking("connect"), "header Authorization: Bearer s3cret"},
		{"bearer goes everywhere where no such scheme is declared", []document.Scheme{apiKey}, []string{"bearer:s3cret"}, asking(), "header Authorization: Bearer s3cret"},
		{"a scheme's own key wins over its kind's", []document.Scheme{token, oauth}, []string{"token=mine1", "bearer:theirs"}, asking("token"), "header Authorization: Bearer mine1"},
		{"the one apiKey beside OAuth", []document.Scheme{apiKey, oauth}, []string{"s3cret"}, asking("api_key"), "header X-Api-Key: s3cret"},
		{"another HTTP scheme", []document.Scheme{digest}, []string{"digest=s3cret"}, asking("digest"), "header Authorization: Digest s3cret"},
		{"a placed header goes everywhere", []document.Scheme{apiKey}, []string{"header:X-Mine=a, b=c"}, asking(), "header X-Mine: a, b=c"},
		{"a placed query parameter", nil, []string{"query:my key=s3cret"}, asking(), "query my key: s3cret"},
		{"a placed cookie", nil, []string{"cookie:SID=s3cret"}, asking(), "cookie SID: s3cret"},
		{"a placed key wins over a scheme's", []document.Scheme{apiKey}, []string{"s3cret", "header:x-api-key=other"}, asking("api_key"), "header x-api-key: other"},
		{"a later key wins over an earlier one", nil, []string{"header:A=first", "cookie:A=cake", "header:a=second"}, asking(), "cookie A: cake; header a: second"},
		{"both of two needed together", []document.Scheme{apiKey, inQuery}, []string{"query_key=s3cret", "api_key=other"}, asking("api_key+query_key"), "header X-Api-Key: other; query key: s3cret"},
		{"nothing where one of two is missing", []document.Scheme{apiKey, inQuery}, []string{"api_key=other"}, asking("api_key+query_key"), ""},
		{"the first alternative that has its keys", []document.Scheme{apiKey, inQuery}, []string{"query_key=s3cret"}, asking("api_key", "api_key+query_key", "query_key"), "query key: s3cret"},
		{"a key is used where none is needed as well", []document.Scheme{apiKey}, []string{"s3cret"}, asking("", "api_key"), "header X-Api-Key: s3cret"},
		{"two that need one place do not both stand in it", []document.Scheme{token, byName}, []string{"token=s3cret", "basic_auth=me:password"}, asking("token+basic_auth"), "header Authorization: Bearer s3cret"},
		{"the longest name counts", []document.Scheme{{Name: "a", Type: "apiKey", In: "query", Key: "a"}, {Name: "a=b", Type: "apiKey", In: "query", Key: "b"}}, []string{"a=b=s3cret"}, asking("a=b"), "query b: s3cret"},
	} {
		t.Run(row.name, func(t *testing.T) {
			doc := with(row.schemes...)
			if got := text(bound(t, doc, row.auth...).For(doc, row.op, 0, nil)); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestNoKeysAreNone(t *testing.T) {
	var keys *Keys
	doc := with(apiKey)
	if err := keys.Bind(doc); err != nil || keys.For(doc, asking("api_key"), 0, nil) != nil || keys.Warnings() != nil {
		t.Errorf("a nil Keys has keys")
	}
	if got := keys.Mask().Text("s3cret"); got != "s3cret" {
		t.Errorf("a nil Mask hides: %q", got)
	}
	if got := keys.Missing(doc); !slices.Equal(got, []string{"api_key"}) {
		t.Errorf("missing: %q", got)
	}
}

func TestTypedKeysWinOverThoseOfTheEnvironment(t *testing.T) {
	doc := with(apiKey, token)
	keys := parse(t, " \nheader:X-Mine=environment\r\n\napi_key=environment\nbearer:environment\n", "api_key=typed", "header:x-mine=typed")
	if err := keys.Bind(doc); err != nil {
		t.Fatal(err)
	}
	if got := text(keys.For(doc, asking("api_key"), 0, nil)); got != "header X-Api-Key: typed; header x-mine: typed" {
		t.Errorf("got %s", got)
	}
	if got := text(keys.For(doc, asking("token"), 0, nil)); got != "header Authorization: Bearer environment; header x-mine: typed" {
		t.Errorf("got %s", got)
	}
}

func TestRefusedKeysAreNeverShown(t *testing.T) {
	for _, row := range []struct {
		auth string
		want string // in the message
	}{
		{"", "the key is empty"},
		{"abc", "fewer than 4 characters"},
		{"xxxx-0000", "looks like a masked one"},
		{"s3cret\x00s3cret", "control character"},
		{"s3cret\xff", "not UTF-8"},
		{"header:s3cret", "write header:Name=value"},
		{"header:=s3cret", "write header:Name=value"},
		{"header:s3 cret=s3cret", "the header's name holds a character"},
		{"query:s3cret", "write query:name=value"},
		{"cookie:s3;cret=s3cret", "the cookie's name holds a character"},
		{"cookie:SID=s3cret;s3cret", "the cookie's value holds a character"},
		{"header:X=s3c", "fewer than 4 characters"},
		{"basic:s3cret", "write basic:user:password"},
		{"basic:s3cret:s3c", "fewer than 4 characters"},
		{"bearer:s3c", "fewer than 4 characters"},
		{"Bearer s3cret", "bearer:token"},
		{"basic s3cret", "basic:user:password"},
	} {
		_, _, err := Parse([]string{row.auth}, "")
		if err == nil || !strings.HasPrefix(err.Error(), "--auth: ") || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%q: got %v, want %q", row.auth, err, row.want)
		}
		if err != nil && (strings.Contains(err.Error(), "s3") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q is shown, or not in one line: %v", row.auth, err)
		}
		if strings.ContainsAny(row.auth, "\x00") || row.auth == "" {
			continue
		}
		keys, warnings, err := Parse(nil, "bearer:good-one\n"+row.auth)
		if err != nil || len(warnings) != 1 || len(keys.keys) != 1 {
			t.Fatalf("%q in the environment: %v, warnings %q", row.auth, err, warnings)
		}
		if !strings.HasPrefix(warnings[0], "RESTEST_AUTH line 2: ") || strings.Contains(warnings[0], "s3") {
			t.Errorf("%q: warned %q", row.auth, warnings[0])
		}
	}
	_, _, err := Parse([]string{"abc", "good-one", "def"}, "")
	if err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), "\n--auth number 3: ") {
		t.Errorf("not all are refused at once: %v", err)
	}
}

func TestKeysThatBelongNowhere(t *testing.T) {
	for _, row := range []struct {
		auth    string
		schemes []document.Scheme
		want    string
	}{
		{"s3cret", nil, "no operation asks for a key"},
		{"s3cret", []document.Scheme{mutual}, "no operation asks for a key"},
		{"s3cret", []document.Scheme{apiKey, inQuery, oauth}, "the key fits several schemes, api_key, query_key; write scheme=key"},
		{"s3cret", []document.Scheme{oauth, connect}, "the key fits several schemes, oauth, connect; write scheme=key"},
		{"api_kye=s3cret", []document.Scheme{apiKey, inQuery}, "did you mean api_key?"},
		{"s3cret=s3cret", []document.Scheme{apiKey, inQuery}, "it has api_key, query_key"},
		{"s3cret=s3cret", nil, "nor any other; write header:Name=value"},
		{"api_key=s3c", []document.Scheme{apiKey}, "fewer than 4 characters"},
		{"basic_auth=s3cret", []document.Scheme{byName}, "write basic_auth=user:password"},
		{"s3cret", []document.Scheme{byName}, "write basic_auth=user:password"},
		{"mutual=s3cret", []document.Scheme{mutual}, "which no key answers"},
		{"session=s3cret; b", []document.Scheme{session}, "goes in a cookie"},
	} {
		doc := with(row.schemes...)
		err := parse(t, "", row.auth).Bind(doc)
		if err == nil || !strings.HasPrefix(err.Error(), "--auth: ") || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%q: got %v, want %q", row.auth, err, row.want)
		}
		if err != nil && strings.Contains(err.Error(), "s3c") {
			t.Errorf("%q is shown: %v", row.auth, err)
		}
		keys := parse(t, row.auth)
		if err := keys.Bind(doc); err != nil || len(keys.Warnings()) != 1 || !strings.Contains(keys.Warnings()[0], row.want) {
			t.Errorf("%q in the environment: %v, warnings %q", row.auth, err, keys.Warnings())
		}
		if got := keys.For(doc, doc.Operations[len(doc.Operations)-1], 0, nil); got != nil {
			t.Errorf("%q goes to %v all the same", row.auth, got)
		}
		if strings.Contains(keys.Mask().Text("-"+row.auth+"-"), "s3cret") {
			t.Errorf("%q is not hidden, since it belongs nowhere", row.auth)
		}
	}
}

func TestAnUntestableOperationAsksForNothing(t *testing.T) {
	doc := with(apiKey, inQuery)
	doc.Operations[2].Untestable = "its body cannot be built"
	keys := bound(t, doc, "s3cret")
	if got := text(keys.For(doc, doc.Operations[1], 0, nil)); got != "header X-Api-Key: s3cret" {
		t.Errorf("got %q", got)
	}
	if missing := keys.Missing(doc); missing != nil {
		t.Errorf("missing: %q", missing)
	}
}

func TestMissingKeys(t *testing.T) {
	doc := with(token, apiKey, inQuery, mutual)
	doc.Operations = append(doc.Operations, asking("", "elsewhere"), asking("token+undeclared"))
	for _, row := range []struct {
		auth []string
		want []string
	}{
		{nil, []string{"api_key", "mutual", "query_key", "token", "undeclared"}},
		{[]string{"api_key=s3cret"}, []string{"mutual", "query_key", "token", "undeclared"}},
		{[]string{"header:x-api-key=s3cret", "query:key=s3cret"}, []string{"mutual", "token", "undeclared"}},
		{[]string{"bearer:s3cret", "header:X-API-KEY=s3cret"}, []string{"mutual", "query_key", "undeclared"}},
		{[]string{"header:authorization=Bearer s3cret"}, []string{"api_key", "mutual", "query_key", "undeclared"}},
	} {
		if got := bound(t, doc, row.auth...).Missing(doc); !slices.Equal(got, row.want) {
			t.Errorf("%q: missing %q, want %q", row.auth, got, row.want)
		}
	}
}
