package mpi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/lanewise/lanewise/internal/fpmode"
	"github.com/lanewise/lanewise/mpi/internal/wire"
)

var (
	// ErrTime is returned if other ranks did not send or receive a message
	// within [Comm.Timeout]. The text of the error lists the missing messages
	// and their ranks.
	ErrTime = wire.ErrTime
	// ErrThread is returned if a method is called on a goroutine other than the goroutine
	// of [Begin].
	ErrThread = wire.ErrThread
	// ErrMachine is returned by [Begin] if ranks have different byte orders.
	ErrMachine = errors.New("ranks on machines with other orders of bytes")
)

// timeout is the default of Comm.Timeout.
const timeout = 5 * time.Minute

// A Comm is the connection of a rank to all ranks of a job. Only the goroutine
// of [Begin] may call its methods, and all ranks must call them in the same
// order, unless a method says otherwise.
type Comm struct {
	// Tick is the tick that error messages report. [Domain.Exchange] increments it.
	Tick int
	// Timeout is the longest time to wait for other ranks: five minutes, unless
	// it is set. Timeout must be longer than the slowest step of a rank.
	Timeout time.Duration

	wire    *wire.Wire
	lengths []byte
	all     []byte
	rooms   [][]byte // of Exchange
	in      [][]byte
}

// Begin makes this process a rank of the job that mpirun has started. A process
// that was started without mpirun is the only rank. The goroutine stays on its
// thread. Begin may be called only once.
//
// Begin returns an error if a thread of the process flushes subnormal numbers to zero or
// does not round to nearest, for the same reason as [jobs.New]. For example, a C library
// that was built with -ffast-math changes these modes in a thread. Begin cannot detect a
// library that is loaded later.
func Begin() (*Comm, error) {
	w, err := wire.Begin()
	if err != nil {
		return nil, fmt.Errorf("mpi: Begin: %w", err)
	}
	if err := fpmode.Check(); err != nil { // checked here, because MPI and its libraries are loaded now
		return nil, fmt.Errorf("mpi: Begin: rank %d of %d: %w", w.Rank, w.Size, err)
	}
	c := &Comm{Timeout: timeout, wire: w}
	own, all := binary.NativeEndian.AppendUint64(nil, 0x0102030405060708), make([]byte, 8*w.Size)
	if err := c.wait("Begin", w.Gather(all, own)); err != nil {
		return nil, err
	}
	for r := range w.Size {
		if got := binary.NativeEndian.Uint64(all[8*r:]); got != 0x0102030405060708 {
			return nil, c.fail("Begin", fmt.Errorf("%w: rank %d: start all ranks on machines of one kind", ErrMachine, r))
		}
	}
	return c, nil
}

// End leaves the job. It waits until all ranks have called it.
func (c *Comm) End() error {
	if err := c.wait("End", c.wire.Barrier()); err != nil {
		return err
	}
	if err := c.wire.End(); err != nil {
		return c.fail("End", err)
	}
	return nil
}

// Main is the main function of a program for mpirun: it calls Begin and run,
// and ends MPI. If run fails or panics on any rank, the message has the rank,
// the tick and the reason, and all ranks end with exit code 1. It returns only
// after success.
func Main(run func(c *Comm) error) {
	c, err := Begin()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer func() {
		if r := recover(); r != nil {
			c.Abort(1, fmt.Errorf("panic: %v\n%s", r, debug.Stack()))
		}
	}()
	if err := run(c); err != nil {
		c.Abort(1, err)
	}
	if err := c.End(); err != nil {
		c.Abort(1, err)
	}
}

// Rank returns the number of this rank, from 0.
func (c *Comm) Rank() int { return c.wire.Rank }

// Size returns the number of ranks.
func (c *Comm) Size() int { return c.wire.Size }

// Library returns the name and the version of the MPI library.
func (c *Comm) Library() string { return wire.Library() }

// Abort ends all ranks with an exit code, after it has written a line to
// standard error with this rank, its tick and the reason. Any goroutine may
// call it. It does not return.
func (c *Comm) Abort(code int, reason error) {
	var own *failure
	if !errors.As(reason, &own) { // these errors have the rank in their text
		reason = &failure{c.wire.Rank, c.wire.Size, c.Tick, "", reason}
	}
	fmt.Fprintln(os.Stderr, reason)
	wait := 100 * time.Millisecond // so that mpirun can pass the line on before it ends all ranks
	if errors.Is(reason, ErrTime) {
		wait = 500 * time.Millisecond // other ranks have waited as long and will report the rank that is missing
	}
	time.Sleep(wait)
	c.wire.Abort(code)
}

// failure is an error together with the rank and the tick where it happened.
type failure struct {
	rank, size, tick int
	op               string
	err              error
}

func (f *failure) Error() string {
	op := f.op
	if op != "" {
		op += ": "
	}
	return fmt.Sprintf("mpi: rank %d of %d, tick %d: %s%v", f.rank, f.size, f.tick, op, f.err)
}

func (f *failure) Unwrap() error { return f.err }

// fail returns err as an error of this rank.
func (c *Comm) fail(op string, err error) error {
	return &failure{c.wire.Rank, c.wire.Size, c.Tick, op, err}
}

// wait waits for all operations that were begun. If an operation could not begin, wait
// returns its error at once.
func (c *Comm) wait(op string, begun ...error) error {
	if err := errors.Join(begun...); err != nil {
		return c.fail(op, err)
	}
	err := c.wire.Wait(c.Timeout)
	if errors.Is(err, ErrTime) {
		err = fmt.Errorf("%w; %s", err, c.askOthers(op))
	}
	if err != nil {
		return c.fail(op, err)
	}
	return nil
}

