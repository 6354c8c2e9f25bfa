package checks

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// sqlError, F300, finds the errors of databases in replies to requests with troublesome values.
//
// A database that complains of the syntax of a statement was handed a value as a part of it, which is how one is made to
// run other statements. It is looked for where the request was made of troublesome values and the reply is a failure.
// It is likely and no more: the statement may have been wrong before the value came into it.
type sqlError struct{}

func (sqlError) About() About {
	return About{
		Code: 300, Name: "sqlError", Title: "A database complains of its statement's syntax", Error: true, Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.SQLError },
	}
}

// sqlErrors are what databases say of syntax, in small letters as far as the mark goes.
var sqlErrors = []trace{
	{"MySQL", []byte("SQL syntax"), regexp.MustCompile(`You have an error in your SQL syntax`)},
	{"PostgreSQL", []byte("at or near"), regexp.MustCompile(`syntax error at or near \\?"`)},
	{"PostgreSQL", []byte("unterminated quoted"), regexp.MustCompile(`unterminated quoted (?:string|identifier) at or near`)},
	{"SQLite", []byte("syntax error"), regexp.MustCompile(`near \\?"[^"\n]*\\?": syntax error`)},
	{"SQLite", []byte("unrecognized token"), regexp.MustCompile(`unrecognized token: \\?"`)},
	{"SQL Server", []byte("Unclosed quotation mark"), regexp.MustCompile(`Unclosed quotation mark after the character string`)},
	{"SQL Server", []byte("Incorrect syntax near"), regexp.MustCompile(`Incorrect syntax near '`)},
	{"Oracle", []byte("ORA-"), regexp.MustCompile(`ORA-(?:00933|00936|01756|00921|00920|00907)`)},
}

func (c sqlError) Check(in *Input) []messages.Finding {
	reply := in.reply()
	if reply == nil || reply.Status < 400 || len(reply.Body) == 0 || in.Refused || !troublesome(in.Exchange.Request) {
		return nil
	}
	body := reply.Body[:min(len(reply.Body), longestSearched)]
	for _, e := range sqlErrors {
		if !bytes.Contains(body, e.mark) {
			continue
		}
		if found := e.form.FindIndex(body); found != nil {
			f := c.About().finding(e.language+" complains of the syntax of its statement", "values that never become a part of a statement", excerpt(body[found[0]:]))
			f.Cause = e.language
			return []messages.Finding{f}
		}
	}
	return nil
}

// troublesome says whether the request was made to hold a troublesome value, or is sent again for one that was.
func troublesome(r *messages.Request) bool {
	return r.Purpose == messages.Fuzzing || r.Probe == messages.Injection || r.Purpose == messages.Rechecking &&
		slices.ContainsFunc(r.Origins, func(o messages.Origin) bool { return o.Source == "fuzzing" })
}
