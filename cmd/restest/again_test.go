package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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
func bookshopTested(t *testing.T) (folder string, front *relay, told *reporter.Report) {
	t.Helper()
	folder, front = t.TempDir(), newRelay(t, serveDemo(t))
	origin := front.origin
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
	return folder, front, report
}

// relay stands before a server and keeps, when it is asked to, what is sent to it.
type relay struct {
	origin string
	mu     sync.Mutex
	keeps  bool
	sent   []*bytes.Buffer // by connection
}

func newRelay(t *testing.T, to string) *relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	r := &relay{origin: "http://" + listener.Addr().String()}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				client.Close()
				return
			}
			go func() {
				io.Copy(server, io.TeeReader(client, r.keeper()))
				server.(*net.TCPConn).CloseWrite()
			}()
			go func() {
				io.Copy(client, server)
				client.Close()
				server.Close()
			}()
		}
	}()
	return r
}

// keeper keeps what is sent over a connection that begins now.
func (r *relay) keeper() io.Writer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.keeps {
		return io.Discard
	}
	kept := &bytes.Buffer{}
	r.sent = append(r.sent, kept)
	return writer(func(data []byte) (int, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return kept.Write(data)
	})
}

type writer func([]byte) (int, error)

func (w writer) Write(data []byte) (int, error) { return w(data) }

// keep has it keep what is sent from now on.
func (r *relay) keep() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keeps, r.sent = true, nil
}

// requests are those that came, one a connection.
func (r *relay) requests(t *testing.T) []*messages.Request {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*messages.Request
	for _, kept := range r.sent {
		got, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(kept.Bytes())))
		if err != nil {
			t.Fatalf("%q: %v", kept, err)
		}
		one := &messages.Request{Method: got.Method, Target: got.RequestURI}
		for name, values := range got.Header {
			for _, v := range values {
				one.Header = append(one.Header, messages.Field{Name: name, Value: v})
			}
		}
		if one.Body, err = io.ReadAll(got.Body); err != nil {
			t.Fatal(err)
		}
		if got.Header.Get("Content-Length") == "" && len(one.Body) == 0 {
			one.Body = nil
		}
		all = append(all, one)
	}
	return all
}

// typed runs the program and returns what it ends with and says.
func typed(args ...string) (int, string) {
	var stdout, stderr bytes.Buffer
	code := run(append([]string{"restest"}, args...), nil, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String() + stderr.String()
}

// leastShown is the share of the demo's findings that are to be there whenever they are looked for, of those that the run
// had the time to confirm.
const leastShown = 0.9

func isConfirmed(f *reporter.FindingInFull) bool { return f.Recheck.State == "confirmed" }

// enough says whether so many of the findings were there.
func enough(report *reporter.Report, there int) bool {
	confirmed := 0
	for i := range report.Findings {
		if isConfirmed(&report.Findings[i]) {
			confirmed++
		}
	}
	return confirmed > 0 && float64(there) >= leastShown*float64(confirmed)
}

// mostInTheWay is how many findings may be not there for a reason that is none of the table's: they are looked for one after
// the other, and what one does can be in the way of the next.
const mostInTheWay = 3

// notRepeatable are the reasons for which a finding of the demo need not be there when it is looked for after the run.
var notRepeatable = []struct {
	why string
	is  func(f *reporter.FindingInFull, status int) bool
}{
	{"the run itself could not confirm it, so nothing is known of what it takes", func(f *reporter.FindingInFull, _ int) bool {
		return !isConfirmed(f)
	}},
	{"nothing that the run knew makes its thing, which has been removed or forgotten: the bookshop keeps a hundred of a kind", func(f *reporter.FindingInFull, status int) bool {
		return len(f.Steps) == 0 && (status == http.StatusNotFound || status == http.StatusGone)
	}},
	{"it is about a thing of the stock that was gone or in use, and has been there or free since", func(f *reporter.FindingInFull, status int) bool {
		return len(f.Steps) == 0 && f.Again.Method == http.MethodDelete && f.Status >= 400 && status < 300
	}},
	{"it is about what a list holds, which is no more what it was when the run read it", func(f *reporter.FindingInFull, status int) bool {
		return len(f.Steps) == 0 && f.Again.Method == http.MethodGet && status == http.StatusOK
	}},
	{"a name is taken that has too few characters for another like it", func(f *reporter.FindingInFull, status int) bool {
		return len(f.Again.Fresh) > 0 && status == http.StatusConflict
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
		there, inTheWay := 0, 0
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
					t.Logf("without a reason: %s", line)
					inTheWay++
				}
			}
		}
		t.Logf("%s: of %d findings %d are still there", subject, len(report.Findings), there)
		if !enough(report, there) || inTheWay > mostInTheWay {
			t.Errorf("these are too few:\n%s", said)
		}
	}
}

