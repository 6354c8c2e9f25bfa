package messages

import "time"

// SignIn says which sign-in a request is a step of.
type SignIn struct {
	// Login is the place of the sign-in among those of the run's credentials.
	Login int
	// Elsewhere is the origin the request goes to, such as an identity provider's; "" for the API's own.
	Elsewhere string
	// Creates is true for the step that creates the user.
	Creates bool
}

// SignedIn is what the reply to a sign-in gave.
type SignedIn struct {
	Login int
	User  string
	// Creates is true for the reply to the step that creates the user.
	Creates bool
	// Keys are what later requests carry, each at its place; none for a step that creates the user without one.
	Keys []Key
	// Lasts is how long they are good for, counted from when the reply's header was there; 0 where nothing says so.
	Lasts time.Duration
	// Failure says why the reply gave nothing, "" if it did. It holds nothing secret.
	Failure string
	// Definite is true for a failure that the same request would meet again: the credentials were refused.
	Definite bool
	// Secrets are the texts of the reply that nobody may see, the keys among them.
	Secrets []string
}

// Key is a credential and where it goes in a request: In is "header", "query" or "cookie".
type Key struct{ In, Name, Value string }
