package main

// failure is an error that ends the program with its code. Its text is shown as it is, a problem a line.
type failure struct {
	code int
	text string
}

func (f *failure) Error() string { return f.text }
