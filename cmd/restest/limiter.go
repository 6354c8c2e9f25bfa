package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/urfave/cli/v3"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/experimenter"
	"github.com/restest/restest/stages/experimenter/inference"
	"github.com/restest/restest/stages/limiterreport"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// limiterOptions are what the command line of limiter says.
type limiterOptions struct {
	target     string // a URL, or a document
	url        string // the API's address, for a document
	operation  string
	plain      experimenter.Request
	origin     string
	headers    []messages.Field
	limit      int
	window     time.Duration
	keys       []string
	keyHeader  string
	from       net.IP
	compare    string                // the URL of a route without a limiter
	other      string                // the URL of another operation
	otherPlain *experimenter.Request // it, with a document
	most       int
	questions  []inference.Question
	delivers   bool
	json       bool
	quiet      bool
	out        string
	method     string
	body       string
	settings   settings.Input
	environ    []string
}

const evenIfItDelivers = "even-if-it-delivers"

func (a *app) limiterCommand() *cli.Command {
	return &cli.Command{
		Name:      "limiter",
		Usage:     "test a rate limiter from outside",
		UsageText: "restest limiter [options] URL\n   restest limiter [options] DOCUMENT --operation ID --url URL",
		Description: strings.TrimSpace(`
Sends bursts to one operation of an API you may test, and says which limiter is in front of it. It says beforehand how
many requests it will send, and sends no more. Ctrl-C ends it, with what is known by then.

With --limit and --window, as they are published, it is quicker and surer than without; otherwise it finds them, by
bursts that double and by asking when it is open again.

It answers these, each with its evidence and how sure it is (sure, likely, not sure); --experiments names some of them:
   exists     is there a limiter, how many at once, per how long
   family     which: a fixed window (on the wall clock, from the first request, with ticks of its own), a sliding
              log or counter, a token bucket (GCRA is the same from outside), a leaky bucket without a burst, a limit
              of what is under way, a delaying queue, a slow-down; and whether refusals count too
   through    what a client really gets through: at once, across a window's end, evenly at 0.9 and 1.3 of the limit
   rejection  one refusal in full, and whether its Retry-After is true
   budget     whose budget it is (--key twice, --from, --other), and what spends it or escapes it
   cost       whether it rejects or delays, and what it costs the route (--compare)
   headers    what the fields on the quota say, in which unit, and whether it is true

It ends with 1 where a finding is an error: a limit that is not kept or can be escaped, a client under it that is
refused, a Retry-After that is too short.`),
		Metadata: map[string]any{"Examples": []string{
			"restest limiter http://localhost:8080/items --limit 100 --window 1s",
			"restest limiter http://localhost:8080/items --limit 100 --window 1s --key alpha --key beta --from 127.0.0.2",
			"restest limiter http://localhost:8080/items --limit 100 --window 1s --compare http://localhost:8080/open --out report",
			"restest limiter openapi.yaml --operation listItems --url http://localhost:8080 --experiments family",
			"restest limiter serve --all --limit 10 --window 2s",
		}},
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "operation", Usage: "`ID` of the operation, with a document"},
			&cli.StringFlag{Name: "url", Usage: "`URL` of the API, with a document", DefaultText: "the document's first server"},
			&cli.StringFlag{Name: "method", Usage: "`METHOD` of the request", DefaultText: "GET, or POST with a body"},
			&cli.StringSliceFlag{Name: "header", Usage: "a header, as `'NAME: VALUE'`; may be repeated"},
			&cli.StringFlag{Name: "body", Usage: "`TEXT` of the request's body"},
			&cli.StringFlag{Name: "limit", Usage: "`NUMBER` of requests that is published", DefaultText: "found"},
			&cli.StringFlag{Name: "window", Usage: "`TIME` it is published for, such as 1s or 1m", DefaultText: "found"},
			&cli.StringSliceFlag{Name: "key", Usage: "a `KEY` to send; a second one tells whose budget it is"},
			&cli.StringFlag{Name: "key-header", Value: "X-API-Key", Usage: "`NAME` of the header for keys"},
			&cli.StringFlag{Name: "from", Usage: "another `ADDRESS` of this machine to send from too, such as 127.0.0.2"},
			&cli.StringFlag{Name: "other", Usage: "`URL` of another operation, at the same origin, to see whether it shares the budget", DefaultText: "with a document, another GET of it"},
			&cli.StringFlag{Name: "compare", Usage: "`URL` of a route without a limiter, at the same origin, to compare the times with"},
			&cli.StringFlag{Name: "max-requests", Usage: "most `NUMBER` of requests", DefaultText: "25 times the limit, 14 for the family alone"},
			&cli.StringFlag{Name: "experiments", Value: "all", Usage: "`WHICH`: all, family, or a list of " + strings.Join(questionNames(), ", ")},
			&cli.BoolFlag{Name: evenIfItDelivers, Usage: "test an operation that looks as if it sends mail or messages, or moves money"},
			&cli.BoolFlag{Name: "json", Usage: "print the report as JSON"},
			&cli.StringFlag{Name: "out", Usage: "`FOLDER` for report.json and limiter.svg", DefaultText: "none"},
		}, settingsFlags(), []cli.Flag{
			&cli.StringFlag{Name: "proxy", Usage: "`URL` of a proxy; without it HTTPS_PROXY and HTTP_PROXY count, and NO_PROXY always does"},
			quietFlag(),
		}),
		Commands: []*cli.Command{a.limiterServeCommand()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			o, err := a.limiterOptions(cmd)
			if err != nil {
				return err
			}
			a.code, err = doLimiter(ctx, o, a.streams)
			return err
		},
	}
}

