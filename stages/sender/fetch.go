package sender

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

const (
	mostFetched   = 64 << 20 // bytes
	mostRedirects = 10
	fetchTimeout  = 10 * time.Second // for all of a fetch but the waits for its turns
)

// FetchConfig is what a Fetcher goes by.
type FetchConfig struct {
	Settings settings.Settings
	// Environ names proxies, as in WireConfig.
	Environ []string
	Clock   clock.Clock
	// Interval is the least time from one write to the next at the same origin; 0: none.
	Interval time.Duration
}

// Fetcher reads documents over HTTP, by the same rules as a run's requests. One goroutine uses it.
type Fetcher struct {
	cfg     FetchConfig
	written map[origin]clock.Instant
	moved   map[string]string // addresses that redirects led away from, and where to
}

// NewFetcher makes a Fetcher.
func NewFetcher(cfg FetchConfig) *Fetcher {
	return &Fetcher{cfg: cfg, written: make(map[origin]clock.Instant), moved: make(map[string]string)}
}

// LastWrite is the moment the last write to an origin such as "http://127.0.0.1:8080" ended.
func (f *Fetcher) LastWrite(at string) (clock.Instant, bool) {
	o, err := parseOrigin(at)
	if err != nil {
		return 0, false
	}
	t, ok := f.written[o]
	return t, ok
}

// Get reads what is at an address, up to 64 MiB, and follows up to ten redirects. A user name and password in the
// address go to its origin alone. Errors tell neither them nor the query, which may hold a key.
func (f *Fetcher) Get(ctx context.Context, address string) (body []byte, header []messages.Field, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, errors.New("the address cannot be read")
	}
	first, user := u, u.User
	home, err := originOf(u)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", bare(u), err)
	}
	for range mostRedirects + 1 {
		o, err := originOf(u)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", bare(u), err)
		}
		m := message{method: "GET", target: strings.ReplaceAll(u.RequestURI(), " ", "%20"), header: []messages.Field{
			{Name: "Accept", Value: "application/json, application/yaml, */*;q=0.5"},
		}}
		if user != nil && o == home {
			m.header = append(m.header, messages.Field{Name: "Authorization", Value: basic(user)})
		}
		r, err := f.exchange(ctx, o, m)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", bare(u), err)
		}
		if to := redirect(o, m.target, r); to != nil {
			u = to
			continue
		}
		switch {
		case r.Status < 200 || r.Status > 299:
			return nil, nil, fmt.Errorf("%s: answered %d %s", bare(u), r.Status, r.Reason)
		case r.Undecodable != "":
			return nil, nil, fmt.Errorf("%s: %s", bare(u), r.Undecodable)
		case r.Cut:
			return nil, nil, fmt.Errorf("%s: larger than %d MiB", bare(u), mostFetched>>20)
		}
		if bare(u) != bare(first) {
			f.moved[bare(first)] = bare(u)
		}
		return r.Body, r.Header, nil
	}
	return nil, nil, fmt.Errorf("%s: more than %d redirects", bare(first), mostRedirects)
}

// Moved is where what was read at the address turned out to be, after redirects, without user and query.
func (f *Fetcher) Moved(address string) string {
	if u, err := url.Parse(address); err == nil {
		if to := f.moved[bare(u)]; to != "" {
			return to
		}
	}
	return address
}

// bare is an address without what may be secret in it.
func bare(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

// exchange sends one request over a connection of its own, at its turn.
func (f *Fetcher) exchange(ctx context.Context, o origin, m message) (*messages.Reply, error) {
	if flaw := m.flaw(); flaw != "" {
		return nil, errors.New(flaw)
	}
	p, err := proxyFor(o, f.cfg.Settings.Engine.Proxy, f.cfg.Environ)
	if err != nil {
		return nil, err
	}
	clk := f.cfg.Clock
	c := newConn(route{
		origin: o, proxy: p, verify: f.cfg.Settings.Engine.VerifyCertificates, clock: clk,
		connect: fetchTimeout, read: fetchTimeout, write: fetchTimeout, most: mostFetched, brotli: new(sync.Mutex),
	})
	var stop atomic.Bool
	released := context.AfterFunc(ctx, func() { stop.Store(true); c.cut() })
	defer released()
	defer c.shut()

	if last, ok := f.written[o]; ok && f.cfg.Interval > 0 {
		clock.Until(clk, last.Add(f.cfg.Interval), &stop)
	}
	if err := c.open(ctx, clk.Now().Add(fetchTimeout)); err != nil {
		return nil, errors.New(c.reason(err))
	}
	if err := c.readyToWrite(); err != nil {
		return nil, errors.New(c.reason(err))
	}
	at := clk.Now()
	_, err = c.put(m.bytes(o.authority(), f.cfg.Settings.Engine.UserAgent))
	f.written[o] = clk.Now()
	a := c.finish(m.method, at.Add(fetchTimeout), err)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if a.outcome != messages.Answered {
		return nil, errors.New(a.failure)
	}
	return a.reply, nil
}
