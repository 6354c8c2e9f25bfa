package demo

import "slices"

// shelf keeps the newest things of a kind, numbered from 1 in the order they came.
type shelf[T any] struct {
	most   int
	last   int64
	ids    []int64 // ascending
	things []*T
}

// add keeps a thing under the next number and forgets the oldest if there are too many.
func (s *shelf[T]) add(thing *T) int64 {
	if len(s.ids) == s.most {
		s.ids = slices.Delete(s.ids, 0, 1)
		s.things = slices.Delete(s.things, 0, 1)
	}
	s.last++
	s.ids = append(s.ids, s.last)
	s.things = append(s.things, thing)
	return s.last
}

// get is the thing of that number, nil if it is not there.
func (s *shelf[T]) get(id int64) *T {
	if i, found := slices.BinarySearch(s.ids, id); found {
		return s.things[i]
	}
	return nil
}

// was says whether there ever was a thing of that number.
func (s *shelf[T]) was(id int64) bool { return id >= 1 && id <= s.last }

// remove takes a thing away.
func (s *shelf[T]) remove(id int64) {
	if i, found := slices.BinarySearch(s.ids, id); found {
		s.ids = slices.Delete(s.ids, i, i+1)
		s.things = slices.Delete(s.things, i, i+1)
	}
}

// newest are the last n things that fit of those looked at, the newest first; fit may be nil.
func (s *shelf[T]) newest(n int, fit func(*T) bool) []*T {
	found := make([]*T, 0, n)
	for _, thing := range slices.Backward(s.things[max(0, len(s.things)-looked):]) {
		if len(found) == n {
			break
		}
		if fit == nil || fit(thing) {
			found = append(found, thing)
		}
	}
	return found
}
