package checks

import (
	"fmt"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// brokenReply, F922, finds replies that are not whole: that broke off, can not be read as HTTP, or can not be
// unpacked; and, as a warning, those that are larger than the run keeps.
//
// Such a reply is never taken for a complete one, even where what came happens to be a whole JSON value: the message
// says how long it is, by its length or its last chunk, and did not keep its word (RFC 9112 §8). Two ends are no
// fault: a server may close a connection that idles, and the run itself gives up what is still under way at its end.
// Replies that break off together are likely and no more: one request may have ended all the connections. So are those
// whose rest does not come in time: they may be slow, or have no end; of types that are made for that nothing is found. A
// part of packed content (206) cannot be unpacked by itself. A coding that nobody asked for is a warning, as some clients
// know it.
type brokenReply struct{}

func (brokenReply) About() About {
	return About{
		Code: 922, Name: "brokenReply", Title: "The reply is broken", Error: true,
		On: func(c settings.Checks) bool { return c.BrokenReply },
	}
}

func (c brokenReply) Check(in *Input) []messages.Finding {
	e := in.Exchange
	if in.Refused || e.Outcome == messages.NeverSent {
		return nil
	}
	var f messages.Finding
	switch reply := e.Reply; {
	case e.Outcome == messages.Answered && reply == nil:
		return nil
	case e.Outcome == messages.Answered && reply.Undecodable != "" && reply.Status == 206:
		return nil
	case e.Outcome == messages.Answered && reply.Undecodable != "" && unknownCoding(reply) != "":
		if has(e.Request.Header, "Accept-Encoding") {
			return nil // the request asked for codings of its own
		}
		f = c.About().finding("The reply is in a coding that was not asked for", "content as it is, or in a coding that Accept-Encoding names", unknownCoding(reply))
		f.Error, f.Certainty, f.Place, f.Cause = false, messages.Likely, "Content-Encoding", "unasked"
	case e.Outcome == messages.Answered && reply.Undecodable != "":
		f = c.About().finding("The reply cannot be unpacked",
			"content in the coding that Content-Encoding names", reply.Undecodable)
		f.Place, f.Cause = "Content-Encoding", "coding"
	case e.Outcome == messages.Answered && reply.Cut:
		f = c.About().finding("The reply is larger than the run keeps",
			fmt.Sprintf("at most %d bytes", in.MostKept), fmt.Sprintf("%d bytes and more", max(reply.Length, int64(len(reply.Body)))))
		f.Error, f.Cause = false, "size"
	case e.Outcome == messages.Answered, e.Kind == messages.GivenUp, e.Kind == messages.ClosedIdle && !c.ended(in):
		return nil
	case e.Kind == messages.NotHTTP:
		f = c.About().finding("The reply cannot be read as HTTP", "a reply as RFC 9112 has it", said(e, "something else"))
		f.Cause = "HTTP"
	case e.Outcome == messages.BrokeOff && e.Kind == messages.TimedOut:
		if reply != nil && streams[essence(messages.Get(reply.Header, "Content-Type"))] {
			return nil
		}
		f = c.About().finding("The reply broke off: the rest did not come in time", "a whole reply", arrived(e))
		f.Cause, f.Certainty = "time", messages.Likely
	case e.Outcome == messages.BrokeOff:
		f = c.About().finding("The reply broke off", "a whole reply", arrived(e))
		f.Cause = "broke off"
	case e.Kind == messages.WasReset, e.Kind == messages.ClosedEarly, e.Kind == messages.ClosedIdle:
		f = c.About().finding("The reply broke off before it began", "a reply", said(e, "the connection ended"))
		f.Cause = "no reply"
	default:
		return nil
	}
	if in.Beside && EndedByPeer(e) {
		f.Certainty = messages.Likely // it may be the other that ended them all
	}
	return []messages.Finding{f}
}

// streams are types of content that may go on for as long as somebody listens.
var streams = map[string]bool{
	"text/event-stream": true, "multipart/x-mixed-replace": true, "application/x-ndjson": true, "application/ndjson": true,
	"application/jsonl": true, "application/json-seq": true, "application/stream+json": true, "application/grpc": true,
}

// unknownCoding is a content coding of the reply's that requests do not ask for, "" if there is none.
func unknownCoding(reply *messages.Reply) string {
	for _, line := range messages.Values(reply.Header, "Content-Encoding") {
		for coding := range strings.SplitSeq(line, ",") {
			switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
			case "", "gzip", "x-gzip", "deflate", "br", "identity":
			default:
				return coding
			}
		}
	}
	return ""
}

// ended says that a reused connection was not closed because it idled: others broke off with it, or a request is sent
// again by which connections ended before.
func (c brokenReply) ended(in *Input) bool {
	again := in.Exchange.Request.Recheck
	return in.Beside || again != nil && again.Finding.Code == c.About().Code
}

// EndedByPeer says that the API ended the connection before the reply was whole.
func EndedByPeer(e *messages.Exchange) bool {
	switch e.Kind {
	case messages.WasReset, messages.ClosedEarly:
		return e.Outcome == messages.BrokeOff || e.Outcome == messages.NoReply
	case messages.ClosedIdle:
		return e.Outcome == messages.NoReply
	}
	return false
}

// said is what the sender says went wrong.
func said(e *messages.Exchange, otherwise string) string {
	if e.Failure == "" {
		return otherwise
	}
	return e.Failure
}

// arrived is what came of a reply that broke off.
func arrived(e *messages.Exchange) string {
	if e.Reply == nil {
		return said(e, "a part")
	}
	return fmt.Sprintf("%s, %d bytes, then: %s", status(e.Reply), e.Reply.Length, said(e, "nothing"))
}
