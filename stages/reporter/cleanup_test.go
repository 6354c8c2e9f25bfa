package reporter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/restest/restest/messages"
)

func made(address string) messages.Thing {
	return messages.Thing{Address: address, State: messages.Made}
}

func TestWhatTheRunLeavesIsListedWithTheReason(t *testing.T) {
	s := newScene(t, nil)
	s.at(12 * time.Second)
	s.r.Handle(messages.Things{Things: []messages.Thing{made("/a/1"), made("/a/2"), made("/a/3"), made("/a/4")}})
	s.r.Handle(messages.Things{Things: []messages.Thing{
		{Address: "/a/1", State: messages.Gone},
		{Address: "/a/2", State: messages.Left, Why: "DELETE was answered 409"},
		{Address: "/a/9", State: messages.Uncounted},
	}})
	s.judged(0, 204, func(j *messages.Judged) {
		j.Exchange.Request.Purpose, j.Exchange.Request.Target = messages.CleaningUp, "/a/4?really=true"
	})
	result := s.over(messages.DeadlineCame)
	for _, want := range []string{
		"cleaned up: 2 of the 5 things the run made; 3 are left:\n",
		"  /a/2, made by listPets: DELETE was answered 409\n",
		"  /a/3, made by listPets: the run ended before it was deleted\n",
	} {
		if !strings.Contains(result.Summary, want) {
			t.Errorf("the summary does not say %q:\n%s", want, result.Summary)
		}
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.out.files[ReportName].Bytes()))
	if err == nil {
		err = reportSchema(t).Validate(v)
	}
	if err != nil {
		t.Error(err)
	}
	var told struct{ CleanUp CleanUp }
	if err := json.Unmarshal(s.out.files[ReportName].Bytes(), &told); err != nil {
		t.Fatal(err)
	}
	if c := told.CleanUp; c.Made != 5 || c.Deleted != 2 || len(c.Left) != 2 || c.More != 1 {
		t.Errorf("the report says %+v", c)
	}
}

func TestOfManyThingsThatAreLeftTheFirstAreNamed(t *testing.T) {
	s := newScene(t, nil)
	var things []messages.Thing
	for i := range mostLeft + 20 {
		things = append(things, made(fmt.Sprintf("/a/%d", i)))
	}
	s.r.Handle(messages.Things{Things: things})
	result := s.over(messages.DeadlineCame)
	if !strings.Contains(result.Summary, "  and 110 more, in report.json\n") || strings.Contains(result.Summary, "/a/10,") {
		t.Errorf("the summary is\n%s", result.Summary)
	}
	if told := s.r.cleanUp(); len(told.Left) != mostLeft || told.More != 20 {
		t.Errorf("%d are listed, %d more", len(told.Left), told.More)
	}
}
