package demo

import (
	"bufio"
	"errors"
	"io"
	"net/http/httputil"
	"strconv"
	"strings"

	"github.com/restest/restest/messages"
)

const (
	maxHead    = 64 << 10
	maxContent = 1 << 20
)

// refusal is why a request cannot be read, with the status to refuse it with.
type refusal struct {
	status int
	why    string
}

func (r refusal) Error() string { return r.why }

// incoming is a request from a wire.
type incoming struct {
	Request
	// last is true if the client takes no further reply on this connection.
	last bool
	// old is true for HTTP/1.0, which knows no chunks and no reply ahead of the reply.
	old bool
}

// requestReader reads the requests of a connection (RFC 9112).
type requestReader struct {
	in *bufio.Reader
	// goOn is told that the content may come, if the client waits for that (RFC 9110 §10.1.1).
	goOn   io.Writer
	head   []byte
	fields []messages.Field
}

// next reads a request. Its header is good until the next one is read.
func (r *requestReader) next() (incoming, error) {
	head, err := r.readHead()
	if err != nil {
		return incoming{}, err
	}
	first, rest, _ := strings.Cut(head, "\r\n")
	method, after, _ := strings.Cut(first, " ")
	target, protocol, _ := strings.Cut(after, " ")
	if method == "" || target == "" || protocol != "HTTP/1.1" && protocol != "HTTP/1.0" {
		return incoming{}, refusal{400, "the first line is not that of an HTTP/1.1 request"}
	}
	if err := r.readFields(rest); err != nil {
		return incoming{}, err
	}
	old := protocol == "HTTP/1.0"
	body, err := r.readContent()
	return incoming{
		Request: Request{Method: method, Target: target, Header: r.fields, Body: body},
		last:    old || lists(r.fields, "Connection", "close"),
		old:     old,
	}, err
}

// readHead reads the lines before the content, each ended by CRLF in what it returns.
func (r *requestReader) readHead() (string, error) {
	r.head = r.head[:0]
	for {
		line, err := r.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) || len(r.head)+len(line) > maxHead {
			return "", refusal{431, "the header is too long"}
		}
		if err != nil {
			return "", err
		}
		line = line[:len(line)-1]
		if len(line) > 0 && line[len(line)-1] == '\r' {
			line = line[:len(line)-1]
		}
		if len(line) > 0 {
			r.head = append(append(r.head, line...), "\r\n"...)
			continue
		}
		if len(r.head) > 0 { // else an empty line before a request, which is passed over (RFC 9112 §2.2)
			return string(r.head), nil
		}
	}
}

func (r *requestReader) readFields(lines string) error {
	r.fields = r.fields[:0]
	for lines != "" {
		var line string
		line, lines, _ = strings.Cut(lines, "\r\n")
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return refusal{400, "a line of the header is not a field"}
		}
		r.fields = append(r.fields, messages.Field{Name: name, Value: strings.Trim(value, " \t")})
	}
	return nil
}

// readContent reads the content, nil if there is none.
func (r *requestReader) readContent() ([]byte, error) {
	lengths, codings := messages.Values(r.fields, "Content-Length"), messages.Values(r.fields, "Transfer-Encoding")
	switch {
	case len(codings) > 1 || len(codings) == 1 && (!strings.EqualFold(codings[0], "chunked") || len(lengths) > 0):
		return nil, refusal{400, "the content is framed in a way that is not known"}
	case len(codings) == 1:
		if err := r.letGoOn(); err != nil {
			return nil, err
		}
		return r.readChunks()
	case len(lengths) == 0:
		return nil, nil
	}
	length, err := strconv.ParseUint(lengths[0], 10, 63)
	if err != nil || len(lengths) > 1 {
		return nil, refusal{400, "the content's length is not a number"}
	}
	if length > maxContent {
		return nil, refusal{413, "the content is too long"}
	}
	if err := r.letGoOn(); err != nil {
		return nil, err
	}
	body := make([]byte, length)
	_, err = io.ReadFull(r.in, body)
	return body, err
}

func (r *requestReader) readChunks() ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(httputil.NewChunkedReader(r.in), maxContent+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, err
	case err != nil:
		return nil, refusal{400, "the content's chunks are broken"}
	case len(body) > maxContent:
		return nil, refusal{413, "the content is too long"}
	}
	for size := 0; ; { // the trailer
		line, err := r.in.ReadSlice('\n')
		if size += len(line); err == nil && len(strings.TrimRight(string(line), "\r\n")) == 0 {
			return body, nil
		}
		if size > maxHead || errors.Is(err, bufio.ErrBufferFull) {
			return nil, refusal{431, "the trailer is too long"}
		}
		if err != nil {
			return nil, err
		}
	}
}

// letGoOn tells a client that waits for it to send the content.
func (r *requestReader) letGoOn() error {
	if r.in.Buffered() > 0 || !lists(r.fields, "Expect", "100-continue") {
		return nil
	}
	_, err := io.WriteString(r.goOn, "HTTP/1.1 100 Continue\r\n\r\n")
	return err
}

// lists says whether one of the fields of that name has the token in its list.
func lists(fields []messages.Field, name, token string) bool {
	for _, value := range messages.Values(fields, name) {
		for item := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.TrimSpace(item), token) {
				return true
			}
		}
	}
	return false
}

// plain is the reply for a client of HTTP/1.0.
func (r Reply) plain() Reply {
	r.Early, r.Chunked = nil, false
	if r.Break == InChunk {
		r.Break = InLength
	}
	return r
}
