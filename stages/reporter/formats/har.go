package formats

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/restest/restest/stages/reporter"
)

// The members of an HTTP archive (HAR 1.2) that are written.
type (
	harCreator struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	harEntry struct {
		StartedDateTime string      `json:"startedDateTime"`
		Time            float64     `json:"time"`
		Request         harRequest  `json:"request"`
		Response        harResponse `json:"response"`
		Cache           struct{}    `json:"cache"`
		Timings         harTimings  `json:"timings"`
		Comment         string      `json:"comment,omitempty"`
	}
	harRequest struct {
		Method      string      `json:"method"`
		URL         string      `json:"url"`
		HTTPVersion string      `json:"httpVersion"`
		Cookies     []harPair   `json:"cookies"`
		Headers     []harPair   `json:"headers"`
		QueryString []harPair   `json:"queryString"`
		PostData    *harContent `json:"postData,omitempty"`
		HeadersSize int         `json:"headersSize"`
		BodySize    int64       `json:"bodySize"`
	}
	harResponse struct {
		Status      int        `json:"status"`
		StatusText  string     `json:"statusText"`
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []harPair  `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Content     harContent `json:"content"`
		RedirectURL string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int64      `json:"bodySize"`
	}
	harContent struct {
		Size     *int64     `json:"size,omitempty"`
		MimeType string     `json:"mimeType"`
		Text     string     `json:"text"`
		Encoding string     `json:"encoding,omitempty"`
		Params   *[]harPair `json:"params,omitempty"`
		Comment  string     `json:"comment,omitempty"`
	}
	harTimings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
)

// HAR writes every exchange as run.har, one after another, so that a long run needs no more memory than a short one.
func HAR(w io.Writer, told *reporter.Report, exchanges reporter.Exchanges) error {
	started, err := time.Parse(time.RFC3339, told.Run.Started)
	if err != nil {
		return fmt.Errorf("when the run started: %w", err)
	}
	origin := told.API.Address
	if u, err := url.Parse(origin); err == nil {
		origin = u.Scheme + "://" + u.Host
	}
	creator, err := json.Marshal(harCreator{told.Tool.Name, told.Tool.Version})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, `{"log":{"version":"1.2","creator":%s,"entries":[`, creator); err != nil {
		return err
	}
	separator := "\n"
	err = exchanges(func(e *reporter.ExchangeTold) error {
		if e.Outcome == "neverSent" {
			return nil
		}
		line, err := json.Marshal(entryOf(e, origin, started))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s%s", separator, line)
		separator = ",\n"
		return err
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n]}}\n")
	return err
}

func entryOf(e *reporter.ExchangeTold, origin string, started time.Time) harEntry {
	milliseconds := func(from, to int64) float64 { return max(0, float64(to-from)/1e6) }
	entry := harEntry{
		StartedDateTime: started.Add(time.Duration(e.SentAt)).UTC().Format("2006-01-02T15:04:05.000Z"),
		Time:            milliseconds(e.SentAt, e.EndedAt),
		Request:         harRequestOf(&e.Request, origin),
		Response: harResponse{
			HTTPVersion: "HTTP/1.1", Cookies: []harPair{}, Headers: []harPair{}, HeadersSize: -1, BodySize: -1,
			Content: contentOf(nil, ""),
		},
		Timings: harTimings{0, milliseconds(e.SentAt, e.HeardAt), milliseconds(e.HeardAt, e.EndedAt)},
		Comment: comment(e),
	}
	if r := e.Reply; r != nil {
		if r.Proto != "" {
			entry.Response.HTTPVersion = string(r.Proto)
		}
		entry.Response.Status, entry.Response.StatusText = r.Status, string(r.Reason)
		entry.Response.Headers, entry.Response.RedirectURL = pairs(r.Header), value(r.Header, "Location")
		entry.Response.Content = contentOf(r.Body, value(r.Header, "Content-Type"))
	}
	return entry
}

func harRequestOf(r *reporter.RequestTold, origin string) harRequest {
	out := harRequest{
		Method: string(r.Method), URL: origin + string(r.Target), HTTPVersion: "HTTP/1.1",
		Cookies: []harPair{}, Headers: pairs(r.Header), QueryString: []harPair{}, HeadersSize: -1,
	}
	if _, query, ok := strings.Cut(string(r.Target), "?"); ok {
		for pair := range strings.SplitSeq(query, "&") {
			name, v, _ := strings.Cut(pair, "=")
			out.QueryString = append(out.QueryString, harPair{unescaped(name), unescaped(v)})
		}
	}
	if r.Body != nil {
		content := contentOf(r.Body, value(r.Header, "Content-Type"))
		out.BodySize, content.Size = r.Body.Length, nil
		content.Params = &[]harPair{}
		if content.Encoding != "" {
			content.Comment, content.Encoding = "the text is base64", ""
		}
		out.PostData = &content
	}
	return out
}

func contentOf(c *reporter.Content, mediaType string) harContent {
	out := harContent{MimeType: mediaType, Size: new(int64)}
	switch {
	case c == nil:
		return out
	case c.Text != nil:
		out.Text = *c.Text
	case c.Base64 != nil:
		out.Text, out.Encoding = *c.Base64, "base64"
	}
	*out.Size = c.Length
	if c.Shortened || c.Cut {
		out.Comment = "this is its beginning"
	}
	return out
}

// comment tells what the archive has no member for.
func comment(e *reporter.ExchangeTold) string {
	words := []string{e.Operation, e.Request.Purpose}
	if e.Request.Probe != "" {
		words = append(words, "security probe: "+e.Request.Probe)
	}
	if e.Failure != "" {
		words = append(words, string(e.Failure))
	}
	for _, f := range e.Findings {
		words = append(words, fmt.Sprintf("F%03d", f.Code))
	}
	return strings.Join(words, ", ")
}

func pairs(fields [][2]reporter.Text) []harPair {
	out := make([]harPair, 0, len(fields))
	for _, f := range fields {
		out = append(out, harPair{string(f[0]), string(f[1])})
	}
	return out
}

// value is the first field of that name.
func value(fields [][2]reporter.Text, name string) string {
	for _, f := range fields {
		if http.CanonicalHeaderKey(string(f[0])) == name {
			return string(f[1])
		}
	}
	return ""
}

func unescaped(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}
