package stages

// A mailbox is the address of a stage: a typed queue that only its one handler reads. Telling never blocks: the
// credits of a run bound what can be under way, so a full mailbox is a fault of the sender of the message.
type mailbox[M any] struct {
	name   string
	handle func(M)
	tell   func(M)
}

// spawn gives the world a stage with room for so many messages.
func spawn[M any](w world, name string, room int) *mailbox[M] {
	b := &mailbox[M]{name: name}
	switch w := w.(type) {
	case *live:
		b.runLive(w, room)
	case *paper:
		b.runOnPaper(w, room)
	}
	return b
}

// Tell puts a message into the mailbox.
func (b *mailbox[M]) Tell(m M) { b.tell(m) }

// A world runs stages: live, each on a goroutine of its own, or on paper, one message at a time.
type world interface{ isWorld() }
