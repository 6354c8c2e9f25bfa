package values

import (
	"math/rand/v2"
	"strings"
)

// words are short, plain and harmless: they can stand in every place of a request as they are.
var words = strings.Fields(`amber anchor apple arrow aspen autumn basil beacon birch blossom breeze bridge canyon carbon cedar
	cherry cinder circle clover coast cobalt comet copper coral cotton crystal dahlia dawn delta dune eagle echo elm ember
	falcon fern field finch flint forest garden ginger glacier granite grove harbor hazel heron hill honey indigo iris
	island ivory jade jasmine juniper lagoon lake lark lemon lilac linen lotus maple marble meadow mint mist moss north
	oak oasis ocean olive onyx opal orchid otter pearl pebble pine plum pond poplar prairie quartz rain raven reef ridge
	river robin rose saffron sage sand shore silver sky slate snow spring spruce stone storm summer sun thistle tide
	topaz valley velvet violet walnut wave willow winter wren`)

func word(r *rand.Rand) string { return words[r.IntN(len(words))] }

// phrase is a text of at least low and at most high letters: a word or two where that fits.
func phrase(r *rand.Rand, low, high int) string {
	if high <= 0 {
		return ""
	}
	w := word(r)
	if low <= len(w) && len(w) <= high {
		if r.IntN(3) > 0 || len(w)+5 > high {
			return w
		}
		// A few more letters keep texts apart that should differ, such as names.
		return w + "-" + letters(r, 4)
	}
	if len(w) > high {
		return w[:high]
	}
	var b strings.Builder
	b.Grow(low + 8)
	b.WriteString(w)
	for b.Len() < low {
		b.WriteByte('-')
		b.WriteString(word(r))
	}
	s := b.String()
	if len(s) > high {
		s = s[:high]
	}
	if cut, ends := strings.CutSuffix(s, "-"); ends {
		return cut + "a"
	}
	return s
}

const alphabet = "abcdefghijklmnopqrstuvwxyz"

func letters(r *rand.Rand, n int) string {
	var b [16]byte
	for i := range n {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b[:n])
}

const digits = "0123456789abcdef"

func hex(r *rand.Rand, n int) string {
	var b [32]byte
	x := r.Uint64()
	for i := range n {
		if i == 16 {
			x = r.Uint64()
		}
		b[i] = digits[x&15]
		x >>= 4
	}
	return string(b[:n])
}

// Phrase is a word or two.
func Phrase(r *rand.Rand) string { return phrase(r, 1, 64) }
