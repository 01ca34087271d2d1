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
	// ErrTime is returned when other ranks did not do their part within [Comm.Timeout]. Its text says what is missing from
	// which rank.
	ErrTime = wire.ErrTime
	// ErrThread is returned by what another goroutine calls than the one of [Begin].
	ErrThread = wire.ErrThread
	// ErrMachine is returned by [Begin] if ranks do not order the bytes of a number alike.
	ErrMachine = errors.New("ranks on machines with other orders of bytes")
)

// timeout is how long ranks wait for each other unless they are told otherwise.
const timeout = 5 * time.Minute

// A Comm is all ranks of a job, seen by one of them. Its methods are called by the goroutine of [Begin] alone, on all ranks in the
// same order, unless they say otherwise.
type Comm struct {
	// Tick is what errors say. [Domain.Exchange] adds one.
	Tick int
	// Timeout is how long to wait for others at once: five minutes, unless it is set. A rank may be late by what its slowest step takes.
	Timeout time.Duration

	wire    *wire.Wire
	lengths []byte
	all     []byte
	rooms   [][]byte // of Exchange
	in      [][]byte
}

// Begin makes this process a rank of the job that mpirun has started; a process that was started by itself is the only one. The
// goroutine stays on its thread. It is called once.
//
// It returns an error if a thread of the process takes subnormal numbers for zero, or does not round to the nearest, as
// [jobs.New] panics then: a C library that was built with -ffast-math has done that. A library that is loaded later is not seen.
func Begin() (*Comm, error) {
	w, err := wire.Begin()
	if err != nil {
		return nil, fmt.Errorf("mpi: Begin: %w", err)
	}
	if err := fpmode.Check(); err != nil { // MPI, and all that was linked with it, is loaded now
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

// End leaves the job: it waits until all ranks do.
func (c *Comm) End() error {
	if err := c.wait("End", c.wire.Barrier()); err != nil {
		return err
	}
	if err := c.wire.End(); err != nil {
		return c.fail("End", err)
	}
	return nil
}

// Main is the main of a program for mpirun: it begins, runs, and ends. If run fails or panics on any rank, the text says on which
// one, at which tick and why, and all ranks end with exit code 1. It returns when all went well.
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

// Rank is the number of this rank, from 0.
func (c *Comm) Rank() int { return c.wire.Rank }

// Size is how many ranks there are.
func (c *Comm) Size() int { return c.wire.Size }

// Library is the name and the version of the MPI.
func (c *Comm) Library() string { return wire.Library() }

// Abort ends all ranks with an exit code, after a line to standard error with this rank, its tick and the reason. It may be called
// by any goroutine, and does not return.
func (c *Comm) Abort(code int, reason error) {
	var own *failure
	if !errors.As(reason, &own) { // these say which rank they are
		reason = &failure{c.wire.Rank, c.wire.Size, c.Tick, "", reason}
	}
	fmt.Fprintln(os.Stderr, reason)
	wait := 100 * time.Millisecond // mpirun is to pass the line on before it ends all
	if errors.Is(reason, ErrTime) {
		wait = 500 * time.Millisecond // others have waited as long: they say for which
	}
	time.Sleep(wait)
	c.wire.Abort(code)
}

// failure is an error, and where it came up.
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

// fail makes an error of this rank.
func (c *Comm) fail(op string, err error) error {
	return &failure{c.wire.Rank, c.wire.Size, c.Tick, op, err}
}

// wait waits for all that was begun, unless that has failed.
func (c *Comm) wait(op string, begun ...error) error {
	if err := errors.Join(begun...); err != nil {
		return c.fail(op, err)
	}
	err := c.wire.Wait(c.Timeout)
	if errors.Is(err, ErrTime) {
		err = fmt.Errorf("%w; %s", err, c.others(op))
	}
	if err != nil {
		return c.fail(op, err)
	}
	return nil
}

// others says what the other ranks do, when this one has waited too long.
func (c *Comm) others(op string) string {
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

// Broadcast returns the bytes that root has: those of other ranks do not matter.
func (c *Comm) Broadcast(b []byte, root int) ([]byte, error) {
	const op = "Broadcast"
	if err := c.known(op, root); err != nil {
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

// known fails if there is no such rank.
func (c *Comm) known(op string, rank int) error {
	if rank < 0 || rank >= c.wire.Size {
		return c.fail(op, fmt.Errorf("there is no rank %d", rank))
	}
	return nil
}

// SumInts replaces each of the numbers by its sum over all ranks, which is taken modulo 2^64. All ranks have as many.
func (c *Comm) SumInts(v []int64) error { return c.wait("SumInts", c.wire.Sum(v)) }

// MaxInts replaces each of the numbers by the largest one of all ranks. All ranks have as many.
func (c *Comm) MaxInts(v []int64) error { return c.wait("MaxInts", c.wire.Max(v)) }

// Exchange sends out[r] to each rank r, and returns what each rank sent, by rank: in[r]. It is good until the next call of anything here. Any rank
// may send anything to any other, also to itself, and nothing.
func (c *Comm) Exchange(out [][]byte) (in [][]byte, err error) {
	if c.rooms == nil {
		c.rooms = make([][]byte, c.wire.Size)
	}
	return c.exchange("Exchange", out, c.rooms)
}

// exchange keeps what comes in rooms, by rank, to use them again; without any in new memory.
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

// receive begins to take in what other ranks send, whose lengths are known.
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
)

// Gather brings the bytes of all ranks to root, by rank; other ranks get nothing.
func (c *Comm) Gather(b []byte, root int) ([][]byte, error) {
	const op = "Gather"
	if err := c.known(op, root); err != nil {
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
