package document

import "testing"

func TestTheMostExactStatusEntryApplies(t *testing.T) { // case 21
	d := load(t, shared(t, "cases", "21-status-ranges", "document.yaml"), Options{})
	r, lower := d.Operations[0], d.Operations[1]
	for status, want := range map[int]string{200: "200", 206: "2XX", 404: "4XX", 302: "default", 500: "default", 999: "default"} {
		if got := r.Response(status); got == nil || got.Code != want {
			t.Errorf("%d is declared by %+v, want %s", status, got, want)
		}
	}
	if got := lower.Response(404); got == nil || got.Code != "4XX" {
		t.Errorf("4xx in small letters: %+v", got)
	}
	if got := lower.Response(500); got != nil {
		t.Errorf("an undeclared status is declared by %+v", got)
	}
	if issue, ok := issueWith(d, "capital X"); !ok || issue.Severity != "note" || len(d.Issues) != 1 {
		t.Errorf("issues: %+v", d.Issues)
	}
}

func TestTheMostExactMediaTypeApplies(t *testing.T) { // case 24
	d := load(t, shared(t, "cases", "24-media-type-matching", "document.yaml"), Options{})
	m, p := d.Operations[0].Response(200), d.Operations[1].Response(200)
	any3 := &Response{Media: []*Media{{Type: "*/*"}, {Type: "text/*"}, {Type: "TEXT/html"}}}
	versions := &Response{Media: []*Media{{Type: "application/json; v=1"}, {Type: "application/json; v=2"}}}
	for _, r := range []struct {
		response *Response
		sent     string
		want     string // "" for none
	}{
		{m, "Application/JSON; Charset=UTF-8", "application/json"},
		{m, "text/csv", "text/*"},
		{m, "application/vnd.x+json; v=2", "application/vnd.x+json"},
		{m, "application/problem+json", ""},
		{m, "application/json; charset=klingon", "application/json"},
		{m, "  application/json  ;", "application/json"},
		{m, "", ""},
		{m, "json", ""},
		{m, "/", ""},
		{p, "application/json", "application/json; charset=utf-8"},
		{any3, "text/html", "TEXT/html"},
		{any3, "text/plain", "text/*"},
		{any3, "image/png", "*/*"},
		{&Response{}, "text/plain", ""},
		{versions, "application/json;v=2", "application/json; v=2"},
		{versions, "application/json; v=3", "application/json; v=1"},
	} {
		media, ok := r.response.MediaFor(r.sent)
		got := ""
		if media != nil {
			got = media.Type
		}
		if got != r.want || ok != (r.want != "") {
			t.Errorf("%q belongs to %q (%t), want %q", r.sent, got, ok, r.want)
		}
	}
}
