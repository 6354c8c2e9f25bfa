package reporter

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// The format a recording names in its first line.
const (
	recordingFormat  = "restest-recording"
	recordingVersion = 1
)

const howToRead = "Zstandard over one JSON object a line: first run, then an exchange each in the order they ended, and last end, " +
	"which is missing if the run was killed. Moments are nanoseconds since the run started. A text that is not UTF-8 is {\"base64\": …}. " +
	"masked lists where something secret was hidden: letters became x and digits 0. " +
	"run.files are the document's files as they were read, the document itself first; restest sim replays the recording with them. " +
	"judged is what was found in the exchange, and end.paced how the requests went out: restest report makes the report again."

// Line is one line of a recording: the run, an exchange, or the end.
type Line struct {
	Run      *RunLine      `json:"run,omitempty"`
	Exchange *ExchangeTold `json:"exchange,omitempty"`
	// Judged goes with an exchange, where there is more to say of it.
	Judged *JudgedLine `json:"judged,omitempty"`
	End    *EndLine    `json:"end,omitempty"`
}

// RunLine is a recording's first line: what was run.
type RunLine struct {
	Format     string          `json:"format"`
	Version    int             `json:"version"`
	HowToRead  string          `json:"howToRead"`
	Tool       Tool            `json:"tool"`
	Started    string          `json:"started"` // RFC 3339, to the nanosecond
	Document   DocumentTold    `json:"document"`
	Origin     string          `json:"origin"`
	URL        string          `json:"url,omitempty"` // as it was given
	Seed       uint64          `json:"seed,string"`
	Budget     string          `json:"budget"` // ISO 8601
	Operations []OperationLine `json:"operations"`
	Settings   []SettingLine   `json:"settings"`
	// Keys names what keys were given for, KeysNotGiven the schemes that lacked one.
	Keys         []string `json:"keys,omitempty"`
	KeysNotGiven []string `json:"keysNotGiven,omitempty"`
	// SignIn is how the run signed in, keys masked, for a replay.
	SignIn json.RawMessage `json:"signIn,omitempty"`
	// Dictionaries are those that values were taken from, Unbuildable the operations no request could be built for.
	Dictionaries []Dictionary      `json:"dictionaries,omitempty"`
	Unbuildable  []UnbuildableLine `json:"unbuildable,omitempty"`
	// Begun is the moment the stages began, LastWrite that of the last write to the API before; negative: none.
	Begun     int64 `json:"begun"`
	LastWrite int64 `json:"lastWrite"`
	// TestPlan is the test plan that was given, as a file.
	TestPlan string `json:"testPlan,omitempty"`
	// Probes are the security probes that were announced.
	Probes *Probes `json:"probes,omitempty"`
	// Files are the document's files; FilesNote says why they are not here.
	Files     []FileLine `json:"files,omitempty"`
	FilesNote string     `json:"filesNote,omitempty"`
}

// UnbuildableLine is an operation no request could be built for, by its id, and why.
type UnbuildableLine struct {
	Operation string `json:"operation"`
	Reason    string `json:"reason"`
}

// FileLine is one file of the document as it was read.
type FileLine struct {
	Location string `json:"location"`
	Content  Text   `json:"content"`
	// Masked is true if something secret was hidden in it.
	Masked bool `json:"masked,omitempty"`
}

// BudgetGiven is the time the run was given.
func (l *RunLine) BudgetGiven() (time.Duration, error) { return parseISO(l.Budget) }

// StartedAt is the wall time the run began at.
func (l *RunLine) StartedAt() (time.Time, error) { return time.Parse(time.RFC3339, l.Started) }

// Given are the settings that today's defaults would not give: those that were given, and those whose default has
// changed since.
func (l *RunLine) Given() []settings.Flag {
	defaults := map[string]string{}
	for _, v := range (&settings.Given{Settings: settings.Default()}).All() {
		defaults[v.Name] = v.Default
	}
	var given []settings.Flag
	for _, s := range l.Settings {
		switch {
		case s.Origin == settings.WorkedOut:
		case s.Origin != settings.FromDefault, s.Value != defaults[s.Name]:
			given = append(given, settings.Flag{Flag: "the recording", Name: s.Name, Value: s.Value})
		}
	}
	return given
}

// DocumentTold says which document was tested.
type DocumentTold struct {
	Source  string `json:"source"`
	Dialect string `json:"dialect"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

// OperationLine names an operation.
type OperationLine struct {
	Index  int    `json:"index"`
	ID     string `json:"id"`
	Method string `json:"method"`
	Path   string `json:"path"`
}

// SettingLine is a setting's value and where it came from.
type SettingLine struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default"`
	Origin  string `json:"origin"`
	Where   string `json:"where,omitempty"`
}

