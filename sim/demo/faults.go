package demo

// Fault is one planted fault. An operation has at most one of each code, so the two together name it.
type Fault struct {
	// Operation is the operationId.
	Operation string
	// Code is the number in the fault catalogue, such as 100 for F100.
	Code int
	// What is wrong with the reply.
	What string
	// Trigger is when it is.
	Trigger string
}

// Planted are the faults of the API: whatever else a tester reports of it is a mistake of the tester's.
func Planted() []Fault {
	return []Fault{
		{"addBook", 100, "500 with a stack trace", "the book's genres are an empty array"},
		{"changeBook", 100, "500 where the store's column is too short", "the new title is longer than 40 characters"},
		{"searchBooks", 100, "500 for a range that ends before it begins", "yearFrom is greater than yearTo"},
		{"placeOrder", 100, "500 after a division by zero, with a stack trace", "a line's quantity is 0"},

		{"payOrder", 101, "600, which is no status code of HTTP", "the method is voucher"},

		{"listOrders", 121, "504 from a service behind the API", "the status asked for is shipped"},
		{"findOffers", 121, "502 from a service behind the API", "the radius is greater than 25"},
		{"openingHours", 121, "503 with Retry-After", "once: the first call within 0.9 s of a 429 of notify"},

		{"recommend", 205, "501 from an operation the document declares", "always"},

		{"addBook", 309, "a stack trace of Go", "as for its 500"},
		{"placeOrder", 309, "a stack trace of Go", "as for its 500"},

		{"readBook", 200, "pages is null, which is not allowed", "the book was added without pages"},
		{"replaceBook", 200, "year is a string instead of an integer", "the year is before 1800"},
		{"readStock", 200, "copies is -1, below the minimum of 0", "the branch is campus"},
		{"searchBooks", 200, "the page is wrapped in an object of its own, data", "sorted by price"},
		{"addReview", 200, "mood is neutral, which is not in the enum", "the rating is 3"},
		{"latestReviews", 200, "the last tag of the last review is a number", "the order is best"},
		{"signUp", 200, "card is missing, which is required", "the level is child"},
		{"readMember", 200, "joinedOn is not written as a date of RFC 3339", "the member's level is senior"},

		{"deleteBook", 920, "409, which is not declared", "the book has reviews"},
		{"readExcerpt", 921, "text/html, which is not declared", "the layout is page"},
		{"readCover", 921, "content without a Content-Type", "the size is large"},

		{"exportCatalogue", 922, "the connection ends in the middle of a chunk", "the detail is full"},
		{"readStatistics", 922, "Content-Length promises more than comes", "the period is year"},
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
		{"signUp", "taken", "409", "declared: the address is a member's"},
		{"signUp", "writeOnly", "password is required and not in the reply", "writeOnly properties do not belong in replies"},
		{"signIn", "stranger", "401", "declared: an invented password is not right"},
		{"closeAccount", "accepted", "202, which is not named", "2XX covers it"},
		{"closeAccount", "unknown", "404, which is not named", "4XX covers it"},
		{"signOut", "close", "the connection ends after the reply", "the reply says Connection: close"},
		{"placeOrder", "unknown", "422", "declared: an invented book cannot be ordered"},
		{"payOrder", "twice", "409", "declared: an order is paid once"},
		{"readOrder", "null", "giftNote is null", "it is nullable"},
		{"readOrder", "big", "tracking is beyond 2^53", "JSON's integers have no such bound"},
		{"readOrder", "cents", "0.57 is no multiple of 0.01 in binary", "numbers are decimal in JSON"},
		{"readInvoice", "range", "the type is text/csv with a parameter, in a field named content-TYPE", "text/* covers it, and field names have no case"},
		{"readBasket", "cookie", "an empty basket with a voucher of null", "an empty array is an array, and the voucher is nullable"},
		{"exportCatalogue", "gzip", "the content is not JSON as it comes", "its Content-Encoding is gzip"},
		{"readStatistics", "chunks", "no Content-Length", "the content comes in chunks"},
		{"findOffers", "early", "a 103 comes ahead of the reply", "any number of 1xx can"},
		{"oldOpeningHours", "moved", "301 without content", "declared"},
		{"notify", "quota", "429 without content or Retry-After", "declared, and Retry-After is optional"},
		{"salesReport", "keyless", "401", "declared: the request has no key"},
	}
}
