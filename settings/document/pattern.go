package document

import (
	"fmt"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// longestMatch is when a match is given up: the engine backtracks, and some patterns do so without end.
const longestMatch = 100 * time.Millisecond

// compilePattern reads a pattern as ECMA-262 does with the u flag; one that is wrong with it and right without it, as
// patterns with needless escapes are, is read without it.
func compilePattern(source string) (*regexp2.Regexp, error) {
	re, err := regexp2.Compile(source, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		var without error
		if re, without = regexp2.Compile(source, regexp2.ECMAScript); without != nil {
			return nil, err
		}
	}
	re.MatchTimeout = longestMatch
	return re, nil
}

func checkPattern(source string) error {
	_, err := compilePattern(source)
	return err
}

func newPattern(source string) *pattern {
	re, err := compilePattern(source)
	if err != nil {
		return &pattern{source: source, err: fmt.Errorf("the pattern %q cannot be read: %w", shorten(source), err)}
	}
	return &pattern{source: source, match: re.MatchString}
}
