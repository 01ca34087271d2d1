// Package wire is the interface to MPI. It has non-blocking messages and collective
// operations, and a caller waits for all of them together, with a time limit. It is the
// only package of this module with cgo.
//
// A [Wire] belongs to the thread that made it. Memory in transfer is pinned
// until the operation is done.
package wire

// #include <stdlib.h>
// #include "wire.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unsafe"
)

// Piece is the largest length of a message. Longer messages are divided,
// because MPI counts in 31 bits. Tests reduce it before Begin.
var Piece = 1 << 30

var (
	// ErrTime is returned if other ranks did not send or receive in time.
	ErrTime = errors.New("waited too long")
	// ErrThread is returned if a method is called on another thread than Begin.
	ErrThread = errors.New("called from another thread than Begin, or after End: calls stay on the goroutine of Begin")
)

// Wire is the connection to the ranks of a job.
type Wire struct {
	Rank, Size int
	Piece      int   // a copy of the variable
	Bytes      int64 // number of bytes sent to other ranks
	Messages   int64
	Waited     time.Duration // in Wait

	idle    time.Duration // CPU time of this thread in Wait
	pins    runtime.Pinner
	isDone  C.int // a field, because a local variable whose address is passed to C would be allocated each time
	pending []step
	scratch []byte
}

// step is an operation that was begun.
type step struct {
	what  string
	peer  int // or -1 for all
	bytes int
}

func (s step) String() string {
	if s.peer < 0 {
		return s.what + " of all ranks"
	}
	return fmt.Sprintf("%s rank %d (%d bytes)", s.what, s.peer, s.bytes)
}

// Begin makes this process a rank. The goroutine stays on its thread
// afterwards.
func Begin() (*Wire, error) {
	runtime.LockOSThread()
	w := &Wire{Piece: Piece}
	var rank, size, level C.int
	if err := w.check("Init", C.wire_begin(&rank, &size, &level)); err != nil {
		return nil, err
	}
	if level < 1 {
		return nil, fmt.Errorf("this MPI allows no threads at all (level %d): build it with MPI_THREAD_FUNNELED", level)
	}
	w.Rank, w.Size = int(rank), int(size)
	return w, nil
}

// End leaves the job. It waits until all ranks have called it.
func (w *Wire) End() error { return w.check("Finalize", C.wire_end()) }

// Abort ends all ranks with an exit code. It does not return.
func (w *Wire) Abort(code int) {
	C.wire_abort(C.int(code))
	select {}
}

// Library returns the name and version of the MPI library.
func Library() string {
	var b [8192]byte
	C.wire_name((*C.char)(unsafe.Pointer(&b[0])), C.int(len(b)))
	line, _, _ := strings.Cut(strings.TrimSpace(spoken(b[:])), "\n")
	return line
}

func spoken(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}

// check converts the result of a call to an error.
func (w *Wire) check(op string, code C.int) error {
	switch code {
	case 0:
		return nil
	case C.WIRE_THREAD:
		return fmt.Errorf("%s: %w", op, ErrThread)
	case C.WIRE_MEMORY:
		return fmt.Errorf("%s: no memory for another request", op)
	}
	var b [1024]byte
	C.wire_text(code, (*C.char)(unsafe.Pointer(&b[0])), C.int(len(b)))
	return fmt.Errorf("%s: MPI says: %s", op, spoken(b[:]))
}

// begun records an operation that a call began.
func (w *Wire) begun(s step, code C.int) error {
	if code == 0 {
		w.pending = append(w.pending, s)
	}
	return w.check(s.what, code)
}

// pin pins memory until all operations are done.
func (w *Wire) pin(b []byte) unsafe.Pointer {
	if len(b) == 0 {
		return nil
	}
	p := unsafe.Pointer(&b[0])
	w.pins.Pin(p)
	return p
}

// Send begins to send b to a rank, in pieces if it is long. An empty b is a
// message too.
func (w *Wire) Send(b []byte, to, tag int) error {
	return w.cut(b, func(part []byte) error {
		w.Messages++
		w.Bytes += int64(len(part))
		return w.begun(step{"send to", to, len(part)}, C.wire_send(w.pin(part), C.int(len(part)), C.int(to), C.int(tag)))
	})
}

// Receive begins to receive len(b) bytes.
func (w *Wire) Receive(b []byte, from, tag int) error {
	return w.cut(b, func(part []byte) error {
		return w.begun(step{"receive from", from, len(part)}, C.wire_receive(w.pin(part), C.int(len(part)), C.int(from), C.int(tag)))
	})
}

// cut calls do with pieces of b. Sender and receiver divide a message in the same way, and
// messages between two ranks do not overtake each other.
func (w *Wire) cut(b []byte, do func([]byte) error) error {
	for len(b) > w.Piece {
		if err := do(b[:w.Piece]); err != nil {
			return err
		}
		b = b[w.Piece:]
	}
	return do(b)
}

// Barrier begins to wait for all ranks.
func (w *Wire) Barrier() error { return w.begun(step{"barrier", -1, 0}, C.wire_barrier()) }

// Broadcast begins to send the bytes of root to all ranks.
func (w *Wire) Broadcast(b []byte, root int) error {
	return w.cut(b, func(part []byte) error {
		return w.begun(step{"broadcast", -1, len(part)}, C.wire_broadcast(w.pin(part), C.int(len(part)), C.int(root)))
	})
}

