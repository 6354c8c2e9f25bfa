package main

import (
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
	"go.yaml.in/yaml/v4"

	"github.com/restest/restest/settings"
)

// flagsOf are the options of every command, by its full name.
func flagsOf(cmd *cli.Command, name string, all map[string][]string) {
	for _, f := range cmd.VisibleFlags() {
		all[name] = append(all[name], f.Names()...)
	}
	for _, sub := range cmd.Commands {
		if !sub.Hidden {
			flagsOf(sub, name+" "+sub.Name, all)
		}
	}
}

func TestTheManualPageHasEveryCommandOptionAndSetting(t *testing.T) {
	code, page, said := called("man")
	if code != 0 || said != "" {
		t.Fatalf("it ended with %d: %s", code, said)
	}
	plain := strings.ReplaceAll(page, `\-`, "-")
	all := map[string][]string{}
	flagsOf((&app{streams: streams{strings.NewReader(""), io.Discard, io.Discard}}).root(), "restest", all)
	if len(all) < 8 {
		t.Fatalf("options of %d commands alone", len(all))
	}
	for name, options := range all {
		_, section, found := strings.Cut(plain, "\n.SS "+name+"\n")
		if name == "restest" {
			continue
		}
		if !found {
			t.Errorf("%s is not in it", name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n.SS ")
		for _, option := range options {
			if len(option) > 1 && !regexp.MustCompile(`(?m)^\.B .*--`+option+`\b`).MatchString(section) {
				t.Errorf("%s --%s is not in it", name, option)
			}
		}
	}
	for _, name := range settings.Names() {
		if !strings.Contains(plain, "\n.B "+name+"\n") {
			t.Errorf("setting %s is not in it", name)
		}
	}
	if man, err := exec.LookPath("mandoc"); err == nil {
		lint := exec.Command(man, "-T", "lint", "-W", "error")
		lint.Stdin = strings.NewReader(page)
		if out, err := lint.CombinedOutput(); err != nil {
			t.Errorf("mandoc: %v: %s", err, out)
		}
	}
}

// What the Dockerfile builds runs where there is nothing but it.
func TestTheBinaryOfTheImageIsStatic(t *testing.T) {
	switch {
	case runtime.GOOS != "linux":
		t.Skip("the image is one of Linux")
	case os.Getenv("RESTEST_LONG") == "":
		t.Skip("it builds the program and all it needs anew; set RESTEST_LONG=1")
	}
	dockerfile := string(content(t, "..", "..", "Dockerfile"))
	command := regexp.MustCompile(`(?m)^RUN (CGO_ENABLED=0) (go build .*)$`).FindStringSubmatch(dockerfile)
	if command == nil || !strings.Contains(dockerfile, "\nFROM scratch\n") || !strings.Contains(dockerfile, "\nUSER 65532:65532\n") ||
		!strings.Contains(dockerfile, "ca-certificates.crt") {
		t.Fatal("the Dockerfile is another one")
	}
	binary := filepath.Join(t.TempDir(), "restest")
	build := exec.Command("sh", "-c", strings.ReplaceAll(command[2], "-o /restest", "-o "+binary))
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), command[1], "VERSION=1.2.3")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	libraries, err := file.ImportedLibraries()
	if len(libraries) > 0 || err != nil || slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Errorf("it needs %v (%v)", libraries, err)
	}
	version := exec.Command(binary, "version")
	version.Env = []string{}
	if out, err := version.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "restest version 1.2.3\n") {
		t.Errorf("%v: %s", err, out)
	}
}

