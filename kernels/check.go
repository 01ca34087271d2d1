package kernels

import (
	"fmt"
	"strings"
)

// checked reports whether this build checks operands for overlaps. Only builds with
// the race detector or the guard tag do, because the check costs time in each
// call.
const checked = raceEnabled || guardEnabled

// inspect tells the race detector the lanes that a kernel will read and write.
// inspect panics if a lane that is written overlaps another lane. Two operands may have the same
// rows of the same lane (v.X and x.X), because a kernel reads each row before it writes the row. It
// guarantees no other order.
func inspect(kernel string, dst []span, operands ...[]span) {
	for i, d := range dst {
		for _, other := range dst[i+1:] {
			if d.overlaps(other) {
				panic(overlap(kernel, d, other))
			}
		}
		for _, lanes := range operands {
			for _, s := range lanes {
				if d.overlaps(s) && !d.sameRows(s) {
					panic(overlap(kernel, d, s))
				}
			}
		}
	}
	for _, lanes := range operands {
		for _, s := range lanes {
			announce(s, false)
		}
	}
	for _, d := range dst {
		announce(d, true)
	}
}

// announce tells the race detector that a lane is about to be read or written.
func announce(s span, write bool) {
	if observe != nil {
		observe(s, write)
	}
	if write {
		announceWrite(s)
	} else {
		announceRead(s)
	}
}

// If a test sets observe, it is called with each announcement to the race detector.
var observe func(s span, write bool)

// inspectIndexed tells the race detector the rows of p that a kernel will read.
// It does not announce the whole of p, because another goroutine may be writing
// other rows.
func inspectIndexed[E any](index []int32, p []E) {
	if !raceEnabled {
		return
	}
	for _, k := range index {
		if uint(k) < uint(len(p)) {
			announce(spanOf("", p[k:k+1]), false)
		}
	}
}

func (s span) start() uintptr { return uintptr(s.base) }
func (s span) end() uintptr   { return s.start() + uintptr(s.rows)*s.size }

func (s span) overlaps(t span) bool {
	return s.rows > 0 && t.rows > 0 && s.start() < t.end() && t.start() < s.end()
}

// sameRows reports whether s and t are the same rows of the same lane of two operands.
func (s span) sameRows(t span) bool {
	return s.base == t.base && s.size == t.size && s.rows == t.rows && s.lane() == t.lane()
}

// lane returns the lane's name without the name of its operand.
func (s span) lane() string {
	_, name, _ := strings.Cut(s.name, ".")
	return name
}

func overlap(kernel string, d, s span) string { return overlapText("kernels: "+kernel, d, s) }

func overlapText(kernel string, d, s span) string {
	where := "where " + d.name + " does"
	switch from, to := d.start(), s.start(); {
	case to > from:
		where = fmt.Sprintf("%d bytes after %s", to-from, d.name)
	case to < from:
		where = fmt.Sprintf("%d bytes before %s", from-to, d.name)
	}
	return fmt.Sprintf("%s: %s and %s overlap: %s starts %s, each row has %d: give %s memory of its own",
		kernel, d.name, s.name, s.name, where, d.size, s.name)
}
