package main

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rs/zerolog"
	"github.com/urfave/cli/v3"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/stages/reporter"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"restest": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "when": when, "ended": ended, "silent": silent, "bookshop": bookshop,
		},
		Setup: func(e *testscript.Env) error {
			e.Values[signalled{}] = &signalled{}
			e.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector's second at the end of each program
			return nil
		},
	})
}

// exits is a command of scripts: "exits CODE PROGRAM ARGS" wants a program to end with the code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGS]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want := args[0]; strconv.Itoa(code) != want {
		ts.Fatalf("it ended with %d, not %s", code, want)
	}
}

// optionsOf reads a command line of run without running it.
func optionsOf(t *testing.T, args ...string) (runOptions, error) {
	t.Helper()
	a := &app{streams: streams{strings.NewReader(""), io.Discard, io.Discard}, environ: []string{"A=b"}}
	root := a.root()
	var o runOptions
	i := slices.IndexFunc(root.Commands, func(c *cli.Command) bool { return c.Name == "run" })
	root.Commands[i].Action = func(_ context.Context, cmd *cli.Command) (err error) {
		o, err = a.runOptions(cmd)
		return err
	}
	err := root.Run(context.Background(), append([]string{"restest", "run"}, args...))
	return o, err
}

func TestTheCommandLineOfRun(t *testing.T) {
	const url = "http://localhost:8080/v1"
	plain := runOptions{
		document: "api.yaml", url: url, budget: time.Minute, seed: 7, out: "restest-out", auth: []string{}, dictionaries: []string{},
		settings: settings.Input{Environ: []string{"A=b"}, Set: []string{}}, logLevel: zerolog.WarnLevel, environ: []string{"A=b"},
	}
	all := plain
	all.budget, all.seed, all.out, all.quiet, all.logLevel = 1500*time.Millisecond, 1<<64-1, "out, there", true, zerolog.Disabled
	all.auth = []string{"header:Accept=a, b", "key,with,commas"}
	all.dictionaries = []string{"a, b.yaml", "words"}
	all.settings.Set = []string{"engine.userAgent=a, b", "engine.readTimeout=5s"}
	all.settings.Flags = []settings.Flag{{Flag: "--proxy", Name: "engine.proxy", Value: "http://p:1"}}
	itself := plain
	itself.url = ""
	dash := plain
	dash.document = "-"
	odd := plain
	odd.document = "--odd name"

	for _, row := range []struct {
		name string
		args []string
		want runOptions
	}{
		{"the least", []string{"api.yaml", "--url", url, "--seed", "7"}, plain},
		{"options first", []string{"--url", url, "--seed=7", "api.yaml"}, plain},
		{"options on both sides", []string{"--seed", "7", "api.yaml", "--url=" + url}, plain},
		{"an API where its document says", []string{"api.yaml", "--seed", "7"}, itself},
		{"the last of two counts", []string{"--url", "http://other", "--seed", "7", "api.yaml", "--url", url}, plain},
		{"the standard input", []string{"-", "--url", url, "--seed", "7"}, dash},
		{"a document named like an option", []string{"--url", url, "--seed", "7", "--", "--odd name"}, odd},
		{"everything", []string{
			"--budget", "1.5", "--out", "out, there", "--auth", "header:Accept=a, b", "--set", "engine.userAgent=a, b",
			"--quiet", "api.yaml", "--url", url, "--seed", "18446744073709551615", "--auth", "key,with,commas",
			"--set", "engine.readTimeout=5s", "--log-level", "disabled", "--proxy", "http://p:1",
			"--dictionary", "a, b.yaml", "--dictionary", "words",
		}, all},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := optionsOf(t, row.args...)
			if err != nil || !reflect.DeepEqual(got, row.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, row.want)
			}
		})
	}
}

func TestASeedIsDrawnAnewWhereNoneIsGiven(t *testing.T) {
	drawn := make(map[uint64]bool)
	for range 5 {
		o, err := optionsOf(t, "api.yaml", "--url", "http://h")
		if err != nil {
			t.Fatal(err)
		}
		if o.seed >= 1<<53 {
			t.Errorf("the seed %d loses digits as a JSON number", o.seed)
		}
		drawn[o.seed] = true
	}
	if len(drawn) < 4 {
		t.Errorf("five runs drew %v", drawn)
	}
}

