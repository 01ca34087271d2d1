//go:build !race

package kernels

const raceEnabled = false

func announceRead(span)  {}
func announceWrite(span) {}
