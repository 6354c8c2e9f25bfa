package main

import (
	"bytes"
	"encoding/json"
	"image/png"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/reporter"
)

// awkward are the values of case 09 that can be sent, as they go on the wire, each with a word to tell it by.
var awkward = map[string]string{
	"a%2Fb": "slash", "x%20y": "blank", "50%25": "percent", "a%3Fb%23c": "delimiters", "%C3%A9": "accent", "a%2Bb": "plus",
}

func TestCase09PathValuesThatWouldChangeThePath(t *testing.T) {
	t.Parallel()
	document := caseFile(t, "09-path-values/document.yaml")
	file := regexp.MustCompile(`^/files/([^/?]+)/meta$`)
	name := regexp.MustCompile(`^/names/[^/?]+$`)
	s := serve(t, func(a *arrival) reply {
		if file.MatchString(a.target) || name.MatchString(a.target) {
			return say(200, "", "")
		}
		return say(404, "", "")
	})
	o := s.test(t, 100, document, "--url", s.url)
	if len(o.report.Findings) > 0 {
		t.Errorf("found %v", sums(o.report.Findings))
	}
	seen, names := map[string]bool{}, 0
	for _, a := range s.arrived() {
		if parts := file.FindStringSubmatch(a.target); parts != nil {
			seen[parts[1]] = true
		} else if name.MatchString(a.target) {
			names++
		} else {
			t.Errorf("the target %s is none of the document's", a.target)
		}
	}
	if want := slices.Sorted(maps.Keys(awkward)); !slices.Equal(slices.Sorted(maps.Keys(seen)), want) {
		t.Errorf("the values on the wire are %q, want %q", slices.Sorted(maps.Keys(seen)), want)
	}
	if names < 20 {
		t.Errorf("only %d names were asked for", names)
	}
}

func TestCase09TheCommandOfAFindingSendsTheSameBytes(t *testing.T) {
	t.Parallel()
	document := caseFile(t, "09-path-values/document.yaml")
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	failing := serve(t, func(a *arrival) reply {
		segment := strings.TrimSuffix(strings.TrimPrefix(a.target, "/files/"), "/meta")
		if word := awkward[segment]; word != "" {
			return say(500, "text/plain", "failed at the "+word)
		}
		return say(200, "", "")
	})
	o := failing.test(t, 100, document, "--url", failing.url)
	found := o.found("GET /files/{name}/meta")
	if len(found) != len(awkward) {
		t.Fatalf("found %v", sums(found))
	}
	sent := failing.arrived()
	for _, f := range found {
		at := slices.IndexFunc(sent, func(a *arrival) bool { return a.target == string(f.Request.Target) })
		if at < 0 {
			t.Errorf("the finding's target %s never arrived", f.Request.Target)
			continue
		}
		before := len(failing.arrived())
		if text, err := exec.Command("sh", "-c", f.Curl).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", f.Curl, err, text)
		}
		again := failing.arrived()[before:]
		if len(again) != 1 {
			t.Fatalf("%s sent %d requests", f.Curl, len(again))
		}
		if got, want := lines(again[0]), lines(sent[at]); !slices.Equal(got, want) {
			t.Errorf("%s\nsent %q\nwant %q", f.Curl, got, want)
		}
	}
}

// lines are the request line and the header lines, these in the order of their text. The codings of the reply are left
// out, since a person is to read it.
func lines(a *arrival) []string {
	list := strings.Split(strings.TrimSuffix(a.head, "\r\n"), "\r\n")
	slices.Sort(list[1:])
	return slices.DeleteFunc(list, func(line string) bool { return strings.HasPrefix(line, "Accept-Encoding: ") })
}

