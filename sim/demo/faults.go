package demo

// Level is how bad a planted fault is, as decision 0007 has it.
type Level int

// The levels.
const (
	Error Level = iota
	Warning
)

// Fault is one planted fault: one cause, and so one finding. An operation has at most one of each code, so the two
// together name it. A test has the API show each, and another sees that it does not when the faults are mended.
type Fault struct {
	// Operation is the operationId of the operation whose reply shows the fault.
	Operation string
	// Code is the number in the fault catalogue, such as 100 for F100.
	Code  int
	Level Level
	// What is wrong with the reply.
	What string
	// Trigger is when it is.
	Trigger string
}

// Planted are the faults of the API: whatever else a tester reports of it is a mistake of the tester's.
func Planted() []Fault {
	return []Fault{
		// What fails.
		{"addBook", 100, Error, "500 with a stack trace", "the book's genres are an empty array"},
		{"changeBook", 100, Error, "500 where the store's column is too short", "the new title is longer than 40 characters"},
		{"searchBooks", 100, Error, "500 for a range that ends before it begins", "yearFrom is greater than yearTo"},
		{"placeOrder", 100, Error, "500 after a division by zero, with a stack trace", "a line's quantity is 0"},
		{"changeEvent", 100, Error, "500 after a division by zero, with a stack trace", "there are fewer than 10 seats from then on"},
		{"listEvents", 100, Error, "500 where the host becomes a part of a statement", "the host holds an apostrophe"},
		{"payOrder", 101, Error, "600, which is no status code of HTTP", "the method is voucher"},
		{"listOrders", 121, Error, "504 from a service behind the API", "the status asked for is shipped"},
		{"findOffers", 121, Error, "502 from a service behind the API", "the radius is greater than 25"},
		{"openingHours", 121, Error, "503 with Retry-After", "once: the first call within 0.9 s of a 429 of notify"},
		{"recommend", 205, Error, "501 from an operation the document declares", "always"},
		{"exportCatalogue", 922, Error, "the connection ends in the middle of a chunk", "the detail is full"},
		{"readStatistics", 922, Error, "Content-Length promises more than comes", "the period is year"},

		// What tells too much, or lets in too much.
		{"listEvents", 300, Error, "PostgreSQL complains of its statement's syntax", "as for its 500"},
		{"makeBookplate", 301, Error, "the name is in the page as it was sent", "the name holds <script"},
		{"addBook", 309, Warning, "a stack trace of Go", "as for its 500"},
		{"placeOrder", 309, Warning, "a stack trace of Go", "as for its 500"},
		{"changeEvent", 309, Warning, "a stack trace of Python", "as for its 500"},

		// What does not fit its schema.
		{"readBook", 200, Error, "pages is null, which is not allowed", "the book was added without pages"},
		{"replaceBook", 200, Error, "year is a string instead of an integer", "the year is before 1800"},
		{"readStock", 200, Error, "copies is -1, below the minimum of 0", "the branch is campus"},
		{"searchBooks", 200, Error, "the page is wrapped in an object of its own, data", "sorted by price"},
		{"addReview", 200, Error, "mood is neutral, which is not in the enum", "the rating is 3"},
		{"latestReviews", 200, Error, "the last tag of the last review is a number", "the order is best"},
		{"signUp", 200, Error, "card is missing, which is required", "the level is child"},
		{"readMember", 200, Error, "joinedOn is not written as a date of RFC 3339", "the member's level is senior"},
		{"readStatistics", 200, Error, "sold is a text", "the period is day"},
		{"openingHours", 200, Error, "closes is a word, which its pattern forbids", "the day is a Saturday"},
		{"readBasket", 200, Error, "voucher is a number, where text or null is declared", "the visitor begins with a digit"},
		{"listWishes", 200, Error, "null instead of an empty list", "the priority asked for is low"},
		{"listEvents", 200, Error, "kind begins with a capital, and is in no enum so", "the kind asked for is signing, and there is one"},

		// What a series of requests shows.
		{"readEvent", 113, Error, "an event that was deleted is still read", "its kind is reading"},
		{"addReview", 113, Warning, "a book that was deleted is still reviewed", "the rating is 5"},
		{"readWish", 114, Error, "a PUT that was refused has changed the title", "its title fits, and something else does not"},
		{"replaceEvent", 115, Warning, "201 to a PUT that is repeated", "the event is as it was sent already"},
		{"replaceWish", 116, Warning, "201 to a PUT of a wish that is there", "it was never replaced before"},
		{"readEvent", 117, Warning, "a PUT leaves the host that it did not send", "the PUT has no host"},
		{"replaceWish", 118, Warning, "each PUT adds a copy to those wished for", "the priority is urgent"},
		{"readEvent", 119, Warning, "a merge patch moves the event to the day of the patch", "the patch has a title"},
		{"readWish", 122, Error, "404 right after the wish was answered with 201", "its priority is low"},
		{"listReviews", 926, Warning, "the list lacks the review that was just added", "its rating is less than 3"},
		{"readReview", 927, Warning, "reading a review takes a tag from it", "it has one"},

		// What breaks a rule of HTTP.
		{"closeAccount", 102, Warning, "201 to a DELETE", "the member's level is child"},
		{"findOffers", 103, Warning, "201 to a GET", "the radius is 1"},
		{"changeEvent", 104, Warning, "201 to a PATCH", "the kind becomes signing"},
		{"deleteReview", 105, Warning, "204 with a Content-Length of 2", "the review's rating is less than 5"},
		{"listOrders", 106, Warning, "413 to a request without content", "the status asked for is cancelled"},
		{"searchBooks", 107, Warning, "415 to a request without content", "genres and inPrint are asked for at once"},
		{"exportCatalogue", 108, Warning, "304 without a condition", "the detail is said to be short"},
		{"signIn", 109, Warning, "401 without WWW-Authenticate", "the e-mail address is longer than 20 characters"},
		{"payOrder", 110, Warning, "405 without Allow", "the order was cancelled"},
		{"signOut", 111, Warning, "205 with content", "there is no session"},
		{"readInvoice", 112, Warning, "426 without Upgrade", "the paper is letter"},
		{"planEvent", 120, Warning, "a Location with spaces in it", "the kind is signing"},
		{"addWish", 120, Warning, "a Location at the server's own name", "more than 50 copies are wished for"},
		{"payOrder", 924, Warning, "Retry-After: never", "an order that has been paid is paid in cash"},

		// What is not as the document has it.
		{"peekBook", 201, Warning, "an Allow that lacks PUT, PATCH and DELETE", "the book is not said to be in print"},
		{"readStatistics", 202, Warning, "401 where no credentials are declared", "the period is month"},
		{"listBooks", 203, Warning, "403 where no 401 is declared", "the offset is 1000"},
		{"readCover", 204, Warning, "406 though the declared type is asked for", "the size is small"},
		{"planEvent", 206, Warning, "more seats than allowed are taken for the most", "there are more than 200 seats"},
		{"signUp", 206, Warning, "a password that is too short is taken", "it has fewer than 8 characters"},
		{"contactShop", 206, Warning, "an e-mail address that is none is taken", "it is not of the format"},
		{"contactShop", 207, Warning, "400 to a form that fits the document", "it is urgent, and praise"},
		{"addWish", 207, Warning, "400 to a wish that fits the document", "its title is longer than 30 bytes"},
		{"deleteBook", 920, Warning, "409, which is not declared", "the book has reviews"},
		{"readExcerpt", 921, Warning, "text/html, which is not declared", "the layout is page"},
		{"readCover", 921, Warning, "content without a Content-Type", "the size is large"},
		{"placeOrder", 923, Warning, "the Location is missing, which is required", "one line is ordered"},
		{"listEvents", 923, Warning, "X-Total-Count is not an integer", "the kind asked for is workshop"},
	}
}

