package reporter

import (
	"fmt"
	"strings"

	"github.com/restest/restest/messages"
)

// facts are what the verdict hangs on.
type facts struct {
	failures       int64 // of the tool's own
	end            messages.End
	reason         string // the pacer's words on the end
	counted               // opinions are of the warnings
	failOnWarnings bool
	unjudged       int64 // replies
	declared       int   // operations of the document
	all            counts
	succeeded      int64    // replies of 2xx
	operations     int      // that were answered
	refused        []string // operations that answered nothing but refusals
	unreached      []string // operations that could be tested and were never answered
	signInFailed   string   // which sign-in failed and why, "" if none did
	signInAnswers  int64    // the replies to sign-ins
}

// verdict is how a run ended.
type verdict struct {
	exit     int
	word     string
	sentence string
}

// judge gives the verdict. Of what holds, the first of these decides:
//
//  1. the tool itself failed: 4
//  2. a signal stopped the run: 130 for Ctrl-C, 143 for SIGTERM and for a run that was killed
//  3. errors were found, or warnings with checks.failOnWarnings: 1. What is known, an opinion, or in doubt does not count.
//  4. the API refused the run: each request of the opening lap was answered 401, the sign-in failed and nothing else was
//     answered, each reply asked for a wait, the API
//     asked for quiet until after the run's time, or no connection could be opened any more after it had answered: 5
//  5. no request was answered: 3
//  6. none of these: 0. The word is noErrorsFoundInPart, and the sentence does not call it a pass, where an operation
//     was never answered or only refused, where no reply at all was a success, or where most of them asked for a wait.
func judge(f facts) verdict {
	answered := f.all.answered()
	found := foundWords(f.errors, f.warnings) + f.besides()
	sofar := "Until then " + found + "."
	switch {
	case f.failures > 0:
		return verdict{ExitFailed, "toolFailed", "The tool itself failed, so this account may not be whole. It holds: " + found + "."}
	case f.end == messages.Interrupted:
		return verdict{ExitInterrupted, "interrupted", "Stopped by Ctrl-C before its time was up. " + sofar}
	case f.end == messages.Terminated:
		return verdict{ExitTerminated, "terminated", "Asked to end by a signal before its time was up. " + sofar}
	case f.end == messages.Killed:
		return verdict{ExitTerminated, "terminated", "The run was killed: its recording ends early. " + sofar}
	case f.errors > 0:
		return verdict{ExitErrors, "errorsFound", upper(found) + "."}
	case f.warnings > f.opinions && f.failOnWarnings:
		return verdict{ExitErrors, "warningsFound", upper(found) + ", and checks.failOnWarnings has warnings count."}
	case f.signInFailed != "" && answered == f.signInAnswers:
		return verdict{ExitRefused, "refused", "Nothing was tested: " + f.signInFailed + ". What needs it was not asked."}
	case f.end == messages.Unauthorized && f.signInFailed == "":
		return verdict{ExitRefused, "refused", "The API answered 401 to every request of the opening lap, so the run was given up. Give it the keys it asks for with --auth."}
	case f.all.onlyRefused():
		return verdict{ExitRefused, "refused", fmt.Sprintf("The API refused the run: each of its %s asked to wait.", plural(answered, "reply"))}
	case f.end == messages.HeldToTheEnd:
		return verdict{ExitRefused, "refused", because("The API asked for quiet until after the run's time, so the run ended early", f.reason) + " " + sofar}
	case f.end == messages.Unconnected && answered > 0:
		return verdict{ExitRefused, "refused", because("No connection to the API could be opened any more", f.reason) + " " + sofar}
	case f.end == messages.Unconnected:
		return verdict{ExitNothing, "nothingTested", because("Nothing was tested: no connection to the API could be opened", f.reason)}
	case f.end == messages.NothingToSend && f.declared == 0:
		return verdict{ExitNothing, "nothingTested", "Nothing was tested: the document has no operations."}
	case f.end == messages.NothingToSend && answered == 0:
		return verdict{ExitNothing, "nothingTested", "Nothing was tested: no request can be built for any operation of the document."}
	case answered == 0:
		return verdict{ExitNothing, "nothingTested", because("Nothing was tested: no request was answered", f.reason)}
	}
	var but []string
	if f.signInFailed != "" {
		but = append(but, f.signInFailed)
	}
	if f.succeeded == 0 {
		but = append(but, "no operation ever answered with success")
	}
	if len(f.refused) > 0 {
		but = append(but, fmt.Sprintf("%s answered nothing but refusals (%s)", plural(int64(len(f.refused)), "operation"), names(f.refused, 5)))
	}
	if r := f.all.refused; r > answered/2 {
		but = append(but, fmt.Sprintf("%s of the %s asked to wait", number(r), plural(answered, "reply")))
	}
	if len(f.unreached) > 0 {
		but = append(but, fmt.Sprintf("%s never answered (%s)", plural(int64(len(f.unreached)), "operation"), names(f.unreached, 5)))
	}
	if len(but) > 0 {
		return verdict{ExitClean, "noErrorsFoundInPart", upper(found) + ", but this is no pass: " + strings.Join(but, "; ") + "."}
	}
	sentence := fmt.Sprintf("%s in %s of %s.", upper(found), plural(answered, "reply"), plural(int64(f.operations), "operation"))
	if f.unjudged > 0 {
		sentence += fmt.Sprintf(" %s of the replies could not be judged against the document.", number(f.unjudged))
	}
	return verdict{ExitClean, "noErrorsFound", sentence}
}

