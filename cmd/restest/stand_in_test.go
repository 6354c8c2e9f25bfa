package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/reporter"
)

// The tests of the cases run the whole program against a server that behaves as the case says. What was sent is judged
// by what arrived there, as bytes.

// caseFile is a file of the shared cases.
func caseFile(t *testing.T, name string) string {
	t.Helper()
	return sharedFile(t, "cases", name)
}

// sharedFile is a file of a shared folder, which lies beside the module.
func sharedFile(t *testing.T, folder, name string) string {
	t.Helper()
	shared := os.Getenv("RESTEST_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	file, err := filepath.Abs(filepath.Join(shared, folder, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Skip("the shared ", folder, " are not here: ", err)
	}
	return file
}

// arrival is one request as it arrived.
type arrival struct {
	at clock.Instant
	// head is the request line and the header lines as they came, without the empty line behind them.
	head           string
	method, target string
	header         []messages.Field
	body           []byte
}

// path is the target up to its query, query what follows, taken apart at each "&" and not decoded.
func (a *arrival) path() string { path, _, _ := strings.Cut(a.target, "?"); return path }

func (a *arrival) query() []string {
	_, query, found := strings.Cut(a.target, "?")
	if !found {
		return nil
	}
	return strings.Split(query, "&")
}

// pairs are the values of the query's pairs of that name, decoded.
func (a *arrival) pairs(t *testing.T, name string) []string {
	t.Helper()
	query, err := url.ParseQuery(strings.Join(a.query(), "&"))
	if err != nil {
		t.Errorf("%s: %v", a.target, err)
	}
	return query[name]
}

// reply is what a stand-in writes.
type reply struct {
	bytes string
	// more writes what is too long to be held, until the client is gone.
	more func(to io.Writer) error
	// close ends the connection behind it.
	close bool
}

// answerer answers a request.
type answerer func(a *arrival) reply

// say is an ordinary reply; fields are names and values in turn.
func say(status int, contentType, body string, fields ...string) reply {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	if contentType != "" {
		fields = append([]string{"Content-Type", contentType}, fields...)
	}
	for i := 0; i < len(fields); i += 2 {
		fmt.Fprintf(&b, "%s: %s\r\n", fields[i], fields[i+1])
	}
	if status != http.StatusNoContent {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	return reply{bytes: b.String() + "\r\n" + body}
}

func sayJSON(status int, body string) reply { return say(status, "application/json", body) }

// inTurn gives the replies one after the other, and from the start again.
func inTurn(replies ...reply) func() reply {
	var mu sync.Mutex
	next := 0
	return func() reply {
		mu.Lock()
		defer mu.Unlock()
		r := replies[next%len(replies)]
		next++
		return r
	}
}

// once gives the first reply once, and the other ever after.
func once(first, then reply) func() reply {
	var given atomic.Bool
	return func() reply {
		if given.Swap(true) {
			return then
		}
		return first
	}
}

// always answers each request to "METHOD /path" with the next of its replies, and others with 404.
func always(replies map[string]func() reply) answerer {
	return func(a *arrival) reply {
		if next := replies[a.method+" "+a.path()]; next != nil {
			return next()
		}
		return say(404, "", "")
	}
}

// standIn is a server on the loopback.
type standIn struct {
	url    string
	clock  clock.Clock
	answer answerer

	mu   sync.Mutex
	log  []*arrival
	open map[net.Conn]bool
	shut bool
}

// serve starts a stand-in. It ends with the test.
func serve(t *testing.T, answers answerer) *standIn {
	t.Helper()
	return serveBy(t, func(*standIn) answerer { return answers })
}

// serveBy starts a stand-in whose answers hang on its clock.
func serveBy(t *testing.T, answers func(*standIn) answerer) *standIn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &standIn{url: "http://" + listener.Addr().String(), clock: clock.NewSystem(), open: map[net.Conn]bool{}}
	s.answer = answers(s)
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if s.took(conn) {
				group.Go(func() { s.converse(conn) })
			}
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		s.mu.Lock()
		s.shut = true
		for conn := range s.open {
			_ = conn.Close()
		}
		s.mu.Unlock()
		group.Wait()
	})
	return s
}

func (s *standIn) took(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		_ = conn.Close()
		return false
	}
	s.open[conn] = true
	return true
}

