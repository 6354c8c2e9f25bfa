// Package classifier says what each exchange means: to the generator what was learned, to the pacer what was heard,
// and to the reporter what the checks found.
package classifier

import (
	"bytes"
	"slices"
	"strings"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/classifier/checks"
)

// Config is what a classifier is made of.
type Config struct {
	Document *document.Document
	Settings settings.Settings
	// Keys say how the replies to sign-ins are read; nil for none.
	Keys *credentials.Keys
}

// Neighbours are the stages a classifier tells.
type Neighbours struct {
	Generator func(messages.ToGenerator)
	Pacer     func(messages.ToPacer)
	Reporter  func(messages.ToReporter)
}

// Classifier is the stage. It belongs to one goroutine.
type Classifier struct {
	operations []*document.Operation
	clock      clock.Clock
	to         Neighbours
	declared   declarations
	panel      panel
	input      checks.Input
	// foresees is true if what is said of a quota is to be read; signIns are the operations that look like a sign-in.
	foresees bool
	signIns  []bool
	// lastReads are by operation.
	lastReads []lastRead
	logins    []*credentials.Login
	// methods are those that the document declares for each operation's path.
	methods [][]string
	twins   twins
	// broke is when the API last ended a connection that had not idled, 0 for never.
	broke messages.Instant
}

// New makes a classifier with the checks that the settings have on.
func New(cfg Config, clk clock.Clock, to Neighbours) *Classifier {
	c := &Classifier{
		operations: cfg.Document.Operations, clock: clk, to: to, declared: declarations{},
		foresees: cfg.Settings.Schedule.StayInsideQuota, signIns: signIns(cfg.Document.Operations),
		lastReads: make([]lastRead, len(cfg.Document.Operations)),
		logins:    cfg.Keys.Logins(),
	}
	var on []checks.Check
	for _, check := range checks.All() {
		if check.About().On(cfg.Settings.Checks) {
			on = append(on, check)
		}
	}
	c.panel.checks = on
	c.input.Judge = document.NewJudge(cfg.Document).Judge
	c.input.MostKept = cfg.Settings.Engine.MaxRetainedResponseBytes
	c.input.Slow = cfg.Settings.Checks.SlowReply
	c.input.Origin = cfg.Document.Origin
	c.input.Operations = cfg.Document.Operations
	c.input.Twin = func() bool { return c.twins.accepted(c.input.Exchange.Request) }
	c.methods = methodsOf(cfg.Document.Operations)
	if cfg.Settings.Checks.ValidRejected {
		c.twins = newTwins(cfg.Document.Operations)
	}
	return c
}

// Handle takes one message.
func (c *Classifier) Handle(m messages.ToClassifier) {
	switch m := m.(type) {
	case messages.Head:
		c.head(m)
	case *messages.Exchange:
		c.exchange(m)
	}
}

// head tells of a refusal while its body is still coming: obeying does not wait for a slow body. Whatever else a
// header says is told with the exchange.
func (c *Classifier) head(h messages.Head) {
	r := c.refusal(h.Reply, h.HeardAt)
	if !r.asks {
		return
	}
	q, says, _ := c.quota(h.Reply, h.HeardAt)
	says = says && !elsewhere(h.Request)
	c.to.Pacer(messages.Heard{
		Slot: h.Slot, Request: h.Request, Outcome: messages.Answered, SentAt: h.SentAt, At: h.HeardAt,
		AsksToWait: true, Stated: r.stated, Wait: r.wait, Alone: c.alone(h.Request, h.Reply),
		Quota: says, Left: q.Left, More: q.More,
	})
}

// exchange tells the three neighbours how a request ended, in an order that keeps a run repeatable: what was learned
// before what was heard, and both before the slot comes back through the reporter.
func (c *Classifier) exchange(e *messages.Exchange) {
	at := e.HeardAt
	if e.Reply == nil {
		at = e.EndedAt
	}
	r := c.refusal(e.Reply, at)
	in := &c.input
	in.Exchange, in.Refused, in.Unjudged = e, r.asks, ""
	in.Operation, in.Declared = c.lookUp(e)
	in.Beside = e.Outcome != messages.NeverSent && c.broke > 0 && e.SentAt <= c.broke
	if e.Kind != messages.ClosedIdle && checks.EndedByPeer(e) {
		c.broke = e.EndedAt
	}
	in.Content = checks.Content{}
	if readable(e) && in.Declared.JSON && !r.asks {
		in.Content = c.read(e.Request.Operation, e.Reply.Body)
	}

	q, says, problems := c.quota(e.Reply, at)
	in.Received, in.Misspelt = c.clock.Wall(at), problems
	in.Declares, in.SignsIn = nil, false
	if i := e.Request.Operation; i >= 0 && i < len(c.operations) {
		in.Declares, in.SignsIn = c.methods[i], c.signIns[i]
	}

	findings, broken := c.judge(in)
	c.twins.learn(e)
	signedIn := c.signedIn(e, at)
	c.to.Generator(messages.Learned{
		Request: e.Request, Outcome: e.Outcome, Reply: e.Reply, Value: in.Content.Value, Refused: r.asks, Findings: findings,
		SignedIn: signedIn,
		Kind:     e.Kind, SentAt: e.SentAt, HeardAt: at, Wait: r.wait,
	})
	var unread []string
	for _, p := range problems {
		unread = append(unread, p.Field+" "+p.What)
	}
	says = says && !elsewhere(e.Request)
	c.to.Pacer(messages.Heard{
		Slot: e.Slot, Request: e.Request, Outcome: e.Outcome, SentAt: e.SentAt, At: at, EndedAt: e.EndedAt,
		AsksToWait: r.asks, Stated: r.stated, Wait: r.wait, Alone: c.alone(e.Request, e.Reply),
		Quota: says, Left: q.Left, More: q.More,
		Overloaded: (e.Kind == messages.TimedOut || e.Kind == messages.WasReset) && !elsewhere(e.Request),
		Final:      true, Told: r.asks && e.HeadTold,
	})
	c.to.Reporter(&messages.Judged{
		Exchange: e, Findings: findings, Refused: r.asks, SignedIn: signedIn, Unjudged: in.Unjudged, Unread: unread, Broken: broken,
	})
}