func questionNames() []string {
	var names []string
	for _, q := range inference.Questions() {
		names = append(names, q.String())
	}
	return names
}

// limiterOptions reads the command line of limiter.
func (a *app) limiterOptions(cmd *cli.Command) (o limiterOptions, err error) {
	o = limiterOptions{
		url: cmd.String("url"), operation: cmd.String("operation"), keys: cmd.StringSlice("key"), keyHeader: cmd.String("key-header"),
		delivers: cmd.Bool(evenIfItDelivers), json: cmd.Bool("json"), quiet: cmd.Bool("quiet"), out: cmd.String("out"), environ: a.environ,
		method: strings.ToUpper(cmd.String("method")), body: cmd.String("body"),
	}
	if cmd.NArg() != 1 {
		return o, usage(cmd, "one URL belongs here, or one DOCUMENT with --operation; there are %d arguments", cmd.NArg())
	}
	o.target = cmd.Args().First()
	if o.settings, err = a.settingsInput(cmd); err != nil {
		return o, err
	}
	if cmd.IsSet("proxy") {
		o.settings.Flags = []settings.Flag{{Flag: "--proxy", Name: "engine.proxy", Value: cmd.String("proxy")}}
	}
	for _, line := range cmd.StringSlice("header") {
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return o, usage(cmd, "--header takes a name and a value; write --header 'Accept: application/json'")
		}
		o.headers = append(o.headers, messages.Field{Name: name, Value: strings.TrimSpace(value)})
	}
	if o.limit, err = positive(cmd, "limit"); err != nil {
		return o, err
	}
	if o.most, err = positive(cmd, "max-requests"); err != nil {
		return o, err
	}
	if cmd.IsSet("window") {
		o.window, err = settings.ParseDuration(cmd.String("window"))
		if err != nil || o.window < 10*time.Millisecond {
			return o, usage(cmd, "--window %s is no length from 10ms on; write it such as 1s or 1m", settings.Quote(cmd.String("window")))
		}
	}
	if cmd.IsSet("from") {
		if o.from = net.ParseIP(cmd.String("from")); o.from == nil {
			return o, usage(cmd, "--from %s is no address; write one of this machine's, such as 127.0.0.2", settings.Quote(cmd.String("from")))
		}
	}
	if o.questions, err = questions(cmd); err != nil {
		return o, err
	}
	if o.operation == "" {
		if err := o.readURL(cmd); err != nil {
			return o, err
		}
	} else if cmd.IsSet("url") {
		if wrong := checkURL(o.url); wrong != "" {
			return o, usage(cmd, "--url %s", wrong)
		}
	}
	o.compare, o.other = cmd.String("compare"), cmd.String("other")
	return o, nil
}