// converse answers what comes over a connection.
func (s *standIn) converse(conn net.Conn) {
	defer func() {
		_ = conn.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, conn)
	}()
	in := bufio.NewReader(conn)
	for {
		a, err := s.next(in)
		if err != nil {
			return // the client has left
		}
		s.mu.Lock()
		s.log = append(s.log, a)
		s.mu.Unlock()
		r := s.answer(a)
		if _, err := io.WriteString(conn, r.bytes); err != nil {
			return
		}
		if r.more != nil && r.more(conn) != nil || r.close {
			return
		}
	}
}

// next reads a request. Its moment is that of its first byte.
func (s *standIn) next(in *bufio.Reader) (*arrival, error) {
	if _, err := in.Peek(1); err != nil {
		return nil, err
	}
	a := &arrival{at: s.clock.Now()}
	for n := 0; ; n++ {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		text := strings.TrimSuffix(line, "\r\n")
		if text == "" {
			break
		}
		a.head += line
		if n == 0 {
			a.method, text, _ = strings.Cut(text, " ")
			a.target = strings.TrimSuffix(text, " HTTP/1.1")
			continue
		}
		name, value, _ := strings.Cut(text, ": ")
		a.header = append(a.header, messages.Field{Name: name, Value: value})
	}
	length := messages.Get(a.header, "Content-Length")
	if length == "" {
		return a, nil
	}
	n, err := strconv.Atoi(length)
	if err != nil {
		return nil, err
	}
	a.body = make([]byte, n)
	_, err = io.ReadFull(in, a.body)
	return a, err
}

// forget empties the log.
func (s *standIn) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = nil
}

// arrived are the requests that have come so far, those to "METHOD /path" alone where paths are given.
func (s *standIn) arrived(to ...string) []*arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(to) == 0 {
		return slices.Clone(s.log)
	}
	var found []*arrival
	for _, a := range s.log {
		if slices.Contains(to, a.method+" "+a.path()) {
			found = append(found, a)
		}
	}
	return found
}

// pause waits without holding up the test's end by more than that.
func (s *standIn) pause(d time.Duration) {
	over := make(chan struct{})
	s.clock.At(s.clock.Now().Add(d), func() { close(over) })
	<-over
}

// outcome is what a run of the program came to.
type outcome struct {
	code           int
	stdout, stderr string
	out            string
	report         *reporter.Report
	// exchanges are those of the recording.
	exchanges []*reporter.ExchangeTold
}

// program runs the program in this process.
func program(args ...string) *outcome {
	var stdout, stderr bytes.Buffer
	code := run(append([]string{"restest"}, args...), nil, strings.NewReader(""), &stdout, &stderr)
	return &outcome{code: code, stdout: stdout.String(), stderr: stderr.String()}
}

// seeded are the options that every run of a case has: a seed, and ordinary requests alone, which fit the document.
var seeded = func() []string {
	plan, err := filepath.Abs(filepath.Join("testdata", "ordinary.yaml")) // some cases go to a folder of their own
	if err != nil {
		panic(err)
	}
	return []string{"--quiet", "--seed", "1", "--plan", plan, "--set", "schedule.mostCovering=0"}
}()

// test tests an API, as a document and options say, and reads what the program has written.
func test(t *testing.T, args ...string) *outcome {
	t.Helper()
	out := t.TempDir()
	o := program(slices.Concat([]string{"run", "--out", out}, seeded, args)...)
	o.read(t, out)
	return o
}

// test tests the stand-in until each operation that can be tested was answered so often: on a busy machine the first
// run may not be long enough. What arrived before the last run is forgotten.
func (s *standIn) test(t *testing.T, answers int64, args ...string) *outcome {
	t.Helper()
	for budget := 400 * time.Millisecond; ; budget *= 4 {
		s.forget()
		out := t.TempDir()
		o := program(slices.Concat([]string{"run", "--out", out}, seeded, []string{"--budget", budget.String()}, args)...)
		long := budget > 10*time.Second
		if _, err := os.Stat(filepath.Join(out, reporter.ReportName)); err != nil && !long {
			continue // it was over before the document was read
		}
		if o.read(t, out); long || o.answered(answers) {
			return o
		}
	}
}

