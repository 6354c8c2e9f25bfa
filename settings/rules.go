package settings

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// rule is what a setting means and what it may be.
type rule struct {
	// meaning is one line with the unit and, where one stands behind the setting, the source.
	meaning string
	// least and most bound a whole number, or a duration in nanoseconds.
	least, most int64
	// check says what is wrong with a text, and what to do; "" if nothing is.
	check func(string) string
}

// The bounds keep what is worked out from a setting clear of overflow and a run's memory bounded.
const (
	longest  = int64(longestDuration)
	tick     = int64(time.Millisecond)
	gigabyte = 1 << 30
	million  = 1_000_000
)

var rules = map[string]rule{
	"engine.connectTimeout": {
		meaning: "Longest wait for a connection to open, TLS included.",
		least:   tick, most: longest,
	},
	"engine.readTimeout": {
		meaning: "Longest silence while a reply is awaited or comes in.",
		least:   tick, most: longest,
	},
	"engine.writeTimeout": {
		meaning: "Longest wait for a request to be written.",
		least:   tick, most: longest,
	},
	"engine.callTimeout": {
		meaning: "Longest time a whole call may take; twice the longest of the three waits above when one of them is named and this is not.",
		least:   tick, most: longest,
	},
	"engine.minConcurrency": {
		meaning: "Fewest requests in flight that an API in trouble brings the run down to, and after a hold the number it starts again from (ADR-0042).",
		least:   1, most: 1024,
	},
	"engine.initialConcurrency": {
		meaning: "Most requests in flight when the run begins.",
		least:   1, most: 1024,
	},
	"engine.maxConcurrency": {
		meaning: "Most requests in flight at any time.",
		least:   1, most: 1024,
	},
	"engine.limitTheRate": {
		meaning: "Whether engine.mostRequestsPerMinute is kept to; naming that number turns this on unless this is named too (ADR-0043).",
	},
	"engine.mostRequestsPerMinute": {
		meaning: "The rate promised: no two requests leave closer together than a minute divided by this (ADR-0043).",
		least:   1, most: 60 * million,
	},
	"engine.mostRequestsPerHour": {
		meaning: "The rate promised, for slow ones: no two requests leave closer together than an hour divided by this; 0: engine.mostRequestsPerMinute alone counts (decision 0012).",
		least:   0, most: 3600 * million,
	},
	"engine.mostRequestsPerMinuteFor": {
		meaning: "Rates of single operations within the run's, as listPets=30, POST /pets=6, a tag=60: by operationId, METHOD /path or tag (decision 0012).",
		check:   checkRates,
	},
	"engine.maxRetainedResponseBytes": {
		meaning: "Most bytes of a reply's body that are kept and judged, decompressed; the rest is read and dropped.",
		least:   0, most: gigabyte,
	},
	"engine.followRedirects": {
		meaning: "Whether a redirect to the API's own origin is followed; each hop takes a turn of its own (RFC 9110 section 15.4).",
	},
	"engine.verifyCertificates": {
		meaning: "Whether an https server must show a certificate the system trusts.",
	},
	"engine.userAgent": {
		meaning: "What requests name as their User-Agent; empty: they name none (RFC 9110 section 10.1.5).",
		check:   checkUserAgent,
	},
	"engine.proxy": {
		meaning: "Address of a proxy, such as http://127.0.0.1:3128; empty: as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say.",
		check:   checkProxy,
	},

	"schedule.waitWhenToldTo": {
		meaning: "Whether an operation, or the whole API, that answers 429, or 503 with Retry-After, is left alone as it asks (ADR-0042).",
	},
	"schedule.firstGuessedWait": {
		meaning: "The wait after a 429 that states none; it doubles each time the same operation is refused again (ADR-0042).",
		least:   tick, most: longest,
	},
	"schedule.longestGuessedWait": {
		meaning: "The longest a doubled guess becomes (ADR-0042).",
		least:   tick, most: longest,
	},
	"schedule.stayInsideQuota": {
		meaning: "Whether an operation, or the whole API, that says in RateLimit or X-RateLimit fields that nothing is left until a moment is not asked before it (decision 0012).",
	},
	"schedule.openingLap": {
		meaning: "Whether every operation is tried once first: reads that need no id, POST, reads that need one, PUT and PATCH, DELETE.",
	},
	"schedule.openingLapPatience": {
		meaning: "Longest wait of one step of the opening lap for its answers before the next step begins.",
		least:   0, most: longest,
	},
	"schedule.learn": {
		meaning: "Whether operations that were never answered 2xx get more turns, and those that answer nothing new fewer (decision 0017).",
	},
	"schedule.cleanUp": {
		meaning: "Whether what the run made is deleted at its end where the document says how (decision 0017).",
	},
	"schedule.cleanUpShare": {
		meaning: "Share of the budget, 0 to 1, that deleting what the run made may take at most.",
	},
	"schedule.mostCovering": {
		meaning: "Most requests of one operation that go through its rules one by one, before values are left to chance; 0: none (decision 0016).",
		least:   0, most: million,
	},
	"schedule.recheckShare": {
		meaning: "Share of the requests, 0 to 1, that see whether findings are still there and make them smaller; 0: none do (decision 0022).",
	},
	"schedule.stragglerGrace": {
		meaning: "How long replies may still come in after the budget is used up; nothing is sent in that time.",
		least:   0, most: longest,
	},
	"schedule.interruptGrace": {
		meaning: "How long replies may still come in after the run is told to stop.",
		least:   0, most: longest,
	},

	"generation.optionalParameterChance": {
		meaning: "Chance, 0 to 1, that a request carries a parameter the document calls optional.",
	},
	"generation.optionalPropertyChance": {
		meaning: "Chance, 0 to 1, that an object carries a property its schema does not require.",
	},
	"generation.optionalBodyChance": {
		meaning: "Chance, 0 to 1, that a request carries a body the document calls optional.",
	},
	"generation.exampleWeight": {
		meaning: "Share of values taken from the document's examples, against the other weights.",
		least:   0, most: million,
	},
	"generation.defaultWeight": {
		meaning: "Share of values taken from the document's defaults, against the other weights.",
		least:   0, most: million,
	},
	"generation.observedWeight": {
		meaning: "Share of values taken from what the API has returned, against the other weights.",
		least:   0, most: million,
	},
	"generation.randomWeight": {
		meaning: "Share of values invented from the schema, against the other weights.",
		least:   0, most: million,
	},
	"generation.impliedKindChance": {
		meaning: "Chance, 0 to 1, that an invented value is of the kind its name or description implies, such as an e-mail address.",
	},
	"generation.dictionaryWeight": {
		meaning: "Share of values taken from the dictionaries given with --dictionary, against the other weights.",
		least:   0, most: million,
	},
	"generation.hintChance": {
		meaning: "Chance, 0 to 1, that a request follows what refusals of its operation have asked for (decision 0018).",
	},
	"generation.mostDepth": {
		meaning: "Most levels of objects and lists in an invented value before optional ones are left out.",
		least:   1, most: 100,
	},
	"generation.longestText": {
		meaning: "Most characters of an invented text whose schema gives no bound.",
		least:   0, most: million,
	},
	"generation.mostItems": {
		meaning: "Most items of an invented list whose schema gives no bound.",
		least:   0, most: 10_000,
	},
	"generation.signUp": {
		meaning: "Whether a run without a key signs up a user of its own, where operations ask for one and the document says how (decision 0019).",
	},

	"series.share": {
		meaning: "Share of the requests, 0 to 1, that belong to series around a thing the run makes (decision 0017), where no plan says the shares.",
	},
	"series.readAfterCreate":   {meaning: "Whether a thing that was made is read."},
	"series.readAfterDelete":   {meaning: "Whether a thing that was deleted is read."},
	"series.deleteTwice":       {meaning: "Whether a thing is deleted a second time."},
	"series.writeUnderDeleted": {meaning: "Whether something is written to, or below, a thing that was deleted."},
	"series.putTwice":          {meaning: "Whether the same PUT is sent twice to a thing, and it is read then."},
	"series.patchThenRead":     {meaning: "Whether a thing is read after a PATCH to it."},
	"series.refusedWrite":      {meaning: "Whether a thing is read around a PUT and a PATCH that break a rule of their content."},
	"series.listContains":      {meaning: "Whether its collection is listed after a thing was made."},
	"series.safeGet":           {meaning: "Whether a thing is read before and after other reads, which may change nothing (RFC 9110 section 9.2.1)."},
	"series.createTwice":       {meaning: "Whether the request that made a thing is sent a second time."},

	"security.probes": {
		meaning: "Whether security probes are sent; which ones is said before the first request (decision 0025).",
	},
	"security.share": {
		meaning: "Share of the requests, 0 to 1, that belong to security probes where security.probes is on and no plan says the shares.",
	},
	"security.anonymous":        {meaning: "Whether what was accepted with credentials is sent without any, where the document asks for them."},
	"security.wrongCredentials": {meaning: "Whether it is sent with credentials that are nobody's; no password of a user there is is tried."},
	"security.otherUser":        {meaning: "Whether a thing that the run made is read, written and deleted as another user; two have to be given."},
	"security.massAssignment":   {meaning: "Whether properties that the document has in replies alone are sent with what the run makes."},
	"security.hiddenMethod":     {meaning: "Whether GET is sent to paths that declare none."},
	"security.injection":        {meaning: "Whether quotes and scripts are sent in texts."},

	"mutation.violations": {
		meaning: "Whether accepted requests are changed at all so that they break one rule of the document; the switches below are for each way (decision 0016).",
	},
	"mutation.dropRequired": {
		meaning: "Leaves out a parameter, a property or a body that is required.",
	},
	"mutation.wrongLocation": {
		meaning: "Sends a required parameter in another place, such as a query parameter as a header.",
	},
	"mutation.wrongType": {
		meaning: "Sends a value of a type that is not declared.",
	},
	"mutation.outsideABound": {
		meaning: "Sends a value one past a bound: minimum, maximum, multipleOf, and the least and greatest length, items and properties.",
	},
	"mutation.breakAnEnumeration": {
		meaning: "Sends a value that an enum or const does not list.",
	},
	"mutation.breakAPattern": {
		meaning: "Sends a text that does not match its pattern.",
	},
	"mutation.breakAFormat": {
		meaning: "Sends a text that is not of its format.",
	},
	"mutation.sendNull": {
		meaning: "Sends null where it is not allowed.",
	},
	"mutation.sendEmpty": {
		meaning: "Sends an empty text, list or object where a rule forbids it.",
	},
	"mutation.oversize": {
		meaning: "Sends 10,000 characters or 1,000 items where fewer are allowed.",
	},
	"mutation.wrongRoot": {
		meaning: "Sends a body of another type, such as a list in place of an object.",
	},
	"mutation.emptyBody": {
		meaning: "Sends no content where a body is required.",
	},
	"mutation.notJson": {
		meaning: "Sends a body that is nearly JSON (RFC 8259).",
	},
	"mutation.wrongContentType": {
		meaning: "Sends the body with a Content-Type that is not declared.",
	},
	"mutation.beyondItsWidth": {
		meaning: "Sends a number that its format, such as int32, has no room for.",
	},

	"memory.learnFromReplies": {
		meaning: "Whether values the API returned are used in later requests.",
	},
	"memory.valuesPerName": {
		meaning: "Most values remembered under one name; newer ones push out older ones.",
		least:   1, most: million,
	},
	"memory.mostNames": {
		meaning: "Most names that values are remembered under.",
		least:   1, most: million,
	},
	"memory.readUpTo": {
		meaning: "Longest reply, in bytes, that values are learned from.",
		least:   0, most: gigabyte,
	},
	"memory.mostDepth": {
		meaning: "Most levels of a reply that values are learned from.",
		least:   1, most: 100,
	},

	"checks.internalServerError": {
		meaning: "F100, an error: a reply of 500 (RFC 9110 section 15.6.1).",
	},
	"checks.otherServerError": {
		meaning: "F121, an error: a reply of 5xx other than 500 and 501 (RFC 9110 section 15.6).",
	},
	"checks.notImplemented": {
		meaning: "F205, an error: a reply of 501 to an operation the document declares (RFC 9110 section 15.6.2).",
	},
	"checks.nonStandardStatusCode": {
		meaning: "F101, an error: a status code outside those HTTP defines (RFC 9110 section 15).",
	},
	"checks.responseSchema": {
		meaning: "F200, an error: a body that does not fit the schema the document gives for it.",
	},
	"checks.noReplyInTime": {
		meaning: "F312, an error: no reply within the engine's time-outs.",
	},
	"checks.undeclaredStatusCode": {
		meaning: "F920, a warning: a status code the document does not declare for the operation.",
	},
	"checks.undeclaredContentType": {
		meaning: "F921, a warning: a Content-Type the document does not declare for the status code.",
	},
	"checks.brokenReply": {
		meaning: "A reply that breaks HTTP itself, such as one that ends before its Content-Length (RFC 9112).",
	},
	"checks.createdToDelete": {
		meaning: "F102, a warning: 201 to a DELETE (RFC 9110 section 9.3.5).",
	},
	"checks.createdToGet": {
		meaning: "F103, a warning: 201 to a GET or HEAD (RFC 9110 section 9.2.1).",
	},
	"checks.createdToPatch": {
		meaning: "F104, a warning and an opinion: 201 to a PATCH where the document does not declare it (RFC 5789).",
	},
	"checks.noContentWithContent": {
		meaning: "F105, a warning: 204 with a Content-Length other than 0 or a Transfer-Encoding (RFC 9110 section 8.6).",
	},
	"checks.tooLargeWithoutContent": {
		meaning: "F106, a warning: 413 to a request without content (RFC 9110 section 15.5.14).",
	},
	"checks.unsupportedWithoutContent": {
		meaning: "F107, a warning: 415 to a request without content (RFC 9110 section 15.5.16).",
	},
	"checks.notModifiedUnasked": {
		meaning: "F108, a warning: 304 to neither GET nor HEAD, or without a condition (RFC 9110 section 15.4.5).",
	},
	"checks.unauthorizedWithoutChallenge": {
		meaning: "F109, a warning: 401 without WWW-Authenticate (RFC 9110 section 15.5.2).",
	},
	"checks.notAllowedWithoutAllow": {
		meaning: "F110, a warning: 405 without Allow (RFC 9110 section 15.5.6).",
	},
	"checks.resetContentWithContent": {
		meaning: "F111, a warning: 205 with content (RFC 9110 section 15.3.6).",
	},
	"checks.upgradeRequiredWithoutUpgrade": {
		meaning: "F112, a warning: 426 without Upgrade (RFC 9110 section 15.5.22).",
	},
	"checks.stillThereAfterDelete": {
		meaning: "F113, an error: what a DELETE has removed can still be read or changed (RFC 9110 section 9.3.5).",
	},
	"checks.changedByRefusedWrite": {
		meaning: "F114, an error: a refused PUT or PATCH has changed the thing.",
	},
	"checks.repeatedPutCreates": {
		meaning: "F115, a warning: a repeated PUT answers 201 again (RFC 9110 section 9.3.4).",
	},
	"checks.putCreatesExisting": {
		meaning: "F116, a warning: a PUT answers 201 of what was there (RFC 9110 section 9.3.4).",
	},
	"checks.partialPut": {
		meaning: "F117, a warning: a PUT leaves members that it did not send (RFC 9110 section 9.3.4).",
	},
	"checks.putNotIdempotent": {
		meaning: "F118, a warning: a PUT sent twice does something else the second time (RFC 9110 section 9.2.2).",
	},
	"checks.invalidMergePatch": {
		meaning: "F119, a warning: a JSON merge patch that is not done as RFC 7396 has it.",
	},
	"checks.invalidLocation": {
		meaning: "F120, a warning: a Location that is no URI reference, or of a 201 at another server (RFC 9110 section 10.2.2).",
	},
	"checks.createdNotFound": {
		meaning: "F122, an error: what was created is not there right after it (RFC 9110 section 15.3.2).",
	},
	"checks.invalidAllow": {
		meaning: "F201, a warning: an Allow that lacks methods the document declares for the path.",
	},
	"checks.unauthorizedUnsecured": {
		meaning: "F202, a warning: 401 where the document asks for no credentials.",
	},
	"checks.forbiddenWithoutUnauthorized": {
		meaning: "F203, a warning and an opinion: 403 where the document declares no 401.",
	},
	"checks.notAcceptableThoughDeclared": {
		meaning: "F204, a warning: 406 though the Accept asked for a type the document declares.",
	},
	"checks.invalidAccepted": {
		meaning: "F206, a warning: a success in reply to a request that breaks one rule of the document.",
	},
	"checks.validRejected": {
		meaning: "F207, a warning: 400 or 422 in reply to a request that fits the document.",
	},
	"checks.sqlError": {
		meaning: "F300, an error: a database complains of its statement's syntax in reply to a troublesome value.",
	},
	"checks.reflectedScript": {
		meaning: "F301, an error: a script of the request's stands in the page of the reply.",
	},
	"checks.massAssignment": {
		meaning: "F303, an error: a property that only replies have is taken from a request (security probes).",
	},
	"checks.existenceLeaked": {
		meaning: "F304, a warning: 403 for what is there and 404 for what is not (security probes).",
	},
	"checks.notRecognized": {
		meaning: "F305, a warning: 401 to a user whose credentials are good (security probes).",
	},
	"checks.inconsistentAuthorization": {
		meaning: "F306, an error: a user may write or delete what the same user is forbidden to read or write (security probes).",
	},
	"checks.ignoredAnonymous": {
		meaning: "F307, an error: nobody in particular may read what a user is forbidden to (security probes).",
	},
	"checks.anonymousModification": {
		meaning: "F308, an error: a thing is changed or deleted without the credentials the document asks for (security probes).",
	},
	"checks.stackTrace": {
		meaning: "F309, a warning: a stack trace in the reply of a failure.",
	},
	"checks.hiddenAccessible": {
		meaning: "F310, a warning: a GET that the document does not declare is answered (security probes).",
	},
	"checks.authNotEnforced": {
		meaning: "F311, an error: the credentials the document asks for are not needed (security probes).",
	},
	"checks.responseHeader": {
		meaning: "F923, a warning: a header that the document requires is missing, or one does not fit its schema.",
	},
	"checks.offSpecWait": {
		meaning: "F924, a warning: a Retry-After or RateLimit field that is off its specification (RFC 9110 section 10.2.3).",
	},
	"checks.createdNotListed": {
		meaning: "F926, a warning: what was created is not in the list right after it.",
	},
	"checks.unsafeGet": {
		meaning: "F927, a warning: reading a thing has changed it (RFC 9110 section 9.2.1).",
	},
	"checks.slowReply": {
		meaning: "F925, a warning: a reply that took longer than this, from the first byte sent to the last one received; 0: none is too slow.",
		least:   0, most: longest,
	},
	"checks.failOnWarnings": {
		meaning: "Whether a run that found warnings alone ends with 1, as one with errors does.",
	},

	"report.recording": {
		meaning: "Whether every exchange is written to run.ndjson.zst beside the report.",
	},
	"report.formats": {
		meaning: "What the report is written as besides report.json, commas between: " + strings.Join(Formats, ", ") + "; empty: nothing more.",
		check:   checkFormats,
	},
	"report.liveEvery": {
		meaning: "How often the live line of a terminal is drawn anew.",
		least:   tick, most: longest,
	},
	"report.plainEvery": {
		meaning: "How often progress is written as a plain line where there is no terminal.",
		least:   tick, most: longest,
	},
	"report.mostFindings": {
		meaning: "Most findings written out in full; the others are counted.",
		least:   0, most: million,
	},
	"report.longestBodyKept": {
		meaning: "Most bytes of a body shown in the report.",
		least:   0, most: gigabyte,
	},
}

