package inference

// Question is one of the questions that an examination answers.
type Question int

// The questions.
const (
	// Exists: is there a limiter, how many at once, per how long.
	Exists Question = iota + 1
	// Which: which family it is.
	Which
	// Through: what a client can really get through.
	Through
	// Rejection: what a rejection says, and whether it is true.
	Rejection
	// Whose: whose budget it is, and what spends it or escapes it.
	Whose
	// Costs: whether it rejects or delays, and what it costs the route.
	Costs
	// Headers: what the fields on a quota say, and whether it is true.
	Headers
)

// Questions are all of them.
func Questions() []Question {
	return []Question{Exists, Which, Through, Rejection, Whose, Costs, Headers}
}

func (q Question) String() string {
	return [...]string{"", "exists", "family", "through", "rejection", "budget", "cost", "headers"}[q]
}
