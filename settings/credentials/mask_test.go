package credentials

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/restest/restest/settings/document"
)

func TestAKeyIsHiddenInEachOfItsForms(t *testing.T) {
	const key = `Pa55/wörd"<é& +`
	mask := parse(t, "", "header:X-Key="+key).Mask()
	asJSON, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, form := range map[string]string{
		"plain":              key,
		"base64":             base64.StdEncoding.EncodeToString([]byte(key)),
		"base64, unpadded":   base64.RawStdEncoding.EncodeToString([]byte(key)),
		"base64url":          base64.URLEncoding.EncodeToString([]byte(key)),
		"base64url unpadded": base64.RawURLEncoding.EncodeToString([]byte(key)),
		"base64 in a query":  url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(key))),
		"query":              url.QueryEscape(key),
		"path":               url.PathEscape(key),
		"small hex":          strings.ToLower(url.PathEscape(key)[3:]),
		"JSON":               string(asJSON[1 : len(asJSON)-1]),
		"JSON, slashes":      strings.ReplaceAll(string(asJSON[1:len(asJSON)-1]), "/", `\/`),
		"JSON, ASCII":        `Pa55/w\u00f6rd\"<\u00e9& +`,
	} {
		if name == "small hex" {
			form = strings.NewReplacer("%2F", "%2f", "%C3%B6", "%c3%b6", "%C3%A9", "%c3%a9", "%3C", "%3c").Replace(url.PathEscape(key))
		}
		in := "before " + form + " after"
		got := mask.Text(in)
		if mask.Has(got) || got == in || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
			t.Errorf("%s: %s is masked as %s", name, in, got)
		}
		if !mask.Has(in) {
			t.Errorf("%s: %s is not noticed", name, in)
		}
	}
}

func TestAMaskKeepsTheShape(t *testing.T) {
	mask := parse(t, "", "header:X-Key=Ab-12 \"é", "basic:me:Secret99", "header:Authorization=Token tok-en1", "header:A=Basic bWU6T3RoZXIxMQ==").Mask()
	for in, want := range map[string]string{
		"nothing":                "nothing",
		"":                       "",
		`(Ab-12 "é)`:             `(Xx-00 "x)`,
		`"Ab-12 \"é"`:            `"Xx-00 \"x"`,
		`"Ab-12 \"\u00e9"`:       `"Xx-00 \"x"`,
		"?k=Ab-12+%22%C3%A9&":    "?k=Xx-00+%22x&",
		"Secret99Secret99":       "Xxxxxx00Xxxxxx00",
		"Basic bWU6U2VjcmV0OTk=": "Basic xXX0X0XxxxX0XXx=",
		"tok-en1":                "xxx-xx0",
		"bWU6T3RoZXIxMQ==":       "xXX0X0XxXXXxXX==",
		"Other11":                "Xxxxx00",
		"secret99 me":            "secret99 me",
	} {
		if got := mask.Text(in); got != want {
			t.Errorf("%q is masked as %q, want %q", in, got, want)
		}
	}
}

func TestMasksThatMakeUpAKeyAreMaskedToo(t *testing.T) {
	mask := parse(t, "", "header:A=abcd", "header:B=zxxx").Mask()
	for in, want := range map[string]string{
		"zabcd":                          "xxxxx",
		strings.Repeat("z", 50) + "abcd": strings.Repeat("x", 54),
	} {
		if got := mask.Text(in); got != want {
			t.Errorf("%q is masked as %q, want %q", in, got, want)
		}
	}
}

func TestATextOfNothingButKeysIsMaskedInOneGo(t *testing.T) {
	mask := parse(t, "", "header:A=abcd", "header:B=never seen", "header:C=nor this").Mask()
	const times = 1 << 18
	if got := mask.Text(strings.Repeat("abcd", times)); got != strings.Repeat("xxxx", times) {
		t.Error("the text is not masked")
	}
}

