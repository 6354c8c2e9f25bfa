// Package page writes the report of a run as one HTML file to look at: it needs no network, and shows nothing that
// report.json does not hold.
//
// The data stands in the page as JSON, and its script sets all text as text: what an API sent is never read as markup.
// A content security policy that allows this one script and this one style keeps it so.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/restest/restest/stages/reporter"
)

// The parts of the page. uPlot draws its charts (decision 0005); its licence goes where it goes.
var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
	//go:embed uplot/uPlot.iife.min.js
	chartJS string
	//go:embed uplot/uPlot.min.css
	chartCSS string
	//go:embed uplot/LICENSE
	chartLicense string

	style   = chartCSS + "\n" + pageCSS
	script  = "/*\nuPlot:\n\n" + chartLicense + "\n*/\n" + chartJS + "\n" + pageJS
	outline = template.Must(template.New("page").Parse(pageHTML))
)

// Format is the page as a format of the report.
func Format() reporter.Format {
	return reporter.Format{Name: "html", File: "report.html", Write: Write}
}

// mostBytes bounds the page: what findings hold is shortened until it fits.
const mostBytes = 5_000_000

// Write writes the page.
func Write(w io.Writer, told *reporter.Report, _ reporter.Exchanges) error {
	data, err := dataOf(told, mostBytes-len(style)-len(script)-len(pageHTML)-4096)
	if err != nil {
		return err
	}
	return outline.Execute(w, struct {
		*reporter.Report
		Policy string
		Style  template.CSS
		Script template.JS
		Data   template.JS
	}{
		told,
		fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hash(style), hash(script)),
		template.CSS(style), template.JS(script), template.JS(data), //nolint:gosec // our own files, and JSON in which < is escaped
	})
}

// hash names an inline script or style in a content security policy.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// data is the report as the page's script reads it: as report.json has it, but for the findings.
type data struct {
	*reporter.Report
	Findings []finding `json:"findings"`
	// Words and Fields are what findings point into, as most of it is the same in many of them.
	Words  []string           `json:"words"`
	Fields [][2]reporter.Text `json:"fields"`
	// Shortened is the length, in bytes, that texts of findings were shortened to so that the page is small enough; nil
	// if they were not.
	Shortened *int `json:"shortened,omitempty"`
}

// finding is a finding in few bytes. Title, Expected and Curl point into the words.
type finding struct {
	ID        string `json:"id"`
	Code      string `json:"code"`
	Level     string `json:"level"`
	Certainty string `json:"certainty"`
	// Recheck is what came of sending it again, Shown of Answers where some showed it and others did not.
	Recheck   string              `json:"recheck"`
	Shown     int                 `json:"shown,omitempty"`
	Answers   int                 `json:"answers,omitempty"`
	Known     *reporter.KnownTold `json:"known,omitempty"`
	SharedBy  int                 `json:"sharedBy,omitempty"`
	Operation string              `json:"operation"`
	Status    int                 `json:"status,omitempty"`
	Count     int64               `json:"count"`
	FirstSeen string              `json:"firstSeen"`
	LastSeen  string              `json:"lastSeen"`
	Title     int                 `json:"title"`
	Expected  int                 `json:"expected"`
	Got       string              `json:"got,omitempty"`
	Place     string              `json:"place,omitempty"`
	// Curl is the command, with \u0001 for the body and \u0002 for the address of the request.
	Curl     int               `json:"curl"`
	CurlNote string            `json:"curlNote,omitempty"`
	Seq      int64             `json:"seq"`
	Purpose  string            `json:"purpose"`
	Probe    string            `json:"probe,omitempty"`
	Valid    bool              `json:"valid,omitempty"`
	Breaks   string            `json:"breaks,omitempty"`
	Origins  []reporter.Origin `json:"origins,omitempty"`
	// Took are the nanoseconds from the write to the reply's header.
	Took    int64              `json:"took,omitempty"`
	Failure reporter.Text      `json:"failure,omitempty"`
	Request *message           `json:"request,omitempty"`
	Reply   *message           `json:"reply,omitempty"`
	Hops    []reporter.HopTold `json:"hops,omitempty"`
	Masked  []string           `json:"masked,omitempty"`
}

// message is a request or a reply; Header points into the fields.
type message struct {
	Method  reporter.Text     `json:"method,omitempty"`
	URL     reporter.Text     `json:"url,omitempty"`
	Proto   reporter.Text     `json:"proto,omitempty"`
	Status  int               `json:"status,omitempty"`
	Reason  reporter.Text     `json:"reason,omitempty"`
	Header  []int             `json:"header,omitempty"`
	Trailer []int             `json:"trailer,omitempty"`
	Body    *reporter.Content `json:"body,omitempty"`
	// Undecodable says why the reply's content coding could not be taken off.
	Undecodable reporter.Text `json:"undecodable,omitempty"`
}

// whole is a length that nothing is as long as.
const whole = 1 << 30

// lengthsToTry are what the texts of findings are shortened to, until the page is small enough. With the last each finding
// keeps its title alone, which is small enough for 5,000 whatever they hold.
var lengthsToTry = []int{whole, 8192, 4096, 2048, 1024, 512, 256, 128, 64, 0}

// longestTitle bounds a title in a page that has to be shortened, in bytes.
const longestTitle = 64