func TestCase10ArraysAndObjectsInEachStyle(t *testing.T) {
	t.Parallel()
	s := serve(t, func(*arrival) reply { return say(200, "", "") })
	o := s.test(t, 10, caseFile(t, "10-style-table/document.yaml"), "--url", s.url)
	if len(o.report.Findings) > 0 {
		t.Errorf("found %v", sums(o.report.Findings))
	}
	arrived := s.arrived()
	if len(arrived) < 10 {
		t.Fatalf("only %d requests were sent", len(arrived))
	}
	for _, a := range arrived {
		if got, want := a.path(), "/s/3,3/;m=3,3"; got != want {
			t.Errorf("the path is %s, want %s", got, want)
		}
		brackets := strings.NewReplacer("%5B", "[", "%5b", "[", "%5D", "]", "%5d", "]", "%7C", "|", "%7c", "|")
		pairs := map[string][]string{}
		for _, pair := range a.query() {
			name, value, _ := strings.Cut(brackets.Replace(pair), "=")
			pairs[name] = append(pairs[name], value)
		}
		for name, allowed := range map[string][]string{
			"q1": {"3&3"}, "q2": {"3,3"}, "q3": {"3|3"}, "q4": {"3%203"},
			"r": {"1"}, "g": {"2"}, "o2": {"r,1,g,2", "g,2,r,1"}, "o3[r]": {"1"}, "o3[g]": {"2"},
		} {
			if got := strings.Join(pairs[name], "&"); !slices.Contains(allowed, got) {
				t.Errorf("%s: %s is %q, want one of %q", a.target, name, got, allowed)
			}
			delete(pairs, name)
		}
		if len(pairs) > 0 {
			t.Errorf("%s: besides there is %v", a.target, pairs)
		}
		if got := messages.Get(a.header, "X-H"); got != "r=1,g=2" && got != "g=2,r=1" {
			t.Errorf("X-H is %q", got)
		}
		if got := messages.Values(a.header, "Cookie"); !slices.Equal(got, []string{"c=3,3"}) {
			t.Errorf("the cookies are %q", got)
		}
	}
}

func TestCase12HeaderValuesThatCanTravel(t *testing.T) {
	t.Parallel()
	s := serve(t, func(a *arrival) reply {
		if messages.Get(a.header, "Authorization") == "Bearer good" {
			return sayJSON(200, `{}`)
		}
		return say(401, "", "", "WWW-Authenticate", "Bearer")
	})
	document := caseFile(t, "12-header-parameters/document.yaml")
	for _, row := range []struct {
		name, authorization string
		answers             int64
		args                []string
	}{
		{"with the key", "Bearer good", 100, []string{"--auth", "token=good"}},
		{"without a key", "", 1, nil}, // which ends the run
	} {
		o := s.test(t, row.answers, append([]string{document, "--url", s.url}, row.args...)...)
		arrived := s.arrived()
		if row.authorization != "" && len(arrived) < 100 {
			t.Errorf("%s: only %d requests were sent", row.name, len(arrived))
		}
		notes := map[string]bool{}
		for _, a := range arrived {
			note := messages.Values(a.header, "X-Note")
			if len(note) != 1 || !travels(note[0]) || len(note[0]) > 20 {
				t.Errorf("%s: X-Note is %q", row.name, note)
			}
			notes[strings.Join(note, "")] = true
			if count := messages.Get(a.header, "X-Count"); len(count) != 1 || count < "1" || count > "5" {
				t.Errorf("%s: X-Count is %q", row.name, count)
			}
			if got := messages.Get(a.header, "Authorization"); got != row.authorization {
				t.Errorf("%s: Authorization is %q", row.name, got)
			}
			if accept := strings.Join(messages.Values(a.header, "Accept"), ","); !strings.Contains(accept, "application/json") {
				t.Errorf("%s: Accept is %q", row.name, accept)
			}
			if strings.Contains(a.head, "text/nothing") || strings.ContainsRune(a.head, 0) || strings.Contains(strings.ReplaceAll(a.head, "\r\n", ""), "\r") {
				t.Errorf("%s: sent %q", row.name, a.head)
			}
		}
		if row.authorization != "" && len(notes) < 10 {
			t.Errorf("%s: the notes are %v", row.name, notes)
		}
		totals := o.report.Totals
		if totals.Requests != int64(len(arrived)) || totals.NoReply != 0 || len(o.report.Findings) > 0 {
			t.Errorf("%s: %d requests arrived, told are %+v and %v", row.name, len(arrived), totals, sums(o.report.Findings))
		}
		for _, e := range o.exchanges {
			if e.Kind == "notWritten" {
				t.Errorf("%s: a request could not be written: %s", row.name, e.Failure)
			}
		}
	}
}

// travels says whether a header value arrives as it was sent.
func travels(value string) bool {
	for i := range len(value) {
		c := value[i]
		blank := c == ' ' || c == '\t'
		if blank && (i == 0 || i == len(value)-1 || value[i-1] == ' ' || value[i-1] == '\t') || !blank && (c < 0x21 || c > 0x7e) {
			return false
		}
	}
	return value != ""
}

