package demo

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/restest/restest/messages"
)

// Reply is an answer and how it goes on the wire.
type Reply struct {
	// After is how long the answer takes, from the moment its request was there.
	After time.Duration
	// Early, unless empty, is the header of an answer 103 that goes ahead of this one (RFC 8297).
	Early  []messages.Field
	Status int
	// Header is without the fields that frame the content: those are the wire's.
	Header []messages.Field
	Body   []byte
	// Bare sends the header alone, as for a HEAD; Content-Length still tells the length of Body.
	Bare bool
	// Chunked sends the content in chunks, without a Content-Length.
	Chunked bool
	// Close ends the connection after the reply, and says so.
	Close bool
	// Break is where the reply breaks off; the connection ends there without a word.
	Break Break
}

// Break is where a reply breaks off.
type Break int

// The breaks.
const (
	// Whole: nowhere.
	Whole Break = iota
	// InLength: in the middle of content of which Content-Length promises more.
	InLength
	// InChunk: in the middle of a chunk.
	InChunk
	// AtOnce: before its first byte.
	AtOnce
	// Never: no byte comes, and the connection stays open until the client ends it.
	Never
)

// Arriving is the content that reaches the client.
func (r Reply) Arriving() []byte {
	switch {
	case r.Bare || !hasContent(r.Status) || r.Break == AtOnce || r.Break == Never:
		return nil
	case r.Break != Whole:
		return r.Body[:len(r.Body)/2]
	default:
		return r.Body
	}
}

// Ends says whether the connection ends with the reply.
func (r Reply) Ends() bool { return r.Close || r.Break != Whole }

// Append appends the reply to b as it goes on the wire, byte for byte (RFC 9112).
func (r Reply) Append(b []byte) []byte {
	if r.Break == AtOnce || r.Break == Never {
		return b
	}
	if len(r.Early) > 0 {
		b = appendHead(b, 103, r.Early)
		b = append(b, "\r\n"...)
	}
	b = appendHead(b, r.Status, r.Header)
	if r.Close {
		b = append(b, "Connection: close\r\n"...)
	}
	content := r.Arriving()
	switch {
	case !hasContent(r.Status):
		b = append(b, "\r\n"...)
	case r.Chunked || r.Break == InChunk:
		b = append(b, "Transfer-Encoding: chunked\r\n\r\n"...)
		b = r.appendChunks(b, content)
	default:
		b = append(b, "Content-Length: "...)
		b = strconv.AppendInt(b, int64(len(r.Body)), 10)
		b = append(b, "\r\n\r\n"...)
		b = append(b, content...)
	}
	return b
}

// appendChunks appends the content as two chunks, or as the beginning of one that breaks off.
func (r Reply) appendChunks(b, content []byte) []byte {
	if r.Bare {
		return b
	}
	if r.Break == InChunk {
		b = strconv.AppendInt(b, int64(len(r.Body)), 16)
		b = append(b, "\r\n"...)
		return append(b, content...)
	}
	half := len(content) / 2
	for _, chunk := range [][]byte{content[:half], content[half:]} {
		if len(chunk) == 0 {
			continue // a chunk of no length would be the last one
		}
		b = strconv.AppendInt(b, int64(len(chunk)), 16)
		b = append(b, "\r\n"...)
		b = append(b, chunk...)
		b = append(b, "\r\n"...)
	}
	return append(b, "0\r\n\r\n"...)
}

func appendHead(b []byte, status int, header []messages.Field) []byte {
	b = append(b, "HTTP/1.1 "...)
	b = strconv.AppendInt(b, int64(status), 10)
	b = append(b, ' ')
	b = append(b, http.StatusText(status)...)
	b = append(b, "\r\n"...)
	for _, f := range header {
		b = append(b, f.Name...)
		b = append(b, ": "...)
		b = append(b, f.Value...)
		b = append(b, "\r\n"...)
	}
	return b
}

// hasContent says whether a reply of that status can have content (RFC 9110 §6.4.1).
func hasContent(status int) bool { return status >= 200 && status != 204 && status != 304 }

// with is the reply with one more header field.
func (r Reply) with(name, value string) Reply {
	r.Header = append(r.Header, messages.Field{Name: name, Value: value})
	return r
}

// answerJSON is a reply with the value as its content.
func answerJSON(status int, value any) Reply { return answerAs(status, "application/json", value) }

// problem is a reply that says what went wrong.
func problem(status int, detail string) Reply {
	title := http.StatusText(status)
	if title == "" {
		title = "Trouble"
	}
	return answerAs(status, "application/problem+json", struct {
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}{title, status, detail})
}

func answerAs(status int, mediaType string, value any) Reply {
	body, err := json.Marshal(value)
	if err != nil {
		panic("demo: a reply cannot be written: " + err.Error()) // the values are the package's own
	}
	return answerBytes(status, mediaType, body)
}

func answerBytes(status int, mediaType string, body []byte) Reply {
	return Reply{Status: status, Header: []messages.Field{{Name: "Content-Type", Value: mediaType}}, Body: body}
}

// answerEmpty is a reply without content.
func answerEmpty(status int) Reply { return Reply{Status: status} }