// dataOf is the page's JSON, of at most so many bytes; of more only where all that was tried was not enough.
func dataOf(told *reporter.Report, most int) ([]byte, error) {
	var encoded []byte
	for _, longest := range lengthsToTry {
		b := builder{longest: longest, words: map[string]int{}, fields: map[[2]reporter.Text]int{}}
		d := data{Report: told, Findings: make([]finding, len(told.Findings))}
		for i := range told.Findings {
			d.Findings[i] = b.finding(&told.Findings[i])
		}
		d.Words, d.Fields = b.wordList, b.fieldList
		if longest < whole {
			d.Shortened = &longest
		}
		var err error
		if encoded, err = json.Marshal(d); err != nil { // escapes <, > and &
			return nil, err
		}
		if len(encoded) <= most {
			break
		}
	}
	return encoded, nil
}

// builder makes findings small.
type builder struct {
	longest   int
	words     map[string]int
	wordList  []string
	fields    map[[2]reporter.Text]int
	fieldList [][2]reporter.Text
}

func (b *builder) finding(f *reporter.FindingInFull) finding {
	out := finding{
		ID: f.ID, Code: f.Code, Level: f.Level, Certainty: f.Certainty, Status: f.Status, Count: f.Count,
		FirstSeen: f.FirstSeen, LastSeen: f.LastSeen,
		Title: b.word(b.title(f.Title)), Expected: b.word(b.text(f.Expected)), Got: b.text(f.Got), Place: b.text(f.Place),
		CurlNote: f.CurlNote,
		Recheck:  f.Recheck.State, Shown: f.Recheck.Shown, Answers: f.Recheck.Answers, SharedBy: f.SharedBy,
	}
	if k := f.Known; k != nil {
		out.Known = &reporter.KnownTold{Reason: b.text(k.Reason), Until: k.Until}
	}
	curl := f.Curl
	if a := f.Again; a != nil && b.longest > 0 {
		out.Request = &message{Method: reporter.Text(b.text(string(a.Method))), URL: reporter.Text(b.text(string(a.URL))), Header: b.header(a.Header), Body: b.content(a.Body)}
		if a.Body != nil && a.Body.Text != nil && !a.Body.Shortened && *a.Body.Text != "" {
			curl = strings.ReplaceAll(curl, *a.Body.Text, "\x01")
		}
		curl = strings.ReplaceAll(curl, string(a.URL), "\x02")
	}
	if b.longest < whole && (len(f.Curl) > 4*b.longest || out.Request != nil && out.Request.Body != nil && out.Request.Body.Shortened) {
		curl, out.CurlNote = "", "it is too long for this page; report.json has it"
	}
	out.Curl = b.word(curl)
	e := f.ExchangeTold
	if e == nil {
		return out
	}
	out.Operation, out.Seq, out.Purpose, out.Probe, out.Valid = e.Operation, e.Seq, e.Request.Purpose, e.Request.Probe, e.Request.Valid
	out.Breaks = b.text(string(e.Request.Breaks))
	out.Failure, out.Took = reporter.Text(b.text(string(e.Failure))), max(0, e.HeardAt-e.SentAt)
	if b.longest == whole {
		out.Origins, out.Hops, out.Masked = e.Request.Origins, e.Hops, e.Masked
	}
	if r := e.Reply; r != nil && b.longest > 0 {
		out.Reply = &message{
			Proto: reporter.Text(b.text(string(r.Proto))), Status: r.Status, Reason: reporter.Text(b.text(string(r.Reason))), Header: b.header(r.Header), Trailer: b.header(r.Trailer),
			Body: b.content(r.Body), Undecodable: reporter.Text(b.text(string(r.Undecodable))),
		}
	}
	return out
}

func (b *builder) word(s string) int {
	i, ok := b.words[s]
	if !ok {
		i = len(b.wordList)
		b.words[s] = i
		b.wordList = append(b.wordList, s)
	}
	return i
}

// mostFields bounds the field lines of a message where the page has to be shortened.
const mostFields = 40

func (b *builder) header(fields [][2]reporter.Text) []int {
	if b.longest < whole {
		fields = fields[:min(len(fields), mostFields)]
	}
	out := make([]int, len(fields))
	for j, f := range fields {
		f = [2]reporter.Text{reporter.Text(b.text(string(f[0]))), reporter.Text(b.text(string(f[1])))}
		i, ok := b.fields[f]
		if !ok {
			i = len(b.fieldList)
			b.fields[f] = i
			b.fieldList = append(b.fieldList, f)
		}
		out[j] = i
	}
	return out
}

// text is s, shortened where the page has to be.
func (b *builder) text(s string) string {
	if b.longest == 0 {
		return ""
	}
	return clip(s, b.longest)
}

func (b *builder) title(s string) string { return clip(s, max(b.longest, longestTitle)) }

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

func (b *builder) content(c *reporter.Content) *reporter.Content {
	if c == nil {
		return nil
	}
	out := *c
	switch {
	case c.Text != nil && len(*c.Text) > b.longest:
		s := strings.ToValidUTF8((*c.Text)[:b.longest], "")
		out.Text, out.Shortened = &s, true
	case c.Base64 != nil && len(*c.Base64) > b.longest:
		s := (*c.Base64)[:b.longest/4*4]
		out.Base64, out.Shortened = &s, true
	}
	return &out
}