// besides says what was found and does not count, as a part of a sentence.
func (c counted) besides() string {
	var words []string
	if c.known > 0 {
		words = append(words, plural(c.known, "finding")+" known already")
	}
	if c.doubtful > 0 {
		words = append(words, plural(c.doubtful, "error")+" that no re-check showed again")
	}
	if len(words) == 0 {
		return ""
	}
	return " (besides " + strings.Join(words, " and ") + ")"
}

// foundWords says how many faults there are, as a part of a sentence.
func foundWords(errors, warnings int64) string {
	switch {
	case errors == 0 && warnings == 0:
		return "no errors were found"
	case errors == 0:
		return fmt.Sprintf("no errors and %s were found", plural(warnings, "warning"))
	case warnings == 0:
		if errors == 1 {
			return "1 error was found"
		}
		return fmt.Sprintf("%s were found", plural(errors, "error"))
	}
	return fmt.Sprintf("%s and %s were found", plural(errors, "error"), plural(warnings, "warning"))
}

func because(what, why string) string {
	if why == "" {
		return what + "."
	}
	return what + " (" + strings.TrimSuffix(why, ".") + ")."
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// counted says of the different findings how many count, and of the others why not.
type counted struct{ errors, warnings, opinions, doubtful, known int64 }

func (g *gathered) counted() (c counted) {
	c.errors, c.warnings = g.errors, g.warnings
	for _, f := range g.groups {
		switch {
		case f.known != nil:
			c.known++
		case f.doubtful():
			c.doubtful++
		case f.certainty == messages.Opinion:
			c.opinions++
			continue
		default:
			continue
		}
		if f.error {
			c.errors--
		} else {
			c.warnings--
		}
	}
	return c
}

// verdict judges the run as it stands.
func (r *Reporter) verdict() verdict {
	f := facts{
		failures:       int64(len(r.failures.lines)),
		end:            r.paced.End,
		reason:         clean(r.mask.Text(clip(r.paced.Reason, longestWords)), r.cfg.UTF8),
		counted:        r.gathered.counted(),
		failOnWarnings: r.cfg.Settings.Checks.FailOnWarnings,
		declared:       r.cfg.Document.Declared(),
		all:            r.tally.all,
		succeeded:      r.tally.all.classes[2],
	}
	// Of findings that found no room it is not known how many are different; that there are some is what counts.
	if f.errors == 0 {
		f.errors = r.gathered.left.errors
	}
	if f.warnings == 0 {
		f.warnings = r.gathered.left.warnings
	}
	for _, n := range r.tally.unjudged {
		f.unjudged += n
	}
	c := r.coverage()
	f.operations, f.refused, f.unreached = c.answered, c.refused, c.unreached
	f.signInFailed, f.signInAnswers = clean(r.mask.Text(clip(r.signInFailed(), longestWords)), r.cfg.UTF8), r.tally.signIns
	return judge(f)
}
