package study

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/bits"
	"strconv"
)

// A mark is the hash of a run after a tick: of its world, or of its rows if the model has no world.
//
// A run has marks after Setup, and after the ticks 1, 2, 4, 8 and so on. It has no mark at its end,
// because the record has the hash of the end. For example, a run of a million ticks has 21 marks. If
// another computation of the run gives a different result, its first difference is between two
// marks.
type mark struct {
	Tick int     `json:"tick"`
	Hash hashHex `json:"hash"`
}

// A hashHex is a hash that JSON stores as 16 hexadecimal digits, because many readers of JSON round
// large numbers.
type hashHex uint64

// MarshalText writes the digits.
func (h hashHex) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(h)), nil }

// UnmarshalText reads the digits.
func (h *hashHex) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil || len(text) != 16 {
		return fmt.Errorf("%q is not a hash: a hash has 16 hexadecimal digits", text)
	}
	*h = hashHex(v)
	return nil
}

// mark adds a mark if a mark is due after the current tick of the run.
func (r *Run) mark() {
	if r.Tick == 0 && r.World == nil || bits.OnesCount(uint(r.Tick)) > 1 {
		return
	}
	r.marks = append(r.marks, mark{r.Tick, hashHex(r.hash())})
}

// hash returns the hash of the world, or of the rows if there is no world.
func (r *Run) hash() uint64 {
	if r.World != nil {
		return r.World.Hash()
	}
	h := fnv.New64a()
	for _, tab := range r.tables {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(tab.bytes))))
		_, _ = h.Write(tab.bytes)
	}
	return h.Sum64()
}
