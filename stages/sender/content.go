package sender

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/restest/restest/messages"
)

// keptScratch is how large a scratch may be, in bytes, and still be kept for the next reply.
const keptScratch = 64 << 10

// readContent reads a reply's content, as RFC 9112 §6.3 frames it, and takes its codings off.
func (c *conn) readContent(method string, r *messages.Reply) error {
	if method == "HEAD" || r.Status == 204 || r.Status == 304 || r.Status == 101 {
		return nil
	}
	c.body = c.body[:0]
	transfer := tokens(r.Header, "Transfer-Encoding")
	transfer = slices.DeleteFunc(transfer, func(t string) bool { return t == "identity" })
	chunked := len(transfer) > 0 && transfer[len(transfer)-1] == "chunked"
	if chunked {
		transfer = transfer[:len(transfer)-1]
	}
	length, sized, err := contentLength(r.Header)
	switch {
	case chunked:
		err = c.takeChunks(r)
	case len(transfer) > 0:
		err = c.takeAll(r)
	case err != nil:
		c.takeBuffered()
	case sized:
		err = c.takeSized(r, length)
	default:
		err = c.takeAll(r)
	}
	c.keepContent(r, append(tokens(r.Header, "Content-Encoding"), transfer...), err == nil && !r.Cut)
	return err
}

// keepContent makes what was read the reply's content, with its codings taken off.
func (c *conn) keepContent(r *messages.Reply, codings []string, whole bool) {
	if len(c.body) > 0 && len(codings) > 0 {
		if slices.Contains(codings, "br") && c.brotli != nil {
			c.brotli.Lock()
			defer c.brotli.Unlock()
		}
		content, cut, err := c.decoder.decode(c.body, codings, c.most, whole)
		if err == nil {
			r.Body, r.Length = content, int64(len(content))
			r.Cut = r.Cut || cut
			if cap(c.body) > keptScratch {
				c.body = nil
			}
			return
		}
		r.Undecodable = err.Error()
	}
	r.Length = int64(len(c.body))
	r.Body = giveAway(&c.body)
}

// giveAway is what a scratch holds, nil for nothing. A scratch that has grown large is not kept.
func giveAway(scratch *[]byte) []byte {
	b := *scratch
	if cap(b) > keptScratch {
		*scratch = nil
		if len(b) > cap(b)/2 {
			return b
		}
	}
	return append([]byte(nil), b...)
}

// take reads n bytes more into c.body.
func (c *conn) take(n int64) error {
	for n > 0 {
		c.body = slices.Grow(c.body, int(min(n, 4<<10)))
		spare := c.body[len(c.body):cap(c.body)]
		got, err := c.in.Read(spare[:min(n, int64(len(spare)))])
		c.body = c.body[:len(c.body)+got]
		n -= int64(got)
		if err != nil && n > 0 {
			return err
		}
	}
	return nil
}

// takeBuffered takes what is there already, for a reply that cannot be read on.
func (c *conn) takeBuffered() {
	_ = c.take(min(int64(c.in.Buffered()), c.room()))
}

// room is how much more of the content is kept.
func (c *conn) room() int64 { return c.most - int64(len(c.body)) }

// takeSized reads content of a stated length.
func (c *conn) takeSized(r *messages.Reply, length int64) error {
	r.Cut = length > c.most
	return c.take(min(length, c.most))
}

// takeAll reads content that ends with the connection. One byte beyond what is kept tells that there is more.
func (c *conn) takeAll(r *messages.Reply) error {
	err := c.take(c.room() + 1)
	switch {
	case err == nil:
		r.Cut = true
		c.body = c.body[:c.most]
	case errors.Is(err, io.EOF):
		c.shut()
		return nil
	}
	return err
}

// takeChunks reads chunked content and its trailer section (RFC 9112 §7.1). Of chunks that cannot be read, the bytes
// that are there become the content's last ones, so that a person can see them.
func (c *conn) takeChunks(r *messages.Reply) error {
	for {
		size, err := c.chunkSize()
		if err != nil {
			c.takeBuffered()
			return err
		}
		if size == 0 {
			return c.takeTrailer(r)
		}
		if size > c.room() {
			r.Cut = true
			return c.take(c.room())
		}
		if err := c.take(size); err != nil {
			return err
		}
		if err := c.lineEnd(); err != nil {
			c.takeBuffered()
			return err
		}
	}
}

// chunkSize reads the line before a chunk; its extensions are passed over.
func (c *conn) chunkSize() (int64, error) {
	line, err := c.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return 0, malformed("the line before a chunk is longer than 16 KiB")
	}
	if err != nil {
		return 0, err
	}
	digits, _, _ := bytes.Cut(line, []byte(";"))
	digits = bytes.Trim(digits, " \t\r\n")
	size := int64(0)
	for _, d := range digits {
		v := int64(0)
		switch {
		case '0' <= d && d <= '9':
			v = int64(d - '0')
		case 'a' <= d|0x20 && d|0x20 <= 'f':
			v = int64(d|0x20-'a') + 10
		default:
			v = -1
		}
		if v < 0 || size >= 1<<56 {
			size = -1
			break
		}
		size = size<<4 | v
	}
	if size < 0 || len(digits) == 0 {
		flaw := malformed("a chunk's length is no number: " + quote(string(digits)))
		c.body = append(c.body, line[:min(int64(len(line)), max(0, c.room()))]...)
		return 0, flaw
	}
	return size, nil
}

// lineEnd reads the line end after a chunk.
func (c *conn) lineEnd() error {
	b, err := c.in.ReadByte()
	if err == nil && b == '\r' {
		b, err = c.in.ReadByte()
	}
	if err != nil {
		return err
	}
	if b != '\n' {
		_ = c.in.UnreadByte()
		return malformed("a chunk is longer than its length says")
	}
	return nil
}

func (c *conn) takeTrailer(r *messages.Reply) error {
	if err := c.readSection(); err != nil {
		return err
	}
	var err error
	r.Trailer, err = readFields(string(c.head))
	return err
}

// contentLength reads the Content-Length fields (RFC 9112 §6.3, items 5 and 6); the same length more than once is
// that length.
func contentLength(header []messages.Field) (length int64, sized bool, err error) {
	for _, f := range header {
		if !strings.EqualFold(f.Name, "Content-Length") {
			continue
		}
		for value := range strings.SplitSeq(f.Value, ",") {
			value = strings.Trim(value, " \t")
			n, err := strconv.ParseUint(value, 10, 63)
			if err != nil {
				return 0, false, malformed("Content-Length is no length: " + quote(value))
			}
			if sized && int64(n) != length {
				return 0, false, malformed(fmt.Sprintf("Content-Length is both %d and %d", length, n))
			}
			length, sized = int64(n), true
		}
	}
	return length, sized, nil
}
