package messages

// What a transport tells the sender: the world's edge, where bytes leave and come back.

// Opened says that the slot's connection is open.
type Opened struct{ Slot int }

// NotOpened says that the slot's connection could not be opened.
type NotOpened struct {
	Slot   int
	Reason string
}

// Wrote says that the write a slot was asked for has ended.
type Wrote struct {
	Slot int
	// At is the moment just before the write, Written the moment after it.
	At, Written Instant
	// Unsent is true if nothing was written: it was Recalled, its deadline had come, or the connection was gone.
	Unsent, Recalled bool
	Reason           string
	// Kind is Kept or NotWritten for a request that is Unsent.
	Kind Failure
}

// Headed says that a reply's status line and header are there and its body is not yet.
type Headed struct {
	Slot  int
	At    Instant
	Reply *Reply
}

// Came says that a slot's exchange is over.
type Came struct {
	Slot             int
	HeardAt, EndedAt Instant
	Outcome          Outcome
	Reply            *Reply
	Failure          string
	Kind             Failure
	// Open is true if the connection can take the next request as it is.
	Open bool
}

func (Opened) toSender()    {}
func (NotOpened) toSender() {}
func (Wrote) toSender()     {}
func (Headed) toSender()    {}
func (Came) toSender()      {}
