package checks

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestABodyIsReadAsJSONOrSaysWhyNot(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		body  string
		state State
		value any
	}{
		{`{"a":1}`, IsJSON, map[string]any{"a": json.Number("1")}},
		{" null\r\n", IsJSON, nil},
		{"\ufeff[]", IsJSON, []any{}},
		{`12345678901234567890.5`, IsJSON, json.Number("12345678901234567890.5")},
		{`"\ud800"`, IsJSON, "\ufffd"},
		{`"[[[[\"[["`, IsJSON, `[[[["[[`},
		{``, Malformed, nil},
		{`{`, Malformed, nil},
		{`{}{}`, Malformed, nil},
		{`[] x`, Malformed, nil},
		{`NaN`, Malformed, nil},
		{`'a'`, Malformed, nil},
		{`01`, Malformed, nil},
		{"\"\xff\"", NotUTF8, nil},
		{nested(501), TooDeep, nil},
		{nested(100_000), TooDeep, nil},
		{strings.Repeat(`{"a":`, 100_000), TooDeep, nil},
		{strings.Repeat(`]`, 100_000), Malformed, nil},
	} {
		got := Read([]byte(c.body))
		if got.State != c.state || !reflect.DeepEqual(got.Value, c.value) || (got.Flaw != "") != (c.state == Malformed) {
			t.Errorf("%.40q: got %+v", c.body, got)
		}
	}
	if got := Read([]byte(nested(500))); got.State != IsJSON {
		t.Errorf("500 deep: got %+v", got.State)
	}
}

func TestWhatIsWrittenAsJSONIsReadAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := map[string]any{rapid.String().Draw(t, "name"): rapid.SliceOf(rapid.String()).Draw(t, "list")}
		body, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		got := Read(body)
		again, err := json.Marshal(got.Value)
		if err != nil || got.State != IsJSON || string(again) != string(body) {
			t.Fatalf("%s: got %+v", body, got)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"a":[1,"x"]}`))
	f.Add([]byte("\xef\xbb\xbf[[\"\\"))
	f.Fuzz(func(t *testing.T, body []byte) {
		got := Read(body)
		if (got.State == IsJSON) != (json.Valid([]byte(strings.TrimPrefix(string(body), "\ufeff"))) && got.State != NotUTF8 && got.State != TooDeep) {
			t.Fatalf("%q: %+v", body, got)
		}
	})
}