func positive(cmd *cli.Command, name string) (int, error) {
	if !cmd.IsSet(name) {
		return 0, nil
	}
	n, err := strconv.Atoi(cmd.String(name))
	if err != nil || n < 1 || n > 1_000_000 {
		return 0, usage(cmd, "--%s %s is not a whole number from 1 to 1000000", name, settings.Quote(cmd.String(name)))
	}
	return n, nil
}

// questions reads --experiments. What limiter it is is always asked.
func questions(cmd *cli.Command) ([]inference.Question, error) {
	all := inference.Questions()
	switch text := cmd.String("experiments"); text {
	case "all":
		return all, nil
	case "family":
		return all[:2], nil
	default:
		asked := slices.Clone(all[:2])
		for word := range strings.SplitSeq(text, ",") {
			i := slices.Index(questionNames(), strings.TrimSpace(word))
			if i < 0 {
				return nil, usage(cmd, "--experiments %s is none; write all, family, or some of %s", settings.Quote(word), strings.Join(questionNames(), ","))
			}
			if !slices.Contains(asked, all[i]) {
				asked = append(asked, all[i])
			}
		}
		slices.Sort(asked)
		return asked, nil
	}
}

// readURL makes the plain request of a URL.
func (o *limiterOptions) readURL(cmd *cli.Command) error {
	if o.url != "" {
		return usage(cmd, "--url goes with a document; name its --operation too")
	}
	bare, _, _ := strings.Cut(o.target, "?")
	bare, _, _ = strings.Cut(bare, "#")
	if wrong := checkURL(bare); wrong != "" {
		return usage(cmd, "the URL %s; a document needs --operation", strings.Replace(wrong, "--auth basic:user:password", "--header 'Authorization: …'", 1))
	}
	u, err := url.Parse(o.target)
	if err != nil {
		return usage(cmd, "the URL cannot be read; write it like http://localhost:8080/items")
	}
	o.origin, o.plain = u.Scheme+"://"+u.Host, experimenter.Request{Method: o.methodOr("GET"), Target: targetOf(u)}
	return nil
}

func targetOf(u *url.URL) string {
	target := u.EscapedPath()
	if target == "" {
		target = "/"
	}
	if u.RawQuery != "" {
		target += "?" + u.RawQuery
	}
	return target
}

func (o *limiterOptions) methodOr(usual string) string {
	switch {
	case o.method != "":
		return o.method
	case o.body != "":
		return "POST"
	}
	return usual
}

