package reporter

import "fmt"

// The fault catalogue that the codes are taken from.
const (
	catalogueName    = "Web Fuzzing Commons"
	catalogueVersion = "0.9.0"
)

// catalogue names the codes a run can report; those from 900 on are the tool's own.
var catalogue = map[int]string{
	100: "HTTP status 500",
	101: "Non-standard status code",
	121: "Server error other than 500 and 501",
	200: "Reply does not match its schema",
	205: "Declared operation answered 501",
	312: "No reply in time",
	920: "Undeclared status code",
	921: "Undeclared content type",
	922: "Broken reply",
}

// faultName is the catalogue's name of the code.
func faultName(code int) string {
	if name, ok := catalogue[code]; ok {
		return name
	}
	return faultCode(code)
}

func faultCode(code int) string { return fmt.Sprintf("F%03d", code) }

// certainty says whether the exchange itself proves the fault. A reply that did not come may have been lost on the way.
func certainty(code int) string {
	if code == 312 {
		return "likely"
	}
	return "certain"
}
