package values

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
)

// numberPlan says which numbers fit: step times each whole number from low to high.
type numberPlan struct {
	step *big.Rat
	// low and high are nil where there is no bound.
	low, high *big.Int
	// usual is the part from which most values are drawn; both ends are within the bounds.
	usualLow, usualHigh *big.Int
	// whole is true, and from and to are the usual ends, when the step is 1 and they fit: the common case, made quickly.
	whole    bool
	from, to int64
	digits   int // after the point
}

// planNumber draws the bounds of numbers together; it says what excludes every number.
func (s *Shape) planNumber() string {
	var low, high bound
	low.sign, high.sign = 1, -1
	var multiples []*big.Rat
	for _, m := range s.members {
		low.tighten(m.Minimum, false)
		low.tighten(m.ExclusiveMinimum, true)
		high.tighten(m.Maximum, false)
		high.tighten(m.ExclusiveMaximum, true)
		if m.MultipleOf != nil && m.MultipleOf.Sign() > 0 {
			multiples = append(multiples, m.MultipleOf)
		}
		if lowest, highest := formatBounds(m.Format); lowest != nil {
			low.tighten(lowest, false)
			high.tighten(highest, false)
		}
	}
	p := &numberPlan{}
	switch {
	case s.types&fraction == 0:
		p.step = commonMultiple(append(multiples, wholeStep))
	case len(multiples) > 0:
		p.step = commonMultiple(multiples)
	default:
		p.step = fineEnough(low, high)
	}
	if p.step == nil {
		return fmt.Sprintf("no number is %s and %s", low.text("at least", "above"), high.text("at most", "below"))
	}
	p.low, p.high = low.steps(p.step), high.steps(p.step)
	if p.low != nil && p.high != nil && p.low.Cmp(p.high) > 0 {
		problem := fmt.Sprintf("no number is %s and %s", low.text("at least", "above"), high.text("at most", "below"))
		if low.at.Cmp(high.at) < 0 {
			problem += stepText(p.step)
		}
		return problem
	}
	p.digits, _ = p.step.FloatPrec()
	p.chooseUsual()
	s.numbers = p
	return ""
}

var wholeStep = big.NewRat(1, 1)

func stepText(step *big.Rat) string {
	if step.Cmp(wholeStep) == 0 {
		return " and whole"
	}
	return " and a multiple of " + step.RatString()
}

// chooseUsual picks small positive values where the bounds let it, about a thousand of them.
func (p *numberPlan) chooseUsual() {
	one := big.NewInt(1)
	span := floor(new(big.Rat).Quo(big.NewRat(1000, 1), p.step))
	if span.Sign() == 0 {
		span.Set(one)
	}
	var low, high *big.Int
	switch {
	case p.low != nil && p.high != nil && new(big.Int).Sub(p.high, p.low).Cmp(span) <= 0:
		low, high = p.low, p.high
	case p.low != nil && p.low.Cmp(one) > 0:
		low, high = p.low, new(big.Int).Add(p.low, span)
	case p.high != nil && p.high.Cmp(one) < 0:
		low, high = new(big.Int).Sub(p.high, span), p.high
	default:
		low, high = one, span
	}
	if p.low != nil && low.Cmp(p.low) < 0 {
		low = p.low
	}
	if p.high != nil && high.Cmp(p.high) > 0 {
		high = p.high
	}
	p.usualLow, p.usualHigh = low, high
	if p.step.Cmp(wholeStep) == 0 && low.IsInt64() && high.IsInt64() {
		p.whole, p.from, p.to = true, low.Int64(), high.Int64()
	}
}

// drawNumber makes a number, of the kind that is implied where one fits.
func (d *Draw) drawNumber(s *Shape, f *Field) json.Number {
	if k := d.kind(s, f); k != nil && k.number != nil {
		for range 2 {
			if n := k.number(d.Rand); s.Fits(n) {
				return n
			}
		}
	}
	return s.numbers.draw(d.Rand, d.edge())
}

// draw makes a number, from the whole range rather than the usual part where it is to be wide.
func (p *numberPlan) draw(r *rand.Rand, wide bool) json.Number {
	if p.whole && !wide {
		return json.Number(strconv.FormatInt(between(r, p.from, p.to), 10))
	}
	low, high := p.usualLow, p.usualHigh
	if wide {
		low, high = p.wide()
	}
	k := randomBig(r, low, high)
	v := new(big.Rat).Mul(new(big.Rat).SetInt(k), p.step)
	return json.Number(v.FloatString(p.digits))
}

// wide is the whole range, cut to what 32 bits hold where it is open.
func (p *numberPlan) wide() (low, high *big.Int) {
	low, high = p.low, p.high
	reach := ceil(new(big.Rat).Quo(big.NewRat(math.MaxInt32, 1), p.step))
	if reach.Sign() == 0 {
		reach.SetInt64(1)
	}
	switch {
	case low == nil && high == nil:
		return new(big.Int).Neg(p.usualHigh), reach
	case low == nil:
		return new(big.Int).Sub(high, reach), high
	case high == nil:
		return low, new(big.Int).Add(low, reach)
	default:
		return low, high
	}
}