// doLimiter examines a limiter, and returns what the program ends with.
func doLimiter(ctx context.Context, o limiterOptions, s streams) (int, error) {
	given, err := settings.Resolve(o.settings)
	if err != nil {
		return 0, err
	}
	words := o.plain.Target
	if o.operation != "" {
		if words, err = o.readDocument(ctx, given, s); err != nil {
			return 0, err
		}
	}
	mask, err := o.mask()
	if err != nil {
		return 0, err
	}
	if word := delivers(o.plain.Method, words); word != "" && !o.delivers {
		return 0, &failure{reporter.ExitUsage, fmt.Sprintf("restest limiter: the operation looks as if it delivers something (%s), and each request would; write --%s if it may", word, evenIfItDelivers)}
	}
	requests, variants, err := o.requests()
	if err != nil {
		return 0, err
	}
	system := clock.NewSystem()
	known := inference.Known{Limit: o.limit, Window: o.window, Wall: system.Wall(0).UnixNano()}
	exam := inference.NewExamination(known, o.questions, variants...)
	if o.most > 0 {
		exam.AtMost(o.most)
	}
	_, longest := inference.Bounds(known, o.questions)
	live := s.err
	if o.quiet {
		live = nil
	} else {
		fmt.Fprintln(s.err, mask.Text(announcement(o, exam.Most(), longest)))
	}

	run := stages.Limiter{
		Origin: o.origin, Examination: exam, Requests: requests, Deadline: deadline(longest),
		Settings: o.runSettings(given.Settings),
		Report: limiterreport.Config{
			Method: o.plain.Method, URL: o.origin + o.plain.Target, Tool: "restest " + version(), Mask: mask, Live: live,
			JSON: o.json, Started: system.Wall(0),
		},
	}
	var look reporter.Config
	describe(&look, s.out, o.environ)
	run.Report.UTF8, run.Report.Width = look.UTF8, look.Width
	if o.out != "" {
		folder, err := reporter.NewFolder(o.out)
		if err != nil {
			return 0, err
		}
		run.Report.Out = folder
	}
	wires, err := o.wires(&run, variants, system)
	if err != nil {
		return 0, errors.New(mask.Text(err.Error()))
	}
	listening, done := context.WithCancel(ctx)
	defer done()
	result := run.Live(ctx, system, signals(listening))
	for _, w := range wires {
		w.Wait()
	}
	fmt.Fprint(s.out, result.Summary)
	if result.Failure != nil {
		fmt.Fprintln(s.err, mask.Text(result.Failure.Error()))
	}
	return limiterExit(result), nil
}

// limiterExit is what an examination ends with, by the table of docs/decisions/0008.
func limiterExit(r limiterreport.Result) int {
	switch {
	case r.Failure != nil:
		return reporter.ExitFailed
	case r.End == messages.Interrupted:
		return reporter.ExitInterrupted
	case r.End == messages.Terminated:
		return reporter.ExitTerminated
	case slices.ContainsFunc(r.Report.Findings, func(f inference.Finding) bool { return f.Level == inference.Error }):
		return reporter.ExitErrors
	case r.End == messages.Unconnected && r.Replies > 0:
		return reporter.ExitRefused
	case r.Replies == 0:
		return reporter.ExitNothing
	}
	return reporter.ExitClean
}

// announcement says what will be done, before anything is sent.
func announcement(o limiterOptions, most int, longest time.Duration) string {
	text := fmt.Sprintf("At most %d requests will be sent to %s %s%s", most, o.plain.Method, o.origin, o.plain.Target)
	if longest > 0 {
		text += fmt.Sprintf(", in at most %s", settings.FormatDuration(longest))
	} else {
		text += ", for as long as finding its window takes"
	}
	if o.limit > 0 && o.window > 0 {
		text += fmt.Sprintf("; the limit is said to be %d per %s.", o.limit, settings.FormatDuration(o.window))
	} else {
		text += "; its limit is found by bursts that double."
	}
	if o.most == 0 && o.limit > 0 {
		text += fmt.Sprintf(" That is %d times the limit; --max-requests sets another bound.", most/o.limit)
	} else if o.most == 0 {
		text += " --max-requests sets another bound."
	}
	return text
}

// unknownTime is how long an examination of an unknown window may take.
const unknownTime = 24 * time.Hour

// deadline leaves room for time-outs beside what the windows take.
func deadline(longest time.Duration) clock.Instant {
	if longest == 0 {
		return clock.Instant(unknownTime)
	}
	return clock.Instant(2*longest + 5*time.Minute)
}

// runSettings are the settings of the examination: as many connections as the largest burst has, and a time-out by
// which a reply that does not come is taken for dropped.
func (o *limiterOptions) runSettings(s settings.Settings) settings.Settings {
	burst := 256
	if o.limit > 0 {
		burst = 3*o.limit/2 + 2
	}
	if o.most > 0 {
		burst = min(burst, o.most)
	}
	patience := 5 * time.Second
	if o.window > 0 { // a queue delays the first burst by half as much again as the window
		patience = max(2*time.Second, 2*o.window)
	}
	s.Engine.ReadTimeout = min(s.Engine.ReadTimeout, patience)
	return stages.LimiterSettings(s, burst)
}