// The command of each finding is run just as it stands in the report, and what curl prints is judged as the replies of the
// run are: those of a series together.
func TestTheCurlCommandsOfTheDemosFindingsShowThemAgain(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	folder, front, report := bookshopTested(t)
	doc, err := document.Load(context.Background(), filepath.Join(folder, "openapi.json"), document.Options{URL: front.origin})
	if err != nil {
		t.Fatal(err)
	}
	var judged *messages.Judged
	judge := classifier.New(classifier.Config{Document: doc, Settings: settings.Default()}, clock.NewSystem(), classifier.Neighbours{
		Generator: func(messages.ToGenerator) {}, Pacer: func(messages.ToPacer) {},
		Reporter: func(m messages.ToReporter) { judged = m.(*messages.Judged) },
	})
	for _, v := range report.CurlVariables {
		t.Errorf("nobody gave the run a key, and the report has %s", v.Name)
	}
	shown, stepped, inTheWay := 0, 0, 0
	// What deletes things that the others may be about comes last.
	deletes := func(f *reporter.FindingInFull) bool { return f.Again.Method == http.MethodDelete && len(f.Steps) == 0 }
	var inOrder []*reporter.FindingInFull
	for _, later := range []bool{false, true} {
		for i := range report.Findings {
			if f := &report.Findings[i]; deletes(f) == later {
				inOrder = append(inOrder, f)
			}
		}
	}
	for _, f := range inOrder {
		if f.Curl == "" {
			t.Errorf("%s %s has no command: %s", f.Code, f.Operation, f.CurlNote)
			continue
		}
		front.keep()
		printed, failure := exec.Command("bash", "-c", f.Curl).Output()
		replies, requests := repliesIn(printed), front.requests(t)
		last := len(f.Steps)
		if f.Status == 0 && len(replies) == last {
			replies = append(replies, nil)
		}
		if len(requests) != last+1 || len(replies) != last+1 {
			t.Errorf("%s %s: of %d requests %d were sent, and %d answered (%v)\n%s", f.Code, f.Operation, last+1, len(requests), len(replies), failure, f.Curl)
			continue
		}
		r := fromReport(f).Request
		r.Method, r.Target, r.Header, r.Body = requests[last].Method, requests[last].Target, requests[last].Header, requests[last].Body
		r.Operation = operation(doc, f.Operation)
		if r.Series != nil {
			series(doc, r.Series, f.Steps, requests, replies)
		}
		ex := &messages.Exchange{Request: r, Outcome: messages.Answered, Reply: replies[last]}
		status := 0
		switch {
		case ex.Reply == nil:
			ex.Outcome, ex.Kind, ex.Failure = messages.NoReply, messages.ClosedEarly, failure.Error()
		case failure != nil:
			ex.Outcome, ex.Kind, ex.Failure = messages.BrokeOff, messages.ClosedEarly, failure.Error()
			fallthrough
		default:
			status = ex.Reply.Status
		}
		judge.Handle(ex)
		is := slices.ContainsFunc(judged.Findings, func(found messages.Finding) bool {
			return reporter.FindingID(doc, messages.KeyOf(r, ex.Reply, &found)) == f.ID
		})
		switch {
		case is:
			if shown++; len(f.Steps) > 0 {
				stepped++
			}
		case excused(f, status) != "":
			t.Logf("%s %s: %s\n%s\n%s", f.Code, f.Operation, excused(f, status), f.Curl, printed)
		default:
			t.Logf("%s %s is not shown by what curl gets:\n%s\n%s", f.Code, f.Operation, f.Curl, printed)
			inTheWay++
		}
	}
	t.Logf("of %d findings %d are shown by curl, %d of them after others that make what they are about", len(report.Findings), shown, stepped)
	if !enough(report, shown) || stepped == 0 || inTheWay > mostInTheWay {
		t.Error("these are too few")
	}
}

func operation(doc *document.Document, id string) int {
	return slices.IndexFunc(doc.Operations, func(op *document.Operation) bool { return op.ID == id })
}

// series fills in the steps that were taken before the last request, and what they made.
func series(doc *document.Document, place *messages.Step, steps []reporter.StepTold, requests []*messages.Request, replies []*messages.Reply) {
	place.Series, place.Thing = 1, ""
	for i, step := range steps {
		if step.Ahead {
			continue
		}
		taken := messages.Taken{Request: requests[i], Reply: replies[i]}
		taken.Request.Operation, taken.Request.Series = operation(doc, step.Operation), &messages.Step{Series: 1, Kind: place.Kind, Nth: len(place.Taken) + 1}
		d := json.NewDecoder(bytes.NewReader(taken.Reply.Body))
		d.UseNumber()
		if d.Decode(&taken.Value) != nil {
			taken.Value = nil
		}
		if place.Thing == "" && step.Made != "" {
			place.Thing = messages.NameOf(messages.Maker{Address: string(step.Made), Place: string(step.Place)}.Made(taken.Reply, taken.Value))
		}
		place.Taken = append(place.Taken, taken)
	}
	place.Nth = len(place.Taken) + 1
}

// repliesIn are the replies that curl -i has printed.
func repliesIn(printed []byte) []*messages.Reply {
	var replies []*messages.Reply
	at := statusLine.FindAllIndex(printed, -1)
	for i := range at {
		end := len(printed)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		if reply := replyOf(printed[at[i][0]:end]); reply.Status > 199 || i+1 == len(at) { // others come on the way
			replies = append(replies, reply)
		}
	}
	return replies
}

var statusLine = regexp.MustCompile(`HTTP/1\.1 [0-9]{3} `)

func replyOf(printed []byte) *messages.Reply {
	head, body, _ := bytes.Cut(printed, []byte("\r\n\r\n"))
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
