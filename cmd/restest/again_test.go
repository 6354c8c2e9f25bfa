package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/stages/classifier"
	"github.com/restest/restest/stages/reporter"
)

// bookshopTested serves the demo's API and tests it for a few seconds. The API has no limits: what it refuses now and then
// is not there again, and is meant not to be.
func bookshopTested(t *testing.T) (folder, origin string, told *reporter.Report) {
	t.Helper()
	folder, origin = t.TempDir(), "http://"+serveDemo(t)
	if err := os.WriteFile(filepath.Join(folder, "openapi.json"), demo.Document(), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(folder, "out")
	if code, said := typed("run", filepath.Join(folder, "openapi.json"), "--url", origin, "--budget", "4s", "--seed", "7", "--out", out, "--quiet"); code != reporter.ExitErrors {
		t.Fatalf("the run ended with %d:\n%s", code, said)
	}
	report, err := readReport(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) < 20 {
		t.Fatalf("the run found %d faults", len(report.Findings))
	}
	return folder, origin, report
}

// typed runs the program and returns what it ends with and says.
func typed(args ...string) (int, string) {
	var stdout, stderr bytes.Buffer
	code := run(append([]string{"restest"}, args...), nil, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String() + stderr.String()
}

// notRepeatable are the reasons for which a finding of the demo need not be there when it is looked for after the run.
var notRepeatable = []struct {
	why string
	is  func(f *reporter.FindingInFull, status int) bool
}{
	{"the run itself could not confirm it, so nothing is known of what it takes", func(f *reporter.FindingInFull, _ int) bool {
		return f.Recheck.State != "confirmed"
	}},
	{"nothing that the run knew makes its thing, which has been removed or forgotten: the bookshop keeps a hundred of a kind", func(f *reporter.FindingInFull, status int) bool {
		return len(f.Steps) == 0 && (status == http.StatusNotFound || status == http.StatusGone)
	}},
	{"a step of its series, or its body, names something that the run has made and removed, or a name that is taken", func(f *reporter.FindingInFull, status int) bool {
		return (len(f.Steps) > 0 || f.Again.Body != nil) && slices.Contains([]int{400, 401, 404, 409, 410, 422}, status)
	}},
	{"it carries a cookie that the API gave, which no report shows", func(f *reporter.FindingInFull, _ int) bool {
		return slices.ContainsFunc(f.Again.Header, func(field [2]reporter.Text) bool { return field[0] == "Cookie" })
	}},
}

func excused(f *reporter.FindingInFull, status int) string {
	for _, reason := range notRepeatable {
		if reason.is(f, status) {
			return reason.why
		}
	}
	return ""
}

func TestWhatTheDemoShowsIsStillThereOnReplay(t *testing.T) {
	folder, _, report := bookshopTested(t)
	for _, subject := range []string{"out", filepath.Join("out", reporter.RecordingName)} {
		code, said := typed("replay", filepath.Join(folder, subject), "--document", filepath.Join(folder, "openapi.json"), "--rate", "6000", "--url", report.API.Address)
		if code != reporter.ExitErrors {
			t.Fatalf("the replay of %s ended with %d:\n%s", subject, code, said)
		}
		there := 0
		for line := range strings.Lines(said) {
			at := slices.IndexFunc(report.Findings, func(f reporter.FindingInFull) bool { return strings.Contains(line, "  "+f.ID+"  ") })
			switch {
			case at < 0:
			case strings.HasPrefix(line, isThere):
				there++
			case subject != "out":
				// A recording holds the exchanges, and not which of them a report would show.
			default:
				_, answered, _ := strings.Cut(line, "it was answered ")
				status, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(answered), ")"))
				if why := excused(&report.Findings[at], status); why != "" {
					t.Logf("%s(%s)", line, why)
				} else {
					t.Errorf("without a reason: %s", line)
				}
			}
		}
		if there < len(report.Findings)*2/3 {
			t.Errorf("%s: of %d findings %d are still there:\n%s", subject, len(report.Findings), there, said)
		}
	}
}