// wires makes the world's edge: one, and one more from another address if there is to be one.
func (o *limiterOptions) wires(run *stages.Limiter, variants []inference.Variant, c clock.Clock) ([]*sender.Wire, error) {
	var tell func(messages.ToSender)
	var fail func(error)
	var all []*sender.Wire
	for _, from := range []net.IP{nil, o.from} {
		if from == nil && len(all) > 0 {
			break
		}
		w, err := sender.NewWire(sender.WireConfig{
			Origin: run.Origin, Settings: run.Settings, Environ: o.environ, From: from, Clock: c,
			Tell: func(m messages.ToSender) { tell(m) }, Fail: func(err error) { fail(err) },
		})
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	run.Transport = func(t func(messages.ToSender), f func(error)) sender.Transport {
		tell, fail = t, f
		if len(all) == 1 {
			return all[0]
		}
		return &sender.Split{Transport: all[0], Other: all[1], Second: func(r *messages.Request) bool {
			return variants[r.Operation].Kind == inference.OtherAddress
		}}
	}
	return all, nil
}

// mask hides the keys and the values of the headers that were given.
func (o *limiterOptions) mask() (*credentials.Mask, error) {
	const shortest = 4
	var secrets []string
	for _, k := range o.keys {
		if len(k) >= shortest {
			secrets = append(secrets, "header:"+o.keyHeader+"="+k)
		}
	}
	for _, h := range o.headers {
		switch strings.ToLower(h.Name) {
		case "accept", "accept-language", "content-type", "user-agent":
		default:
			if len(h.Value) >= shortest {
				secrets = append(secrets, "header:"+h.Name+"="+h.Value)
			}
		}
	}
	keys, _, err := credentials.Parse(secrets, "")
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), "--auth", "a key or header"))
	}
	return keys.Mask(), nil
}

