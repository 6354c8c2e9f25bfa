package settings

import (
	"cmp"
	"slices"
	"strings"
)

// Suggest is the candidate that was most likely meant by the word, "" where none is near. Letters' case does not
// count; a swap of two neighbours is one slip.
func Suggest(word string, candidates []string) string {
	const longestWord = 100
	if len(word) > longestWord {
		return ""
	}
	word = strings.ToLower(word)
	nearest, least := "", max(1, len(word)/3)+1
	for _, candidate := range candidates {
		if d := distance([]rune(word), []rune(strings.ToLower(candidate))); d < least {
			nearest, least = candidate, d
		}
	}
	return nearest
}

// SuggestName is the setting most likely meant: one nearly so written in the group named, one of that key in another
// group, or one nearly so written in any.
func SuggestName(name string) string {
	group, key, _ := strings.Cut(name, ".")
	if key == "" {
		key = group
	}
	near := func(meant func(s *setting) bool, words func(s *setting) string, word string) string {
		var names, candidates []string
		for i := range table {
			if s := &table[i]; meant(s) {
				names, candidates = append(names, s.name), append(candidates, words(s))
			}
		}
		if i := slices.Index(candidates, Suggest(word, candidates)); i >= 0 {
			return names[i]
		}
		return ""
	}
	keyOf := func(s *setting) string { return s.key }
	return cmp.Or(
		near(func(s *setting) bool { return strings.EqualFold(s.group, group) }, keyOf, key),
		near(func(s *setting) bool { return strings.EqualFold(s.key, key) }, keyOf, key),
		Suggest(name, Names()),
		near(func(*setting) bool { return true }, keyOf, key),
	)
}

// distance counts the letters to add, drop, change or swap with their neighbour to get from a to b.
func distance(a, b []rune) int {
	before, last, next := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			next[j] = min(change, last[j]+1, next[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, last, next = last, next, make([]int, len(b)+1)
	}
	return last[len(b)]
}