func TestMistakesOnTheCommandLineOfRun(t *testing.T) {
	withURL := func(args ...string) []string { return append([]string{"api.yaml", "--url", "http://h"}, args...) }
	for _, row := range []struct {
		args []string
		want string
	}{
		{nil, "the DOCUMENT is missing; write restest run DOCUMENT --url URL"},
		{[]string{"", "--url", "http://h"}, "the DOCUMENT is empty; write a file, a URL or - for the standard input"},
		{withURL("s3cret"), "there are 2 arguments where one DOCUMENT belongs"},
		{[]string{"api.yaml", "--url", ""}, "--url is empty; write the API's address, such as --url http://localhost:8080"},
		{[]string{"api.yaml", "--url", "localhost:8080"}, "--url does not begin with http:// or https://; write it like http://localhost:8080 or https://api.example.com/v1"},
		{[]string{"api.yaml", "--url", "ftp://h"}, "--url is neither http nor https; write it like http://localhost:8080 or https://api.example.com/v1"},
		{[]string{"api.yaml", "--url", "http://"}, "--url names no host; write it like http://localhost:8080 or https://api.example.com/v1"},
		{[]string{"api.yaml", "--url", "http://h:65536"}, "--url names a port that is none, from 1 to 65535; write it like http://localhost:8080 or https://api.example.com/v1"},
		{[]string{"api.yaml", "--url", "http://h:0"}, "--url names a port that is none, from 1 to 65535; write it like http://localhost:8080 or https://api.example.com/v1"},
		{[]string{"api.yaml", "--url", "http://h:x"}, "--url is not an address; write it like http://localhost:8080 or https://api.example.com/v1"},
		{[]string{"api.yaml", "--url", "http://me:s3cret@h"}, "--url holds a user; write --auth basic:user:password instead"},
		{[]string{"api.yaml", "--url", "http://h?key=s3cret"}, "--url holds a query or a fragment; leave it out, or write --auth query:name=value for a key"},
		{withURL("--budget", "soon"), "--budget soon is not a duration; write it like 500ms, 30s, 5m, 2h or in bare seconds"},
		{withURL("--budget", "-5s"), "--budget -5s is negative; write a duration of at least 0"},
		{withURL("--budget", "0"), "--budget 0 is too short; write at least 1ms"},
		{withURL("--budget="), `--budget "" is not a duration; write it like 500ms, 30s, 5m, 2h or in bare seconds`},
		{withURL("--seed", "1.5"), "--seed 1.5 is not a whole number from 0 to 18446744073709551615"},
		{withURL("--out", ""), "--out is empty; name a folder for the report"},
		{withURL("--log-level", "wran"), "--log-level wran is not a level; did you mean warn?"},
		{withURL("--log-level", "5"), "--log-level 5 is not a level; the levels are trace, debug, info, warn, error, fatal, panic, disabled"},
		{withURL("--quiet=maybe"), "--quiet is a switch; leave out the value"},
		{withURL("--auth"), "--auth needs a value"},
		{withURL("--bugdet", "5s"), "--bugdet is not an option; did you mean --budget?"},
		{withURL("--weather=s3cret"), "--weather is not an option; restest run --help lists them"},
		{withURL("--a\nb"), `"--a\nb" is not an option; restest run --help lists them`},
		{withURL("--settings", "nowhere.yaml"), "--settings nowhere.yaml cannot be read: no such file or directory"},
		{withURL("--settings", "."), "--settings . cannot be read: is a directory"},
	} {
		_, err := optionsOf(t, row.args...)
		var failed *failure
		if !errors.As(err, &failed) || failed.code != reporter.ExitUsage || err.Error() != "restest run: "+row.want {
			t.Errorf("%q: got %v\nwant restest run: %s", row.args, err, row.want)
		}
	}
}

func TestEachExitCodeHasOneMeaning(t *testing.T) {
	numbers, names := make(map[int]bool), make(map[string]bool)
	for _, code := range reporter.ExitCodes {
		if numbers[code.Number] || names[code.Name] || code.Meaning == "" {
			t.Errorf("%+v is there twice or means nothing", code)
		}
		numbers[code.Number], names[code.Name] = true, true
	}
	for _, code := range []int{0, 1, 2, 3, 4, 5, 130, 143} {
		if !numbers[code] {
			t.Errorf("%d is not in the table", code)
		}
	}
}

// readFunc is a fetcher of a single answer.
type readFunc func(address string) ([]byte, error)

func (f readFunc) Moved(address string) string {
	return strings.Replace(address, "/moved", "/here", 1)
}

func (f readFunc) Get(_ context.Context, address string) ([]byte, []messages.Field, error) {
	body, err := f(address)
	return body, nil, err
}

func TestWhereADocumentIsReadFrom(t *testing.T) {
	file := t.TempDir() + "/api.yaml"
	if err := os.WriteFile(file, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newReader(strings.NewReader("from the input"), readFunc(func(address string) ([]byte, error) {
		return []byte("from " + address), nil
	}), "-")
	for _, row := range []struct{ location, want string }{
		{file, "from a file"},
		{"-", "from the input"},
		{"-", "from the input"}, // which can be read but once
		{"HTTPS://h/api.yaml", "from HTTPS://h/api.yaml"},
		{"http://h/api.yaml", "from http://h/api.yaml"},
	} {
		if got, err := r.read(context.Background(), row.location); err != nil || string(got) != row.want {
			t.Errorf("%s: got %q, %v; want %q", row.location, got, err, row.want)
		}
	}
	if _, err := r.read(context.Background(), file+"x"); !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), file) {
		t.Errorf("a missing file: got %v", err)
	}
}