// The command of each finding is run just as it stands in the report, and what curl prints is judged as a reply of the run.
func TestTheCurlCommandsOfTheDemosFindingsShowThemAgain(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	folder, origin, report := bookshopTested(t)
	doc, err := document.Load(context.Background(), filepath.Join(folder, "openapi.json"), document.Options{URL: origin})
	if err != nil {
		t.Fatal(err)
	}
	var judged *messages.Judged
	judge := classifier.New(classifier.Config{Document: doc, Settings: settings.Default()}, clock.NewSystem(), classifier.Neighbours{
		Generator: func(messages.ToGenerator) {}, Pacer: func(messages.ToPacer) {},
		Reporter: func(m messages.ToReporter) { judged = m.(*messages.Judged) },
	})
	shown, series := 0, 0
	for i := range report.Findings {
		f := &report.Findings[i]
		if f.Curl == "" {
			t.Errorf("%s %s has no command: %s", f.Code, f.Operation, f.CurlNote)
			continue
		}
		command := exec.Command("bash", "-c", f.Curl)
		for _, v := range report.CurlVariables {
			t.Errorf("nobody gave the run a key, and the report has %s", v.Name)
		}
		printed, failure := command.Output()
		reply := lastReply(printed)
		if reply == nil {
			if f.Status != 0 {
				t.Errorf("%s %s: curl got no reply (%v)\n%s", f.Code, f.Operation, failure, f.Curl)
			}
			continue
		}
		again := fromReport(f)
		r := again.Request
		r.Operation, r.Series = slices.IndexFunc(doc.Operations, func(op *document.Operation) bool { return op.ID == f.Operation }), nil
		ex := &messages.Exchange{Request: r, Outcome: messages.Answered, Reply: reply}
		if failure != nil {
			ex.Outcome, ex.Kind, ex.Failure = messages.BrokeOff, messages.ClosedEarly, failure.Error()
		}
		judge.Handle(ex)
		is := slices.ContainsFunc(judged.Findings, func(found messages.Finding) bool {
			return reporter.FindingID(doc, messages.KeyOf(r, reply, &found)) == f.ID
		})
		switch {
		case is:
			if shown++; len(f.Steps) > 0 {
				series++
			}
		case f.Request.Series != nil && len(f.Steps) > 0 && reply.Status == f.Status:
			t.Logf("%s %s: the replies of its series show it together, and the last alone does not", f.Code, f.Operation)
		case excused(f, reply.Status) != "":
			t.Logf("%s %s: %s", f.Code, f.Operation, excused(f, reply.Status))
		default:
			t.Errorf("%s %s is not shown by what curl gets:\n%s\n%s", f.Code, f.Operation, f.Curl, printed)
		}
	}
	t.Logf("of %d findings %d are shown by curl, %d of them after others that make what they are about", len(report.Findings), shown, series)
	if shown < len(report.Findings)*2/3 || series == 0 {
		t.Error("these are too few")
	}
}

// lastReply is the last reply that curl -i has printed, nil for none.
func lastReply(printed []byte) *messages.Reply {
	at := bytes.LastIndex(printed, []byte("HTTP/1.1 "))
	if at < 0 {
		return nil
	}
	head, body, _ := bytes.Cut(printed[at:], []byte("\r\n\r\n"))
	lines := strings.Split(string(head), "\r\n")
	words := strings.SplitN(lines[0], " ", 3)
	status, _ := strconv.Atoi(words[1])
	reply := &messages.Reply{Proto: words[0], Status: status, Body: body, Length: int64(len(body))}
	if len(words) > 2 {
		reply.Reason = words[2]
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		if !strings.EqualFold(name, "Content-Encoding") && !strings.EqualFold(name, "Transfer-Encoding") { // curl has undone them
			reply.Header = append(reply.Header, messages.Field{Name: name, Value: strings.TrimSpace(value)})
		}
	}
	return reply
}