func TestCase13PatternsBeyondRE2(t *testing.T) {
	t.Parallel()
	const (
		a = `{"a":"abc","b":"Q","c":"éß","d":"é4","e":"xxabyy","f":"55"}`
		b = `{"a":"-ab","b":"Q","c":"éß","d":"e4","e":"xxabyy","f":"55"}`
		c = `{"a":"abc","b":"Q","c":"éß","d":"é4","e":"ba","f":"55"}`
	)
	s := serve(t, always(map[string]func() reply{"POST /p": inTurn(sayJSON(200, a), sayJSON(200, b), sayJSON(200, c))}))
	o := s.test(t, 100, caseFile(t, "13-pattern-beyond-re2/document.yaml"), "--url", s.url)

	// Each rule without what RE2 lacks, and the rest in Go.
	rules := map[string]*regexp.Regexp{
		"a": regexp.MustCompile(`^[a-z][a-z-]{2,7}$`), "b": regexp.MustCompile(`^[A-Z]+$`), "c": regexp.MustCompile(`^\p{L}{2}$`),
		"d": regexp.MustCompile(`^é[0-9]$`), "e": regexp.MustCompile(`ab`), "f": regexp.MustCompile(`^(00|11|22|33|44|55|66|77|88|99)$`),
	}
	sent := map[string]int{}
	for _, r := range s.arrived() {
		var o map[string]string
		if err := json.Unmarshal(r.body, &o); err != nil {
			t.Fatalf("sent %s: %v", r.body, err)
		}
		for _, required := range []string{"b", "c", "d", "e"} {
			if _, given := o[required]; !given {
				t.Errorf("sent %s, without %s", r.body, required)
			}
		}
		for name, value := range o {
			sent[name]++
			if rules[name] == nil || !rules[name].MatchString(value) || len(value) > 2000 && name == "b" {
				t.Errorf("%s was sent as %q", name, value)
			}
		}
	}
	// What can be read needs no name: the optional ones are sent as well.
	for name := range rules {
		if sent[name] < 20 {
			t.Errorf("%s was sent %d times", name, sent[name])
		}
	}
	wantVerdicts(t, o.verdicts(t, "POST /p"), map[string]string{"200 " + a: "", "200 " + b: "F200 F200", "200 " + c: "F200"})
	o.wantFound(t, "POST /p", "F200 200 /a", "F200 200 /d", "F200 200 /e")
}

func TestCase14EachPartOfAMultipartBody(t *testing.T) {
	t.Parallel()
	s := serve(t, func(a *arrival) reply {
		if a.target == "/upload" && len(partsOf(a)) >= 3 {
			return say(201, "", "")
		}
		return say(400, "", "")
	})
	o := s.test(t, 50, caseFile(t, "14-multipart-parts/document.yaml"), "--url", s.url)
	if len(o.report.Findings) > 0 {
		t.Errorf("found %v", sums(o.report.Findings))
	}
	uploads := s.arrived("POST /upload")
	if len(uploads) < 50 {
		t.Fatalf("only %d uploads were sent", len(uploads))
	}
	mostTags := 0
	for _, a := range uploads {
		_, parameters, err := mime.ParseMediaType(messages.Get(a.header, "Content-Type"))
		boundary := parameters["boundary"]
		if err != nil || boundary == "" || !bytes.HasPrefix(a.body, []byte("--"+boundary+"\r\n")) || !bytes.HasSuffix(a.body, []byte("\r\n--"+boundary+"--\r\n")) {
			t.Fatalf("%q: %q", messages.Get(a.header, "Content-Type"), a.body)
		}
		count := map[string]int{}
		for _, p := range partsOf(a) {
			count[p.name]++
			switch p.name {
			case "file":
				if p.file == "" || p.contentType != "image/png" {
					t.Errorf("the file is called %q, of type %q", p.file, p.contentType)
				}
				if _, err := png.DecodeConfig(strings.NewReader(p.content)); err != nil || utf8.ValidString(p.content) {
					t.Errorf("the picture does not arrive as one: %v, %q", err, p.content)
				}
			case "note":
				if p.file != "" || p.contentType != "" && p.contentType != "text/plain" || p.content == "" {
					t.Errorf("the note is %+v", p)
				}
			case "meta":
				var meta struct{ K *json.Number }
				if err := json.Unmarshal([]byte(p.content), &meta); err != nil || meta.K == nil || p.contentType != "application/json" {
					t.Errorf("the object is %+v: %v", p, err)
				} else if _, err := meta.K.Int64(); err != nil {
					t.Errorf("k is %s", *meta.K)
				}
			case "tags":
				if p.content == "" {
					t.Errorf("a tag is empty")
				}
			default:
				t.Errorf("a part is called %q", p.name)
			}
		}
		if count["note"] != 1 || count["file"] != 1 || count["meta"] != 1 {
			t.Errorf("the parts are %v", count)
		}
		mostTags = max(mostTags, count["tags"])
	}
	if mostTags < 2 {
		t.Errorf("no upload has more than %d tags", mostTags)
	}
	arrived := map[string]bool{}
	for _, a := range uploads {
		arrived[string(a.body)] = true
	}
	for _, e := range o.of("POST /upload") {
		if told := body(t, e.Request.Body); e.Reply != nil && !arrived[told] {
			t.Fatalf("what is told to have been sent never arrived: %q", told)
		}
	}
	odd := o.operation(t, "POST /odd")
	if sent := s.arrived("POST /odd"); len(sent) > 0 || odd.State != "notTestable" || !strings.Contains(odd.Why, "multipart/form-data needs an object") {
		t.Errorf("POST /odd was sent %d times; told is %+v", len(sent), odd)
	}
}

