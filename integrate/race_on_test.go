//go:build race

package integrate_test

const raceEnabled = true