// A key is no input, and no input is put into a script's text, where it could become a command.
func TestTheActionTakesItsInputsAsData(t *testing.T) {
	var action struct {
		Inputs map[string]struct{ Description string }
		Runs   struct {
			Using string
			Steps []struct {
				Name, Uses, Shell, Run string
				Env                    map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(content(t, "..", "..", "action.yml"), &action); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"document", "url", "budget", "settings", "upload-sarif"} {
		if action.Inputs[name].Description == "" {
			t.Errorf("no input %s", name)
		}
	}
	if _, there := action.Inputs["auth"]; there {
		t.Error("a key is an input")
	}
	if action.Runs.Using != "composite" || len(action.Runs.Steps) == 0 {
		t.Fatalf("runs: %+v", action.Runs)
	}
	root := (&app{streams: streams{strings.NewReader(""), io.Discard, io.Discard}}).root()
	for _, s := range action.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %q has an expression in its script", s.Name)
		}
		if s.Run == "" {
			continue
		}
		if s.Shell != "bash" {
			t.Errorf("step %q has no shell", s.Name)
		}
		if out, err := exec.Command("bash", "-n", "-c", s.Run).CombinedOutput(); err != nil {
			t.Errorf("step %q: %v: %s", s.Name, err, out)
		}
		for _, m := range regexp.MustCompile(`report\.formats=([a-z,]+)`).FindAllStringSubmatch(s.Run, -1) {
			for _, format := range strings.Split(m[1], ",") {
				if !slices.Contains(settings.Formats, format) {
					t.Errorf("step %q: there is no format %s", s.Name, format)
				}
			}
		}
		for _, option := range regexp.MustCompile(`(?:run|\() ?--([a-z-]+)|\(--([a-z-]+)`).FindAllStringSubmatch(s.Run, -1) {
			name := option[1] + option[2]
			if !slices.ContainsFunc(root.Command("run").Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) }) {
				t.Errorf("step %q: run has no option --%s", s.Name, name)
			}
		}
	}
}

// The action's script runs the program with what it is given.
func TestTheActionsScriptRunsTheProgram(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	var action struct {
		Runs struct{ Steps []struct{ ID, Run string } }
	}
	if err := yaml.Unmarshal(content(t, "..", "..", "action.yml"), &action); err != nil {
		t.Fatal(err)
	}
	script := ""
	for _, s := range action.Runs.Steps {
		if s.ID == "test" {
			script = s.Run
		}
	}
	folder := t.TempDir()
	program := "#!/bin/sh\nfor a; do echo \"[$a]\"; done >\"" + folder + "/called\"\nexit 1\n"
	if err := os.WriteFile(filepath.Join(folder, "restest"), []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-eo", "pipefail", "-c", script)
	cmd.Env = append(os.Environ(), "RUNNER_TEMP="+folder, "GITHUB_OUTPUT="+folder+"/output", "DOCUMENT=-a b.yaml", "URL=http://h", "BUDGET=5s",
		"SETTINGS=engine.maxConcurrency=2\n\nchecks.failOnWarnings=true", "SETTINGS_FILE=", "OUT=out")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	want := "[run]\n[--budget]\n[5s]\n[--out]\n[out]\n[--set]\n[report.formats=html,junit,sarif,markdown]\n[--url]\n[http://h]\n" +
		"[--set]\n[engine.maxConcurrency=2]\n[--set]\n[checks.failOnWarnings=true]\n[--]\n[-a b.yaml]\n"
	if got := string(content(t, folder, "called")); got != want {
		t.Errorf("called with\n%s", got)
	}
	if got := string(content(t, folder, "output")); got != "report=out/report.json\nexit-code=1\n" {
		t.Errorf("outputs: %s", got)
	}
}

// A skill says what it is for, and every command and setting it names is there.
func TestTheSkillNamesWhatThereIs(t *testing.T) {
	text := string(content(t, "..", "..", "skills", "restest", "SKILL.md"))
	front, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	var about struct{ Name, Description string }
	if err := yaml.Unmarshal([]byte(front), &about); err != nil || !ok || about.Name != "restest" || len(about.Description) < 50 {
		t.Errorf("its front matter: %+v, %v", about, err)
	}
	root := (&app{streams: streams{strings.NewReader(""), io.Discard, io.Discard}}).root()
	for _, m := range regexp.MustCompile("(?m)(?:^|`)restest ([a-z]+)([^`\n]*)").FindAllStringSubmatch(body, -1) {
		cmd := root.Command(m[1])
		if cmd == nil {
			t.Errorf("restest %s is no command", m[1])
			continue
		}
		for _, option := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(m[2], -1) {
			if !slices.ContainsFunc(cmd.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), option[1]) }) {
				t.Errorf("restest %s has no option --%s", m[1], option[1])
			}
		}
	}
	for _, m := range regexp.MustCompile(`\b(engine|schedule|generation|checks|memory|report)\.([a-z]+[A-Z]\w*)`).FindAllString(body, -1) {
		if !slices.Contains(settings.Names(), m) {
			t.Errorf("%s is no setting", m)
		}
	}
	if program, err := exec.LookPath("jq"); err == nil {
		out := testedInEveryFormat(t)
		for _, m := range regexp.MustCompile(`(?m)^jq .*$`).FindAllString(body, -1) {
			line := strings.NewReplacer("restest-out", out, "jq ", program+" ").Replace(m)
			if said, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", m, err, said)
			}
		}
	}
}
