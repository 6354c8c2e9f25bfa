package reporter

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/messages"
)

func read(t testing.TB, recording []byte) []Line {
	t.Helper()
	var lines []Line
	if err := ReadRecording(bytes.NewReader(recording), func(l Line) error {
		lines = append(lines, l)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return lines
}

// nasty is an exchange with any bytes wherever some can be.
func nasty(j *messages.Judged) {
	ex := j.Exchange
	ex.Request.Target = "/v1/\xffpets?q=<&>"
	ex.Request.Header = append(ex.Request.Header, messages.Field{Name: "X-Any", Value: "caf\xe9\x00"})
	ex.Request.Body = []byte{0, 0xff, '\n'}
	ex.Request.Origins = []messages.Origin{{Place: "body", Source: "mutation"}}
	ex.Reply.Reason = "N\xf6"
	ex.Reply.Body = []byte("\xef\xbb\xbf\u2028 line\nfeed")
	ex.Reply.Length = int64(len(ex.Reply.Body))
	ex.Reply.Trailer = []messages.Field{{Name: "Checksum", Value: "1"}}
	ex.Hops = []messages.Hop{{Method: "GET", Target: "/old", SentAt: 5, Status: 302, Location: "/new"}}
	ex.Failure, ex.Kind, ex.Outcome = "ended after 3 bytes", messages.ClosedEarly, messages.BrokeOff
	j.Unjudged, j.Refused = "the body broke off", true
	j.Findings = []messages.Finding{{Code: 922, Error: true}, {Code: 920}}
}

func TestARecordingHoldsTheWholeRun(t *testing.T) {
	s := newScene(t, nil)
	s.at(time.Second)
	s.judged(0, 200)
	s.judged(1, 429, nasty)
	s.judged(2, 0, unanswered(messages.NeverSent, messages.Kept, "its turn did not come before the end"))
	s.over(messages.DeadlineCame)

	lines := read(t, s.out.files[RecordingName].Bytes())
	if len(lines) != 5 {
		t.Fatalf("%d lines instead of 5", len(lines))
	}
	run := lines[0].Run
	if run == nil || run.Seed != 42 || run.Budget != "PT10S" || run.Origin != "http://127.0.0.1:8080" ||
		run.Document != (DocumentTold{"shop.yaml", "3.0.3", "Shop", "1.2"}) || len(run.Operations) != 3 || len(run.Settings) != 1 {
		t.Errorf("the first line is %+v", run)
	}
	if end := lines[4].End; end == nil || end.Exchanges != 3 || end.End != "deadline" || end.CutShort || end.Totals.Requests != 2 || end.Totals.NeverSent != 1 {
		t.Errorf("the last line is %+v", end)
	}
	got := lines[2].Exchange
	body, err := got.Request.Body.Bytes()
	if err != nil || !bytes.Equal(body, []byte{0, 0xff, '\n'}) {
		t.Errorf("the request's body is %q, %v", body, err)
	}
	replied, err := got.Reply.Body.Bytes()
	if err != nil || string(replied) != "\xef\xbb\xbf\u2028 line\nfeed" {
		t.Errorf("the reply's body is %q, %v", replied, err)
	}
	got.Request.Body, got.Reply.Body = nil, nil
	want := &ExchangeTold{
		Seq: 2, Operation: "createPet", Nth: 1,
		Request: RequestTold{
			Method: "POST", Target: "/v1/\xffpets?q=<&>",
			Header:  [][2]Text{{"User-Agent", "RESTest/3.0"}, {"Accept", "application/json"}, {"X-Any", "caf\xe9\x00"}},
			Purpose: "openingLap", Valid: true, Origins: []Origin{{"body", "mutation"}},
		},
		Outcome: "brokeOff", Failure: "ended after 3 bytes", Kind: "closedEarly",
		SentAt: 996e6, HeardAt: 999e6, EndedAt: 1e9,
		Reply: &ReplyTold{
			Proto: "HTTP/1.1", Status: 429, Reason: "N\xf6",
			Header: [][2]Text{{"Content-Type", "application/json"}}, Trailer: [][2]Text{{"Checksum", "1"}},
		},
		Hops:    []HopTold{{"GET", "/old", 5, 302, "/new"}},
		Refused: true, Unjudged: "the body broke off",
		Findings: []FindingTold{{922, "error", got.Findings[0].ID}, {920, "warning", got.Findings[1].ID}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if dropped := lines[3].Exchange; dropped.Outcome != "neverSent" || dropped.Kind != "kept" || dropped.Reply != nil {
		t.Errorf("the request that never went out is %+v", dropped)
	}
}

// A run that is killed leaves a recording that ends anywhere.
func TestARecordingCutAnywhereIsReadAsFarAsItGoes(t *testing.T) {
	s := newScene(t, nil)
	file := s.out.files[RecordingName]
	// After so many bytes, so many lines can be read.
	flushed := []int{file.Len()}
	for i := range 5 {
		s.at(time.Duration(i+1) * 1100 * time.Millisecond)
		s.judged(i%3, 200, nasty)
		flushed = append(flushed, file.Len())
	}
	s.over(messages.DeadlineCame)
	whole := file.Bytes()
	all := read(t, whole)
	if len(all) != 7 || all[6].End == nil {
		t.Fatalf("the whole recording has %d lines", len(all))
	}
	for n := range whole {
		got := read(t, whole[:n])
		least := 0
		for _, at := range flushed {
			if n >= at {
				least++
			}
		}
		if len(got) < least {
			t.Fatalf("cut after %d of %d bytes, %d lines can be read; %d were flushed", n, len(whole), len(got), least)
		}
		if !reflect.DeepEqual(got, all[:len(got)]) && len(got) > 0 {
			t.Fatalf("cut after %d bytes, the lines are others", n)
		}
	}
}

func TestWhatIsNoRecordingIsRefused(t *testing.T) {
	s := newScene(t, nil)
	s.judged(0, 200)
	s.over(messages.DeadlineCame)
	whole := s.out.files[RecordingName].Bytes()
	damaged := slices.Clone(whole)
	damaged[len(damaged)/2] ^= 0xff
	nothing := func(Line) error { return nil }
	for name, b := range map[string][]byte{"text": []byte("seven words, and no Zstandard in any"), "damaged": damaged} {
		if err := ReadRecording(bytes.NewReader(b), nothing); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	stop := errors.New("enough")
	if err := ReadRecording(bytes.NewReader(whole), func(Line) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of the one who reads is lost: %v", err)
	}
}

func TestExchangesReachTheDiskEachSecondAndEachThousand(t *testing.T) {
	s := newScene(t, nil)
	file := s.out.files[RecordingName]
	count := func() int { return len(read(t, file.Bytes())) - 1 }
	s.at(100 * time.Millisecond)
	for range 2500 {
		s.judged(0, 200)
	}
	if n := count(); n < 2000 {
		t.Errorf("of 2500 exchanges of one moment %d can be read", n)
	}
	s.at(2200 * time.Millisecond)
	if n := count(); n != 2500 {
		t.Errorf("two seconds later %d of 2500 can be read", n)
	}
}

func TestAFullDiskEndsTheRecordingAndNothingElse(t *testing.T) {
	whole := newScene(t, nil)
	play := func(s *scene) Result {
		for i := range 6 {
			s.at(time.Duration(i) * 1500 * time.Millisecond)
			s.judged(i%3, 200, nasty)
		}
		return s.over(messages.DeadlineCame)
	}
	play(whole)
	size := whole.out.files[RecordingName].Len() + whole.out.files[ReportName].Len()
	for room := 0; room < size; room += 307 {
		s := newScene(t, func(c *Config) {
			out := c.Out.(*memory)
			out.room = room
		})
		result := play(s)
		if result.Exit != 4 || !strings.Contains(result.Summary, "no space left on device") || !strings.Contains(result.Summary, "6 requests") {
			t.Fatalf("with room for %d of %d bytes it ends with %d and says\n%s", room, size, result.Exit, result.Summary)
		}
		if file, ok := s.out.files[RecordingName]; ok {
			read(t, file.Bytes())
		}
		slots := 0
		for _, m := range s.pacer {
			if _, ok := m.(messages.Slot); ok {
				slots++
			}
		}
		if slots != 6 {
			t.Fatalf("%d of 6 slots came back", slots)
		}
	}
}

func TestNoRecordingIsWrittenWhenItIsSwitchedOff(t *testing.T) {
	s := newScene(t, func(c *Config) { c.Settings.Report.Recording = false })
	s.judged(0, 200)
	s.over(messages.DeadlineCame)
	if _, ok := s.out.files[RecordingName]; ok {
		t.Error("there is a recording")
	}
	if _, ok := s.out.files[ReportName]; !ok {
		t.Error("there is no report")
	}
}

func TestTheSlotComesBackWhenTheExchangeStandsInTheRecording(t *testing.T) {
	s := newScene(t, nil)
	lines := -1
	s.r.to.Pacer = func(m messages.ToPacer) {
		if (m == messages.Slot{Slot: 1, Open: true}) {
			s.r.recording.zip.Flush()
			lines = len(read(t, s.out.files[RecordingName].Bytes()))
		}
	}
	s.judged(0, 200)
	if lines != 2 {
		t.Errorf("when the slot came back, there were %d lines of 2", lines)
	}
}

func TestALongBodyIsShortenedAndMarked(t *testing.T) {
	s := newScene(t, func(c *Config) { c.Settings.Report.LongestBodyKept = 10 })
	s.judged(0, 200, reply(func(r *messages.Reply) {
		r.Body, r.Length, r.Cut = []byte("123456789é and so on"), 5000, true
	}))
	s.over(messages.DeadlineCame)
	body := read(t, s.out.files[RecordingName].Bytes())[1].Exchange.Reply.Body
	if *body.Text != "123456789" || !body.Shortened || !body.Cut || body.Length != 5000 {
		t.Errorf("got %+v with the text %q", body, *body.Text)
	}
}

func TestOtherToolsReadTheRecording(t *testing.T) {
	zstd, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("zstd is not installed")
	}
	folder, err := NewFolder(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	s := newScene(t, func(c *Config) { c.Out = folder })
	s.judged(0, 200)
	s.over(messages.DeadlineCame)
	out, err := exec.Command(zstd, "-dc", filepath.Join(folder.String(), RecordingName)).Output()
	if err != nil || bytes.Count(out, []byte("\n")) != 3 {
		t.Errorf("zstd gives %q, %v", out, err)
	}
}

func TestAFolderKeepsWhatIsNotARunsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{ReportName, RecordingName, "notes.txt"} {
		if err := os.WriteFile(filepath.Join(path, name), []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := NewFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) != 1 || entries[0].Name() != "notes.txt" {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	w, err := folder.Create(ReportName)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "new"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(path, ReportName)); string(b) != "new" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	file := filepath.Join(path, "notes.txt")
	if _, err := NewFolder(file); err == nil || err.Error() != "the report cannot go into "+file+", which is no folder" {
		t.Errorf("a file was taken for a folder: %v", err)
	}
}

func TestAFolderThatTakesNoFileIsRefusedBeforeTheRun(t *testing.T) {
	path := t.TempDir()
	if err := os.Chmod(path, 0o555); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Create(filepath.Join(path, "probe")); err == nil {
		f.Close()
		// This user may write everywhere but where the system keeps no files.
		if path = "/proc/self"; runtime.GOOS != "linux" {
			t.Skip("this user may write everywhere")
		}
	}
	if _, err := NewFolder(path); err == nil || !strings.HasPrefix(err.Error(), "no report can be written: ") {
		t.Errorf("got %v", err)
	}
}

func TestAHalfWrittenReportIsRemoved(t *testing.T) {
	s := newScene(t, func(c *Config) { c.Settings.Report.Recording = false })
	s.judged(0, 200)
	s.out.room = 100
	result := s.over(messages.DeadlineCame)
	if _, left := s.out.files[ReportName]; left || result.Exit != ExitFailed || strings.Contains(result.Summary, "report: ") {
		t.Errorf("it is left: %v; the run ended with %d and\n%s", left, result.Exit, result.Summary)
	}
}
