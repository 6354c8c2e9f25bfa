package values

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// Equal says whether two values are the same JSON value: numbers by what they stand for, objects in any order.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || equalNumbers(a, b))
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !Equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok || !Equal(v, w) {
				return false
			}
		}
		return true
	case string:
		b, ok := b.(string)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case nil:
		return b == nil
	default:
		return false
	}
}

// equalNumbers compares two numbers that are not written alike.
func equalNumbers(a, b json.Number) bool {
	if p, ok := shortest(a); ok {
		if q, ok := shortest(b); ok {
			return p == q
		}
	}
	x, okX := ratOf(a)
	y, okY := ratOf(b)
	return okX && okY && x.Cmp(y) == 0
}

// shortest is a number that is written without an exponent as it is written shortest; ok is false for any other.
func shortest(n json.Number) (string, bool) {
	s := string(n)
	if strings.ContainsAny(s, "eE") {
		return "", false
	}
	if strings.IndexByte(s, '.') >= 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		s = "0"
	}
	return s, true
}

func contains(values []any, v any) bool {
	for _, w := range values {
		if Equal(v, w) {
			return true
		}
	}
	return false
}

// ratOf is the number's exact value. A number of more digits than anybody means is not worked out, since a few bytes
// of exponent can ask for gigabytes.
func ratOf(n json.Number) (*big.Rat, bool) {
	s := string(n)
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return new(big.Rat).SetInt64(i), true
	}
	if len(s) > 400 {
		return nil, false
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
		if err != nil || e > 400 || e < -400 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(s)
}

// scalar reads the text as a JSON number or truth value.
func scalar(s string) (any, bool) {
	switch s {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	if s == "" || len(s) > 64 || s[0] != '-' && (s[0] < '0' || s[0] > '9') || !json.Valid([]byte(s)) {
		return nil, false
	}
	return json.Number(s), true
}
