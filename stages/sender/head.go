package sender

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/restest/restest/messages"
)

const (
	// mostHead bounds a header or trailer section, in bytes.
	mostHead = 1 << 20
	// mostInterim bounds the interim replies (1xx) before the final one.
	mostInterim = 100
)

// malformed is what cannot be read as HTTP.
type malformed string

func (m malformed) Error() string { return string(m) }

// readFinalHead reads header sections up to the first that is not an interim reply's (RFC 9110 §15.2). With an error
// the reply holds what could be read of it, and is nil if that is not even a status line.
func (c *conn) readFinalHead() (*messages.Reply, error) {
	for range mostInterim + 1 {
		r, err := c.readReplyHead()
		switch interim := r != nil && 100 <= r.Status && r.Status <= 199 && r.Status != 101; {
		case !interim:
			return r, err
		case err != nil:
			return nil, err
		}
	}
	return nil, malformed("more than a hundred interim replies")
}

func (c *conn) readReplyHead() (*messages.Reply, error) {
	// What does not begin as HTTP does is told as such at once, though no line of it may ever end.
	start, err := c.in.Peek(5)
	if err != nil {
		return nil, err
	}
	if string(start) != "HTTP/" {
		return nil, malformed("not HTTP: the reply begins with " + c.excerpt())
	}
	err = c.readSection()
	// The lines that came whole count, whatever came after them.
	section := string(c.head[:bytes.LastIndexByte(c.head, '\n')+1])
	line, rest, whole := strings.Cut(section, "\n")
	if !whole {
		return nil, err
	}
	r, ok := readStatusLine(strings.TrimSuffix(line, "\r"))
	if !ok {
		return nil, malformed("not HTTP: the status line is " + quote(line))
	}
	var flaw error
	r.Header, flaw = readFields(rest)
	if flaw != nil {
		return r, flaw
	}
	return r, err
}

// readSection reads lines into c.head until an empty one, which is part of it.
func (c *conn) readSection() error {
	if cap(c.head) > keptScratch {
		c.head = nil
	}
	c.head = c.head[:0]
	start := 0 // of the line that is being read
	for {
		part, err := c.in.ReadSlice('\n')
		if len(c.head)+len(part) > mostHead {
			return malformed("a header section larger than 1 MiB")
		}
		c.head = append(c.head, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(c.head) > 0:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
		if line := c.head[start:]; len(line) == 1 || len(line) == 2 && line[0] == '\r' {
			return nil
		}
		start = len(c.head)
	}
}

// readStatusLine reads "HTTP/1.1 200 OK" (RFC 9112 §4); the reason, and the blank before it, may be missing.
func readStatusLine(line string) (*messages.Reply, bool) {
	proto, rest, _ := strings.Cut(line, " ")
	version, ok := strings.CutPrefix(proto, "HTTP/")
	if !ok || version == "" || strings.Trim(version, "0123456789.") != "" {
		return nil, false
	}
	code, reason, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	if len(code) != 3 || strings.Trim(code, "0123456789") != "" {
		return nil, false
	}
	status, err := strconv.Atoi(code)
	return &messages.Reply{Proto: proto, Status: status, Reason: reason}, err == nil
}

// readFields reads the lines of a section (RFC 9112 §5). A line that is folded is put back in one, with a blank for
// each fold. With an error, the fields before the line that could not be read are given.
func readFields(section string) ([]messages.Field, error) {
	if section == "\r\n" {
		return nil, nil
	}
	fields := make([]messages.Field, 0, strings.Count(section, "\n"))
	for section != "" {
		line, rest, _ := strings.Cut(section, "\n")
		section = rest
		line = strings.TrimSuffix(line, "\r")
		if line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || !isToken(name) {
			return fields, malformed("a header line that is none: " + quote(line))
		}
		value, ok = fieldValue(value)
		if section != "" && isBlank(section[0]) {
			parts := []string{value}
			for ok && section != "" && isBlank(section[0]) {
				line, section, _ = strings.Cut(section, "\n")
				value, ok = fieldValue(line)
				parts = append(parts, value)
			}
			value = strings.Trim(strings.Join(parts, " "), " ")
		}
		if !ok {
			return fields, malformed("a header line holds a carriage return or a NUL: " + quote(line))
		}
		fields = append(fields, messages.Field{Name: name, Value: value})
	}
	return fields, nil
}

// fieldValue takes off what is around a field's value on its line; ok is false if it holds what no value may.
func fieldValue(line string) (value string, ok bool) {
	value = strings.Trim(strings.TrimSuffix(line, "\r"), " \t")
	return value, strings.IndexByte(value, '\r') < 0 && strings.IndexByte(value, 0) < 0
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// tokens are the members of a list-valued field, in small letters and without parameters.
func tokens(fields []messages.Field, name string) []string {
	var list []string
	for _, f := range fields {
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		for member := range strings.SplitSeq(f.Value, ",") {
			member, _, _ = strings.Cut(member, ";")
			if member = strings.ToLower(strings.Trim(member, " \t")); member != "" {
				list = append(list, member)
			}
		}
	}
	return list
}

func hasToken(fields []messages.Field, name, token string) bool {
	for _, f := range fields {
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		for member := range strings.SplitSeq(f.Value, ",") {
			if strings.EqualFold(strings.Trim(member, " \t"), token) {
				return true
			}
		}
	}
	return false
}

// excerpt quotes the beginning of what is buffered.
func (c *conn) excerpt() string {
	b, _ := c.in.Peek(min(c.in.Buffered(), 60))
	return quote(string(b))
}

// quote puts the beginning of s in quotes, with what is not printable escaped.
func quote(s string) string {
	if len(s) > 60 {
		return strconv.Quote(s[:60]) + "…"
	}
	return strconv.Quote(s)
}