func (o *outcome) answered(times int64) bool {
	return !slices.ContainsFunc(o.report.Operations, func(op reporter.OperationTold) bool {
		return op.State != "notTestable" && op.Requests-op.NoReply < times
	})
}

// claim is something about time that a run has to show.
type claim struct {
	name    string
	answers func(*standIn) answerer
	args    func(*standIn) []string
	// check complains of what is wrong.
	check func(s *standIn, o *outcome, complain complain)
}

type complain func(format string, args ...any)

// hold wants claims to hold. Their runs go on at once. On a busy machine a stand-in sees late what arrived in time, so a
// claim that does not hold is tried again, up to three times; where the machine was late itself each time, nothing can be
// said of it.
func hold(t *testing.T, claims ...claim) {
	t.Helper()
	for try := 1; len(claims) > 0; try++ {
		stands, outs, outcomes := make([]*standIn, len(claims)), make([]string, len(claims)), make([]*outcome, len(claims))
		late := lateness()
		var group sync.WaitGroup
		for i, c := range claims {
			stands[i], outs[i] = serveBy(t, c.answers), t.TempDir()
			group.Go(func() {
				outcomes[i] = program(slices.Concat([]string{"run", "--out", outs[i]}, seeded, c.args(stands[i]))...)
			})
		}
		group.Wait()
		stalled := late()
		var again []claim
		for i, c := range claims {
			outcomes[i].read(t, outs[i])
			var complaints []string
			c.check(stands[i], outcomes[i], func(format string, args ...any) {
				complaints = append(complaints, fmt.Sprintf(format, args...))
			})
			if len(complaints) > 0 && try < 4 {
				again = append(again, c)
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				judge(t, complaints, stalled)
			})
		}
		claims = again
	}
}

// tooLate is how late a machine is that cannot tell how another program keeps its time.
const tooLate = 25 * time.Millisecond

// judge fails the test for what is complained of, as far as a machine can tell that was late by so much itself.
func judge(t *testing.T, complaints []string, late time.Duration) {
	t.Helper()
	if len(complaints) > 0 && late > tooLate {
		t.Skipf("the machine was late by %s itself: %s", late, strings.Join(complaints, "; "))
	}
	for _, text := range complaints {
		t.Error(text)
	}
}

// lateness begins to watch the machine, and gives what says by how much one that only waits was late at the most.
func lateness() func() time.Duration {
	const every = 10 * time.Millisecond
	clk, stop, most := clock.NewSystem(), make(chan struct{}), make(chan time.Duration)
	go func() {
		var late time.Duration
		for {
			due, woken := clk.Now().Add(every), make(chan struct{})
			clk.At(due, func() { close(woken) })
			select {
			case <-stop:
				most <- late
				return
			case <-woken:
				late = max(late, clk.Now().Sub(due))
			}
		}
	}()
	return func() time.Duration {
		close(stop)
		return <-most
	}
}

