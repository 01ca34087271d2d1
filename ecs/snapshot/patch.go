package snapshot

import (
	"bytes"
	"encoding/binary"

	"github.com/lanewise/lanewise/ecs/internal/frames"
)

// A patch says what bytes become of others: how many there are, and which runs of units are new. What is
// behind the others is new too, so that a patch makes no more bytes than it has and is given.

// unit is how many bytes are compared at a time, from the beginning; the last ones may be fewer.
const unit = 4

// appendPatch appends the patch that makes to of from.
func appendPatch(o *frames.Out, to, from []byte) {
	o.Uvarint(uint64(len(to)))
	if len(to) == len(from) && bytes.Equal(to, from) {
		o.Uvarint(0)
		return
	}
	runs := 0
	eachRun(to, from, func(int, int) { runs++ })
	o.Uvarint(uint64(runs))
	at := 0
	eachRun(to, from, func(lo, hi int) {
		o.Uvarint(uint64(lo-at) / unit)
		o.Uvarint(uint64(hi - lo))
		o.B = append(o.B, to[lo:hi]...)
		at = (hi + unit - 1) / unit * unit
	})
}

// eachRun calls f for each run of units of to that are not those of from.
func eachRun(to, from []byte, f func(lo, hi int)) {
	both := min(len(to), len(from)) / unit * unit
	for at := 0; at < len(to); {
		for at+2*unit <= both && binary.LittleEndian.Uint64(to[at:]) == binary.LittleEndian.Uint64(from[at:]) {
			at += 2 * unit
		}
		for at < both && [unit]byte(to[at:]) == [unit]byte(from[at:]) {
			at += unit
		}
		if at >= len(to) || at >= both && bytes.Equal(to[at:], from[at:]) {
			return
		}
		lo := at
		for at < both && [unit]byte(to[at:]) != [unit]byte(from[at:]) {
			at += unit
		}
		if at >= both {
			at = len(to)
		}
		f(lo, at)
	}
}

// patched appends what the patch in d makes of from.
func patched(out []byte, d *frames.In, from []byte) []byte {
	size, runs := d.Uvarint(), d.Uvarint()
	if size > uint64(len(from))+uint64(len(d.B)) || runs > uint64(len(d.B)) {
		d.Fail()
		return out
	}
	first := len(out)
	out = append(out, from[:min(size, uint64(len(from)))]...)
	at := uint64(0)
	for range runs {
		skip, n := d.Uvarint(), d.Uvarint()
		if at += skip * unit; skip > size || n > size || at+n > size || at > uint64(len(out)-first) {
			d.Fail()
			return out
		}
		if new := d.Take(n); at+n > uint64(len(out)-first) {
			out = append(out[:first+int(at)], new...)
		} else {
			copy(out[first+int(at):], new)
		}
		at = (at + n + unit - 1) / unit * unit
	}
	if uint64(len(out)-first) != size {
		d.Fail()
	}
	return out
}
