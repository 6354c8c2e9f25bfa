package sim_test

import (
	"runtime/debug"
	"slices"
	"testing"
)

// inOneGoroutine skips a long test under the race detector, which has nothing to find where all runs in one goroutine.
func inOneGoroutine(t testing.TB) {
	t.Helper()
	built, known := debug.ReadBuildInfo()
	if known && slices.Contains(built.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector finds nothing where all runs in one goroutine")
	}
}
