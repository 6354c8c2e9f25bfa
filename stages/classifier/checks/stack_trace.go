package checks

import (
	"bytes"
	"regexp"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// stackTrace, F309, finds stack traces in replies of failures.
//
// They tell a stranger what a service is made of. It is looked for in replies of 4xx and 5xx alone, since an API may
// have stack traces to show as its business. It is likely and no more: a message can quote one. A warning; the failure
// that led to it is a finding of its own.
type stackTrace struct{}

func (stackTrace) About() About {
	return About{
		Code: 309, Name: "stackTrace", Title: "A stack trace is shown", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.StackTrace },
	}
}

// trace is what a language's stack traces look like: a mark that is looked for first, as it is cheap, and then the form.
type trace struct {
	language string
	mark     []byte
	form     *regexp.Regexp
}

// eol is the end of a line, in plain text, in JSON and in HTML.
const eol = `(?:\r?\n|\\r\\n|\\n|<br ?/?>)`

var traces = []trace{
	{"Java", []byte(".java:"), regexp.MustCompile(`at (?:[\w$.@/-]+/)?[\w$]+(?:\.[\w$<>]+)+\([\w$]+\.(?:java|kt|scala|groovy):\d+\)`)},
	{"Kotlin", []byte(".kt:"), regexp.MustCompile(`at [\w$]+(?:\.[\w$<>]+)+\([\w$]+\.kt:\d+\)`)},
	{"Python", []byte("Traceback (most recent call last)"), regexp.MustCompile(`Traceback \(most recent call last\):` + eol + `\s*File \\?(?:"|&quot;)`)},
	{"Python", []byte(", line "), regexp.MustCompile(`File \\?"[^"\n]+\.py\\?", line \d+, in `)},
	{"Go", []byte("goroutine "), regexp.MustCompile(`goroutine \d+ \[[a-z ,0-9]+\]:` + eol)},
	{"Go", []byte(".go:"), regexp.MustCompile(`\([^)\n]*\)` + eol + `(?:\t|\\t)[^\s:]+\.go:\d+`)},
	{".NET", []byte(":line "), regexp.MustCompile(`at [\w.<>+` + "`" + `\[\],]+\(.*?\) in [^\n]*?\.(?:cs|vb|fs):line \d+`)},
	{".NET", []byte("System."), regexp.MustCompile(`System\.[\w.]*Exception: .*?` + eol + ` +at [\w.<>+]+\(`)},
	{"Node.js", []byte("    at "), regexp.MustCompile(eol + ` {4}at (?:async )?(?:[\w$.<>\[\] ]+ \()?(?:node:|file:|/|[A-Za-z]:\\)[^\s()]*:\d+:\d+\)?`)},
	{"PHP", []byte("#0 "), regexp.MustCompile(`#0 [^\n]*?\.php\(\d+\): `)},
	{"PHP", []byte(" on line "), regexp.MustCompile(`(?:Fatal error|Warning|Notice|Parse error)(?:</b>)?: .*? in (?:<b>)?[^\s]+\.php(?:</b>)? on line`)},
	{"Ruby", []byte(".rb:"), regexp.MustCompile(`[\w./-]+\.rb:\d+:in [` + "`" + `'][^']+'`)},
}

// longestSearched bounds how much of a reply is searched, in bytes.
const longestSearched = 64 << 10

func (c stackTrace) Check(in *Input) []messages.Finding {
	reply := in.reply()
	if reply == nil || reply.Status < 400 || len(reply.Body) == 0 || in.Refused || reply.Undecodable != "" {
		return nil
	}
	body := reply.Body[:min(len(reply.Body), longestSearched)]
	for _, t := range traces {
		if !bytes.Contains(body, t.mark) {
			continue
		}
		if found := t.form.FindIndex(body); found != nil {
			f := c.About().finding("A stack trace of "+t.language+" is shown", "a message for those who call the API", excerpt(body[found[0]:]))
			f.Cause = t.language
			return []messages.Finding{f}
		}
	}
	return nil
}
