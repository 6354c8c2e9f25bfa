package stages

import "fmt"

// paper runs the stages one message at a time: inline, by calling their handlers, or in lockstep, through real
// goroutines and channels. Both give the same run, message for message.
type paper struct {
	lockstep bool
	// pick chooses which of n waiting messages is handled next, to explore orders; nil means the one told first.
	pick func(n int) int
	// watch sees each message as it is handled, and the stage it was told to.
	watch func(stage string, message any)
	// ready holds a step for each message told and not yet handled, in the order they were told.
	ready []func()
	head  int
	stops []func()
}

func (*paper) isWorld() {}

func (b *mailbox[M]) runOnPaper(p *paper, room int) {
	var queue []M
	head := 0
	pop := func() M {
		m := queue[head]
		var none M
		queue[head] = none
		if head++; head == len(queue) {
			queue, head = queue[:0], 0
		}
		return m
	}
	handle := func(m M) {
		if p.watch != nil {
			p.watch(b.name, m)
		}
		b.handle(m)
	}
	step := func() { handle(pop()) }
	if p.lockstep {
		ch, done := make(chan M), make(chan struct{})
		go func() {
			for m := range ch {
				handle(m)
				done <- struct{}{}
			}
			close(done)
		}()
		step = func() {
			ch <- pop()
			<-done
		}
		p.stops = append(p.stops, func() {
			close(ch)
			<-done
		})
	}
	b.tell = func(m M) {
		if len(queue)-head == room {
			panic(fmt.Sprintf("the mailbox of the %s is full: a credit was spent twice", b.name))
		}
		queue = append(queue, m)
		p.ready = append(p.ready, step)
	}
}

// settle handles messages until none is under way: then, and only then, time may move.
func (p *paper) settle() {
	for p.head < len(p.ready) {
		i := p.head
		if p.pick != nil {
			i += p.pick(len(p.ready) - p.head)
		}
		step := p.ready[i]
		p.ready[i] = p.ready[p.head]
		p.ready[p.head] = nil
		p.head++
		step()
	}
	p.ready, p.head = p.ready[:0], 0
}

// stop ends the goroutines of a lockstep run.
func (p *paper) stop() {
	for _, f := range p.stops {
		f()
	}
}