func TestWhatIsSecretInTheAddressOfADocumentIsSentAndNotShown(t *testing.T) {
	var asked []string
	r := newReader(nil, readFunc(func(address string) ([]byte, error) {
		asked = append(asked, address)
		return nil, errors.New("http://h/v1/api.yaml: answered 404 Not Found")
	}), "http://me:s3cret@h/v1/api.yaml?token=s3cret")
	if r.location != "http://h/v1/api.yaml" {
		t.Errorf("the document is said to be at %s", r.location)
	}
	r.find(context.Background())
	for _, location := range []string{r.location, "http://h/v1/other.yaml?page=2", "http://elsewhere/api.yaml"} {
		r.read(context.Background(), location)
	}
	want := []string{"http://me:s3cret@h/v1/api.yaml?token=s3cret", "http://me:s3cret@h/v1/other.yaml?page=2", "http://elsewhere/api.yaml"}
	if !slices.Equal(asked, want) {
		t.Errorf("it asks for %q, want %q", asked, want)
	}
	if _, err := r.read(context.Background(), r.location); err == nil || err.Error() != "answered 404 Not Found" {
		t.Errorf("the place is told twice: %v", err)
	}
}

func TestReferencesStartFromWhereARedirectLed(t *testing.T) {
	r := newReader(nil, readFunc(func(string) ([]byte, error) { return []byte("{}"), nil }), "http://h/moved/api.yaml")
	r.find(context.Background())
	if r.location != "http://h/here/api.yaml" {
		t.Errorf("the document is at %s", r.location)
	}
	if body, err := r.read(context.Background(), r.location); err != nil || string(body) != "{}" {
		t.Errorf("read %q, %v", body, err)
	}
}

func TestWhatCannotBePrintedIsAFailure(t *testing.T) {
	for _, args := range [][]string{{"settings"}, {"--help"}, {"version"}, {"run", "--print-settings"}, {"completion", "bash"}} {
		var said strings.Builder
		code := run(append([]string{"restest"}, args...), nil, strings.NewReader(""), full{}, &said)
		if code != reporter.ExitFailed || said.String() != "restest: the standard output could not be written: no space left\n" {
			t.Errorf("%q ends with %d and says %q", args, code, said.String())
		}
	}
}

// full is a file on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "out", Err: errors.New("no space left")}
}

func TestAnEndlessInputIsNotReadToItsEnd(t *testing.T) {
	if _, err := readAll(endless{}, 1<<20); err == nil || err.Error() != "it is larger than 1 MiB" {
		t.Errorf("got %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestARunIsMadeReadyFromItsCommandLine(t *testing.T) {
	const api = `
openapi: 3.0.3
info: {title: A, version: "1"}
components:
  securitySchemes:
    api_key: {type: apiKey, in: header, name: X-Api-Key}
    other_key: {type: apiKey, in: query, name: key}
paths:
  /things:
    get:
      security: [{api_key: []}]
      responses: {"200": {description: ok}}
    post:
      security: [{other_key: []}]
      responses: {"201": {description: made}}
`
	o, err := optionsOf(t, "-", "--url", "http://localhost:8080/v1", "--auth", "api_key=s3cret",
		"--set", "engine.mostRequestsPerMinute=300", "--set", "engine.limitTheRate=false")
	if err != nil {
		t.Fatal(err)
	}
	o.environ = []string{"RESTEST_AUTH=nowhere=s3cret"}
	p, err := ready(context.Background(), o, streams{in: strings.NewReader(api)})
	if err != nil {
		t.Fatal(err)
	}
	placed := p.keys.For(p.doc, p.doc.Operations[0], 0, nil)
	if want := []credentials.Placed{{In: "header", Name: "X-Api-Key", Value: "s3cret"}}; !slices.Equal(placed, want) {
		t.Errorf("the first operation is sent %v, want %v", placed, want)
	}
	if p.doc.Address != "http://localhost:8080/v1" || !p.mask.Has("s3cret") {
		t.Errorf("the address is %s, the key hidden: %v", p.doc.Address, p.mask.Has("s3cret"))
	}
	want := []string{
		"RESTEST_AUTH: the document has no security scheme of the name before the =; it has api_key, other_key (a key that holds an = is written scheme=key); it is left out",
		"engine.mostRequestsPerMinute is 300, but engine.limitTheRate is false, so no rate is kept to",
	}
	if !slices.Equal(p.notes, want) {
		t.Errorf("the notes are\n%s\nwant\n%s", strings.Join(p.notes, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheBudgetIncludesReadingTheDocument(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	in, out := io.Pipe() // never written to
	defer out.Close()
	for _, location := range []string{"-", "http://" + silent.Addr().String() + "/api.yaml"} {
		o, err := optionsOf(t, location, "--url", "http://h", "--budget", "20ms")
		if err != nil {
			t.Fatal(err)
		}
		_, err = ready(context.Background(), o, streams{in, io.Discard, io.Discard})
		var failed *failure
		if !errors.As(err, &failed) || failed.code != reporter.ExitNothing || !strings.HasPrefix(err.Error(), "the budget, 20ms, was over before ") {
			t.Errorf("%s: got %v", location, err)
		}
	}
}
