package sender

import (
	"bytes"
	"io"
	"net"
	"sync"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// Reader reads replies from bytes, just as the Wire reads them from a socket: for APIs on paper.
type Reader struct{ conn *conn }

// NewReader makes a Reader that keeps as much of a reply as the settings say. It belongs to one goroutine.
func NewReader(s settings.Engine, c clock.Clock) *Reader {
	return &Reader{newConn(route{
		clock: c, read: time.Hour, most: s.MaxRetainedResponseBytes, brotli: new(sync.Mutex),
	})}
}

// Read reads the reply to a request with that method. The connection ends after the bytes if ends is set. The moments
// and the slot of what it returns are for the caller to fill in.
func (r *Reader) Read(wire []byte, ends bool, method string) messages.Came {
	c := r.conn
	c.stream = sheet{bytes.NewReader(wire)}
	c.in.Reset(c)
	c.served = 0
	a := c.receive(method, clock.Never)
	return messages.Came{
		Outcome: a.outcome, Reply: a.reply, Failure: a.failure, Kind: a.kind, Open: a.open && !ends,
	}
}

// sheet is a connection that holds the bytes of one reply, and ends after them.
type sheet struct{ r io.Reader }

func (p sheet) Read(b []byte) (int, error)     { return p.r.Read(b) }
func (sheet) Write([]byte) (int, error)        { return 0, io.ErrClosedPipe }
func (sheet) Close() error                     { return nil }
func (sheet) LocalAddr() net.Addr              { return nil }
func (sheet) RemoteAddr() net.Addr             { return nil }
func (sheet) SetDeadline(time.Time) error      { return nil }
func (sheet) SetReadDeadline(time.Time) error  { return nil }
func (sheet) SetWriteDeadline(time.Time) error { return nil }
