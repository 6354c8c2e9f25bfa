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
type numberFormat struct{ least, most *big.Rat }

var numberFormats = map[string]*numberFormat{
	"int8":   {big.NewRat(math.MinInt8, 1), big.NewRat(math.MaxInt8, 1)},
	"int16":  {big.NewRat(math.MinInt16, 1), big.NewRat(math.MaxInt16, 1)},
	"uint8":  {new(big.Rat), big.NewRat(math.MaxUint8, 1)},
	"uint16": {new(big.Rat), big.NewRat(math.MaxUint16, 1)},
	"uint32": {new(big.Rat), big.NewRat(math.MaxUint32, 1)},
	"uint64": {new(big.Rat), new(big.Rat).SetUint64(math.MaxUint64)},
	"int32":  {big.NewRat(math.MinInt32, 1), big.NewRat(math.MaxInt32, 1)},
	"int64":  {big.NewRat(math.MinInt64, 1), big.NewRat(math.MaxInt64, 1)},
	"float":  {new(big.Rat).SetFloat64(-math.MaxFloat32), new(big.Rat).SetFloat64(math.MaxFloat32)},
	"double": {new(big.Rat).SetFloat64(-math.MaxFloat64), new(big.Rat).SetFloat64(math.MaxFloat64)},
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