func TestCase14TheCommandOfAFindingSendsTheSameParts(t *testing.T) {
	t.Parallel()
	document := caseFile(t, "14-multipart-parts/document.yaml")
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	s := serve(t, func(*arrival) reply { return say(500, "text/plain", "failed") })
	o := s.test(t, 5, document, "--url", s.url)
	found := o.found("POST /upload")
	if len(found) == 0 {
		t.Fatalf("found %v", sums(o.report.Findings))
	}
	before := s.arrived()
	if text, err := exec.Command("sh", "-c", found[0].Curl).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", found[0].Curl, err, text)
	}
	again := s.arrived()[len(before):]
	if len(again) != 1 || len(partsOf(again[0])) < 3 {
		t.Fatalf("%s\nsent %d requests", found[0].Curl, len(again))
	}
	same := func(a *arrival) bool {
		return bytes.Equal(a.body, again[0].body) && messages.Get(a.header, "Content-Type") == messages.Get(again[0].header, "Content-Type")
	}
	if !slices.ContainsFunc(before, same) {
		t.Errorf("%s\nsent %q, which no request was", found[0].Curl, again[0].body)
	}
}

type part struct{ name, file, contentType, content string }

// partsOf are the parts of a multipart body, nil if it cannot be read as one.
func partsOf(a *arrival) []part {
	_, parameters, err := mime.ParseMediaType(messages.Get(a.header, "Content-Type"))
	if err != nil {
		return nil
	}
	var parts []part
	for reader := multipart.NewReader(bytes.NewReader(a.body), parameters["boundary"]); ; {
		p, err := reader.NextRawPart()
		if err == io.EOF {
			return parts
		}
		if err != nil {
			return nil
		}
		content, err := io.ReadAll(p)
		if err != nil {
			return nil
		}
		parts = append(parts, part{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(content)})
	}
}

func TestCase15BoundsTooBigOrContradictory(t *testing.T) {
	document := caseFile(t, "15-bounds-too-big-or-contradictory/document.yaml")
	s := serve(t, func(a *arrival) reply {
		var list []string
		if a.target == "/wide" && json.Unmarshal(a.body, &list) == nil && len(list) > 0 {
			return say(200, "", "")
		}
		return say(400, "", "")
	})
	// Alone, so that what others take is not counted.
	var o *outcome
	taken := memoryTaken(func() {
		o = s.test(t, 20, document, "--url", s.url)
	})
	if taken > 512<<20 {
		t.Errorf("it took %d MiB", taken>>20)
	}
	for _, a := range s.arrived() {
		if a.target != "/wide" {
			t.Errorf("%s was sent %.100s", a.target, a.body)
		}
	}
	if wide := o.operation(t, "POST /wide"); wide.State != "tested" || wide.ByClass.C2xx != wide.Requests || wide.Requests < 20 {
		t.Errorf("of /wide is told %+v", wide)
	}
	for path, why := range map[string]string{
		"/long": "minLength 2000000000", "/many": "minItems 1000000000", "/none": `"a"`, "/range": "no number is at least 10 and at most 5",
	} {
		if op := o.operation(t, "POST "+path); op.State != "notTestable" || !strings.Contains(op.Why, why) || op.Requests != 0 {
			t.Errorf("of %s is told %+v", path, op)
		}
		if n := strings.Count(o.stdout, why); n != 1 {
			t.Errorf("the summary says %d times why %s was not sent:\n%s", n, path, o.stdout)
		}
	}
	if len(o.report.Operations) != 5 || len(o.report.Findings) > 0 || o.code != reporter.ExitClean {
		t.Errorf("%d operations, found %v, ended with %d", len(o.report.Operations), sums(o.report.Findings), o.code)
	}
}