func TestVariablesAreStableAndNamedOnce(t *testing.T) {
	mask := parse(t, "bearer:abcdef", "header:X-Key=s3cr/et", "basic:me:password").Mask()
	var names []string
	for _, v := range mask.Variables() {
		if slices.Contains(names, v.Name) || v.Meaning == "" {
			t.Errorf("%+v is there twice or means nothing", v)
		}
		names = append(names, v.Name)
	}
	for _, want := range []string{"RESTEST_KEY_1", "RESTEST_KEY_2", "RESTEST_KEY_2_PART_2_BASE64", "RESTEST_KEY_3"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %q", want, names)
		}
	}
	line := mask.Shell("X-Key: s3cr/et") + " " + mask.Shell("Authorization: Basic bWU6cGFzc3dvcmQ=")
	if want := `'X-Key: '"$RESTEST_KEY_1" 'Authorization: Basic '"$RESTEST_KEY_2_PART_2_BASE64"`; line != want {
		t.Errorf("got %s, want %s", line, want)
	}
	want := []Variable{
		{"RESTEST_KEY_1", "the value of the header X-Key"},
		{"RESTEST_KEY_2_PART_2_BASE64", "the password of basic authentication, with the user before it, in base64"},
	}
	if got := mask.VariablesIn(line); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestBindSaysWhichSchemeAVariableIsFor(t *testing.T) {
	got := bound(t, with(apiKey, token), "api_key=s3cret").Mask().Variables()[0]
	if want := (Variable{"RESTEST_KEY_1", "the key of the scheme api_key"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// someKeys draws keys that can be used, and their secrets.
func someKeys(t *rapid.T) (*Keys, []string) {
	var args, secrets []string
	doc := with(document.Scheme{Name: "b-scheme", Type: "apiKey", In: "header", Key: "B"})
	for range rapid.IntRange(1, 4).Draw(t, "how many") {
		alphabet := rapid.SampledFrom([]string{`[a-c]{4,6}`, `[ax0]{4,6}`, `[!-~]{4,12}`, `[a-c"'\\/<%+é€𝄞 ]{4,8}`}).Draw(t, "alphabet")
		text := strings.TrimSpace(rapid.StringMatching(alphabet).Draw(t, "key"))
		form := rapid.SampledFrom([]string{"header:A=", "query:a=", "bearer:", "basic:me:", "b-scheme="}).Draw(t, "form")
		if one, _, err := Parse([]string{form + text}, ""); err != nil || one.Bind(doc) != nil {
			continue
		}
		args, secrets = append(args, form+text), append(secrets, text)
		if form == "basic:me:" {
			secrets = append(secrets, base64.StdEncoding.EncodeToString([]byte("me:"+text)))
		}
	}
	keys, _, err := Parse(args, "")
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "bound") {
		if err := keys.Bind(doc); err != nil {
			t.Fatal(err)
		}
	}
	return keys, secrets
}

// someText draws a text in which keys stand, in any of their forms, among others.
func someText(t *rapid.T, secrets []string) string {
	var b strings.Builder
	for range rapid.IntRange(0, 8).Draw(t, "pieces") {
		if len(secrets) == 0 || rapid.Bool().Draw(t, "other") {
			b.WriteString(rapid.OneOf(
				rapid.StringMatching(`[a-cx0"'\\$%=+/ ]{0,6}`),
				rapid.Map(rapid.SliceOfN(rapid.ByteRange(1, 255), 0, 6), func(b []byte) string { return string(b) }),
			).Draw(t, "text"))
			continue
		}
		s := rapid.SampledFrom(secrets).Draw(t, "key")
		if rapid.Bool().Draw(t, "in base64") {
			s = rapid.SampledFrom(base64s).Draw(t, "base64").encoding.EncodeToString([]byte(s))
		}
		if rapid.Bool().Draw(t, "encoded") {
			s = rapid.SampledFrom(encodings).Draw(t, "encoding")(s).text
		}
		b.WriteString(s)
	}
	return b.String()
}

func TestNoMaskedTextHoldsAKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys, secrets := someKeys(t)
		mask := keys.Mask()
		in := someText(t, secrets)
		got := mask.Text(in)
		if mask.Has(got) {
			t.Fatalf("%q is masked as %q", in, got)
		}
		for _, s := range secrets {
			if strings.Contains(got, s) {
				t.Fatalf("%q is masked as %q, which holds %q", in, got, s)
			}
		}
		if !mask.Has(in) && got != in {
			t.Fatalf("%q holds no key but is masked as %q", in, got)
		}
	})
}

func TestAShellGivesBackEachByte(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh: ", err)
	}
	rapid.Check(t, func(t *rapid.T) {
		keys, secrets := someKeys(t)
		mask := keys.Mask()
		in := someText(t, secrets)
		word := mask.Shell(in)
		command := exec.Command(shell, "-c", "printf %s "+word)
		for _, f := range mask.given {
			command.Env = append(command.Env, f.variable+"="+f.text)
		}
		got, err := command.Output()
		if err != nil || string(got) != in {
			t.Fatalf("%q written as %s gives %q, %v", in, word, got, err)
		}
		if strings.Count(word, "$RESTEST_KEY_") == 0 && mask.Has(in) {
			t.Fatalf("%q written as %s shows a key", in, word)
		}
	})
}

func BenchmarkMask(b *testing.B) {
	keys, _, err := Parse([]string{"header:X-Key=0b1f7a5e-secret", "basic:me:correct horse"}, "")
	if err != nil {
		b.Fatal(err)
	}
	mask := keys.Mask()
	body := strings.Repeat(`{"id": 17, "name": "a thing of the shop", "price": 12.5}, `, 20)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		mask.Text(body)
	}
}