// Sum begins to replace each number by its sum over all ranks, modulo 2^64.
func (w *Wire) Sum(v []int64) error { return w.reduce("sum", v, C.WIRE_SUM_INT64) }

// Max begins to replace each number by the largest one of all ranks.
func (w *Wire) Max(v []int64) error { return w.reduce("maximum", v, C.WIRE_MAX_INT64) }

func (w *Wire) reduce(what string, v []int64, op C.int) error {
	if len(v) == 0 {
		return nil
	}
	if len(v) > w.Piece {
		return fmt.Errorf("%s: %d numbers at once, the most is %d: call it for parts of them", what, len(v), w.Piece)
	}
	p := unsafe.Pointer(&v[0])
	w.pins.Pin(p)
	return w.begun(step{what, -1, 8 * len(v)}, C.wire_reduce(p, C.int(len(v)), op))
}

// Gather begins to collect b of all ranks in all, in the order of ranks.
func (w *Wire) Gather(all, b []byte) error {
	if err := w.fit("gather", all, len(b)*w.Size); err != nil {
		return err
	}
	return w.begun(step{"gather", -1, len(b)}, C.wire_gather(w.pin(b), C.int(len(b)), w.pin(all)))
}

// Spread begins to send each rank its part of b, all of equal length, and to
// collect the parts from all ranks.
func (w *Wire) Spread(all, b []byte) error {
	if err := w.fit("spread", all, len(b)); err != nil {
		return err
	}
	return w.begun(step{"exchange", -1, len(b)}, C.wire_spread(w.pin(b), C.int(len(b)/w.Size), w.pin(all)))
}

func (w *Wire) fit(op string, all []byte, n int) error {
	if len(all) != n || n > w.Piece {
		return fmt.Errorf("%s: room for %d bytes where there will be %d, at most %d at once", op, len(all), n, w.Piece)
	}
	return nil
}

// Progress lets MPI work on the operations without waiting. It reports whether all
// operations are done.
func (w *Wire) Progress() (done bool, err error) {
	if err := w.check("Test", C.wire_test(0, &w.isDone)); err != nil {
		return false, err
	}
	if w.isDone != 0 {
		w.done()
	}
	return w.isDone != 0, nil
}

func (w *Wire) done() {
	w.pins.Unpin()
	w.pending = w.pending[:0]
}

// Work returns the CPU time that this thread has used so far, without the time in Wait.
func (w *Wire) Work() time.Duration { return time.Duration(C.wire_work()) - w.idle }

// Wait waits until all operations are done. If the limit passes first, it
// returns [ErrTime] with a list of the operations that are not done.
func (w *Wire) Wait(limit time.Duration) error {
	if len(w.pending) == 0 {
		return nil
	}
	began, work := time.Now(), w.Work()
	defer func() {
		w.Waited += time.Since(began)
		w.idle += w.Work() - work
	}()
	for {
		if err := w.check("Wait", C.wire_test(C.int64_t(10*time.Millisecond), &w.isDone)); err != nil {
			return err
		}
		if w.isDone != 0 {
			w.done()
			return nil
		}
		if waited := time.Since(began); waited >= limit {
			return fmt.Errorf("%w: for %v, on %s", ErrTime, limit, w.Waiting())
		}
	}
}

// said is the largest number of bytes in a rank's answer to Ask.
const said = 240

// Ask tells all ranks that this rank has waited too long, and for which
// operation. If other ranks have also waited too long, Ask returns their texts,
// as far as they arrive in time. Ask does not cancel the operations, because
// the job must be ended anyway.
func (w *Wire) Ask(text string, tag int, within time.Duration) []string {
	all := make([]string, w.Size)
	first := len(w.pending)
	own := make([]byte, said)
	copy(own, text)
	heard := make([][]byte, w.Size)
	var from []int
	for r := range w.Size {
		if r == w.Rank {
			continue
		}
		heard[r] = make([]byte, said)
		if w.Receive(heard[r], r, tag) == nil {
			from = append(from, r)
		}
	}
	for r := range w.Size {
		if r != w.Rank && w.Send(own, r, tag) != nil {
			break
		}
	}
	for began := time.Now(); time.Since(began) < within; time.Sleep(5 * time.Millisecond) {
		w.look()
	}
	for i, r := range from {
		if w.scratch[first+i] == 0 {
			all[r] = spoken(heard[r])
		}
	}
	return all
}

// look updates the list of pending requests.
func (w *Wire) look() {
	n := len(w.pending)
	w.scratch = append(w.scratch[:0], make([]byte, n)...)
	if n > 0 {
		C.wire_pending((*C.char)(unsafe.Pointer(&w.scratch[0])), C.int(n))
	}
}

// Waiting lists the operations that are not done.
func (w *Wire) Waiting() string {
	n := len(w.pending)
	if n == 0 {
		return "nothing"
	}
	w.look()
	var list []string
	for i, s := range w.pending {
		if w.scratch[i] == 0 {
			continue
		}
		if len(list) == 16 {
			list = append(list, fmt.Sprintf("… (%d begun)", n))
			break
		}
		list = append(list, s.String())
	}
	return strings.Join(list, ", ")
}
