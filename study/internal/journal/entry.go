package journal

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of bytes.
func Checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// A Kind is the kind of an entry: the first letter of its line.
type Kind byte

// The kinds.
const (
	Began  Kind = 'B' // an attempt at a run began
	Failed Kind = 'F' // an attempt ended with its process
	Ended  Kind = 'R' // a record: the run ended
)

// States are the states in which a run can end. An index file stores the position of a state in
// this list; 0 means that there is no state.
var States = []string{"", "ok", "error", "panic", "nan", "late", "crash"}

// An Entry is one entry of a log, without its payload.
type Entry struct {
	Kind    Kind
	Run     int
	Attempt int    // of Began and Failed; the first is 1
	State   uint8  // of Ended: an index of States
	Hash    uint64 // of Ended: of the world at the end
	Body    uint32 // of Ended: CRC-32C of the tables' rows
	Length  int    // length of the payload: a record, or the reason of a failure
	line    int    // length of the line, including its end
}

// Same reports whether two records of a run have the same result.
func (e Entry) Same(o Entry) bool {
	return e.Run == o.Run && e.State == o.State && e.Hash == o.Hash && e.Body == o.Body
}

// OfMachine reports whether a record describes the machine rather than the
// model: the run took longer than allowed, or its process died. The run may end differently if it
// is repeated or done on another machine.
func (e Entry) OfMachine() bool {
	return States[e.State] == "late" || States[e.State] == "crash"
}

// Size returns the number of bytes of the entry.
func (e Entry) Size() int { return e.line + e.Length }

// MaxLine is the largest length of an entry's line, including its end.
const MaxLine = 128

// maxPayload is the largest length of a payload. With this limit, a reader recognizes a damaged
// length. The constant maxNumber is the largest value of all other numbers in a line.
const (
	maxPayload = 1 << 30
	maxNumber  = 1<<31 - 1
)

// ErrTooLong is returned for a record of more than 1 GiB.
var ErrTooLong = errors.New("a run may leave 1 GiB of rows at most: emit fewer rows")

// Append appends an entry and its payload. A payload must end with a line end,
// so that the next entry is at the beginning of a line.
//
//	B run attempt crc
//	F run attempt length crc, and the reason with a line end
//	R run state hash body length crc, and the record
func Append(b []byte, e Entry, payload ...[]byte) ([]byte, error) {
	from, n := len(b), 0
	for _, p := range payload {
		n += len(p)
	}
	if n > maxPayload {
		return b, fmt.Errorf("run %d: %d bytes: %w", e.Run, n, ErrTooLong)
	}
	b = append(b, byte(e.Kind), ' ')
	b = append(strconv.AppendInt(b, int64(e.Run), 10), ' ')
	switch e.Kind {
	case Ended:
		b = fmt.Appendf(b, "%s %016x %08x %d ", States[e.State], e.Hash, e.Body, n)
	case Failed:
		b = fmt.Appendf(b, "%d %d ", e.Attempt, n)
	default:
		b = fmt.Appendf(b, "%d ", e.Attempt)
	}
	crc := Checksum(b[from:])
	for _, p := range payload {
		crc = crc32.Update(crc, castagnoli, p)
	}
	b = fmt.Appendf(b, "%08x\n", crc)
	for _, p := range payload {
		b = append(b, p...)
	}
	return b, nil
}

// Parse reads the entry at the beginning of b. The payload follows the line. The result ok
// reports whether the entry is complete. If the entry is not complete, more reports whether
// further bytes could complete it.
func Parse(b []byte) (e Entry, payload []byte, ok, more bool) {
	e, crc, head, ok, more := parseLine(b)
	if !ok {
		return e, nil, false, more
	}
	if len(b)-e.line < e.Length {
		return e, nil, false, true
	}
	payload = b[e.line : e.line+e.Length]
	if crc32.Update(Checksum(b[:head]), castagnoli, payload) != crc {
		return e, nil, false, false
	}
	return e, payload, true, false
}

// ParseLine reads the line of an entry, including the line end. The payload need not follow the
// line in memory.
func ParseLine(line []byte) (e Entry, ok bool) {
	e, _, _, ok, _ = parseLine(line)
	return e, ok
}

// parseLine reads the line of an entry, and the length of the part that the
// checksum covers.
func parseLine(b []byte) (e Entry, crc uint32, head int, ok, more bool) {
	end := bytes.IndexByte(b[:min(len(b), MaxLine)], '\n')
	if end < 0 {
		return e, 0, 0, false, len(b) < MaxLine
	}
	w := words{rest: b[:end]}
	kind := w.next()
	if len(kind) != 1 {
		return e, 0, 0, false, false
	}
	e.Kind, e.line, e.Run = Kind(kind[0]), end+1, w.number()
	switch e.Kind {
	case Began:
		e.Attempt = w.number()
	case Failed:
		e.Attempt, e.Length = w.number(), w.number()
	case Ended:
		e.State = w.state()
		e.Hash = w.hex(16)
		e.Body = uint32(w.hex(8))
		e.Length = w.number()
	default:
		return e, 0, 0, false, false
	}
	head = end - len(w.rest)
	crc = uint32(w.hex(8))
	if w.bad || len(w.rest) > 0 || e.Length > maxPayload {
		return e, 0, 0, false, false
	}
	return e, crc, head, true, false
}

// words splits a line into its words, which are separated by single spaces.
type words struct {
	rest []byte
	bad  bool
}

func (w *words) next() []byte {
	for i, c := range w.rest { // a plain loop, because words are short and a byte search takes longer to start
		if c == ' ' {
			word := w.rest[:i]
			w.rest = w.rest[i+1:]
			return word
		}
	}
	word := w.rest
	w.rest = nil
	return word
}

// number reads a number between 0 and maxNumber, such as a run, an attempt or a length.
func (w *words) number() int {
	word := w.next()
	if len(word) == 0 || len(word) > 10 || word[0] == '0' && len(word) > 1 {
		w.bad = true
		return 0
	}
	wide := int64(0)
	for _, c := range word {
		if c < '0' || c > '9' {
			w.bad = true
			return 0
		}
		wide = wide*10 + int64(c-'0')
	}
	if wide > maxNumber {
		w.bad = true
		return 0
	}
	return int(wide)
}

// hex reads a hexadecimal number with exactly the given number of lower-case digits.
func (w *words) hex(digits int) (v uint64) {
	word := w.next()
	if len(word) != digits {
		w.bad = true
		return 0
	}
	wrong := byte(0)
	for _, c := range word {
		d := digitOf[c]
		wrong |= d
		v = v<<4 | uint64(d&15)
	}
	if wrong > 15 {
		w.bad = true
		return 0
	}
	return v
}

// digitOf returns the value of a hexadecimal digit, or 16 if the character is not a digit.
var digitOf = func() (t [256]byte) {
	for c := range t {
		t[c] = 16
	}
	for d, c := range "0123456789abcdef" {
		t[c] = byte(d)
	}
	return t
}()

func (w *words) state() uint8 {
	word := w.next()
	for i := 1; i < len(States); i++ {
		if string(word) == States[i] {
			return uint8(i)
		}
	}
	w.bad = true
	return 0
}
