package reporter

import (
	"math/bits"
	"time"
)

// eighths is how many buckets there are for each doubling of a length: a percentile is told with an error of an eighth
// at most.
const eighths = 8

// lengths counts lengths of time in few buckets, so that their percentiles can be told after any number of them. The
// zero lengths holds none.
type lengths struct {
	count       int64
	sum         time.Duration
	least, most time.Duration
	buckets     []int64
}

func (l *lengths) add(d time.Duration) {
	d = max(d, 0)
	if l.count == 0 {
		l.least = d
	}
	l.count++
	l.sum += d
	l.least, l.most = min(l.least, d), max(l.most, d)
	i := bucketOf(d)
	for len(l.buckets) <= i {
		l.buckets = append(l.buckets, 0)
	}
	l.buckets[i]++
}

// bucketOf is the bucket of a length in microseconds: those below 8 µs have one each, and each doubling above has 8.
func bucketOf(d time.Duration) int {
	us := uint64(d / time.Microsecond)
	if us < eighths {
		return int(us)
	}
	doublings := bits.Len64(us) - bits.Len64(eighths)
	return eighths*doublings + int(us>>doublings)
}

// bucketFrom is the least length of a bucket.
func bucketFrom(i int) time.Duration {
	if i < 2*eighths {
		return time.Duration(i) * time.Microsecond
	}
	doublings := i/eighths - 1
	return time.Duration(i-eighths*doublings) << doublings * time.Microsecond
}

func (l *lengths) mean() time.Duration {
	if l.count == 0 {
		return 0
	}
	return l.sum / time.Duration(l.count)
}

// percentile is a length that so many percent of all are no longer than: the end of the bucket it lies in.
func (l *lengths) percentile(percent int64) time.Duration {
	if l.count == 0 {
		return 0
	}
	rank := (l.count*percent + 99) / 100
	for i, n := range l.buckets {
		if rank -= n; rank <= 0 {
			return max(l.least, min(bucketFrom(i+1), l.most))
		}
	}
	return l.most
}

// ResponseTimes are the times from a write to its reply's header. The percentiles are right to an eighth.
type ResponseTimes struct {
	Count int64  `json:"count"`
	Least string `json:"least"`
	P50   string `json:"p50"`
	P90   string `json:"p90"`
	P95   string `json:"p95"`
	P99   string `json:"p99"`
	Most  string `json:"most"`
}

// median is the time within which half of the replies came, empty where there was none.
func (r *ResponseTimes) median() string {
	if r == nil {
		return ""
	}
	return r.P50
}

func (l *lengths) told() *ResponseTimes {
	if l.count == 0 {
		return nil
	}
	return &ResponseTimes{
		l.count, iso(l.least), iso(l.percentile(50)), iso(l.percentile(90)), iso(l.percentile(95)), iso(l.percentile(99)), iso(l.most),
	}
}

// LengthCount counts lengths of time from one on until, but not including, another; Until is empty where there is none.
type LengthCount struct {
	From  string `json:"from"`
	Until string `json:"until,omitempty"`
	Count int64  `json:"count"`
}

// spread tells the buckets that hold any.
func (l *lengths) spread() []LengthCount {
	told := []LengthCount{}
	for i, n := range l.buckets {
		if n > 0 {
			told = append(told, LengthCount{iso(bucketFrom(i)), iso(bucketFrom(i + 1)), n})
		}
	}
	return told
}