// Trap is something that looks like a fault and is none.
type Trap struct {
	// Operation is the operationId; with Name it names the trap.
	Operation, Name string
	// Looks says what looks wrong, Why why it is not.
	Looks, Why string
}

// Traps are the rightful oddities of the API.
func Traps() []Trap {
	return []Trap{
		{"listBooks", "charset", "the type is application/json; charset=utf-8", "a media type's parameters do not make it another type"},
		{"listBooks", "empty", "the page has no items", "an empty array is an array"},
		{"listBooks", "unicode", "titles in other scripts", "JSON is UTF-8, and lengths count characters"},
		{"addBook", "readOnly", "the reply has an id that was not sent", "readOnly properties belong in replies"},
		{"readBook", "invented", "404", "declared: an invented id names no book"},
		{"readBook", "deleted", "410", "declared: the book was deleted, or forgotten for newer ones"},
		{"readBook", "known", "304 without content", "declared, and a 304 has no content"},
		{"readBook", "more", "links, which the schema does not name", "additional properties are allowed unless forbidden"},
		{"readBook", "null", "shelf is null", "it is nullable"},
		{"readBook", "format", "language has a format nobody knows", "an unknown format allows everything"},
		{"peekBook", "bare", "a Content-Type and a Content-Length, and no content", "the header of a HEAD's reply is that of the GET's"},
		{"changeBook", "minimal", "204 without content or type", "declared, and a 204 has no content"},
		{"readExcerpt", "capitals", "the type is Text/Plain; Charset=UTF-8", "media types compare without case"},
		{"readExcerpt", "emoji", "text with emoji", "text/plain holds any text"},
		{"readStock", "slow", "an answer takes 150 ms, once a second", "slow is not wrong"},
		{"readStock", "decimal", "copies is 3.0", "a number without a fraction is an integer"},
		{"listReviews", "default", "404, which is not named", "default covers it"},
		{"listReviews", "newest", "a review that was just added is not in the list", "the list has as many as its schema allows, and newer ones"},
		{"signUp", "taken", "409", "declared: the address is a member's"},
		{"signUp", "writeOnly", "password is required and not in the reply", "writeOnly properties do not belong in replies"},
		{"signIn", "stranger", "401", "declared: an invented password is not right"},
		{"closeAccount", "accepted", "202, which is not named", "2XX covers it"},
		{"closeAccount", "unknown", "404, which is not named", "4XX covers it"},
		{"readMember", "visits", "reading a member changes it", "a counter of visits counts them"},
		{"replaceWish", "same", "the second of two PUTs is answered as the first", "a PUT may be repeated"},
		{"replaceEvent", "room", "a room that the PUT did not send", "it has a default"},
		{"dropEvent", "twice", "404 to the second of two DELETEs", "declared, and what is asked for is done all the same"},
		{"listEvents", "none", "an empty list with a total of 0", "nobody of that name is a host"},
		{"signOut", "close", "the connection ends after the reply", "the reply says Connection: close"},
		{"placeOrder", "unknown", "422", "declared: an invented book cannot be ordered"},
		{"payOrder", "twice", "409", "declared: an order is paid once"},
		{"readOrder", "null", "giftNote is null", "it is nullable"},
		{"listOrders", "last", "an order that was just placed is not in the list", "the list has as many as its schema allows, and newer ones"},
		{"readOrder", "cancelled", "an order that was deleted is still read", "it says that it was cancelled"},
		{"readOrder", "big", "tracking is beyond 2^53", "JSON's integers have no such bound"},
		{"readOrder", "cents", "0.57 is no multiple of 0.01 in binary", "numbers are decimal in JSON"},
		{"readInvoice", "range", "the type is text/csv with a parameter, in a field named content-TYPE", "text/* covers it, and field names have no case"},
		{"readBasket", "cookie", "an empty basket with a voucher of null", "an empty array is an array, and the voucher is nullable"},
		{"exportCatalogue", "gzip", "the content is not JSON as it comes", "its Content-Encoding is gzip"},
		{"exportCatalogue", "unchanged", "304 without content", "the request has a condition"},
		{"readStatistics", "chunks", "no Content-Length", "the content comes in chunks"},
		{"findOffers", "early", "a 103 comes ahead of the reply", "any number of 1xx can"},
		{"makeBookplate", "markup", "angle brackets of the request's in a page", "they are escaped"},
		{"oldOpeningHours", "moved", "301 without content", "declared"},
		{"notify", "quota", "429 without content or Retry-After", "declared, and Retry-After is optional"},
		{"salesReport", "keyless", "401", "declared: the request has no key"},
	}
}
