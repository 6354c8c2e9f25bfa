package reporter

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// keep has files kept, from a disk that holds them under their names.
func keep(t *testing.T, disk map[string][]byte, names ...string) *Files {
	t.Helper()
	files := new(Files)
	read := files.Keep(func(_ context.Context, location string) ([]byte, error) {
		if content, held := disk[location]; held {
			return content, nil
		}
		return nil, errors.New("no such file")
	})
	for _, name := range names {
		content, err := read(t.Context(), name)
		if !bytes.Equal(content, disk[name]) || (err == nil) != (disk[name] != nil) {
			t.Fatalf("%s was read as %q, %v", name, content, err)
		}
	}
	return files
}

func TestARecordingHoldsTheDocumentsFilesAsTheyWereRead(t *testing.T) {
	disk := map[string][]byte{"shop.yaml": []byte("example: sesame-4711\n"), "parts/\xff.yaml": []byte("\xfe\n")}
	s := newScene(t, func(c *Config) {
		c.Files = keep(t, disk, "shop.yaml", "missing.yaml", "parts/\xff.yaml")
		c.URL, c.Mask, c.LastWrite = "http://127.0.0.1:8080/v1?key=sesame-4711", keys("header:X-Key=sesame-4711"), -1
		c.KeysUsed, c.KeysMissing = []string{"header X-Key"}, []string{"petstore_auth"}
	})
	s.over(messages.DeadlineCame)
	run := read(t, s.out.files[RecordingName].Bytes())[0].Run
	want := []FileLine{
		{Location: "shop.yaml", Content: "example: xxxxxx-0000\n", Masked: true},
		{Location: "parts/\ufffd.yaml", Content: "\xfe\n"},
	}
	if !slices.Equal(run.Files, want) || run.FilesNote != "" {
		t.Errorf("the files are %+v, %q", run.Files, run.FilesNote)
	}
	if run.URL != "http://127.0.0.1:8080/v1?key=xxxxxx-0000" || run.LastWrite != -1 ||
		!slices.Equal(run.Keys, []string{"header X-Key"}) || !slices.Equal(run.KeysNotGiven, []string{"petstore_auth"}) {
		t.Errorf("the first line is %+v", run)
	}
	if d, err := run.BudgetGiven(); d != 10*time.Second || err != nil {
		t.Errorf("its budget is %s, %v", d, err)
	}
	if at, err := run.StartedAt(); !at.Equal(start) || err != nil {
		t.Errorf("it began at %s, %v", at, err)
	}
}

func TestFilesThatAreTooLargeAreLeftOutAndThatIsSaid(t *testing.T) {
	disk := map[string][]byte{"a": make([]byte, mostFileBytes), "b": {0}}
	const note = "the document's files are larger than 32 MiB in all, so the recording does not hold them; restest sim needs --document"
	for _, row := range []struct {
		names []string
		held  int
		note  string
	}{{[]string{"a"}, 1, ""}, {[]string{"a", "b"}, 0, note}} {
		files := keep(t, disk, row.names...)
		if len(files.lines(nil)) != row.held || files.note() != row.note {
			t.Errorf("%v: %d are held, %q", row.names, len(files.lines(nil)), files.note())
		}
	}
	s := newScene(t, func(c *Config) { c.Files = keep(t, disk, "a", "b") })
	if !strings.Contains(s.live.String(), "  note       "+note) {
		t.Errorf("at the beginning it says\n%s", s.live.String())
	}
	s.over(messages.DeadlineCame)
	if run := read(t, s.out.files[RecordingName].Bytes())[0].Run; run.Files != nil || run.FilesNote != note {
		t.Errorf("the recording has %d files and notes %q", len(run.Files), run.FilesNote)
	}
}

func TestTheSettingsOfARecordingAreThoseThatWereGiven(t *testing.T) {
	given, err := settings.Resolve(settings.Input{
		Set:     []string{"engine.mostRequestsPerMinute=300", "schedule.firstGuessedWait=1.5ms", "generation.optionalBodyChance=0.25", "engine.userAgent=a, b=c"},
		Environ: []string{"RESTEST_ENGINE_READTIMEOUT=3s"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newScene(t, func(c *Config) { c.Values = given.All() })
	s.over(messages.DeadlineCame)
	run := read(t, s.out.files[RecordingName].Bytes())[0].Run
	again, err := settings.Resolve(settings.Input{Simulated: run.Given()})
	if err != nil || again.Settings != given.Settings {
		t.Errorf("%v: %+v\ninstead of %+v", err, again, given.Settings)
	}
	// A default that has changed since is a value that was given.
	run = &RunLine{Settings: []SettingLine{{Name: "engine.readTimeout", Value: "7s", Default: "7s", Origin: settings.FromDefault}}}
	if got := run.Given(); !slices.Equal(got, []settings.Flag{{Flag: "the recording", Name: "engine.readTimeout", Value: "7s"}}) {
		t.Errorf("of another default %+v is left", got)
	}
}

func TestADurationIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(8760*time.Hour)).Draw(t, "d"))
		if got, err := parseISO(iso(d)); got != d || err != nil {
			t.Fatalf("%s became %s, %v", iso(d), got, err)
		}
	})
	for _, s := range []string{"", "PT", "PTS", "1s", "PT1M", "PT1", "PT1.50S", "PT1hS", "PT+1S"} {
		if d, err := parseISO(s); err == nil {
			t.Errorf("%q was read as %s", s, d)
		}
	}
}

