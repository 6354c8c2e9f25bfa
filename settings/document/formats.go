package document

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// numberFormat is a range of numbers. Whether a number has to be whole is for its type to say.
type numberFormat struct {
	least, most *big.Rat
	// low and high are the whole numbers in it that an int64 holds.
	low, high int64
}

// holds says whether the number is in the range.
func (f *numberFormat) holds(n int64) bool { return f.low <= n && n <= f.high }

var numberFormats = map[string]*numberFormat{
	"int8":   integers(math.MinInt8, math.MaxInt8),
	"int16":  integers(math.MinInt16, math.MaxInt16),
	"uint8":  integers(0, math.MaxUint8),
	"uint16": integers(0, math.MaxUint16),
	"uint32": integers(0, math.MaxUint32),
	"uint64": {new(big.Rat), new(big.Rat).SetUint64(math.MaxUint64), 0, math.MaxInt64},
	"int32":  integers(math.MinInt32, math.MaxInt32),
	"int64":  integers(math.MinInt64, math.MaxInt64),
	"float":  floats(math.MaxFloat32),
	"double": floats(math.MaxFloat64),
}

func integers(least, most int64) *numberFormat {
	return &numberFormat{big.NewRat(least, 1), big.NewRat(most, 1), least, most}
}

func floats(most float64) *numberFormat {
	return &numberFormat{new(big.Rat).SetFloat64(-most), new(big.Rat).SetFloat64(most), math.MinInt64, math.MaxInt64}
}

// textFormats are the formats of text that are judged; what is not among them is let through.
var textFormats = sync.OnceValue(func() map[string]*jsonschema.Format {
	formats := map[string]*jsonschema.Format{"byte": {Name: "byte", Validate: base64}}
	// The validator's own formats show once it has compiled a schema with them.
	for _, name := range []string{
		"date", "date-time", "time", "duration", "uuid", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference",
		"json-pointer",
	} {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("format.json", map[string]any{"format": name}); err != nil {
			continue
		}
		if s, err := c.Compile("format.json"); err == nil && s.Format != nil {
			formats[name] = s.Format
		}
	}
	return formats
})

// FitsFormat says whether the judge takes a text for one of that format; judged is false for a format of which it lets
// everything through.
func FitsFormat(format, text string) (fits, judged bool) {
	f := textFormats()[format]
	if f == nil {
		return true, false
	}
	return f.Validate(text) == nil, true
}

// base64 lets through either alphabet of RFC 4648, with line breaks and with or without padding: what is wrong beyond
// that is wrong for everyone.
func base64(v any) error {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	digits := 0
	s = strings.TrimRight(s, "=\r\n")
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("+/-_", c) >= 0:
			digits++
		case c == '\r' || c == '\n':
		default:
			return errors.New("it is not base64")
		}
	}
	if digits%4 == 1 {
		return errors.New("it is not base64: a digit is missing or too much")
	}
	return nil
}
