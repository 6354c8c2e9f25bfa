package stages

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/sourcegraph/conc/panics"
	"github.com/sourcegraph/conc/pool"

	"github.com/restest/restest/clock"
)

// live runs each stage on a goroutine of its own, with a channel for its mailbox.
type live struct {
	loops []func(context.Context) error
	// over is set once the run has ended: nobody reads the mailboxes any more, and what is still told is dropped.
	over atomic.Bool
	// watched is true under a fake clock, which may only move when no message is under way: busy counts those told
	// and not yet handled, and still is told when there are none.
	watched bool
	busy    atomic.Int64
	still   chan struct{}
	// watch, unless nil, sees each message just before it is handled, and the stage it was told to.
	watch func(stage string, message any)
}

func (*live) isWorld() {}

func newLive(watched bool) *live { return &live{watched: watched, still: make(chan struct{}, 1)} }

func (b *mailbox[M]) runLive(l *live, room int) {
	ch := make(chan M, room)
	b.tell = func(m M) {
		if l.watched {
			l.busy.Add(1)
		}
		select {
		case ch <- m:
		default:
			if !l.over.Load() {
				panic(fmt.Sprintf("the mailbox of the %s is full: a credit was spent twice", b.name))
			}
		}
	}
	l.loops = append(l.loops, func(ctx context.Context) error {
		for {
			var m M
			select {
			case m = <-ch:
			default:
				select {
				case m = <-ch:
				case <-ctx.Done():
					return nil
				}
			}
			if l.watch != nil {
				l.watch(b.name, m)
			}
			b.handle(m)
			if l.watched && l.busy.Add(-1) == 0 {
				select {
				case l.still <- struct{}{}:
				default:
				}
			}
		}
	})
}

// run runs the stages until the context is done or one of them panics, which ends them all; the panic is returned as
// an error with its stack.
func (l *live) run(ctx context.Context, more ...func(context.Context) error) (err error) {
	var catcher panics.Catcher
	catcher.Try(func() {
		p := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
		for _, loop := range l.loops {
			p.Go(loop)
		}
		for _, f := range more {
			p.Go(f)
		}
		err = p.Wait()
	})
	l.over.Store(true)
	if r := catcher.Recovered(); r != nil {
		return r.AsError()
	}
	return err
}

// drive moves a fake clock on, timer by timer, each time no message is under way, until none is left or the
// context is done.
func (l *live) drive(ctx context.Context, c *clock.Fake) {
	for {
		for l.busy.Load() != 0 {
			select {
			case <-l.still:
			case <-ctx.Done():
				return
			}
		}
		if ctx.Err() != nil || !c.Next() {
			return
		}
	}
}