// between is a whole number from low to high, both included.
func between(r *rand.Rand, low, high int64) int64 {
	span := uint64(high) - uint64(low)
	if span == math.MaxUint64 {
		return int64(r.Uint64())
	}
	return int64(uint64(low) + r.Uint64N(span+1))
}

func randomBig(r *rand.Rand, low, high *big.Int) *big.Int {
	span := new(big.Int).Sub(high, low)
	if low.IsInt64() && high.IsInt64() {
		return big.NewInt(between(r, low.Int64(), high.Int64()))
	}
	// A few bits more than the span has make the remainder even enough.
	words := make([]big.Word, span.BitLen()/64+2)
	for i := range words {
		words[i] = big.Word(r.Uint64())
	}
	k := new(big.Int).SetBits(words)
	k.Mod(k, span.Add(span, big.NewInt(1)))
	return k.Add(k, low)
}

// bound is the tightest of the bounds on one side: a lower one with sign 1, an upper one with sign -1.
type bound struct {
	sign   int
	at     *big.Rat
	beyond bool // exclusive
}

func (b *bound) tighten(at *big.Rat, beyond bool) {
	if at == nil {
		return
	}
	if b.at == nil || at.Cmp(b.at) == b.sign || at.Cmp(b.at) == 0 && beyond {
		b.at, b.beyond = at, beyond
	}
}

// steps is the first whole number of steps within the bound, nil without a bound.
func (b *bound) steps(step *big.Rat) *big.Int {
	if b.at == nil {
		return nil
	}
	n := new(big.Rat).Quo(b.at, step)
	k := floor(n)
	if b.sign > 0 {
		k = ceil(n)
	}
	if b.beyond && new(big.Rat).SetInt(k).Cmp(n) == 0 {
		k.Add(k, big.NewInt(int64(b.sign)))
	}
	return k
}

func (b *bound) text(inclusive, exclusive string) string {
	if b.at == nil {
		return inclusive + " anything"
	}
	if b.beyond {
		inclusive = exclusive
	}
	return inclusive + " " + decimal(b.at)
}

func decimal(r *big.Rat) string {
	if n, exact := r.FloatPrec(); exact && n < 30 {
		return r.FloatString(n)
	}
	return r.RatString()
}

func floor(r *big.Rat) *big.Int {
	// Div rounds towards minus infinity for the positive denominators of a Rat.
	return new(big.Int).Div(r.Num(), r.Denom())
}

func ceil(r *big.Rat) *big.Int {
	return new(big.Int).Neg(floor(new(big.Rat).Neg(r)))
}

// commonMultiple is the least number of which each is a divisor.
func commonMultiple(of []*big.Rat) *big.Rat {
	result := of[0]
	for _, r := range of[1:] {
		// lcm(a/b, c/d) = lcm(a·d, c·b) / (b·d)
		x := new(big.Int).Mul(result.Num(), r.Denom())
		y := new(big.Int).Mul(r.Num(), result.Denom())
		gcd := new(big.Int).GCD(nil, nil, x, y)
		lcm := new(big.Int).Mul(new(big.Int).Quo(x, gcd), y)
		result = new(big.Rat).SetFrac(lcm, new(big.Int).Mul(result.Denom(), r.Denom()))
	}
	return result
}

// fineEnough is a step of hundredths, or of as small a decimal fraction as the bounds need; nil if there is no number
// between them, or none of less than 40 digits.
func fineEnough(low, high bound) *big.Rat {
	step := big.NewRat(1, 100)
	for range 40 {
		l, h := low.steps(step), high.steps(step)
		if l == nil || h == nil || l.Cmp(h) <= 0 {
			return step
		}
		step = new(big.Rat).Quo(step, big.NewRat(10, 1))
	}
	return nil
}

// numericFormats are the bounds that numeric formats imply.
var numericFormats = map[string][2]*big.Rat{
	"int8":   wholeBounds(-1<<7, 1<<7-1),
	"int16":  wholeBounds(-1<<15, 1<<15-1),
	"int32":  wholeBounds(math.MinInt32, math.MaxInt32),
	"int64":  wholeBounds(math.MinInt64, math.MaxInt64),
	"uint8":  wholeBounds(0, 1<<8-1),
	"uint16": wholeBounds(0, 1<<16-1),
	"uint32": wholeBounds(0, 1<<32-1),
	"uint64": {new(big.Rat), new(big.Rat).SetUint64(math.MaxUint64)},
	"float":  {new(big.Rat).SetFloat64(-math.MaxFloat32), new(big.Rat).SetFloat64(math.MaxFloat32)},
	"double": {new(big.Rat).SetFloat64(-math.MaxFloat64), new(big.Rat).SetFloat64(math.MaxFloat64)},
}

func wholeBounds(low, high int64) [2]*big.Rat {
	return [2]*big.Rat{big.NewRat(low, 1), big.NewRat(high, 1)}
}

// formatBounds are the bounds that a numeric format implies, nil for others.
func formatBounds(format string) (low, high *big.Rat) {
	if format == "" {
		return nil, nil
	}
	bounds := numericFormats[format]
	return bounds[0], bounds[1]
}