// checkUserAgent wants what RFC 9110 section 5.5 asks of a field value: visible ASCII, with spaces between.
func checkUserAgent(text string) string {
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' {
			return "holds a character that a header cannot; use plain ASCII"
		}
	}
	if strings.TrimSpace(text) != text {
		return "begins or ends with a space; leave it out"
	}
	return ""
}

func checkFormats(text string) string {
	for _, name := range FormatsIn(text) {
		if !slices.Contains(Formats, name) {
			if near := Suggest(name, Formats); near != "" {
				return fmt.Sprintf("names %q, which is no format; did you mean %q?", name, near)
			}
			return fmt.Sprintf("names %q, which is no format; write some of %s, with commas between", name, strings.Join(Formats, ", "))
		}
	}
	return ""
}

// checkProxy never quotes the text, which may hold a password.
func checkProxy(text string) string {
	if text == "" {
		return ""
	}
	const advice = "write http://host:port, or leave it empty"
	u, err := url.Parse(text)
	switch {
	case err != nil || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "is not an address; " + advice
	case u.Scheme != "http" && u.Scheme != "https":
		return "is not an http or https address; " + advice
	case u.Hostname() == "":
		return "names no host; " + advice
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return "holds more than a host and a port; " + advice
	}
	return ""
}

// checkTogether lists what is impossible about settings that are each possible alone. refused holds the rows whose
// value was refused already: nothing more is said about what depends on them.
func (g *Given) checkTogether(refused map[string]bool) Problems {
	var problems Problems
	complain := func(what string, names ...string) {
		for _, name := range names {
			if refused[name] {
				return
			}
		}
		problems = append(problems, Problem{g.lastNamed(names), what})
	}

	e := &g.Engine
	if e.MinConcurrency > e.MaxConcurrency {
		complain("engine.minConcurrency, "+g.show("engine.minConcurrency")+", is more than engine.maxConcurrency, "+
			g.show("engine.maxConcurrency")+"; lower the one or raise the other",
			"engine.minConcurrency", "engine.maxConcurrency")
	} else if e.InitialConcurrency < e.MinConcurrency || e.InitialConcurrency > e.MaxConcurrency {
		complain("engine.initialConcurrency, "+g.show("engine.initialConcurrency")+", is outside "+
			g.show("engine.minConcurrency")+" to "+g.show("engine.maxConcurrency")+
			", engine.minConcurrency to engine.maxConcurrency; move it between them",
			"engine.initialConcurrency", "engine.minConcurrency", "engine.maxConcurrency")
	}
	if g.Schedule.FirstGuessedWait > g.Schedule.LongestGuessedWait {
		complain("schedule.firstGuessedWait, "+g.show("schedule.firstGuessedWait")+", is longer than "+
			"schedule.longestGuessedWait, "+g.show("schedule.longestGuessedWait")+"; shorten the one or lengthen the other",
			"schedule.firstGuessedWait", "schedule.longestGuessedWait")
	}
	n := &g.Generation
	if n.ExampleWeight+n.DefaultWeight+n.ObservedWeight+n.RandomWeight == 0 {
		complain("the weights are all 0, so no value could be made; give at least one of them a share",
			"generation.exampleWeight", "generation.defaultWeight", "generation.observedWeight", "generation.randomWeight")
	}
	return problems
}
