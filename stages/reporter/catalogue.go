package reporter

import "fmt"

// The fault catalogue that the codes are taken from.
const (
	catalogueName    = "Web Fuzzing Commons"
	catalogueVersion = "0.9.0"
)

// Fault is one entry of the catalogue. ID is its stable name, which does not change with the catalogue's version.
type Fault struct{ ID, Name string }

// catalogue holds the codes a run can report; those from 900 on are the tool's own.
var catalogue = map[int]Fault{
	100: {"HTTP_STATUS_500", "HTTP status 500"},
	101: {"HTTP_STATUS_NO_NON_STANDARD_CODES", "Non-standard status code"},
	102: {"HTTP_STATUS_NO_201_IF_DELETE", "201 in reply to a DELETE"},
	103: {"HTTP_STATUS_NO_201_IF_GET", "201 in reply to a GET"},
	104: {"HTTP_STATUS_NO_201_IF_PATCH", "201 in reply to a PATCH"},
	105: {"HTTP_STATUS_NO_204_IF_CONTENT", "204 with content"},
	106: {"HTTP_STATUS_NO_413_IF_NO_PAYLOAD", "413 to a request without content"},
	107: {"HTTP_STATUS_NO_415_IF_NO_PAYLOAD", "415 to a request without content"},
	108: {"HTTP_STATUS_NO_304_IF_NO_GET_OR_HEAD", "304 to neither GET nor HEAD"},
	109: {"HTTP_STATUS_NO_401_IF_NO_WWW_AUTHENTICATE", "401 without WWW-Authenticate"},
	110: {"HTTP_STATUS_NO_405_IF_NO_ALLOW", "405 without Allow"},
	111: {"HTTP_STATUS_NO_205_IF_CONTENT", "205 with content"},
	112: {"HTTP_STATUS_NO_426_IF_NO_UPGRADE", "426 without Upgrade"},
	113: {"HTTP_NONWORKING_DELETE", "Still there after DELETE"},
	114: {"HTTP_SIDE_EFFECTS_FAILED_MODIFICATION", "Changed by a refused PUT or PATCH"},
	115: {"HTTP_REPEATED_CREATE_PUT", "Repeated PUT creates again"},
	116: {"HTTP_MISLEADING_CREATE_PUT", "PUT says created of what was there"},
	117: {"HTTP_PARTIAL_UPDATE_PUT", "PUT replaces in part only"},
	118: {"HTTP_NON_IDEMPOTENT_PUT", "PUT is not idempotent"},
	119: {"HTTP_INVALID_MERGE_PATCH", "Invalid JSON Merge Patch"},
	120: {"HTTP_INVALID_LOCATION", "Invalid Location"},
	121: {"HTTP_OTHER_STATUS_5XX", "Server error other than 500 and 501"},
	122: {"HTTP_CREATED_RESOURCE_NOT_FOUND", "Not found right after it was created"},
	200: {"SCHEMA_INVALID_RESPONSE", "Reply does not match its schema"},
	201: {"SCHEMA_INVALID_ALLOW", "Allow disagrees with the document"},
	202: {"SCHEMA_STATUS_NO_401_IF_NO_AUTH", "401 where no authentication is declared"},
	203: {"SCHEMA_STATUS_NO_403_IF_NO_401", "403 declared without 401"},
	204: {"SCHEMA_STATUS_HAS_406_IF_ACCEPT", "406 and what is declared disagree"},
	205: {"SCHEMA_STATUS_NO_501_IF_IMPLEMENTED", "Declared operation answered 501"},
	206: {"SCHEMA_VALIDATION_BYPASS", "Invalid request accepted"},
	207: {"SCHEMA_VALID_INPUT_REJECTED", "Valid request rejected"},
	300: {"SECURITY_SQL_INJECTION", "SQL injection"},
	301: {"SECURITY_XSS_INJECTION", "Cross-site scripting"},
	302: {"SECURITY_SSRF", "Server-side request forgery"},
	303: {"SECURITY_MASS_ASSIGNMENT", "Mass assignment"},
	304: {"SECURITY_EXISTENCE_LEAKAGE", "Existence of a protected resource leaked"},
	305: {"SECURITY_NOT_RECOGNIZED_AUTHENTICATED", "Credentials not recognised"},
	306: {"SECURITY_INCONSISTENT_WRITE_AUTHORIZATION", "Another user's resource could be changed"},
	307: {"SECURITY_IGNORE_ANONYMOUS", "Protected resource read without credentials"},
	308: {"SECURITY_ANONYMOUS_MODIFICATIONS", "Changed without credentials"},
	309: {"SECURITY_LEAKED_STACK_TRACES", "Stack trace leaked"},
	310: {"SECURITY_HIDDEN_ACCESSIBLE_ENDPOINT", "Hidden operation is accessible"},
	311: {"SECURITY_DECLARED_AUTH_NOT_ENFORCED", "Declared authentication not enforced"},
	312: {"SECURITY_CALL_TIMEOUT", "No reply in time"},
	920: {"RESTEST_UNDECLARED_STATUS_CODE", "Undeclared status code"},
	921: {"RESTEST_UNDECLARED_CONTENT_TYPE", "Undeclared content type"},
	922: {"RESTEST_BROKEN_REPLY", "Broken reply"},
	923: {"RESTEST_RESPONSE_HEADER", "Declared header is missing or invalid"},
	924: {"RESTEST_OFF_SPEC_WAIT", "Off-spec Retry-After or RateLimit field"},
	925: {"RESTEST_SLOW_REPLY", "Slow reply"},
	926: {"RESTEST_CREATED_NOT_LISTED", "Created and not in the list"},
	927: {"RESTEST_UNSAFE_GET", "Changed by reading"},
}

// FaultOf is the catalogue's entry for a code such as "F100".
func FaultOf(code string) Fault {
	var n int
	if _, err := fmt.Sscanf(code, "F%d", &n); err == nil {
		if f, ok := catalogue[n]; ok {
			return f
		}
	}
	return Fault{code, code}
}

// faultName is the catalogue's name of the code.
func faultName(code int) string {
	if f, ok := catalogue[code]; ok {
		return f.Name
	}
	return faultCode(code)
}

func faultCode(code int) string { return fmt.Sprintf("F%03d", code) }
