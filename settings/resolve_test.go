package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// value finds a setting as it is shown.
func value(t *testing.T, g *Given, name string) Value {
	t.Helper()
	for _, v := range g.All() {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("%s is not among all settings", name)
	return Value{}
}

func file(lines ...string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }

func resolve(t *testing.T, in Input) *Given {
	t.Helper()
	g, err := Resolve(in)
	if err != nil {
		t.Fatalf("refused:\n%v", err)
	}
	return g
}

func TestLaterPlacesWin(t *testing.T) {
	in := Input{File: "s.yaml"}
	expect := func(want, origin, where string) {
		t.Helper()
		got := value(t, resolve(t, in), "engine.readTimeout")
		if got.Value != want || got.Origin != origin || got.Where != where || got.Default != "30s" {
			t.Errorf("got %+v, want %s from %s, %q", got, want, origin, where)
		}
	}
	expect("30s", FromDefault, "")
	in.Content = file("# a comment", "engine:", "  readTimeout: 1s")
	expect("1s", FromFile, "s.yaml:3")
	in.Environ = []string{"PATH=/bin", "RESTEST_ENGINE_READTIMEOUT=2s"}
	expect("2s", FromEnvironment, "RESTEST_ENGINE_READTIMEOUT")
	in.Set = []string{"engine.readTimeout=3", "engine.readTimeout=4s"}
	expect("4s", FromCommandLine, "--set")
}

func TestAFlagOfItsOwnWinsOverSet(t *testing.T) {
	g := resolve(t, Input{
		Set:   []string{"engine.proxy=http://one:1"},
		Flags: []Flag{{"--proxy", "engine.proxy", "http://two:2"}},
	})
	if got := value(t, g, "engine.proxy"); got.Value != "http://two:2" || got.Where != "--proxy" {
		t.Errorf("got %+v", got)
	}
}

func TestAFileMayBeJSONOrYAMLOrEmpty(t *testing.T) {
	for _, content := range []string{
		"{\n\t\"engine\": {\n\t\t\"readTimeout\": \"5s\",\n\t\t\"maxConcurrency\": 8\n\t}\n}",
		`{"engine":{"readTimeout":5,"maxConcurrency":8}}`,
		"\ufeffengine:\r\n  readTimeout: 5s\r\n  maxConcurrency: 8\r\n",
		"engine: {readTimeout: '5s', maxConcurrency: 8}\nschedule:\n  # nothing yet\n",
		"---\nengine: &e\n  readTimeout: 5\n  maxConcurrency: 8\n...\n",
	} {
		g := resolve(t, Input{File: "f", Content: []byte(content)})
		if g.Engine.ReadTimeout != 5*time.Second || g.Engine.MaxConcurrency != 8 {
			t.Errorf("%q: got %+v", content, g.Engine)
		}
	}
	for _, content := range []string{"", "# nothing\n", "---\n", "null\n", "engine:\n", "\ufeff"} {
		if g := resolve(t, Input{File: "f", Content: []byte(content)}); g.Settings != Default() {
			t.Errorf("%q changes settings", content)
		}
	}
}

func TestOtherVariablesAreNotSettings(t *testing.T) {
	g := resolve(t, Input{Environ: []string{
		"RESTEST_AUTH=secret-key", "RESTEST_SHARED=/x", "RESTEST_KEY_1=a", "RESTEST_ENGINE=x", "RESTEST_=x", "RESTEST",
		"MY_RESTEST_ENGINE_READTIMEOUT=1s", "",
	}})
	if g.Settings != Default() {
		t.Errorf("settings changed: %+v", g.Settings)
	}
}

func TestNamingTheRateTurnsItOn(t *testing.T) {
	const number, on = "engine.mostRequestsPerMinute", "engine.limitTheRate"
	for name, in := range map[string]Input{
		"file":         {Content: file("engine:", "  mostRequestsPerMinute: 300")},
		"environment":  {Environ: []string{"RESTEST_ENGINE_MOSTREQUESTSPERMINUTE=300"}},
		"command line": {Set: []string{number + "=300"}},
		"the default":  {Set: []string{number + "=600"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := resolve(t, in)
			got := value(t, g, on)
			if !g.Engine.LimitTheRate || got.Origin != WorkedOut || got.Where != number || len(g.Notes()) != 0 {
				t.Errorf("the rate is not on: %+v, notes %q", got, g.Notes())
			}
		})
	}
}

func TestTheSwitchNamedOutrightDecides(t *testing.T) {
	rate := []byte("engine:\n  mostRequestsPerMinute: 300\n")
	for _, in := range []Input{
		{Content: file("engine:", "  limitTheRate: false", "  mostRequestsPerMinute: 300")},
		{Content: rate, Environ: []string{"RESTEST_ENGINE_LIMITTHERATE=false"}},
		{Content: rate, Set: []string{"engine.limitTheRate=false"}},
		{Content: file("engine:", "  limitTheRate: false"), Set: []string{"engine.mostRequestsPerMinute=300"}},
	} {
		g := resolve(t, in)
		want := []string{"engine.mostRequestsPerMinute is 300, but engine.limitTheRate is false, so no rate is kept to"}
		if g.Engine.LimitTheRate || !slices.Equal(g.Notes(), want) {
			t.Errorf("%+v: limited %v, notes %q", in, g.Engine.LimitTheRate, g.Notes())
		}
	}
	g := resolve(t, Input{Set: []string{"engine.limitTheRate=true"}})
	if !g.Engine.LimitTheRate || g.Engine.MostRequestsPerMinute != 600 || len(g.Notes()) != 0 {
		t.Errorf("the switch alone keeps to %d: %v, notes %q", g.Engine.MostRequestsPerMinute, g.Engine.LimitTheRate, g.Notes())
	}
	if g := resolve(t, Input{}); g.Engine.LimitTheRate || len(g.Notes()) != 0 {
		t.Errorf("nothing named limits the rate, or notes %q", g.Notes())
	}
}

func TestAPrintedFileWithOnlyItsNumberChangedKeepsNoRateAndSaysSo(t *testing.T) {
	printed := resolve(t, Input{}).Print()
	if !strings.Contains(printed, "  limitTheRate: false\n") || !strings.Contains(printed, "  mostRequestsPerMinute: 600\n") {
		t.Fatalf("the switch or the rate is not printed outright:\n%s", printed)
	}
	changed := strings.Replace(printed, "mostRequestsPerMinute: 600", "mostRequestsPerMinute: 300", 1)
	g := resolve(t, Input{Content: []byte(changed)})
	if g.Engine.LimitTheRate || len(g.Notes()) != 1 {
		t.Errorf("limited %v, notes %q", g.Engine.LimitTheRate, g.Notes())
	}
}

func TestTheCallTimeoutFollowsTheWaitsInsideIt(t *testing.T) {
	for _, row := range []struct {
		set    []string
		want   time.Duration
		origin string
		where  string
	}{
		{nil, time.Minute, FromDefault, ""},
		{[]string{"engine.readTimeout=5s"}, 20 * time.Second, WorkedOut, "engine.readTimeout"},
		{[]string{"engine.readTimeout=2m"}, 4 * time.Minute, WorkedOut, "engine.readTimeout"},
		{[]string{"engine.connectTimeout=45s"}, 90 * time.Second, WorkedOut, "engine.connectTimeout"},
		{[]string{"engine.writeTimeout=1s"}, time.Minute, WorkedOut, "engine.writeTimeout"},
		{[]string{"engine.readTimeout=2m", "engine.callTimeout=3m"}, 3 * time.Minute, FromCommandLine, "--set"},
	} {
		got := value(t, resolve(t, Input{Set: row.set}), "engine.callTimeout")
		if got.Value != FormatDuration(row.want) || got.Origin != row.origin || got.Where != row.where {
			t.Errorf("%v: got %+v, want %v, %s", row.set, got, row.want, row.origin)
		}
	}
}

func TestTheInitialConcurrencyMovesToWhereItIsAllowed(t *testing.T) {
	for _, row := range []struct {
		set    string
		want   int
		origin string
		where  string
	}{
		{"engine.maxConcurrency=1", 1, WorkedOut, "engine.maxConcurrency"},
		{"engine.minConcurrency=8", 8, WorkedOut, "engine.minConcurrency"},
		{"engine.maxConcurrency=8", 4, FromDefault, ""},
	} {
		g := resolve(t, Input{Set: []string{row.set}})
		got := value(t, g, "engine.initialConcurrency")
		if g.Engine.InitialConcurrency != row.want || got.Origin != row.origin || got.Where != row.where {
			t.Errorf("%s: got %+v, want %d, %s", row.set, got, row.want, row.origin)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, row := range []struct {
		name string
		in   Input
		want []string // the lines, each whole
	}{
		{
			"an unknown setting",
			Input{Content: file("engine:", "  readTimeout: 5s", "  mostRequestPerMinute: 300")},
			[]string{"s.yaml:3: engine.mostRequestPerMinute: is not a setting; did you mean engine.mostRequestsPerMinute?"},
		},
		{
			"an unknown group",
			Input{Content: file("engin:", "  readTimeout: 5s", "weather: fine")},
			[]string{
				"s.yaml:1: engin: is not a group of settings; did you mean engine?",
				"s.yaml:3: weather: is not a group of settings; the groups are engine, schedule, generation, mutation, memory, series, security, checks, report",
			},
		},
		{
			"a setting outside its group",
			Input{Content: file("engine.readTimeout: 5s")},
			[]string{"s.yaml:1: engine.readTimeout: does not stand in its group; write the group, then beneath it the rest of the name"},
		},
		{
			"duplicate keys",
			Input{Content: file("engine:", "  readTimeout: 5s", "  readTimeout: 6s", "memory:", "engine:", "  followRedirects: true")},
			[]string{
				"s.yaml:3: engine.readTimeout: was given before, at s.yaml:2; keep one of the two",
				"s.yaml:5: engine: was given before, at s.yaml:1; keep one of the two",
			},
		},
		{
			"wrong types in a file",
			Input{Content: file(
				"engine:", "  readTimeout: soon", "  maxConcurrency: 4.5", "  limitTheRate: yes", "  proxy:", "  userAgent: [a]",
				"  followRedirects: \"true\"", "generation: 5", "memory: [1]",
			)},
			[]string{
				"s.yaml:2: engine.readTimeout: soon is not a duration; write it like 500ms, 30s, 5m, 2h or in bare seconds",
				"s.yaml:3: engine.maxConcurrency: 4.5 is not a whole number; write one from 1 to 1024",
				"s.yaml:4: engine.limitTheRate: yes is not a switch; write true or false",
				"s.yaml:5: engine.proxy: has no value; give it one or leave the line out",
				"s.yaml:6: engine.userAgent: is a list or a group of its own; write one value",
				`s.yaml:7: engine.followRedirects: "true" is text; leave out the quotes`,
				"s.yaml:8: generation: is a group; write its settings beneath it",
				"s.yaml:9: memory: is a group; write its settings beneath it",
			},
		},
		{
			"a file that is no mapping",
			Input{Content: file("- engine", "- schedule")},
			[]string{"s.yaml:1: is not a settings file; write groups such as engine: with their settings beneath them"},
		},
		{
			"a key that is no name",
			Input{Content: file("? [a, b]", ": 3")},
			[]string{"s.yaml:1: has something other than a name before the colon; write a group or a setting"},
		},
		{
			"broken YAML",
			Input{Content: file("engine: [1", "b: 2")},
			[]string{"s.yaml:2: is neither YAML nor JSON: did not find expected ',' or ']'"},
		},
		{
			"two documents",
			Input{Content: file("engine:", "---", "engine:")},
			[]string{"s.yaml:2: begins a second document; keep to one"},
		},
		{
			"the environment",
			Input{Environ: []string{
				"RESTEST_ENGINE_XYZ=1", "RESTEST_ENGINE_READ_TIMEOUT=5s", "RESTEST_ENGINE_MAXCONCURRENCY=many",
				"RESTEST_ENGINE_WRITETIMEOUT=",
			}},
			[]string{
				"RESTEST_ENGINE_MAXCONCURRENCY: many is not a whole number; write one from 1 to 1024",
				"RESTEST_ENGINE_READ_TIMEOUT: is not a setting; did you mean RESTEST_ENGINE_READTIMEOUT?",
				"RESTEST_ENGINE_WRITETIMEOUT: is empty; unset it or give it a value",
				"RESTEST_ENGINE_XYZ: is not a setting",
			},
		},
		{
			"the command line",
			Input{Set: []string{
				"engine.x", "engine=5", "engine.readTimeout", "nothing", "engine.raedTimeout=5s", "a\nb=1", "=",
			}},
			[]string{
				"--set engine.x: is not a setting; restest settings lists them all",
				"--set engine: is a group, not a setting; write group.key",
				"--set engine.readTimeout: has no value; write --set engine.readTimeout=value",
				"--set nothing: is not a setting; restest settings lists them all",
				"--set engine.raedTimeout: is not a setting; did you mean engine.readTimeout?",
				`--set "a\nb": is not a setting; restest settings lists them all`,
				`--set "": is not a setting; restest settings lists them all`,
			},
		},
		{
			"impossible values",
			Input{Set: []string{
				"engine.readTimeout=-5s", "engine.connectTimeout=0", "engine.mostRequestsPerMinute=-1",
				"engine.maxRetainedResponseBytes=-1", "generation.optionalBodyChance=1.5", "generation.optionalPropertyChance=NaN",
				"schedule.firstGuessedWait=9000h", "engine.maxConcurrency=99999999999999999999", "engine.minConcurrency=0",
			}},
			[]string{
				"--set engine.readTimeout: -5s is negative; write a duration of at least 0",
				"--set engine.connectTimeout: 0 is too short; write at least 1ms",
				"--set engine.mostRequestsPerMinute: -1 is out of bounds; write a whole number from 1 to 60000000",
				"--set engine.maxRetainedResponseBytes: -1 is out of bounds; write a whole number from 0 to 1073741824",
				"--set generation.optionalBodyChance: 1.5 is not a chance; write a number from 0 to 1",
				"--set generation.optionalPropertyChance: NaN is not a chance; write a number from 0 to 1",
				"--set schedule.firstGuessedWait: 9000h is longer than a year; write at most 8760h",
				"--set engine.maxConcurrency: 99999999999999999999 is out of bounds; write a whole number from 1 to 1024",
				"--set engine.minConcurrency: 0 is out of bounds; write a whole number from 1 to 1024",
			},
		},
		{
			"a rate of 0",
			Input{Content: file("engine:", "  limitTheRate: true", "  mostRequestsPerMinute: 0")},
			[]string{"s.yaml:3: engine.mostRequestsPerMinute: 0 is not a rate; engine.limitTheRate=false is how a rate is left alone"},
		},
		{
			"fewest above most",
			Input{Content: file("engine:", "  minConcurrency: 20"), Set: []string{"engine.maxConcurrency=10"}},
			[]string{"--set engine.maxConcurrency: engine.minConcurrency, 20, is more than engine.maxConcurrency, 10; lower the one or raise the other"},
		},
		{
			"the beginning outside fewest to most",
			Input{Content: file("engine:", "  initialConcurrency: 32")},
			[]string{"s.yaml:2: engine.initialConcurrency: engine.initialConcurrency, 32, is outside 1 to 16, engine.minConcurrency to engine.maxConcurrency; move it between them"},
		},
		{
			"the first guess above the longest",
			Input{Environ: []string{"RESTEST_SCHEDULE_FIRSTGUESSEDWAIT=2m"}},
			[]string{"RESTEST_SCHEDULE_FIRSTGUESSEDWAIT: schedule.firstGuessedWait, 2m, is longer than schedule.longestGuessedWait, 1m; shorten the one or lengthen the other"},
		},
		{
			"no weight at all",
			Input{Set: []string{
				"generation.exampleWeight=0", "generation.defaultWeight=0", "generation.observedWeight=0", "generation.randomWeight=0",
			}},
			[]string{"--set generation.exampleWeight: the weights are all 0, so no value could be made; give at least one of them a share"},
		},
		{
			"what depends on a refused value is not complained about",
			Input{Set: []string{"engine.minConcurrency=20", "engine.maxConcurrency=x"}},
			[]string{"--set engine.maxConcurrency: x is not a whole number; write one from 1 to 1024"},
		},
		{
			"texts that cannot be sent",
			Input{Set: []string{"engine.userAgent=a\r\nX: y", "engine.proxy=socks5://me:my-password@host"}},
			[]string{
				"--set engine.userAgent: holds a character that a header cannot; use plain ASCII",
				"--set engine.proxy: is not an http or https address; write http://host:port, or leave it empty",
			},
		},
		{
			"every place at once",
			Input{
				Content: file("engine:", "  readTimeot: 1s"), Environ: []string{"RESTEST_MEMORY_X=1"}, Set: []string{"checks.x=1"},
				Flags: []Flag{{"--proxy", "engine.proxy", "host"}},
			},
			[]string{
				"s.yaml:2: engine.readTimeot: is not a setting; did you mean engine.readTimeout?",
				"RESTEST_MEMORY_X: is not a setting",
				"--set checks.x: is not a setting; restest settings lists them all",
				"--proxy: is not an http or https address; write http://host:port, or leave it empty",
			},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.in.File = "s.yaml"
			_, err := Resolve(row.in)
			var problems Problems
			if !errors.As(err, &problems) {
				t.Fatalf("got %v, want problems", err)
			}
			if got := strings.Split(err.Error(), "\n"); !slices.Equal(got, row.want) {
				t.Errorf("got\n%s\nwant\n%s", err, strings.Join(row.want, "\n"))
			}
		})
	}
}

func TestAProxysPasswordIsNotShown(t *testing.T) {
	const secret = "my-password"
	g := resolve(t, Input{Set: []string{"engine.proxy=http://me:" + secret + "@proxy:3128"}})
	if !strings.Contains(g.Engine.Proxy, secret) {
		t.Fatalf("the proxy lost its password: %s", g.Engine.Proxy)
	}
	if printed := g.Print(); strings.Contains(printed, secret) || !strings.Contains(printed, `# proxy: "http://xxxxx@proxy:3128"`) {
		t.Errorf("printed:\n%s", printed)
	}
	if shown := fmt.Sprint(g.All()); strings.Contains(shown, secret) {
		t.Errorf("shown: %s", shown)
	}
}

// aValue draws a value that the setting can have, as it is written.
func aValue(t *rapid.T, s *setting) string {
	switch s.kind {
	case isSwitch:
		return fmt.Sprint(rapid.Bool().Draw(t, s.name))
	case isNumber:
		return fmt.Sprint(rapid.Int64Range(s.least, s.most).Draw(t, s.name))
	case isChance:
		return fmt.Sprint(rapid.Float64Range(0, 1).Draw(t, s.name))
	case isDuration:
		return FormatDuration(time.Duration(rapid.Int64Range(s.least, s.most).Draw(t, s.name)))
	}
	if s.name == "engine.proxy" {
		return rapid.SampledFrom([]string{"", "http://proxy", "http://[::1]:3128/"}).Draw(t, s.name)
	}
	if s.name == "report.formats" {
		return rapid.SampledFrom([]string{"", "html", "junit, sarif"}).Draw(t, s.name)
	}
	if s.name == "engine.mostRequestsPerMinuteFor" {
		return rapid.SampledFrom([]string{"", "listPets=30", "POST /pets=6, a tag=1"}).Draw(t, s.name)
	}
	return strings.TrimSpace(rapid.StringMatching(`[ -~]{0,20}`).Draw(t, s.name))
}

// someSettings draws values for some settings, which are possible together.
func someSettings(t *rapid.T, label string) map[string]string {
	drawn := make(map[string]string)
	for i := range table {
		s := &table[i]
		// These must fit one another, and are drawn below.
		if strings.HasSuffix(s.name, "Concurrency") || strings.HasSuffix(s.name, "GuessedWait") {
			continue
		}
		if rapid.IntRange(0, 3).Draw(t, label+" names "+s.name) == 0 {
			drawn[s.name] = aValue(t, s)
		}
	}
	if drawn["generation.randomWeight"] == "0" {
		drawn["generation.randomWeight"] = "1"
	}
	// 1 to 4 and 16 to 100 fit each other and the defaults, whoever names them.
	if rapid.Bool().Draw(t, label+" names concurrency") {
		drawn["engine.minConcurrency"] = fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "fewest"))
		drawn["engine.maxConcurrency"] = fmt.Sprint(rapid.IntRange(16, 100).Draw(t, "most"))
		if rapid.Bool().Draw(t, label+" names the beginning") {
			drawn["engine.initialConcurrency"] = fmt.Sprint(rapid.IntRange(4, 16).Draw(t, "beginning"))
		}
	}
	if rapid.Bool().Draw(t, label+" names the guesses") {
		drawn["schedule.firstGuessedWait"] = FormatDuration(time.Duration(rapid.Int64Range(1e6, 1e9).Draw(t, "first")))
		drawn["schedule.longestGuessedWait"] = FormatDuration(time.Duration(rapid.Int64Range(1e9, longest).Draw(t, "longest")))
	}
	return drawn
}

