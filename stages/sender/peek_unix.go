//go:build unix

package sender

import (
	"net"
	"syscall"
)

// peeker makes a function that looks, without waiting, at what a socket holds: pending is true if there are bytes
// to read, open is false if the other side has ended it.
func peeker(c net.Conn) func() (pending, open bool) {
	unknown := func() (bool, bool) { return false, true }
	s, ok := c.(syscall.Conn)
	if !ok {
		return unknown
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return unknown
	}
	var (
		b    [1]byte
		n    int
		fail error
	)
	look := func(fd uintptr) {
		for {
			n, _, fail = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
			if fail != syscall.EINTR {
				return
			}
		}
	}
	return func() (pending, open bool) {
		if err := raw.Control(look); err != nil {
			return false, false
		}
		if fail != nil {
			return false, fail == syscall.EAGAIN
		}
		return n > 0, n > 0
	}
}