// EndLine is a recording's last line: the totals.
type EndLine struct {
	Ended     string `json:"ended"` // RFC 3339
	End       string `json:"end"`
	CutShort  bool   `json:"cutShort"`
	Exchanges int64  `json:"exchanges"`
	Totals    Totals `json:"totals"`
	// At is the moment the run ended, Paced the pacer's account of it, for a report to be made again.
	At          int64           `json:"at"`
	Paced       *messages.Paced `json:"paced"`
	OwnFailures []OwnFailure    `json:"ownFailures,omitempty"`
	CleanUp     *CleanUp        `json:"cleanUp,omitempty"`
	Simulated   *Simulated      `json:"simulated,omitempty"`
}

// mostUnflushed is how many exchanges, at most, are lost when the tool is killed.
const mostUnflushed = 1000

// recording writes the exchanges of a run.
type recording struct {
	teller    teller
	file      io.WriteCloser
	zip       *zstd.Encoder
	line      bytes.Buffer
	encoder   *json.Encoder
	exchanges int64
	unflushed int
	flushedAt messages.Instant
}

// newRecording opens the recording and puts its first line on the disk.
func newRecording(out Directory, t teller, run *RunLine) (*recording, error) {
	file, err := out.Create(RecordingName)
	if err != nil {
		return nil, fmt.Errorf("no recording can be written: %w", err)
	}
	// One at a time: the encoder then works in the caller's goroutine, and starts none.
	zip, err := zstd.NewWriter(file, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	rec := &recording{teller: t, file: file, zip: zip}
	rec.encoder = json.NewEncoder(&rec.line)
	rec.encoder.SetEscapeHTML(false)
	if err := rec.write(Line{Run: run}); err != nil {
		return nil, err
	}
	if err := rec.flush(0); err != nil {
		return nil, err
	}
	return rec, nil
}

// add writes one exchange. After an error the recording is closed and must not be used any more.
func (rec *recording) add(j *messages.Judged, sent func(*messages.Exchange) sent, now messages.Instant) error {
	told := rec.teller.exchange(j.Exchange)
	told.Refused = j.Refused
	told.Unjudged = rec.teller.words("unjudged", j.Unjudged)
	for _, f := range j.Findings {
		level := "warning"
		if f.Error {
			level = "error"
		}
		id := rec.teller.id(messages.KeyOf(j.Exchange.Request, j.Exchange.Reply, &f))
		told.Findings = append(told.Findings, FindingTold{Code: f.Code, Level: level, ID: id})
	}
	if err := rec.write(Line{Exchange: told, Judged: rec.teller.judged(j, told, sent)}); err != nil {
		return err
	}
	rec.exchanges++
	if rec.unflushed++; rec.unflushed >= mostUnflushed {
		return rec.flush(now)
	}
	return rec.flushIfDue(now)
}

func (rec *recording) write(l Line) error {
	rec.line.Reset()
	err := rec.encoder.Encode(l)
	if err == nil {
		_, err = rec.zip.Write(rec.line.Bytes())
	}
	return rec.closedBy(err)
}

// flushIfDue puts on the disk what has waited for a second.
func (rec *recording) flushIfDue(now messages.Instant) error {
	if rec.unflushed == 0 || now.Sub(rec.flushedAt) < time.Second {
		return nil
	}
	return rec.flush(now)
}

func (rec *recording) flush(now messages.Instant) error {
	rec.unflushed, rec.flushedAt = 0, now
	return rec.closedBy(rec.zip.Flush())
}

// end writes the totals and closes the recording.
func (rec *recording) end(e *EndLine) error {
	e.Exchanges = rec.exchanges
	if err := rec.write(Line{End: e}); err != nil {
		return err
	}
	return errors.Join(rec.zip.Close(), rec.file.Close())
}

// closedBy closes the file after an error; what stands in it stays readable.
func (rec *recording) closedBy(err error) error {
	if err == nil {
		return nil
	}
	rec.file.Close() // the first error is the one to tell
	return err
}

// longestLine bounds what ReadRecording takes for one line.
const longestLine = 256 << 20

// ReadRecording gives f each line of a recording, in order. A recording that was cut anywhere, as a killed run leaves
// it, is read up to the last whole line; it can be told from a whole one by the missing End. An error is
// returned for anything else that is no recording, and for what f returns.
func ReadRecording(r io.Reader, f func(Line) error) error {
	return EachLine(r, func(n int, line []byte) error {
		var l Line
		if err := ReadLine(n, line, &l); err != nil {
			return err
		}
		return f(l)
	})
}

// EachLine is ReadRecording for a reader that does not need all of each line: it gives f the lines as they stand,
// counted from 1. They are f's until it returns.
func EachLine(r io.Reader, f func(n int, line []byte) error) error {
	zip, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(longestLine))
	if err != nil {
		return fmt.Errorf("the recording cannot be read: %w", err)
	}
	defer zip.Close()
	lines := bufio.NewScanner(zip)
	lines.Buffer(make([]byte, 64<<10), longestLine)
	lines.Split(wholeLines)
	for n := 1; lines.Scan(); n++ {
		if n == 1 {
			var l Line
			if err := ReadLine(n, lines.Bytes(), &l); err != nil {
				return err
			}
			if err := checkFormat(l.Run); err != nil {
				return err
			}
		}
		if err := f(n, lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the recording cannot be read: %w", err)
	}
	return nil
}

// ReadLine reads of a line what v has members for.
func ReadLine(n int, line []byte, v any) error {
	if err := json.Unmarshal(line, v); err != nil {
		return fmt.Errorf("line %d of the recording cannot be read: %w", n, err)
	}
	return nil
}

// checkFormat says whether a recording's first line is of a format that can be read.
func checkFormat(run *RunLine) error {
	switch {
	case run == nil || run.Format != recordingFormat:
		return errors.New("this is no recording: its first line does not name the format " + recordingFormat)
	case run.Version != recordingVersion:
		return fmt.Errorf("this recording is of version %d of its format, and version %d can be read; use the restest that made it", run.Version, recordingVersion)
	}
	return nil
}

// wholeLines splits at line feeds, and drops a last line that has none.
func wholeLines(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF {
		return len(data), nil, nil
	}
	return 0, nil, nil
}

func (r *Reporter) runLine() *RunLine {
	doc := r.cfg.Document
	told := &RunLine{
		Format: recordingFormat, Version: recordingVersion, HowToRead: howToRead,
		Tool: r.cfg.Tool, Started: r.cfg.Started.UTC().Format(time.RFC3339Nano),
		Document: r.documentTold(), Origin: r.mask.Text(doc.Origin),
		URL:      r.mask.Text(r.cfg.URL),
		TestPlan: r.mask.Text(r.cfg.TestPlan),
		Seed:     r.cfg.Seed, Budget: iso(r.cfg.Budget),
		Operations: make([]OperationLine, 0, len(doc.Operations)),
		Settings:   r.settingLines(),
		Keys:       r.cfg.KeysUsed, KeysNotGiven: r.cfg.KeysMissing,
		Begun: int64(r.clk.Now()), LastWrite: int64(r.cfg.LastWrite),
	}
	if plan := r.mask.Text(string(r.cfg.Plan)); plan != "" && json.Valid([]byte(plan)) {
		told.SignIn = json.RawMessage(plan)
	}
	for _, op := range doc.Operations {
		told.Operations = append(told.Operations, OperationLine{op.Index, op.ID, op.Method, op.Path})
	}
	told.Probes = r.cfg.Probes
	told.Dictionaries, told.Unbuildable = r.dictionariesTold(), r.unbuildableLines()
	told.Files, told.FilesNote = r.cfg.Files.lines(r.mask), r.cfg.Files.note()
	return told
}

func (r *Reporter) unbuildableLines() []UnbuildableLine {
	var lines []UnbuildableLine
	for _, u := range r.cfg.Unbuildable {
		lines = append(lines, UnbuildableLine{r.cfg.Document.Operations[u.Operation].ID, r.mask.Text(u.Reason)})
	}
	return lines
}

func (r *Reporter) documentTold() DocumentTold {
	doc := r.cfg.Document
	return DocumentTold{
		Source: r.mask.Text(r.source()), Dialect: doc.Dialect, Title: doc.Title, Version: doc.Version,
	}
}

func (r *Reporter) settingLines() []SettingLine {
	lines := make([]SettingLine, 0, len(r.cfg.Values))
	for _, v := range r.cfg.Values {
		lines = append(lines, SettingLine{v.Name, r.mask.Text(v.Value), v.Default, v.Origin, v.Where})
	}
	return lines
}

func (r *Reporter) endLine() *EndLine {
	p := *r.paced
	p.Reason = r.mask.Text(clip(p.Reason, longestWords))
	end := &EndLine{
		Ended: timestamp(r.clk.Wall(r.ended)), End: endWord(p.End), CutShort: r.cutShort(),
		Totals: r.totals(), At: int64(r.ended), Paced: &p, OwnFailures: r.ownFailures(), CleanUp: r.cleanUp(),
	}
	if r.cfg.Simulated != nil {
		told := r.cfg.Simulated()
		end.Simulated = &told
	}
	return end
}