func asFile(values map[string]string) []byte {
	var b strings.Builder
	for _, group := range Groups() {
		fmt.Fprintf(&b, "%s:\n", group)
		for i := range table {
			if text, named := values[table[i].name]; named && table[i].group == group {
				if table[i].kind == isText {
					text = yamlText(text)
				}
				fmt.Fprintf(&b, "  %s: %s\n", table[i].key, text)
			}
		}
	}
	return []byte(b.String())
}

func asEnvironment(values map[string]string) []string {
	var environ []string
	for i := range table {
		if text, named := values[table[i].name]; named && (text != "" || table[i].kind == isText) {
			environ = append(environ, table[i].variable()+"="+text)
		}
	}
	return environ
}

func asSet(values map[string]string) []string {
	var set []string
	for _, name := range Names() {
		if text, named := values[name]; named {
			set = append(set, name+"="+text)
		}
	}
	return set
}

func TestPrintedSettingsReadBackAreTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, err := Resolve(Input{Set: asSet(someSettings(t, "the command line"))})
		if err != nil {
			t.Fatal(err)
		}
		printed := g.Print()
		again, err := Resolve(Input{File: "printed", Content: []byte(printed)})
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		if again.Settings != g.Settings {
			t.Fatalf("got  %+v\nwant %+v\n%s", again.Settings, g.Settings, printed)
		}
		if reprinted := again.Print(); reprinted != printed {
			t.Fatalf("printed again it differs:\n%s\n%s", printed, reprinted)
		}
	})
}

