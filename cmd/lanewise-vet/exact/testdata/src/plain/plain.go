// Package plain does not import ecs, and is left alone without -all.
package plain

func lerp(a, b, t float64) float64 { return a + t*(b-a) }
