package checks

import (
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// turn is one request of a series and its reply.
type turn struct {
	method, target, sent string
	status               int
	body                 string
}

// inSeries is the exchange of the last turn of a series of that kind, with the others as its steps before.
func inSeries(kind string, turns ...turn) *messages.Exchange {
	var taken []messages.Taken
	for i, t := range turns {
		e := jsonReply(t.status, t.body)
		e.Request = &messages.Request{Method: t.method, Target: t.target, Operation: i}
		if t.sent != "" {
			contentType := "application/json"
			if t.method == "PATCH" {
				contentType = "application/merge-patch+json"
			}
			sending(e, t.sent, "Content-Type", contentType)
		}
		if i == len(turns)-1 {
			e.Request.Series = &messages.Step{Series: 1, Kind: kind, Nth: i + 1, Taken: taken}
			return e
		}
		taken = append(taken, messages.Taken{Request: e.Request, Reply: e.Reply, Value: Read(e.Reply.Body).Value})
	}
	return nil
}

func disturbed(e *messages.Exchange) *messages.Exchange {
	e.Request.Series.Disturbed = true
	return e
}

var (
	post = turn{"POST", "/t", `{"name":"a","note":"n"}`, 201, `{"id":7,"name":"a","note":"n"}`}
	gone = turn{"DELETE", "/t/7", "", 204, ""}
)

func get(status int, body string) turn         { return turn{"GET", "/t/7", "", status, body} }
func put(status int, sent, body string) turn   { return turn{"PUT", "/t/7", sent, status, body} }
func patch(status int, sent, body string) turn { return turn{"PATCH", "/t/7", sent, status, body} }

func TestWhatWasDeletedIsGone(t *testing.T) {
	const kind, under = "readAfterDelete", "writeUnderDeleted"
	there := get(200, `{"id":7,"name":"a"}`)
	table(t, 113, []row{
		{name: "read", e: inSeries(kind, post, gone, there), want: "e read"},
		{name: "with another query", e: inSeries(kind, post, gone, turn{"GET", "/t/7?view=full", "", 200, `{"id":7,"note":"n"}`}), want: "e read"},
		{name: "changed", e: inSeries(under, post, gone, patch(200, `{}`, `{"id":7}`)), want: "w likely changed"},
		{name: "changed into one that is made", e: inSeries(under, post, gone, patch(201, `{}`, `{"id":7}`))},
		{name: "read within an envelope", e: inSeries(kind, post, gone, get(200, `{"data":[{"name":"a"}]}`)), want: "e read"},
		{name: "read, with no more than its id", e: inSeries(kind, post, gone, get(200, `{"id":7}`)), want: "e likely read"},
		{name: "a setting that is empty now, and repeats its name", e: inSeries(kind, turn{"POST", "/t", `{"kind":"7","values":["a"]}`, 201, `{"kind":"7","values":["a"],"type":"Setting"}`}, gone, get(200, `{"kind":"7","values":[],"type":"Setting"}`))},
		{name: "a setting that has its value still", e: inSeries(kind, turn{"POST", "/t", `{"kind":"7","values":["a"]}`, 201, ``}, gone, get(200, `{"kind":"7","values":["a"]}`)), want: "e read"},
		{name: "read by another of its values", e: inSeries(kind, post, gone, get(200, `{"note":"n"}`)), want: "e read"},
		{name: "read where nothing says what was made", e: inSeries(kind, turn{"POST", "/t", "", 201, ""}, gone, there), want: "e likely read"},
		{name: "null", e: inSeries(kind, post, gone, get(200, `null`))},
		{name: "an empty object", e: inSeries(kind, post, gone, get(200, `{}`))},
		{name: "no content", e: inSeries(kind, post, gone, get(204, ``))},
		{name: "200 and nothing in it", e: inSeries(kind, post, gone, get(200, ``)), want: "e likely read"},
		{name: "an empty list in an envelope", e: inSeries(kind, post, gone, get(200, `{"data":[],"count":0}`))},
		{name: "a refusal within a success", e: inSeries(kind, post, gone, get(200, `{"code":404,"error":"there is none"}`))},
		{name: "not found within a success", e: inSeries(kind, post, gone, get(200, `{"id":7,"found":false}`))},
		{name: "marked by a number", e: inSeries(kind, post, gone, get(200, `{"id":7,"deleted_at":1767225600}`))},
		{name: "not marked by a number", e: inSeries(kind, post, gone, get(200, `{"name":"a","deleted":0}`)), want: "e read"},
		{name: "added to", e: inSeries(under, post, gone, turn{"POST", "/t/7/photos", "{}", 201, `{"id":1}`}), want: "w likely added to"},
		{name: "made anew", e: inSeries(under, post, gone, put(200, `{}`, `{"id":7}`))},
		{name: "gone", e: inSeries(kind, post, gone, get(404, ""))},
		{name: "a bad parameter", e: inSeries(kind, post, gone, get(400, ""))},
		{name: "forbidden", e: inSeries(kind, post, gone, get(403, ""))},
		{name: "refused", e: inSeries(kind, post, gone, get(429, ""))},
		{name: "a deletion that failed", e: inSeries(kind, post, turn{"DELETE", "/t/7", "", 409, ""}, there)},
		{name: "a deletion to come", e: inSeries(kind, post, turn{"DELETE", "/t/7", "", 202, ""}, there)},
		{name: "cancelled", e: inSeries(kind, post, gone, get(200, `{"id":7,"status":"cancelled"}`))},
		{name: "marked as deleted", e: inSeries(kind, post, gone, get(200, `{"id":7,"deletedAt":"2026-01-01"}`))},
		{name: "inactive", e: inSeries(kind, post, gone, get(200, `{"id":7,"active":false}`))},
		{name: "another thing", e: inSeries(kind, post, gone, turn{"GET", "/t/8", "", 200, `{"id":8}`})},
		{name: "disturbed", e: disturbed(inSeries(kind, post, gone, there))},
		{name: "no series", e: jsonReply(200, `{}`)},
	})
}

func TestWhatWasCreatedIsThere(t *testing.T) {
	const kind = "readAfterCreate"
	in := func(gap string) func(*Input) {
		return func(in *Input) { in.Operation = &document.Operation{Path: "/t/{" + gap + "}"} }
	}
	located := func(e *messages.Exchange) *messages.Exchange {
		e.Request.Series.Taken[0].Reply.Header = []messages.Field{{Name: "Location", Value: "http://api.example/t/7"}}
		return e
	}
	made := func(reply string) *messages.Exchange {
		return inSeries(kind, turn{"POST", "/t", "{}", 201, reply}, get(404, ""))
	}
	table(t, 122, []row{
		{name: "404", e: inSeries(kind, post, get(404, "")), want: "e likely"},
		{name: "410", e: inSeries(kind, post, get(410, "")), want: "e likely"},
		{name: "there", e: inSeries(kind, post, get(200, "{}"))},
		{name: "at an address that goes on before it comes to it", e: inSeries(kind, post, turn{"GET", "/t/tags/7", "", 404, ""})},
		{name: "another refusal", e: inSeries(kind, post, get(403, ""))},
		{name: "at where Location leads", e: located(inSeries(kind, turn{"POST", "/t", "{}", 201, "{}"}, get(404, ""))), want: "e likely"},
		{name: "at another's name", e: inSeries(kind, turn{"POST", "/t", "{}", 201, `{"number":7}`}, get(404, ""))},
		{name: "where nothing says its name", e: inSeries(kind, turn{"POST", "/t", `{"name":"7"}`, 201, ""}, get(404, ""))},
		{name: "by a name that the path wants", e: made(`{"id":"u1","userName":"7"}`), in: in("user_name"), want: "e likely"},
		{name: "by one of two names that the path may want", e: made(`{"id":"7","name":"ann"}`), in: in("user")},
		{name: "by the only name there is", e: made(`{"user":{"login":"7"}}`), in: in("user"), want: "e likely"},
		{name: "to come", e: inSeries(kind, turn{"POST", "/t", "{}", 202, "{}"}, get(404, ""))},
		{name: "disturbed", e: disturbed(inSeries(kind, post, get(404, "")))},
		{name: "deleted between", e: inSeries("readAfterDelete", post, gone, get(404, ""))},
	})
	list := func(target, body string) *messages.Exchange {
		return inSeries("listContains", post, turn{"GET", target, "", 200, body})
	}
	table(t, 926, []row{
		{name: "missing", e: list("/t", `[{"id":1}]`), want: "w likely"},
		{name: "missing in an object", e: list("/t", `{"items":[{"id":17}]}`), want: "w likely"},
		{name: "there", e: list("/t", `[{"id":1},{"id":7}]`)},
		{name: "there by its address", e: list("/t", `["/t/7"]`)},
		{name: "a list that shows no ids", e: list("/t", `[{"name":"b"}]`)},
		{name: "asked for with a query", e: list("/t?x=1", `[]`)},
		{name: "pages", e: list("/t", `{"items":[],"total":9}`)},
		{name: "long", e: list("/t", `[1,2,3,4,5,6,8,9,10,11]`)},
		{name: "no list", e: list("/t", `{"a":[],"b":[]}`)},
		{name: "paging declared", e: list("/t", `[]`), in: func(in *Input) {
			in.Operation = &document.Operation{Parameters: []*document.Parameter{{Name: "pageToken", In: "query"}}}
		}},
		{name: "as long as its schema allows", e: list("/t", `[1,2]`), in: func(in *Input) {
			in.Declared.Media = &document.Media{Schema: &document.Schema{MaxItems: 2}}
		}},
		{name: "shorter than its schema allows", e: list("/t", `[1]`), want: "w likely", in: func(in *Input) {
			in.Declared.Media = &document.Media{Schema: &document.Schema{MaxItems: 2}}
		}},
		{name: "disturbed", e: disturbed(list("/t", `[]`))},
	})
}

func TestARefusedWriteChangesNothing(t *testing.T) {
	before := get(200, `{"name":"a","n":1,"at":"2026-01-01T00:00:00Z"}`)
	around := func(write turn, after string) *messages.Exchange {
		return inSeries("refusedWrite", post, before, write, get(200, after))
	}
	refused := patch(400, `{"name":"b"}`, "")
	table(t, 114, []row{
		{name: "what was sent", e: around(refused, `{"name":"b","n":1,"at":"2026-01-01T00:00:00Z"}`), want: "e /name"},
		{name: "something else", e: around(refused, `{"name":"a","n":0,"at":"2026-01-01T00:00:00Z"}`), want: "w likely /n"},
		{name: "a number that counts", e: around(refused, `{"name":"a","n":2,"at":"2026-01-01T00:00:00Z"}`)},
		{name: "a number that grows by more", e: around(refused, `{"name":"a","n":200,"at":"2026-01-01T00:00:00Z"}`), want: "w likely /n"},
		{name: "what was sent, in a member that moves by itself", e: inSeries("refusedWrite", post, get(200, `{"status":"new"}`), patch(409, `{"status":"old"}`, ""), get(200, `{"status":"old"}`)), want: "e /status"},
		{name: "a state that moves by itself", e: inSeries("refusedWrite", post, get(200, `{"status":"starting"}`), refused, get(200, `{"status":"running"}`))},
		{name: "a list in another order", e: inSeries("refusedWrite", post, get(200, `{"tags":["a",{"b":1}]}`), refused, get(200, `{"tags":[{"b":1.0},"a"]}`))},
		{name: "a list with another item", e: inSeries("refusedWrite", post, get(200, `{"tags":["a","a"]}`), refused, get(200, `{"tags":["a","b"]}`)), want: "w likely /tags/*"},
		{name: "a URL that is signed anew", e: inSeries("refusedWrite", post, get(200, `{"logo":"https://a.b/c?sig=1"}`), refused, get(200, `{"logo":"https://a.b/c?sig=2"}`))},
		{name: "moments in other forms", e: inSeries("refusedWrite", post, get(200, `{"a":"2026-01-01 00:00:00","b":"2 minutes ago"}`), refused, get(200, `{"a":"2026-01-01 00:00:09","b":"3 minutes ago"}`))},
		{name: "in another unit", e: with(around(refused, `{"name":"a","n":0,"at":"2026-01-01T00:00:00Z"}`), func(e *messages.Exchange) { sending(e, "", "X-Unit", "mile") })},
		{name: "408", e: around(patch(408, `{"name":"b"}`, ""), `{"name":"b","n":1}`)},
		{name: "a PUT", e: around(put(422, `{"name":"b"}`, ""), `{"name":"b","n":1,"at":"2026-01-01T00:00:00Z"}`), want: "e /name"},
		{name: "nothing", e: around(refused, `{"at":"2026-01-01T00:00:00Z","n":1.0,"name":"a"}`)},
		{name: "a moment", e: around(refused, `{"name":"a","n":1,"at":"2026-01-01T00:00:09Z"}`)},
		{name: "a write that succeeded", e: around(patch(200, `{"name":"b"}`, "{}"), `{"name":"b"}`)},
		{name: "a server error", e: around(patch(500, `{"name":"b"}`, ""), `{"name":"b"}`)},
		{name: "gone", e: inSeries("x", post, before, refused, get(404, ""))},
		{name: "disturbed", e: disturbed(around(refused, `{"name":"b"}`))},
	})
}

func TestAPutSaysAndDoesTheSameAgain(t *testing.T) {
	const kind = "putTwice"
	first := put(200, `{"name":"b"}`, `{"name":"b","n":1,"version":1}`)
	table(t, 116, []row{
		{name: "201", e: inSeries(kind, post, put(201, "{}", "{}")), want: "w"},
		{name: "200", e: inSeries(kind, post, first)},
		{name: "a PUT by another name of it", e: inSeries(kind, turn{"POST", "/t", "{}", 201, `{"number":7}`}, put(201, "{}", "{}"))},
		{name: "not made by a 201", e: inSeries(kind, turn{"POST", "/t", "{}", 200, "{}"}, put(201, "{}", "{}"))},
		{name: "disturbed", e: disturbed(inSeries(kind, post, put(201, "{}", "{}")))},
		{name: "the second PUT", e: inSeries(kind, post, first, put(201, "{}", "{}"))},
	})
	table(t, 115, []row{
		{name: "201 after 200", e: inSeries(kind, post, first, put(201, "{}", "{}")), want: "w"},
		{name: "201 after 201", e: inSeries(kind, post, put(201, "{}", "{}"), put(201, "{}", "{}")), want: "w"},
		{name: "200", e: inSeries(kind, post, first, first)},
		{name: "after one that failed", e: inSeries(kind, post, put(400, "{}", "{}"), put(201, "{}", "{}"))},
		{name: "the first PUT", e: inSeries(kind, post, put(201, "{}", "{}"))},
		{name: "disturbed", e: disturbed(inSeries(kind, post, first, put(201, "{}", "{}")))},
	})
	again := func(body string) *messages.Exchange {
		return inSeries(kind, post, first, put(200, `{"name":"b"}`, body))
	}
	table(t, 118, []row{
		{name: "another value", e: again(`{"name":"b","n":2,"version":2}`), want: "w likely /n"},
		{name: "a list that grows", e: inSeries(kind, post, put(200, "{}", `{"tags":["a"]}`), put(200, "{}", `{"tags":["a","a"]}`)), want: "w likely /tags"},
		{name: "another version", e: again(`{"name":"b","n":1,"version":2}`)},
		{name: "another request", e: inSeries(kind, post, first, put(200, `{"note":"x"}`, `{"name":"b","n":2,"version":2}`))},
		{name: "refused", e: inSeries(kind, post, first, put(412, "{}", `{"x":1}`))},
		{name: "no content", e: inSeries(kind, post, first, put(204, "{}", ""))},
		{name: "disturbed", e: disturbed(again(`{"n":2}`))},
	})
}

func TestAPutReplacesTheWhole(t *testing.T) {
	schema := &document.Schema{AllOf: []*document.Schema{{Properties: []document.Property{
		{Name: "name", Schema: &document.Schema{}},
		{Name: "note", Schema: &document.Schema{}},
		{Name: "alg", Schema: &document.Schema{}},
		{Name: "on", Schema: &document.Schema{}},
		{Name: "own", Schema: &document.Schema{ReadOnly: true}},
		{Name: "usual", Schema: &document.Schema{HasDefault: true}},
	}}}}
	body := &document.Body{Media: []*document.Media{{Type: "application/json", Schema: schema}}}
	in := func(in *Input) { in.Operations = []*document.Operation{{}, {Body: body}, {Body: body}} }
	after := func(sent, now string) *messages.Exchange {
		made := turn{"POST", "/t", `{"name":"a","note":"n","own":1,"usual":2,"other":3,"alg":"none","on":true}`, 201, "{}"}
		return inSeries("putTwice", made, put(200, sent, "{}"), put(200, sent, "{}"), get(200, now))
	}
	named := after(`{"name":"b"}`, `{"name":"b","note":"n"}`)
	for _, t := range append(named.Request.Series.Taken, messages.Taken{Request: named.Request}) {
		t.Request.Target = "/t/n."
	}
	rows := []row{
		{name: "the name in the path", e: named},
		{name: "kept", e: after(`{"name":"b"}`, `{"name":"b","note":"n"}`), want: "w likely note"},
		{name: "gone", e: after(`{"name":"b"}`, `{"name":"b"}`)},
		{name: "null", e: after(`{"name":"b"}`, `{"name":"b","note":null}`)},
		{name: "another", e: after(`{"name":"b"}`, `{"name":"b","note":"none"}`)},
		{name: "sent", e: after(`{"name":"b","note":"n"}`, `{"name":"b","note":"n"}`)},
		{name: "what servers fill in", e: after(`{"name":"b"}`, `{"alg":"none","on":true}`)},
		{name: "the server's own", e: after(`{"name":"b"}`, `{"own":1,"usual":2,"other":3}`)},
		{name: "disturbed", e: disturbed(after(`{}`, `{"note":"n"}`))},
	}
	for i := range rows {
		rows[i].in = in
	}
	table(t, 117, rows)
}

func TestAMergePatchIsMerged(t *testing.T) {
	oneView := func(in *Input) {
		schema := &document.Schema{Properties: []document.Property{{Name: "note", Schema: &document.Schema{}}}}
		media := []*document.Media{{Type: "application/json", Schema: schema}}
		in.Operations = []*document.Operation{{Responses: []*document.Response{{Code: "201", Media: media}}}}
		in.Declared.Media = media[0]
	}
	after := func(sent, now string) *messages.Exchange {
		return inSeries("patchThenRead", post, patch(200, sent, "{}"), get(200, now))
	}
	plain := after(`{"name":"b"}`, `{"id":7,"name":"a","note":"n"}`)
	plain.Request.Series.Taken[1].Request.Header[0].Value = "application/json"
	table(t, 119, []row{
		{name: "not done", e: after(`{"name":"b"}`, `{"id":7,"name":"a","note":"n"}`), want: "w likely name is not what was sent"},
		{name: "null is no value", e: after(`{"note":null}`, `{"id":7,"name":"a","note":"n"}`), want: "w likely note was sent as null and is still there"},
		{name: "a member that was not sent", e: after(`{"name":"b"}`, `{"id":7,"name":"b","note":"m"}`), want: "w likely note was not sent and has changed"},
		{name: "a member that is not shown", e: after(`{"name":"b"}`, `{"id":7,"name":"b"}`)},
		{name: "a member that is gone", e: after(`{"name":"b"}`, `{"id":7,"name":"b"}`), want: "w likely note was not sent and has changed", in: oneView},
		{name: "a member that is gone and that no schema has", e: inSeries("patchThenRead", turn{"POST", "/t", "{}", 201, `{"name":"a","x":{"y":1}}`}, patch(200, `{"name":"b"}`, "{}"), get(200, `{"name":"b"}`)), in: oneView},
		{name: "a member in more detail", e: after(`{"name":"b"}`, `{"id":7,"name":"b","note":{"text":"n"}}`)},
		{name: "done", e: after(`{"name":"b","note":null}`, `{"id":7,"name":"b"}`)},
		{name: "written otherwise", e: after(`{"name":" B "}`, `{"id":7,"name":"b","note":"n"}`)},
		{name: "nothing in it", e: after(`{"name":[]}`, `{"id":7,"name":null,"note":"n"}`)},
		{name: "emptied by null", e: after(`{"note":null}`, `{"id":7,"name":"a","note":[]}`)},
		{name: "as a slug", e: after(`{"name":"Big & Blue!"}`, `{"id":7,"name":"big-blue","note":"n"}`)},
		{name: "escaped", e: after(`{"name":"Tom & Ann"}`, `{"id":7,"name":"Tom &amp; Ann","note":"n"}`)},
		{name: "cut short", e: after(`{"name":"a name that is long"}`, `{"id":7,"name":"a name that","note":"n"}`)},
		{name: "in another zone", e: after(`{"name":"2026-01-01T10:00:00+01:00"}`, `{"id":7,"name":"2026-01-01T09:00:00.000Z","note":"n"}`)},
		{name: "another moment", e: after(`{"name":"2026-01-01T10:00:00+01:00"}`, `{"id":7,"name":"2026-01-01T10:00:00Z","note":"n"}`), want: "w likely name is not what was sent"},
		{name: "rounded", e: after(`{"name":1.23456}`, `{"id":7,"name":1.23,"note":"n"}`)},
		{name: "as a text", e: after(`{"name":12.90}`, `{"id":7,"name":"12.9","note":"n"}`)},
		{name: "another number", e: after(`{"name":5}`, `{"id":7,"name":4,"note":"n"}`), want: "w likely name is not what was sent"},
		{name: "in another order", e: after(`{"name":["b","A","b"]}`, `{"id":7,"name":["a","b"],"note":"n"}`)},
		{name: "with an item less", e: after(`{"name":["b","c"]}`, `{"id":7,"name":["b"],"note":"n"}`), want: "w likely name is not what was sent"},
		{name: "never shown", e: after(`{"secret":"s"}`, `{"id":7,"name":"a","note":"n"}`)},
		{name: "no merge patch", e: plain},
		{name: "failed", e: inSeries("patchThenRead", post, patch(409, `{"name":"b"}`, ""), get(200, `{"name":"a"}`))},
		{name: "disturbed", e: disturbed(after(`{"name":"b"}`, `{"name":"a"}`))},
	})
}

func TestAGetIsSafe(t *testing.T) {
	between := func(before, after string) *messages.Exchange {
		return inSeries("safeGet", post, get(200, before), turn{"GET", "/t/7/photos", "", 200, "[]"}, get(200, after))
	}
	table(t, 927, []row{
		{name: "changed", e: between(`{"read":false}`, `{"read":true}`), want: "w likely /read"},
		{name: "an item more", e: between(`{"log":[]}`, `{"log":["read"]}`), want: "w likely /log"},
		{name: "the same", e: between(`{"a":[1,{"b":null}]}`, `{"a":[1.0,{"b":null}]}`)},
		{name: "in another language", e: with(between(`{"name":"cat"}`, `{"name":"Katze"}`), func(e *messages.Exchange) { sending(e, "", "Accept-Language", "de") })},
		{name: "with new credentials", e: with(between(`{"read":false}`, `{"read":true}`), func(e *messages.Exchange) { sending(e, "", "Authorization", "Bearer new") }), want: "w likely /read"},
		{name: "a number that counts", e: between(`{"a":[{"uses":1}]}`, `{"a":[{"uses":3}]}`)},
		{name: "seen again", e: between(`{"views":1,"lastSeen":"a","read_at":null}`, `{"views":2,"lastSeen":"b","read_at":"x"}`)},
		{name: "a moment by its form", e: between(`{"x":"2026-01-01T00:00:00Z"}`, `{"x":"2026-01-01T00:00:01Z"}`)},
		{name: "gone", e: inSeries("safeGet", post, get(200, `{}`), get(404, ``))},
		{name: "disturbed", e: disturbed(between(`{"read":false}`, `{"read":true}`))},
	})
}
