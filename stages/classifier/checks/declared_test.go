package checks

import (
	"testing"

	"github.com/restest/restest/settings/document"
)

func TestTheExactCodeWinsOverTheRangeAndThatOverTheDefault(t *testing.T) {
	all := &document.Operation{Responses: []*document.Response{{Code: "default"}, {Code: "4XX"}, {Code: "2xx"}, {Code: "200"}}}
	few := &document.Operation{Responses: []*document.Response{{Code: "404"}}}
	for _, c := range []struct {
		operation *document.Operation
		status    int
		want      string
	}{
		{all, 200, "200"},
		{all, 206, "2xx"},
		{all, 404, "4XX"},
		{all, 302, "default"},
		{all, 500, "default"},
		{all, 600, "default"},
		{all, 20, "default"},
		{all, 4000, "default"},
		{few, 404, "404"},
		{few, 400, ""},
		{few, 40, ""},
	} {
		got := ""
		if r := responseFor(c.operation, c.status); r != nil {
			got = r.Code
		}
		if got != c.want {
			t.Errorf("%d: got %q, want %q", c.status, got, c.want)
		}
	}
}

func TestTheMostExactMediaTypeWins(t *testing.T) {
	plain := []string{"*/*", "text/*", "application/json", "Text/CSV"}
	versions := []string{"application/json; version=1", "application/json; version=2"}
	for _, c := range []struct {
		declared    []string
		contentType string
		want        string
		typed       bool
	}{
		{plain, "application/json", "application/json", true},
		{plain, "Application/JSON; Charset=UTF-8", "application/json", true},
		{plain, "application/json;charset=klingon", "application/json", true},
		{plain, "application/json; charset", "application/json", true},
		{plain, "text/csv", "Text/CSV", true},
		{plain, "text/html", "text/*", true},
		{plain, "image/png", "*/*", true},
		{plain, "nonsense", "*/*", true},
		{plain[1:], "application/problem+json", "", false},
		{plain[1:], "json", "", false},
		{[]string{"*"}, "a/b", "*", true},
		{[]string{"application/json; charset=utf-8"}, "application/json", "application/json; charset=utf-8", true},
		{[]string{"application/json; charset=utf-8"}, "application/json; charset=latin1", "application/json; charset=utf-8", true},
		{versions, "application/json; version=2", versions[1], true},
		{versions, "application/json; Version=1; charset=utf-8", versions[0], true},
		{versions, "application/json", "", true},
		{append(versions, "application/json"), "application/json; version=3", "application/json", true},
		{append(versions, "application/json"), "application/json; version=1", versions[0], true},
		{append(versions, "*/*"), "application/json; version=3", "", true},
		{nil, "application/json", "", false},
	} {
		var media []*document.Media
		for _, d := range c.declared {
			media = append(media, &document.Media{Type: d, Schema: &document.Schema{}})
		}
		m, typed := mediaFor(media, c.contentType)
		got := ""
		if m != nil {
			got = m.Type
		}
		if got != c.want || typed != c.typed {
			t.Errorf("%q of %q: got %q, %v; want %q, %v", c.contentType, c.declared, got, typed, c.want, c.typed)
		}
	}
}

func TestContentIsJSONByItsTypeOrByTheOnlyOneDeclared(t *testing.T) {
	declares := func(types ...string) *document.Operation {
		r := &document.Response{Code: "200"}
		for _, t := range types {
			r.Media = append(r.Media, &document.Media{Type: t})
		}
		return &document.Operation{Responses: []*document.Response{r}}
	}
	for _, c := range []struct {
		operation   *document.Operation
		contentType string
		want        bool
	}{
		{declares(), "application/json", true},
		{declares("text/html"), "application/json;x=y", true},
		{declares("text/html"), "application/Problem+JSON", true},
		{declares("text/json"), "text/json", true},
		{declares("application/json"), "", true},
		{declares("application/json", "text/html"), "", false},
		{declares("application/json"), "text/html", false},
		{declares("application/json"), "application/jsonp", false},
		{declares("*/*"), "", false},
		{&document.Operation{}, "", false},
	} {
		if got := Declare(c.operation, 200, c.contentType).JSON; got != c.want {
			t.Errorf("%q: got %v", c.contentType, got)
		}
	}
}