// requests are the plain request and those that differ from it in one thing.
func (o *limiterOptions) requests() ([]experimenter.Request, []inference.Variant, error) {
	plain := o.plain
	plain.Header = slices.Concat(plain.Header, o.headers)
	if o.body != "" {
		plain.Body = []byte(o.body)
		if messages.Get(plain.Header, "Content-Type") == "" {
			plain.Header = append(plain.Header, messages.Field{Name: "Content-Type", Value: "application/json"})
		}
	}
	keyless := plain
	with := func(key string) experimenter.Request {
		r := keyless
		r.Header = append(slices.Clone(keyless.Header), messages.Field{Name: o.keyHeader, Value: key})
		return r
	}
	if len(o.keys) > 0 {
		plain = with(o.keys[0])
	}
	requests, variants := []experimenter.Request{plain}, []inference.Variant{{Name: "plain"}}
	add := func(kind inference.VariantKind, name string, change func(*experimenter.Request)) {
		r := plain
		r.Header = slices.Clone(plain.Header)
		change(&r)
		requests, variants = append(requests, r), append(variants, inference.Variant{Name: name, Kind: kind})
	}
	for i := 1; i < len(o.keys); i++ {
		add(inference.OtherKey, fmt.Sprintf("key %d", i+1), func(r *experimenter.Request) { *r = with(o.keys[i]) })
	}
	if len(o.keys) > 0 {
		add(inference.NoKey, "no key", func(r *experimenter.Request) { *r = keyless })
	}
	if o.from != nil {
		add(inference.OtherAddress, "from "+o.from.String(), func(*experimenter.Request) {})
	}
	path, query, asks := strings.Cut(plain.Target, "?")
	if asks {
		query = "?" + query
	}
	target := func(t string) func(*experimenter.Request) {
		return func(r *experimenter.Request) { r.Target = t }
	}
	method := func(m string) func(*experimenter.Request) {
		return func(r *experimenter.Request) { r.Method, r.Body = m, nil }
	}
	for _, m := range []string{"GET", "HEAD", "OPTIONS"} {
		if m != plain.Method {
			add(inference.OtherMethod, m, method(m))
		}
	}
	if strings.HasSuffix(path, "/") {
		if path != "/" {
			add(inference.OtherTarget, "no slash at the end", target(strings.TrimSuffix(path, "/")+query))
		}
	} else {
		add(inference.OtherTarget, "a slash at the end", target(path+"/"+query))
	}
	more := "?restest=1"
	if asks {
		more = query + "&restest=1"
	}
	add(inference.OtherTarget, "one more query parameter", target(path+more))
	if upper := strings.ToUpper(path); upper != path {
		add(inference.OtherTarget, "the path in capitals", target(upper+query))
	}
	add(inference.Forged, "a forged X-Forwarded-For", func(r *experimenter.Request) {
		r.Header = append(r.Header, messages.Field{Name: "X-Forwarded-For", Value: "203.0.113.7"}) // RFC 5737
	})
	add(inference.Faulty, "a path that is not there", func(r *experimenter.Request) {
		r.Method, r.Body, r.Target = "GET", nil, strings.TrimSuffix(path, "/")+"/restest-is-not-there"
	})
	for _, route := range []struct {
		flag, url, name string
		kind            inference.VariantKind
	}{
		{"other", o.other, "the other operation", inference.OtherOperation},
		{"compare", o.compare, "the route compared", inference.Compared},
	} {
		if route.url == "" {
			continue
		}
		u, err := url.Parse(route.url)
		if err != nil || u.Scheme+"://"+u.Host != o.origin {
			return nil, nil, &failure{reporter.ExitUsage, fmt.Sprintf("restest limiter: --%s has to be at the same origin, %s", route.flag, o.origin)}
		}
		add(route.kind, route.name, func(r *experimenter.Request) { r.Method, r.Body, r.Target = "GET", nil, targetOf(u) })
	}
	if o.other == "" && o.otherPlain != nil {
		add(inference.OtherOperation, o.otherPlain.Method+" "+o.otherPlain.Target, func(r *experimenter.Request) {
			r.Method, r.Target, r.Body = o.otherPlain.Method, o.otherPlain.Target, nil
		})
	}
	return requests, variants, nil
}

// deliveries are words of operations whose every request reaches somebody, or moves money.
var deliveries = []string{
	"mail", "email", "sms", "mms", "notify", "notification", "push", "payment", "pay", "payout", "charge", "checkout", "refund",
	"transfer", "withdraw", "invoice", "invite", "invitation", "otp", "send", "resend", "deliver", "message", "fax", "call", "order",
	"purchase", "subscribe", "newsletter", "webhook", "donate", "reset", "forgot",
}

// delivers is the word that makes an operation look as if it delivers something, "" if none does. One that only reads
// is taken for harmless unless it says that it sends.
func delivers(method, words string) string {
	reads := method == "GET" || method == "HEAD" || method == "OPTIONS"
	for _, word := range splitWords(words) {
		if !slices.Contains(deliveries, word) && !slices.Contains(deliveries, strings.TrimSuffix(word, "s")) {
			continue
		}
		if !reads || slices.Contains([]string{"send", "resend", "deliver", "notify"}, word) {
			return word
		}
	}
	return ""
}

// splitWords are the words of a path or an operation's name, in small letters.
func splitWords(text string) []string {
	var words []string
	word := ""
	before := rune(0)
	for _, c := range text + " " {
		if !unicode.IsLetter(c) || unicode.IsUpper(c) && unicode.IsLower(before) {
			if word != "" {
				words = append(words, strings.ToLower(word))
			}
			word = ""
		}
		if unicode.IsLetter(c) {
			word += string(c)
		}
		before = c
	}
	return words
}