// askOthers asks the other ranks for their state, after this rank has waited too
// long.
func (c *Comm) askOthers(op string) string {
	own := fmt.Sprintf("in %s at tick %d, on %s", op, c.Tick, c.wire.Waiting())
	var silent, waiting []string
	for r, text := range c.wire.Ask(own, tagLate, time.Second) {
		switch {
		case r == c.wire.Rank:
		case text == "":
			silent = append(silent, strconv.Itoa(r))
		default:
			waiting = append(waiting, fmt.Sprintf("rank %d waits %s", r, text))
		}
	}
	if len(silent) > 0 {
		waiting = append([]string{"not waiting as long: rank " + strings.Join(silent, ", ") + " (at work, or gone: set Comm.Timeout above the longest step)"}, waiting...)
	}
	return strings.Join(waiting, "; ")
}

// Barrier waits until all ranks have called it.
func (c *Comm) Barrier() error { return c.wait("Barrier", c.wire.Barrier()) }

// Broadcast returns, on all ranks, the bytes that root has passed. It ignores the bytes
// that other ranks pass.
func (c *Comm) Broadcast(b []byte, root int) ([]byte, error) {
	const op = "Broadcast"
	if err := c.checkRank(op, root); err != nil {
		return nil, err
	}
	n := []int64{0}
	if c.wire.Rank == root {
		n[0] = int64(len(b))
	}
	if err := c.wait(op, c.wire.Sum(n)); err != nil {
		return nil, err
	}
	if c.wire.Rank != root {
		b = make([]byte, n[0])
	}
	return b, c.wait(op, c.wire.Broadcast(b, root))
}

// checkRank returns an error if there is no such rank.
func (c *Comm) checkRank(op string, rank int) error {
	if rank < 0 || rank >= c.wire.Size {
		return c.fail(op, fmt.Errorf("there is no rank %d", rank))
	}
	return nil
}

// SumInts replaces each number by its sum over all ranks, modulo 2^64. The
// slices of all ranks must have the same length.
func (c *Comm) SumInts(v []int64) error { return c.wait("SumInts", c.wire.Sum(v)) }

// MaxInts replaces each number by the largest one of all ranks. The slices of
// all ranks must have the same length.
func (c *Comm) MaxInts(v []int64) error { return c.wait("MaxInts", c.wire.Max(v)) }

// Exchange sends out[r] to each rank r, and returns the bytes that each rank
// sent: in[r] holds the bytes of rank r. The returned bytes are valid until the
// next call of a method. Any rank may send any number of bytes, including none,
// to any rank, including itself.
func (c *Comm) Exchange(out [][]byte) (in [][]byte, err error) {
	if c.rooms == nil {
		c.rooms = make([][]byte, c.wire.Size)
	}
	return c.exchange("Exchange", out, c.rooms)
}

// exchange is like Exchange. It stores the received bytes in the slices of rooms, indexed
// by rank, so that their memory is reused. If rooms is nil, it allocates.
func (c *Comm) exchange(op string, out, rooms [][]byte) ([][]byte, error) {
	n := c.wire.Size
	if len(out) != n {
		return nil, c.fail(op, fmt.Errorf("out has messages for %d ranks: one for each is needed, which may be empty", len(out)))
	}
	c.lengths = c.lengths[:0]
	for _, b := range out {
		c.lengths = binary.NativeEndian.AppendUint64(c.lengths, uint64(len(b)))
	}
	lengths := append(c.all[:0], make([]byte, 8*n)...)
	c.all = lengths
	if err := c.wait(op, c.wire.Spread(lengths, c.lengths)); err != nil {
		return nil, err
	}
	if rooms == nil {
		c.in, rooms = nil, make([][]byte, n)
	}
	c.in = append(c.in[:0], make([][]byte, n)...)
	if err := c.receive(lengths, rooms); err != nil {
		return nil, c.fail(op, err)
	}
	for r, b := range out {
		if r == c.wire.Rank {
			c.in[r] = b
		} else if len(b) > 0 {
			if err := c.wire.Send(b, r, tagExchange); err != nil {
				return nil, c.fail(op, err)
			}
		}
	}
	return c.in, c.wait(op)
}

// receive begins to receive from other ranks. Parameter lengths holds the encoded lengths
// of the messages.
func (c *Comm) receive(lengths []byte, rooms [][]byte) error {
	for r := range rooms {
		k := int(binary.NativeEndian.Uint64(lengths[8*r:]))
		if k == 0 || r == c.wire.Rank {
			continue
		}
		if cap(rooms[r]) < k {
			rooms[r] = make([]byte, k, k+k/4)
		}
		c.in[r] = rooms[r][:k]
		if err := c.wire.Receive(c.in[r], r, tagExchange); err != nil {
			return err
		}
	}
	return nil
}

// The tags of messages.
const (
	tagExchange = 1 + iota
	tagHalo
	tagRest
	tagLate
	tagDown
	tagUp
)

// Gather returns the bytes of all ranks on root, indexed by rank. On other ranks it returns nil.
func (c *Comm) Gather(b []byte, root int) ([][]byte, error) {
	const op = "Gather"
	if err := c.checkRank(op, root); err != nil {
		return nil, err
	}
	out := make([][]byte, c.wire.Size)
	out[root] = b
	in, err := c.exchange(op, out, nil)
	if err != nil || c.wire.Rank != root {
		return nil, err
	}
	c.in = nil // they are the caller's
	return in, nil
}