func TestTheLastPlaceThatNamesASettingWins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inFile, inEnvironment, onCommandLine := someSettings(t, "file"), someSettings(t, "environment"), someSettings(t, "command line")
		g, err := Resolve(Input{Content: asFile(inFile), Environ: asEnvironment(inEnvironment), Set: asSet(onCommandLine)})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range g.All() {
			want, origin := v.Default, FromDefault
			for _, place := range []struct {
				origin string
				values map[string]string
			}{{FromFile, inFile}, {FromEnvironment, inEnvironment}, {FromCommandLine, onCommandLine}} {
				if text, named := place.values[v.Name]; named {
					want, origin = text, place.origin
				}
			}
			if origin == FromDefault && v.Origin == WorkedOut {
				switch v.Name {
				case "engine.limitTheRate", "engine.mostRequestsPerMinute", "engine.callTimeout", "engine.initialConcurrency":
					continue
				}
			}
			if v.Value != want || v.Origin != origin {
				t.Fatalf("got %+v, want %s from %s", v, want, origin)
			}
		}
	})
}

func FuzzNoFileIsTooMuchToRead(f *testing.F) {
	f.Add([]byte("engine:\n  readTimeout: 5s\n"))
	f.Add([]byte("engine: &a {x: *a}\n<<: *a\n"))
	f.Add([]byte("{\"engine\": null}"))
	f.Fuzz(func(t *testing.T, content []byte) {
		g, err := Resolve(Input{File: "s.yaml", Content: content})
		if (g == nil) == (err == nil) {
			t.Fatalf("got %v, %v", g, err)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\r\x00\x1b") {
			t.Fatalf("the error %q holds what a terminal acts on", err)
		}
	})
}

