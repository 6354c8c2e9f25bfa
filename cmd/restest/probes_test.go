package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/stages/reporter"
)

// staffRoom serves the demo's staff room, and notes how much had been said when the first request came.
type staffRoom struct {
	mu     sync.Mutex
	room   *demo.StaffRoom
	said   *lockedBuffer
	before string
	asked  bool
}

func (s *staffRoom) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	in := demo.Request{Method: r.Method, Target: r.RequestURI, Body: body}
	for name, values := range r.Header {
		for _, v := range values {
			in.Header = append(in.Header, messages.Field{Name: name, Value: v})
		}
	}
	s.mu.Lock()
	if !s.asked {
		s.asked, s.before = true, s.said.text()
	}
	reply := s.room.Answer(0, in)
	s.mu.Unlock()
	for _, f := range reply.Header {
		w.Header().Add(f.Name, f.Value)
	}
	w.WriteHeader(reply.Status)
	_, _ = w.Write(reply.Body)
}

// lockedBuffer is written by the run while the server reads it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Decision 0025: what will be probed is said before the first request, and told in the report and the recording; a key is
// in none of it; the report can be made again; and a replay sends the same probe.
func TestProbesAreAnnouncedAndToldAndCanBeReplayed(t *testing.T) {
	room := &staffRoom{room: demo.NewStaffRoom(demo.Options{}), said: &lockedBuffer{}}
	server := httptest.NewServer(room)
	defer server.Close()
	folder := t.TempDir()
	out, again := filepath.Join(folder, "out"), filepath.Join(folder, "again")
	document, auth := filepath.Join(folder, "staff.json"), filepath.Join(folder, "auth.yaml")
	for file, text := range map[string]string{document: string(demo.StaffDocument()), auth: demo.StaffAuth} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var stdout bytes.Buffer
	code := run([]string{
		"restest", "run", document, "--url", server.URL, "--budget", "4s", "--seed", "1", "--out", out, "--auth-file", auth,
		"--set", "security.probes=true", "--set", "security.share=0.4", "--set", "report.formats=har",
	}, []string{"LC_ALL=C.UTF-8"}, strings.NewReader(""), &stdout, room.said)
	if code != reporter.ExitErrors {
		t.Fatalf("it ended with %d:\n%s%s", code, room.said.text(), stdout.String())
	}
	for _, kind := range messages.Probes {
		if !strings.Contains(room.before, string(kind)+" (") {
			t.Errorf("%s is not announced before the first request:\n%s", kind, room.before)
		}
	}

	report := reportIn(t, out)
	if report.Probes == nil || len(report.Probes.Kinds) != len(messages.Probes) {
		t.Fatalf("the report tells of the probes: %+v", report.Probes)
	}
	for _, k := range report.Probes.Kinds {
		if k.Sent == 0 || k.Operations == 0 {
			t.Errorf("%s: %d sent to %d operations", k.Kind, k.Sent, k.Operations)
		}
	}
	probe := map[string]string{}
	for _, f := range report.Findings {
		if f.Code != "F311" && f.Code != "F308" {
			continue
		}
		probe[f.Operation+" "+f.Request.Probe] = f.ID
		lines := strings.Split(f.Curl, "\n")
		if strings.Contains(lines[len(lines)-1], "RESTEST_") {
			t.Errorf("%s, found without credentials, has the command %s", f.Operation, f.Curl)
		}
	}
	payroll, rates := probe["readPayroll anonymous"], probe["readRates wrongCredentials"]
	if payroll == "" || rates == "" {
		t.Fatalf("found: %v", probe)
	}
	if har := string(content(t, out, "run.har")); !strings.Contains(har, "security probe: anonymous") {
		t.Error("the HAR does not name the probes")
	}
	for name, file := range files(t, out) {
		if bytes.Contains(file, []byte("key-of-")) {
			t.Errorf("%s shows a key", name)
		}
	}

	if code, _, said := called("report", out, "--out", again, "--formats", "har"); code != reporter.ExitClean {
		t.Fatalf("report ended with %d: %s", code, said)
	}
	if !bytes.Equal(content(t, out, "report.json"), content(t, again, "report.json")) {
		t.Error("the report made again is another")
	}

	// With everybody's keys each finding is still there: the replay makes what it is about anew, and who asks for it is who
	// asked. What the run did not make for its probe is gone by now, and that is said.
	var environ []string
	for _, v := range report.CurlVariables {
		key := "key-of-anna"
		if strings.Contains(v.Meaning, "bert") {
			key = "key-of-bert"
		}
		environ = append(environ, v.Name+"="+key)
	}
	var told, said bytes.Buffer
	if code := run([]string{"restest", "replay", out, "--url", server.URL, "--rate", "60000"}, environ, strings.NewReader(""), &told, &said); code != reporter.ExitErrors ||
		strings.Count(told.String(), "still there ") < len(report.Findings)-1 || !strings.Contains(told.String(), "\n0 fixed") {
		t.Errorf("the replay of %d findings ended with %d, the variables being %+v:\n%s%s", len(report.Findings), code, report.CurlVariables, told.String(), said.String())
	}

	for _, row := range []struct {
		options demo.Options
		says    string
		code    int
	}{{demo.Options{}, "still there ", reporter.ExitErrors}, {demo.Options{WithoutFaults: true}, "fixed ", reporter.ExitClean}} {
		room.mu.Lock()
		room.room = demo.NewStaffRoom(row.options)
		room.mu.Unlock()
		code, told, said := called("replay", out, "--url", server.URL, "--finding", payroll, "--finding", rates, "--auth", "header:X-Staff-Key=key-of-anna")
		if code != row.code || strings.Count(told, row.says) != 2 {
			t.Errorf("the replay ended with %d:\n%s%s", code, told, said)
		}
	}
}
