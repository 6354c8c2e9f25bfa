package reporter

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
)

func TestEachLengthLiesInItsBucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, 1<<rapid.IntRange(1, 60).Draw(t, "bits")).Draw(t, "length"))
		i := bucketOf(d)
		from, until := bucketFrom(i), bucketFrom(i+1)
		if d < from || d >= until {
			t.Fatalf("%v is in bucket %d, from %v until %v", d, i, from, until)
		}
		if until-from > max(from/eighths, time.Microsecond) {
			t.Fatalf("bucket %d goes from %v until %v", i, from, until)
		}
	})
}

func TestAPercentileIsRightToAnEighth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Minute)), 1, 200).Draw(t, "lengths")
		percent := rapid.Int64Range(1, 100).Draw(t, "percent")
		var l lengths
		for _, d := range all {
			l.add(time.Duration(d))
		}
		slices.Sort(all)
		exact := time.Duration(all[(int64(len(all))*percent+99)/100-1])
		if told := l.percentile(percent); told < exact || told > exact+exact/eighths+time.Microsecond {
			t.Fatalf("%d%% are no longer than %v, told as %v", percent, exact, told)
		}
		var sum int64
		for _, n := range l.spread() {
			sum += n.Count
		}
		if sum != int64(len(all)) {
			t.Fatalf("%d of %d are told", sum, len(all))
		}
	})
}

// However a run is cut into stretches, the time its requests were under way is all there.
func TestTheTimeUnderWayIsCountedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSeries()
		var want time.Duration
		for range rapid.IntRange(0, 30).Draw(t, "exchanges") {
			sent := messages.Instant(rapid.Int64Range(0, int64(3*time.Hour)).Draw(t, "sent"))
			took := time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "took"))
			want += took
			s.add(&messages.Exchange{SentAt: sent, EndedAt: sent.Add(took), Outcome: messages.NoReply}, false)
		}
		var got time.Duration
		for _, b := range s.buckets {
			got += b.underWay
		}
		if got != want || len(s.buckets) > mostBuckets {
			t.Fatalf("%v of %v are in %d buckets", got, want, len(s.buckets))
		}
	})
}