// read reads the report and, where there is one, the recording.
func (o *outcome) read(t *testing.T, out string) {
	t.Helper()
	o.out = out
	content, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		t.Fatalf("it ended with %d: %v\n%s%s", o.code, err, o.stdout, o.stderr)
	}
	if err := json.Unmarshal(content, &o.report); err != nil {
		t.Fatal(err)
	}
	if len(o.report.OwnFailures) > 0 || o.code == reporter.ExitFailed {
		t.Errorf("the tool itself failed: %v", o.report.OwnFailures)
	}
	recording, err := os.Open(filepath.Join(out, reporter.RecordingName))
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer recording.Close()
	if err := reporter.ReadRecording(recording, func(l reporter.Line) error {
		if l.Exchange != nil {
			o.exchanges = append(o.exchanges, l.Exchange)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// of are the recorded exchanges of an operation.
func (o *outcome) of(operation string) []*reporter.ExchangeTold {
	var found []*reporter.ExchangeTold
	for _, e := range o.exchanges {
		if e.Operation == operation {
			found = append(found, e)
		}
	}
	return found
}

// operation is what the report says of an operation.
func (o *outcome) operation(t *testing.T, id string) reporter.OperationTold {
	t.Helper()
	for _, op := range o.report.Operations {
		if op.ID == id {
			return op
		}
	}
	t.Fatalf("the report knows no operation %s", id)
	return reporter.OperationTold{}
}

// found are the findings of an operation.
func (o *outcome) found(operation string) []reporter.FindingInFull {
	var found []reporter.FindingInFull
	for _, f := range o.report.Findings {
		if f.Operation == operation {
			found = append(found, f)
		}
	}
	return found
}

// sums up findings as code, status and place, such as "F200 200 /up".
func sums(findings []reporter.FindingInFull) []string {
	list := []string{}
	for _, f := range findings {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %d %s", f.Code, f.Status, f.Place)))
	}
	slices.Sort(list)
	return list
}

// wantFound wants exactly those findings of an operation, as sums has them.
func (o *outcome) wantFound(t *testing.T, operation string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := sums(o.found(operation)); !slices.Equal(got, want) {
		t.Errorf("%s: found %q, want %q", operation, got, want)
	}
}

// body is what is told of a content.
func body(t *testing.T, c *reporter.Content) string {
	t.Helper()
	b, err := c.Bytes()
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

// verdicts are the codes that an operation's replies drew, by status and body.
func (o *outcome) verdicts(t *testing.T, operation string) map[string]string {
	t.Helper()
	return o.verdictsBy(t, operation, func(e *reporter.ExchangeTold) string {
		return strings.TrimSpace(fmt.Sprintf("%d %s", e.Reply.Status, body(t, e.Reply.Body)))
	})
}

// verdictsBy are the codes that an operation's replies drew, by what tells the replies apart.
func (o *outcome) verdictsBy(t *testing.T, operation string, key func(*reporter.ExchangeTold) string) map[string]string {
	t.Helper()
	verdicts := map[string]string{}
	for _, e := range o.of(operation) {
		if e.Reply == nil {
			continue
		}
		var codes []string
		for _, f := range e.Findings {
			codes = append(codes, fmt.Sprintf("F%03d", f.Code))
		}
		k, codesText := key(e), strings.Join(codes, " ")
		if before, seen := verdicts[k]; seen && before != codesText {
			t.Errorf("%s: the reply %s drew %q once and %q another time", operation, k, before, codesText)
		}
		verdicts[k] = codesText
	}
	return verdicts
}

// wantVerdicts wants the replies of an operation judged so, and each of them seen.
func wantVerdicts(t *testing.T, got, want map[string]string) {
	t.Helper()
	for _, reply := range slices.Sorted(maps.Keys(want)) {
		switch codes, seen := got[reply]; {
		case !seen:
			t.Errorf("the reply %s was never seen", reply)
		case codes != want[reply]:
			t.Errorf("the reply %s drew %q, want %q", reply, codes, want[reply])
		}
	}
	for _, reply := range slices.Sorted(maps.Keys(got)) {
		if _, expected := want[reply]; !expected {
			t.Errorf("the reply %s was not expected; it drew %q", reply, got[reply])
		}
	}
}

// field is the value of a header field as it is told, "" without one.
func field(header [][2]reporter.Text, name string) string {
	for _, f := range header {
		if strings.EqualFold(string(f[0]), name) {
			return string(f[1])
		}
	}
	return ""
}

// issues are the messages of the document's problems that hold the text.
func (o *outcome) issues(text string) []string {
	var found []string
	for _, i := range o.report.DocumentIssues {
		if strings.Contains(i.Message, text) {
			found = append(found, i.Message)
		}
	}
	return found
}

// memoryTaken is the most memory, in bytes, that f can have needed at once: what it has the process take from the
// system, and what lay unused before. Nothing else may run meanwhile.
func memoryTaken(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Sys - before.Sys + before.HeapIdle
}

// canonical is a header field's name in its usual spelling.
func canonical(name string) string { return textproto.CanonicalMIMEHeaderKey(name) }

// requests are the requests in the order they were built, as one line each.
func (o *outcome) requests(t *testing.T) []string {
	t.Helper()
	bySeq := slices.SortedFunc(slices.Values(o.exchanges), func(a, b *reporter.ExchangeTold) int { return int(a.Seq - b.Seq) })
	var lines []string
	for _, e := range bySeq {
		lines = append(lines, fmt.Sprintf("%d %s %s %q %q", e.Seq, e.Request.Method, e.Request.Target, e.Request.Header, body(t, e.Request.Body)))
	}
	return lines
}