func TestAReplyThatWasToldIsTheReply(t *testing.T) {
	anyBytes := func(t *rapid.T, name string) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, name)) }
	fields := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) messages.Field {
		return messages.Field{Name: "X" + rapid.StringMatching("[a-z]{0,3}").Draw(t, "name"), Value: anyBytes(t, "value")}
	}), 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		reply := messages.Reply{Proto: "HTTP/1.1", Status: rapid.IntRange(100, 999).Draw(t, "status"), Reason: anyBytes(t, "reason")}
		if list := fields.Draw(t, "header"); len(list) > 0 {
			reply.Header = list
		}
		if list := fields.Draw(t, "trailer"); len(list) > 0 {
			reply.Trailer = list
		}
		if body := []byte(anyBytes(t, "body")); len(body) > 0 {
			reply.Body, reply.Length = body, int64(len(body))
			if reply.Cut = rapid.Bool().Draw(t, "cut"); reply.Cut {
				reply.Length++
			}
		}
		told := (&teller{longest: 1 << 10}).reply(&reply)
		again, err := told.Message()
		if err != nil || !reflect.DeepEqual(*again, reply) {
			t.Fatalf("%+v\nbecame %+v, %v", reply, again, err)
		}
	})
	long := messages.Reply{Status: 200, Body: []byte("0123456789"), Length: 10}
	told := (&teller{longest: 4}).reply(&long)
	if short, err := told.Message(); err != nil || string(short.Body) != "0123" || !short.Cut || short.Length != 10 {
		t.Errorf("a body told in part is %+v, %v", short, err)
	}
}

func TestEachWordForAnEndIsRead(t *testing.T) {
	for o := messages.NeverSent; o <= messages.Answered; o++ {
		if got, err := OutcomeOf(outcomeWord(o)); got != o || err != nil {
			t.Errorf("%s: %v, %v", outcomeWord(o), got, err)
		}
	}
	for f := messages.NoFailure; f <= messages.NotWritten; f++ {
		if got, err := FailureOf(failureWord(f)); got != f || err != nil {
			t.Errorf("%s: %v, %v", failureWord(f), got, err)
		}
	}
	if _, err := FailureOf("lost"); err == nil || err.Error() != `"lost" is no kind of failure` {
		t.Errorf("got %v", err)
	}
}

func TestAVersionThatIsNotKnownIsNamed(t *testing.T) {
	for run, want := range map[*RunLine]string{
		nil:                                   "this is no recording: its first line does not name the format restest-recording",
		{Format: "har"}:                       "this is no recording: its first line does not name the format restest-recording",
		{Format: recordingFormat}:             "this recording is of version 0 of its format, and version 1 can be read; use the restest that made it",
		{Format: recordingFormat, Version: 9}: "this recording is of version 9 of its format, and version 1 can be read; use the restest that made it",
	} {
		if err := checkFormat(run); err == nil || err.Error() != want {
			t.Errorf("%+v: %v", run, err)
		}
	}
	if err := checkFormat(&RunLine{Format: recordingFormat, Version: recordingVersion}); err != nil {
		t.Error(err)
	}
}

func TestASimulatedRunIsMarked(t *testing.T) {
	told := Simulated{From: "run.ndjson.zst", Replies: 12, Invented: 3, Masked: 1, Shortened: 2, Notes: []string{"It overstates."}}
	s := newScene(t, func(c *Config) { c.Simulated = func() Simulated { return told } })
	s.at(12 * time.Second)
	s.judged(0, 200)
	result := s.over(messages.DeadlineCame)
	for _, want := range []string{
		"simulated: nothing was sent; 12 replies from run.ndjson.zst, 3 of them invented\n",
		"  1 reply holds a value that was masked when it was recorded\n",
		"  2 replies hold a body that was recorded in part and is not judged (report.longestBodyKept)\n",
		"  It overstates.\n",
	} {
		if !strings.Contains(result.Summary, want) {
			t.Errorf("the summary does not say %q:\n%s", want, result.Summary)
		}
	}
	if live := s.live.String(); !strings.HasPrefix(live, "Simulating a test of Shop 1.2 at http://127.0.0.1:8080/v1\n") || strings.Contains(live, " left") {
		t.Errorf("while it ran it said\n%s", live)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.out.files[ReportName].Bytes()))
	if err == nil {
		err = reportSchema(t).Validate(v)
	}
	if err != nil {
		t.Error(err)
	}
	if !bytes.Contains(s.out.files[ReportName].Bytes(), []byte(`"simulated": {`)) || result.Simulated.Invented != 3 {
		t.Errorf("the report is not marked")
	}
}

func TestRunsAreShownSideBySide(t *testing.T) {
	one := Result{
		Errors: 2, Totals: Totals{Requests: 1200, Refused: 7, ByClass: Classes{C2xx: 1100, C4xx: 100}},
		Paced: &messages.Paced{
			StoppedAt: 1e10, Idle: 3e9, IdleAsked: 2e9, IdleRate: 1e9, WholeAPI: messages.Held{Times: 1, Lasted: 2e9},
			Waits: []messages.Waited{{Times: 2, Lasted: 15e8}, {Times: 3, Lasted: 1e9}},
		},
		Simulated: &Simulated{Invented: 4},
	}
	other := Result{Totals: Totals{Requests: 5, NoReply: 5}, Paced: &messages.Paced{}}
	const want = `                                 A     B
requests                     1,200     5
refused                          7     0
2xx                          1,100     0
4xx, the refused among them    100     0
no reply                         0     5
waits of operations              5     0
  together                    2.5s  0.0s
waits of the whole API           1     0
  together                    2.0s  0.0s
sending lasted               10.0s  0.0s
idle                          3.0s  0.0s
  waiting as the API asked    2.0s  0.0s
  keeping to the rate         1.0s  0.0s
errors found                     2     0
warnings found                   0     0
replies invented                 4     0
`
	if got := SideBySide([]string{"A", "B"}, []Result{one, other}); got != want {
		t.Errorf("got\n%s", got)
	}
}
