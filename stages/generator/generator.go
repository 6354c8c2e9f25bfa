// Package generator decides which operation is next and builds a request for it.
package generator
