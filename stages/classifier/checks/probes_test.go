package checks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// taken is a step that was answered: by whom it was sent (a kind of probe, "" for none), "METHOD target", status and body.
func taken(probe messages.Probe, line string, status int, body string) messages.Taken {
	method, target, _ := strings.Cut(line, " ")
	t := messages.Taken{
		Request: &messages.Request{Method: method, Target: target, Probe: probe},
		Reply:   jsonReply(status, body).Reply,
	}
	if probe == messages.OtherUser {
		t.Request.User = "bert"
	}
	t.Value = valueOf(body)
	return t
}

func valueOf(body string) any {
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var v any
	_ = d.Decode(&v) // nil where it is no JSON
	return v
}

// after is the exchange of a probe that comes after these steps.
func after(t messages.Taken, steps ...messages.Taken) *messages.Exchange {
	e := &messages.Exchange{Request: t.Request, Outcome: messages.Answered, Reply: t.Reply}
	e.Request.Series = &messages.Step{Series: 1, Kind: "probe", Nth: len(steps) + 1, Taken: steps}
	return e
}

// Each sentence of decision 0025 on how probes are judged, and what keeps a check silent.
func TestEachProbeIsJudgedAsItsDecisionSays(t *testing.T) {
	asks := [][]document.Requirement{{{Scheme: "key"}}}
	open := [][]document.Requirement{{}, {{Scheme: "key"}}}
	secured := func(security [][]document.Requirement) func(*Input) {
		return func(in *Input) {
			in.Operation, in.Declared = &document.Operation{Security: security}, Declared{JSON: true, Type: "application/json"}
			if reply := in.Exchange.Reply; reply != nil {
				in.Content = Read(reply.Body)
			}
		}
	}
	const (
		none  = messages.NoProbe
		anon  = messages.Anonymous
		wrong = messages.WrongCredentials
		other = messages.OtherUser
		mass  = messages.MassAssignment
		hid   = messages.HiddenMethod
	)
	do := func(probe messages.Probe, line string, status int, body string) messages.Taken {
		return taken(probe, line, status, body)
	}
	with := func(t messages.Taken, body string) messages.Taken {
		t.Request.Body, t.Request.Header = []byte(body), []messages.Field{{Name: "Content-Type", Value: "application/json"}}
		t.Request.Origins = []messages.Origin{{Place: "body.role", Source: "probe"}}
		return t
	}
	bare := func(t messages.Taken, body string) messages.Taken {
		t = with(t, body)
		t.Request.Origins = nil
		return t
	}
	noReply := func(e *messages.Exchange) *messages.Exchange {
		e.Outcome, e.Reply = messages.NoReply, nil
		return e
	}
	disturbed := func(e *messages.Exchange) *messages.Exchange {
		e.Request.Series.Disturbed = true
		return e
	}
	page := func(e *messages.Exchange) *messages.Exchange {
		e.Reply.Header = []messages.Field{{Name: "Content-Type", Value: "text/html; charset=utf-8"}}
		return e
	}
	rows := map[int][]row{
		311: {
			{name: "read by nobody", e: after(do(anon, "GET /a", 200, `{"a":2}`), do(none, "GET /a", 200, `{"a":1}`)), want: "e anonymous"},
			{name: "read with wrong credentials", e: after(do(wrong, "GET /a", 200, `{"a":2}`), do(none, "GET /a", 200, `{"a":1}`)), want: "e wrongCredentials"},
			{name: "made by nobody", e: after(do(anon, "POST /a", 201, `{"a":2}`), do(none, "POST /a", 201, `{"a":1}`)), want: "e likely anonymous"},
			{name: "replaced with wrong ones", e: after(do(wrong, "PUT /a/1", 200, `{"a":2}`), do(none, "POST /a", 201, `{}`), do(none, "PUT /a/1", 200, `{"a":1}`)), want: "e wrongCredentials"},
			{name: "deleted with wrong ones", e: after(do(wrong, "DELETE /a/1", 204, ""), do(none, "POST /a", 201, `{}`)), want: "e likely wrongCredentials"},
			{name: "refused", e: after(do(anon, "GET /a", 401, `{"a":2}`), do(none, "GET /a", 200, `{"a":1}`))},
			{name: "another status", e: after(do(anon, "GET /a", 202, `{"a":2}`), do(none, "GET /a", 200, `{"a":1}`))},
			{name: "an error within a success", e: after(do(anon, "GET /a", 200, `{"error":"who?"}`), do(none, "GET /a", 200, `{"a":1}`))},
			{name: "an empty list", e: after(do(anon, "GET /a", 200, `[]`), do(none, "GET /a", 200, `[1]`))},
			{name: "an empty list within", e: after(do(anon, "GET /a", 200, `{"items":[]}`), do(none, "GET /a", 200, `{"items":[1]}`))},
			{name: "both lists empty", e: after(do(anon, "GET /a", 200, `[]`), do(none, "GET /a", 200, `[]`)), want: "e anonymous"},
			{name: "other text", e: after(do(anon, "GET /a", 200, `bye`), do(none, "GET /a", 200, `hello`))},
			{name: "another word in JSON", e: after(do(anon, "GET /a", 200, `"who?"`), do(none, "GET /a", 200, `"ann"`))},
			{name: "the same word in JSON", e: after(do(anon, "GET /a", 200, `"ok"`), do(none, "GET /a", 200, `"ok"`)), want: "e anonymous"},
			{name: "the same text", e: after(do(anon, "GET /a", 200, `hello`), do(none, "GET /a", 200, `hello`)), want: "e anonymous"},
			{name: "not accepted with credentials", e: after(do(anon, "GET /a", 200, `{"a":2}`), do(none, "GET /a", 403, `{"a":1}`))},
			{name: "another thing", e: after(do(anon, "GET /a/1", 200, `{"a":2}`), do(none, "GET /a/2", 200, `{"a":1}`))},
			{name: "nothing before it", e: after(do(anon, "GET /a", 200, `{"a":2}`))},
			{name: "replaced by nobody, which is F308", e: after(do(anon, "PUT /a/1", 200, `{"a":2}`), do(none, "PUT /a/1", 200, `{"a":1}`))},
			{name: "forbidden to another, which is F307", e: after(do(anon, "GET /a/1", 200, `{"a":2}`), do(none, "GET /a/1", 200, `{"a":1}`), do(other, "GET /a/1", 403, `{}`))},
			{name: "no probe", e: after(do(none, "GET /a", 200, `{"a":2}`), do(none, "GET /a", 200, `{"a":1}`))},
			{name: "disturbed", e: disturbed(after(do(anon, "GET /a", 200, `{"a":2}`), do(none, "GET /a", 200, `{"a":1}`)))},
			{name: "after a refusal", e: after(do(anon, "GET /a", 200, `{"a":2}`), do(none, "GET /a", 200, `{"a":1}`), do(none, "GET /a", 429, ``))},
			{name: "no reply", e: noReply(after(do(anon, "GET /a", 200, ``), do(none, "GET /a", 200, `{"a":1}`)))},
		},
		308: {
			{name: "replaced by nobody", e: after(do(anon, "PUT /a/1", 200, `{"a":2}`), do(none, "PUT /a/1", 200, `{"a":1}`)), want: "e"},
			{name: "changed by nobody", e: after(do(anon, "PATCH /a/1", 204, ``), do(none, "PATCH /a/1", 204, ``)), want: "e"},
			{name: "deleted by nobody", e: after(do(anon, "DELETE /a/1", 204, ``), do(none, "POST /a", 201, `{}`)), want: "e likely"},
			{name: "a deletion that will be", e: after(do(anon, "DELETE /a/1", 202, ``), do(none, "POST /a", 201, `{}`))},
			{name: "with wrong ones, which is F311", e: after(do(wrong, "PUT /a/1", 200, `{"a":2}`), do(none, "PUT /a/1", 200, `{"a":1}`))},
			{name: "made by nobody, which is F311", e: after(do(anon, "POST /a", 201, `{"a":2}`), do(none, "POST /a", 201, `{"a":1}`))},
			{name: "refused", e: after(do(anon, "PUT /a/1", 403, `{}`), do(none, "PUT /a/1", 200, `{}`))},
			{name: "an error within a success", e: after(do(anon, "PUT /a/1", 200, `{"error":""}`), do(none, "PUT /a/1", 200, `{"a":1}`))},
		},
		307: {
			{name: "forbidden to one, and not to nobody", e: after(do(anon, "GET /a/1", 200, `{"a":2}`), do(none, "GET /a/1", 200, `{"a":1}`), do(other, "GET /a/1", 403, `{}`)), want: "e likely"},
			{name: "hidden from one", e: after(do(anon, "GET /a/1", 200, `{"a":2}`), do(none, "GET /a/1", 200, `{"a":1}`), do(other, "GET /a/1", 404, `{}`))},
			{name: "allowed to all", e: after(do(anon, "GET /a/1", 200, `{"a":2}`), do(none, "GET /a/1", 200, `{"a":1}`), do(other, "GET /a/1", 200, `{}`))},
			{name: "refused", e: after(do(anon, "GET /a/1", 401, `{}`), do(none, "GET /a/1", 200, `{"a":1}`), do(other, "GET /a/1", 403, `{}`))},
			{name: "another thing was forbidden", e: after(do(anon, "GET /a/1", 200, `{"a":2}`), do(none, "GET /a/1", 200, `{"a":1}`), do(other, "GET /a/2", 403, `{}`))},
		},
		306: {
			{name: "replaced, not read", e: after(do(other, "PUT /a/1", 200, `{}`), do(other, "GET /a/1", 403, `{}`)), want: "e likely GET"},
			{name: "deleted, not replaced", e: after(do(other, "DELETE /a/1", 204, ``), do(other, "PUT /a/1", 403, `{}`)), want: "e likely PUT"},
			{name: "nothing was forbidden", e: after(do(other, "DELETE /a/1", 204, ``), do(other, "GET /a/1", 200, `{}`))},
			{name: "hidden", e: after(do(other, "DELETE /a/1", 204, ``), do(other, "GET /a/1", 404, `{}`))},
			{name: "forbidden to the one who made it", e: after(do(other, "DELETE /a/1", 204, ``), do(none, "GET /a/1", 403, `{}`))},
			{name: "forbidden too", e: after(do(other, "DELETE /a/1", 403, ``), do(other, "GET /a/1", 403, `{}`))},
			{name: "read", e: after(do(other, "GET /a/1", 200, `{}`), do(other, "PUT /a/1", 403, `{}`))},
		},
		305: {
			{name: "401 though they were accepted", e: after(do(other, "GET /a/1", 401, `{}`), do(other, "GET /a", 200, `[]`)), want: "w likely"},
			{name: "never accepted", e: after(do(other, "GET /a/1", 401, `{}`), do(other, "GET /a", 401, `[]`))},
			{name: "another's were", e: after(do(other, "GET /a/1", 401, `{}`), do(none, "GET /a", 200, `[]`))},
			{name: "forbidden", e: after(do(other, "GET /a/1", 403, `{}`), do(other, "GET /a", 200, `[]`))},
			{name: "to nobody", e: after(do(anon, "GET /a/1", 401, `{}`), do(other, "GET /a", 200, `[]`))},
		},
		304: {
			{name: "403, then 404", e: after(do(other, "GET /a/1", 404, `{}`), do(none, "POST /a", 201, `{}`), do(other, "GET /a/1", 403, `{}`), do(none, "DELETE /a/1", 204, ``)), want: "w likely"},
			{name: "403, then 410", e: after(do(other, "GET /a/1", 410, `{}`), do(none, "POST /a", 201, `{}`), do(other, "GET /a/1", 403, `{}`), do(none, "DELETE /a/1", 204, ``)), want: "w likely"},
			{name: "403 both times", e: after(do(other, "GET /a/1", 403, `{}`), do(none, "POST /a", 201, `{}`), do(other, "GET /a/1", 403, `{}`), do(none, "DELETE /a/1", 204, ``))},
			{name: "404 both times", e: after(do(other, "GET /a/1", 404, `{}`), do(none, "POST /a", 201, `{}`), do(other, "GET /a/1", 404, `{}`), do(none, "DELETE /a/1", 204, ``))},
			{name: "not deleted", e: after(do(other, "GET /a/1", 404, `{}`), do(none, "POST /a", 201, `{}`), do(other, "GET /a/1", 403, `{}`), do(none, "DELETE /a/1", 409, ``))},
			{name: "another thing", e: after(do(other, "GET /a/1", 404, `{}`), do(none, "POST /a", 201, `{}`), do(other, "GET /a/2", 403, `{}`), do(none, "DELETE /a/2", 204, ``))},
		},
		303: {
			{name: "read after it", e: after(do(mass, "GET /a/1", 200, `{"role":"x"}`), do(none, "GET /a/1", 200, `{"role":"r"}`), with(do(mass, "PATCH /a/1", 200, `{}`), `{"role":"x"}`)), want: "e likely role"},
			{name: "sent again later", e: after(do(mass, "GET /a/1", 200, `{"role":"x"}`), do(none, "GET /a/1", 200, `{"role":"r"}`), bare(do(none, "PATCH /a/1", 200, `{}`), `{"a":1}`), bare(do(mass, "PATCH /a/1", 200, `{}`), `{"a":1,"role":"x"}`)), want: "e likely role"},
			{name: "in the reply to a POST", e: after(with(do(mass, "POST /a", 201, `{"role":"x"}`), `{"role":"x"}`), do(none, "POST /a", 201, `{"role":"r"}`)), want: "w likely role"},
			{name: "ignored", e: after(do(mass, "GET /a/1", 200, `{"role":"r"}`), do(none, "GET /a/1", 200, `{"role":"r"}`), with(do(mass, "PATCH /a/1", 200, `{}`), `{"role":"x"}`))},
			{name: "as it was", e: after(do(mass, "GET /a/1", 200, `{"role":"x"}`), do(none, "GET /a/1", 200, `{"role":"x"}`), with(do(mass, "PATCH /a/1", 200, `{}`), `{"role":"x"}`))},
			{name: "not known how it was", e: after(do(mass, "GET /a/1", 200, `{"role":"x"}`), do(none, "GET /a/1", 200, `{}`), with(do(mass, "PATCH /a/1", 200, `{}`), `{"role":"x"}`))},
			{name: "the write was refused", e: after(do(mass, "GET /a/1", 200, `{"role":"x"}`), do(none, "GET /a/1", 200, `{"role":"r"}`), with(do(mass, "PATCH /a/1", 422, `{}`), `{"role":"x"}`))},
			{name: "the write itself, which is read later", e: after(with(do(mass, "PATCH /a/1", 200, `{"role":"x"}`), `{"role":"x"}`), do(none, "GET /a/1", 200, `{"role":"r"}`), do(none, "PATCH /a/1", 200, `{}`))},
		},
		310: {
			{name: "answered", e: after(do(hid, "GET /a", 200, `[1]`), do(none, "POST /a", 201, `{}`), do(hid, "GET /a/x", 404, `{}`)), want: "w likely"},
			{name: "everything is", e: after(do(hid, "GET /a", 200, `[1]`), do(none, "POST /a", 201, `{}`), do(hid, "GET /a/x", 200, `{}`))},
			{name: "a page", e: page(after(do(hid, "GET /a", 200, `<p>`), do(none, "POST /a", 201, `{}`), do(hid, "GET /a/x", 404, `{}`)))},
			{name: "without content", e: after(do(hid, "GET /a", 204, ``), do(none, "POST /a", 201, `{}`), do(hid, "GET /a/x", 404, `{}`))},
			{name: "405", e: after(do(hid, "GET /a", 405, `{}`), do(none, "POST /a", 201, `{}`), do(hid, "GET /a/x", 404, `{}`))},
			{name: "what is nowhere", e: after(do(hid, "GET /a/x", 200, `[1]`), do(none, "POST /a", 201, `{}`))},
		},
	}
	for code, list := range rows {
		for i := range list {
			list[i].in = secured(asks)
		}
		table(t, code, list)
	}
	// Optional or absent security is never held against the API.
	for _, security := range [][][]document.Requirement{nil, open} {
		table(t, 311, []row{{name: "optional", e: after(do(anon, "GET /a", 200, `{"a":2}`), do(none, "GET /a", 200, `{"a":1}`)), in: secured(security)}})
		table(t, 308, []row{{name: "optional", e: after(do(anon, "PUT /a/1", 200, `{"a":2}`), do(none, "PUT /a/1", 200, `{"a":1}`)), in: secured(security)}})
	}
}

func TestAnInjectionProvokesTheErrorsOfDatabases(t *testing.T) {
	e := answered(500, `near "'": syntax error`, "Content-Type", "text/plain")
	e.Request.Probe = messages.Injection
	table(t, 300, []row{{name: "a quote", e: e, want: "e likely SQLite"}})
}