func TestWhatASimulationIsBasedOnLiesBelowWhatIsGiven(t *testing.T) {
	const from = "the recording"
	in := Input{Simulated: []Flag{
		{from, "engine.readTimeout", "7s"}, {from, "engine.userAgent", "a=b, c"}, {from, "engine.mostRequestsPerMinute", "300"},
	}}
	g := resolve(t, in)
	if got := value(t, g, "engine.readTimeout"); got.Value != "7s" || got.Origin != FromSimulated || got.Where != from {
		t.Errorf("got %+v", got)
	}
	if g.Engine.UserAgent != "a=b, c" || !g.Engine.LimitTheRate {
		t.Errorf("got %+v", g.Engine)
	}
	in.Content = file("engine:", "  readTimeout: 1s")
	if got := value(t, resolve(t, in), "engine.readTimeout"); got.Value != "1s" || got.Origin != FromFile {
		t.Errorf("got %+v", got)
	}
	in.Set = []string{"engine.limitTheRate=false"}
	if g := resolve(t, in); g.Engine.LimitTheRate {
		t.Error("a rate that was recorded cannot be switched off")
	}
	for _, row := range []struct {
		recorded Flag
		want     string
	}{
		{Flag{from, "engine.raedTimeout", "7s"}, "the recording: engine.raedTimeout: is not a setting; did you mean engine.readTimeout?"},
		{Flag{from, "engine.readTimeout", "xxx"}, "the recording: engine.readTimeout: xxx is not a duration; write it like 500ms, 30s, 5m, 2h or in bare seconds"},
	} {
		if _, err := Resolve(Input{Simulated: []Flag{row.recorded}}); err == nil || err.Error() != row.want {
			t.Errorf("got %v, want %s", err, row.want)
		}
	}
}
