package snapshot

import (
	"bytes"

	"github.com/lanewise/lanewise/ecs/internal/frames"
)

// stream reads frames, into memory that is used again where that can be.
type stream struct {
	frames.Reader
	lends bool     // bytes of frames of names and rows are not kept
	spare [][]byte // memory of frames that are decoded
}

// next reads a frame, or shows it where it lies.
func (s *stream) next() (frames.Frame, error) {
	if s.lends {
		if f, lent := s.Lent(kindState, kindRows); lent {
			return f, nil
		}
	}
	var memory []byte
	if n := len(s.spare); n > 0 {
		memory, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	return s.Next(memory)
}

// reuse lets frames that come have the memory of those that are decoded.
func (s *stream) reuse(list []frames.Frame) {
	if _, lent := s.From.(*bytes.Buffer); !s.lends || lent {
		return
	}
	for i := range list {
		s.spare = append(s.spare, list[i].Bytes)
	}
}
