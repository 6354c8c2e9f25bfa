package sender

import (
	"errors"
	"io"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
)

// arrival is what came of one exchange.
type arrival struct {
	heardAt clock.Instant
	outcome messages.Outcome
	reply   *messages.Reply
	kind    messages.Failure
	failure string
	// open is true if the connection can take another exchange.
	open bool
}

// finish reads the reply to a request that was written, or, with an error, was written in part.
func (c *conn) finish(method string, callBy clock.Instant, unwritten error) arrival {
	if isTimeout(unwritten) {
		if pending, _ := c.peek(); !pending {
			c.shut()
			return arrival{
				heardAt: c.clock.Now(), outcome: messages.NoReply, kind: messages.NotWritten,
				failure: "the request could not be written whole in time",
			}
		}
	}
	// A server may answer before it has read everything, and then end the connection.
	a := c.receive(method, callBy)
	if unwritten != nil {
		a.open = false
		c.shut()
		if a.kind == messages.ClosedEarly && a.reply == nil {
			a.kind, a.failure = messages.NotWritten, "the request could not be written whole: "+c.reason(unwritten)
		}
	}
	return a
}

// receive reads the reply to a request with that method, all of it until the moment callBy. The connection is shut
// unless the arrival says that it is open.
func (c *conn) receive(method string, callBy clock.Instant) arrival {
	c.got, c.callBy, c.reply, c.unheard = 0, callBy, nil, false
	r, err := c.readFinalHead()
	a := arrival{heardAt: c.clock.Now(), reply: r}
	if err == nil {
		c.reply, c.heardAt, c.unheard = r, a.heardAt, c.onHead != nil
		err = c.readContent(method, r)
		c.unheard = false
	}
	switch {
	case err != nil:
		a.kind, a.failure = c.failure(err, r)
		a.outcome = messages.NoReply
		if r != nil {
			a.outcome = messages.BrokeOff
		}
	default:
		a.outcome = messages.Answered
		a.open = c.stream != nil && keepsOpen(r) && !r.Cut && c.in.Buffered() == 0
	}
	c.served++
	if !a.open {
		c.shut()
	}
	return a
}

// failure sorts and words what kept a reply from being whole.
func (c *conn) failure(err error, r *messages.Reply) (messages.Failure, string) {
	var unread malformed
	ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case c.isCut():
		return messages.GivenUp, "the run was over before the reply came"
	case errors.As(err, &unread):
		return messages.NotHTTP, unread.Error()
	case isTimeout(err) && c.late && r == nil:
		return messages.TimedOut, "no reply in time: engine.callTimeout is over"
	case isTimeout(err) && c.late:
		return messages.TimedOut, "the reply was not whole in time: engine.callTimeout is over"
	case isTimeout(err) && c.got == 0:
		return messages.TimedOut, "no reply within " + c.read.String()
	case isTimeout(err):
		return messages.TimedOut, "the reply broke off: nothing more within " + c.read.String()
	case c.got == 0 && c.served > 0 && (ended || isReset(err)):
		return messages.ClosedIdle, "the idle connection was closed as the request was sent"
	case isReset(err):
		return messages.WasReset, "connection reset"
	case ended && c.got == 0:
		return messages.ClosedEarly, "connection closed before any reply"
	case ended && r == nil:
		return messages.ClosedEarly, "connection closed before a status line came"
	case ended:
		return messages.ClosedEarly, "connection closed before the reply was whole"
	}
	return messages.ClosedEarly, "the connection failed: " + c.reason(err)
}

// keepsOpen says whether a reply that was read whole leaves its connection open (RFC 9112 §9.3).
func keepsOpen(r *messages.Reply) bool {
	switch {
	case r.Status == 101 || hasToken(r.Header, "Connection", "close"):
		return false
	case r.Proto == "HTTP/1.0":
		return hasToken(r.Header, "Connection", "keep-alive") && messages.Get(r.Header, "Transfer-Encoding") == ""
	}
	// With both, what was framed is in doubt (RFC 9112 §6.1).
	return messages.Get(r.Header, "Transfer-Encoding") == "" || messages.Get(r.Header, "Content-Length") == ""
}