// judge asks the checks. There is nothing to judge by in a reply to a sign-in that the document does not declare.
func (c *Classifier) judge(in *checks.Input) ([]messages.Finding, []string) {
	if in.Operation.SignIn {
		return nil, nil
	}
	return c.panel.judge(in)
}

// methodsOf are, for each operation, the methods that the document declares for its path, in order.
func methodsOf(operations []*document.Operation) [][]string {
	at := map[string][]string{}
	for _, op := range operations {
		if path := op.BasePath + op.Path; !op.SignIn && !slices.Contains(at[path], op.Method) {
			at[path] = append(at[path], op.Method)
		}
	}
	methods := make([][]string, len(operations))
	for i, op := range operations {
		slices.Sort(at[op.BasePath+op.Path])
		methods[i] = at[op.BasePath+op.Path]
	}
	return methods
}

// readable says whether the body is there, whole and unpacked.
func readable(e *messages.Exchange) bool {
	return e.Outcome == messages.Answered && e.Reply != nil && len(e.Reply.Body) > 0 && !e.Reply.Cut && e.Reply.Undecodable == ""
}

// lastRead is the body that an operation answered last, and what it reads as.
type lastRead struct {
	body    []byte
	content checks.Content
}

// longestLastRead bounds the bodies that are kept for the next.
const longestLastRead = 16 << 10

// read reads a body as JSON. Many operations answer the same again: that is read once, as nobody changes what was read.
func (c *Classifier) read(operation int, body []byte) checks.Content {
	if len(body) > longestLastRead || operation < 0 || operation >= len(c.lastReads) {
		return checks.Read(body)
	}
	last := &c.lastReads[operation]
	if !bytes.Equal(last.body, body) {
		*last = lastRead{body, checks.Read(body)}
	}
	return last.content
}

// unknown stands for an operation that is not in the document.
var unknown = &document.Operation{}

// lookUp finds the exchange's operation and what is declared of its reply: of the redirect, where one was followed.
func (c *Classifier) lookUp(e *messages.Exchange) (*document.Operation, checks.Declared) {
	i := e.Request.Operation
	if i < 0 || i >= len(c.operations) || e.Request.Probe == messages.HiddenMethod {
		return unknown, checks.Declared{}
	}
	if e.Reply == nil {
		return c.operations[i], checks.Declared{}
	}
	declared := c.declared.of(c.operations[i], e.Reply.Status, messages.Get(e.Reply.Header, "Content-Type"))
	if len(e.Hops) > 0 {
		isJSON := declared.JSON // of what came in the end
		declared = c.declared.of(c.operations[i], e.Hops[0].Status, "")
		declared.JSON = isJSON
	}
	return c.operations[i], declared
}

// declarations remembers what the document declares of replies: looking it up means parsing media types.
type declarations map[declarationKey]checks.Declared

type declarationKey struct {
	operation   int
	status      int
	contentType string
}

const (
	// mostDeclarations and longestContentType bound what is remembered, since an API can write a new content type into
	// each reply. What does not fit is looked up each time.
	mostDeclarations   = 4096
	longestContentType = 200
)

// of is what the document declares of such a reply.
func (d declarations) of(operation *document.Operation, status int, contentType string) checks.Declared {
	key := declarationKey{operation.Index, status, contentType}
	if found, ok := d[key]; ok {
		return found
	}
	declared := checks.Declare(operation, status, contentType)
	if len(d) < mostDeclarations && len(contentType) <= longestContentType {
		key.contentType = strings.Clone(contentType) // it may be a part of the reply's whole header
		declared.Type = strings.Clone(declared.Type)
		d[key] = declared
	}
	return declared
}
