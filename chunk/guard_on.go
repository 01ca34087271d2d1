//go:build lanewise_guard

package chunk

import (
	"bytes"
	"fmt"
	"slices"
)

// guard says whether free spans are poisoned and checked.
const guard = true

// poisonByte fills free spans, so that code that uses a span after Put reads a wrong number that is
// easy to see. As a float it is a huge negative number, and as an index it is out of every range.
const poisonByte = 0xDB

var poisoned = bytes.Repeat([]byte{poisonByte}, Size)

// poison overwrites a free span, so that a use after Put can be detected.
func poison(s Span) {
	for b := s.Memory(); len(b) > 0; {
		b = b[copy(b, poisoned):]
	}
}

// checkPoison panics if a free span was written to.
func checkPoison(s Span) {
	memory := s.Memory()
	for b := memory; len(b) > 0; b = b[min(Size, len(b)):] {
		if !bytes.Equal(b[:min(Size, len(b))], poisoned[:min(Size, len(b))]) {
			i := slices.IndexFunc(memory, func(c byte) bool { return c != poisonByte })
			panic(fmt.Sprintf("chunk: Get: the span at %p was written at byte %d after Put", s.Pointer(), i))
		}
	}
}
