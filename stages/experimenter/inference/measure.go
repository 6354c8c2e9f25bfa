package inference

type measuring struct{}

func newMeasuring(*Examination) *measuring { return &measuring{} }
func (*measuring) next(Instant) (Step, bool) { return Step{}, false }
