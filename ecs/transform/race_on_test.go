//go:build race

package transform_test

const raceEnabled = true
