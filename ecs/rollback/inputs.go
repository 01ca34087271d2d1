package rollback

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
)

// Inputs is the log of the inputs of all players in each tick. For each player, the log
// contains confirmed inputs, and predicted inputs for the ticks after them. The log holds only
// the last ticks, up to its capacity. Inputs are compared by their bits: -0 differs from +0,
// and a NaN equals itself.
type Inputs[I comparable] struct {
	layout     *layout
	players    int
	capacity   uint64 // number of ticks; a power of two
	values     []I    // confirmed inputs, or the last predictions that At returned; by tick modulo capacity, and then by player
	confirmed  []uint64
	returned   uint64 // At has been called for all ticks below this one
	firstWrong uint64 // the first tick for which At has returned a wrong prediction and was not called again
	predict    func(player int, tick uint64, last I) I
}

// noTick is the value of a tick that does not exist.
const noTick = math.MaxUint64

// NewInputs returns an empty log for the given number of players. The log holds at least the given
// number of the last ticks. The function predict guesses the input of a player. Its parameter last
// is the player's last confirmed input, or the zero value. If predict is nil, the guess is last.
// The error wraps ecs.ErrArgument in two cases: players or ticks is below 1, or type I contains a
// value that is not a number or boolean, for example a string, pointer, interface or channel.
func NewInputs[I comparable](players, ticks int, predict func(player int, tick uint64, last I) I) (*Inputs[I], error) {
	if players < 1 || ticks < 1 {
		return nil, fmt.Errorf("rollback: NewInputs: %d players and %d ticks: there must be one of each: %w", players, ticks, ecs.ErrArgument)
	}
	layout, err := layoutOf("NewInputs", reflect.TypeFor[I]())
	if err != nil {
		return nil, err
	}
	if predict == nil {
		predict = func(_ int, _ uint64, last I) I { return last }
	}
	capacity := uint64(1) << bits.Len(uint(ticks-1))
	return &Inputs[I]{
		layout: layout, players: players, capacity: capacity, values: make([]I, int(capacity)*players),
		confirmed: make([]uint64, players), firstWrong: noTick, predict: predict,
	}, nil
}

// inputAt returns the address of an input in the log.
func (l *Inputs[I]) inputAt(player int, tick uint64) *I {
	return &l.values[int(tick&(l.capacity-1))*l.players+player]
}

// isSame reports whether an input in the log has the same bits as another input.
func (l *Inputs[I]) isSame(own *I, input I) bool {
	return l.layout.sameBits(memoryOf(own), memoryOf(&input))
}

// oldestNeeded returns the oldest tick whose inputs the log may still need. The log needs three
// kinds of ticks. It needs a tick that not all players have confirmed, because a prediction may
// be wrong. It needs a tick with a wrong prediction, because At must return it again. It needs
// the next tick, because At has not returned it yet.
func (l *Inputs[I]) oldestNeeded() uint64 { return min(l.Confirmed(), l.firstWrong, l.returned) }

// Confirm sets the input of a player in a tick. If the tick is already confirmed, the input must be
// the same. If At has already returned a different prediction for the tick, the tick becomes wrong:
// see Wrong.
//
// Confirm changes nothing and returns an error that wraps ecs.ErrArgument in three cases: the
// player does not exist, an earlier input of the player is missing, or the call would change a
// confirmed input. It returns the same error if the new input would overwrite an input that
// the log still needs, because not all players have confirmed its tick, the tick must run
// again, or At has not returned the tick yet.
func (l *Inputs[I]) Confirm(player int, tick uint64, input I) error {
	if err := l.checkInput("Inputs.Confirm", player, tick, input); err != nil {
		return err
	}
	if tick < l.confirmed[player] {
		return nil
	}
	own := l.inputAt(player, tick)
	if tick < l.returned && !l.isSame(own, input) {
		l.firstWrong = min(l.firstWrong, tick)
	}
	*own = input
	l.confirmed[player]++
	return nil
}

// checkInput returns an error if the operation with the name op must refuse an input.
func (l *Inputs[I]) checkInput(op string, player int, tick uint64, input I) error {
	if l == nil || l.players == 0 {
		return fmt.Errorf("rollback: %s: the log is the zero Inputs: make it with NewInputs: %w", op, ecs.ErrState)
	}
	if player < 0 || player >= l.players {
		return fmt.Errorf("rollback: %s: player %d of %d: %w", op, player, l.players, ecs.ErrArgument)
	}
	known := l.confirmed[player]
	switch {
	case tick > known:
		return fmt.Errorf("rollback: %s: player %d: the input of tick %d before that of tick %d: %w", op, player, tick, known, ecs.ErrArgument)
	case tick >= l.oldestNeeded()+l.capacity:
		return l.tooFarError(op, player, tick)
	case tick < known && tick+l.capacity >= max(known, l.returned) && !l.isSame(l.inputAt(player, tick), input):
		return fmt.Errorf("rollback: %s: player %d: the input of tick %d was confirmed as another one: %w", op, player, tick, ecs.ErrArgument)
	}
	return nil
}

// tooFarError returns the error for an input that would overwrite an input that is still needed.
func (l *Inputs[I]) tooFarError(op string, player int, tick uint64) error {
	return fmt.Errorf("rollback: %s: player %d: the input of tick %d is too far ahead: the log has %d ticks, and tick %d has still to be confirmed by all and run: confirm or run that first: %w", op, player, tick, l.capacity, l.oldestNeeded(), ecs.ErrArgument)
}

// At returns the inputs of a tick in the order of the players, confirmed or predicted. The slice
// belongs to the log and is valid until the next call. At panics if tick is neither the next
// tick nor a tick that the log holds. It also panics if its predictions would overwrite inputs
// of a tick that not all players have confirmed. At does not allocate.
func (l *Inputs[I]) At(tick uint64) []I {
	if l.players == 0 {
		panic("rollback: Inputs.At: the log is the zero Inputs: make it with NewInputs")
	}
	if tick > l.returned || tick+l.capacity < max(l.returned, slices.Max(l.confirmed)) {
		panic(fmt.Sprintf("rollback: Inputs.At: tick %d: the log has %d ticks and the next is %d", tick, l.capacity, l.returned))
	}
	if tick >= l.oldestNeeded()+l.capacity {
		panic(l.tooFarError("Inputs.At", 0, tick).Error())
	}
	for p, known := range l.confirmed {
		if tick < known {
			continue
		}
		var last I
		if known > 0 {
			last = *l.inputAt(p, known-1)
		}
		*l.inputAt(p, tick) = l.predict(p, tick, last)
	}
	l.returned = max(l.returned, tick+1)
	if tick == l.firstWrong { // later ticks must be returned again, too
		if l.firstWrong++; l.firstWrong == l.returned {
			l.firstWrong = noTick
		}
	}
	first := int(tick&(l.capacity-1)) * l.players
	return l.values[first : first+l.players : first+l.players]
}

// Input returns the input of a player in a tick. The result confirmed is false if the input is not
// confirmed or is no longer in the log.
func (l *Inputs[I]) Input(player int, tick uint64) (input I, confirmed bool) {
	if player < 0 || player >= l.players || tick >= l.confirmed[player] || tick+l.capacity < max(l.confirmed[player], l.returned) {
		return input, false
	}
	return *l.inputAt(player, tick), true
}

// Confirmed returns the number of ticks for which the inputs of all players are confirmed.
func (l *Inputs[I]) Confirmed() uint64 {
	if len(l.confirmed) == 0 {
		return 0
	}
	least := uint64(noTick)
	for _, n := range l.confirmed {
		least = min(least, n)
	}
	return least
}

// ConfirmedOf returns the number of confirmed inputs of a player. ConfirmedOf panics if there is no
// such player.
func (l *Inputs[I]) ConfirmedOf(player int) uint64 {
	if player < 0 || player >= l.players {
		panic(fmt.Sprintf("rollback: Inputs.ConfirmedOf: player %d of %d", player, l.players))
	}
	return l.confirmed[player]
}

// Wrong returns the first tick for which At has returned a wrong prediction. The second result
// reports whether there is such a tick. The program must restore the world before this tick, and
// call At again for this tick and for all later ticks. Until the program has done this, Wrong
// returns the next tick for which it must call At.
func (l *Inputs[I]) Wrong() (tick uint64, is bool) {
	return l.firstWrong, l.firstWrong != noTick && l.players > 0
}

// layout describes where an input's memory contains numbers. The bits of these numbers are
// compared. Values are not compared with ==, because == regards -0 as equal to +0, and a NaN as
// different from itself. Padding and blank fields are skipped, because a copy of a value may
// have other bytes there.
type layout struct {
	runs        []valueRun
	encodedSize int // number of bytes that appendInput appends; -1 if it differs between machines
}

// valueRun is a sequence of adjacent values of one kind, without gaps.
type valueRun struct {
	offset, size, count int
	kind                valueKind
}

// valueKind is the way in which a value is encoded, for example as an unsigned number.
type valueKind uint8

const (
	unsigned valueKind = iota // includes the bits of floats
	signed
	boolean
	blank
)

// layouts caches the layout of each type, because a packet is encoded and decoded in each tick.
var layouts sync.Map

// layoutOf returns the layout of a type. It refuses types that contain anything but numbers and
// booleans. For example, the text of a string and the value in an interface are outside of the
// input's own memory, and an address has no meaning for another peer.
func layoutOf(op string, t reflect.Type) (*layout, error) {
	if l, ok := layouts.Load(t); ok {
		return l.(*layout), nil
	}
	l := new(layout)
	if err := l.addType(t, t.String(), 0, false); err != nil {
		return nil, fmt.Errorf("rollback: %s: inputs of type %v: %w: an input has numbers, truth values, arrays and structs of these only: use a number or an array of fixed length in its place: %w", op, t, err, ecs.ErrArgument)
	}
	l.encodedSize = binary.Size(reflect.Zero(t).Interface())
	layouts.Store(t, l)
	return l, nil
}

// addType adds the values of type t, which begins at offset at.
func (l *layout) addType(t reflect.Type, name string, at int, hidden bool) error {
	k := unsigned
	switch t.Kind() {
	case reflect.Bool:
		k = boolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		k = signed
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64:
	case reflect.Complex64, reflect.Complex128:
		l.addRun(valueRun{at, int(t.Size()) / 2, 2, unsigned}, hidden)
		return nil
	case reflect.Array:
		for i := range t.Len() {
			if err := l.addType(t.Elem(), name+"[i]", at+i*int(t.Elem().Size()), hidden); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if err := l.addType(f.Type, name+"."+f.Name, at+int(f.Offset), hidden || f.Name == "_"); err != nil {
				return err
			}
		}
		return nil
	default:
		return fmt.Errorf("%s is of kind %v", name, t.Kind())
	}
	l.addRun(valueRun{at, int(t.Size()), 1, k}, hidden)
	return nil
}

// addRun adds a run. If the run is adjacent to the last run and of the same kind, addRun extends
// the last run.
func (l *layout) addRun(r valueRun, hidden bool) {
	if hidden {
		r.kind = blank
	}
	if last := len(l.runs) - 1; last >= 0 {
		if p := &l.runs[last]; p.kind == r.kind && p.size == r.size && p.offset+p.size*p.count == r.offset {
			p.count += r.count
			return
		}
	}
	l.runs = append(l.runs, r)
}

// sameBits reports whether two inputs have the same bits.
func (l *layout) sameBits(a, b []byte) bool {
	for _, r := range l.runs {
		if end := r.offset + r.size*r.count; r.kind != blank && !bytes.Equal(a[r.offset:end], b[r.offset:end]) {
			return false
		}
	}
	return true
}

// bits returns the value at an offset as a number that is the same on every machine.
func (r *valueRun) bits(b []byte) uint64 {
	var v uint64
	switch r.size {
	case 1:
		v = uint64(b[0])
	case 2:
		v = uint64(binary.NativeEndian.Uint16(b))
	case 4:
		v = uint64(binary.NativeEndian.Uint32(b))
	default:
		v = binary.NativeEndian.Uint64(b)
	}
	if free := 64 - 8*r.size; r.kind == signed {
		return uint64(int64(v<<free) >> free)
	}
	return v
}

// addDigest adds an input to a digest.
func (l *layout) addDigest(d uint64, b []byte) uint64 {
	for i := range l.runs {
		r := &l.runs[i]
		if r.kind == blank {
			continue
		}
		for k := range r.count {
			d = (d ^ r.bits(b[r.offset+k*r.size:])) * 0xff51afd7ed558ccd
			d ^= d >> 32
		}
	}
	return d
}

// appendInput appends an input in the little-endian format of package encoding/binary. Unlike that
// package, it never converts a float32 to float64 and back, because this would change the bits of
// a signaling NaN.
func (l *layout) appendInput(to, b []byte) []byte {
	for i := range l.runs {
		r := &l.runs[i]
		for k := range r.count {
			v := uint64(0)
			if r.kind != blank {
				v = r.bits(b[r.offset+k*r.size:])
			}
			for j := range r.size {
				to = append(to, byte(v>>(8*j)))
			}
		}
	}
	return to
}

// decodeInput decodes the bytes that appendInput has appended. It skips blank fields.
func (l *layout) decodeInput(b, from []byte) {
	for i := range l.runs {
		r := &l.runs[i]
		for k := range r.count {
			to, own := b[r.offset+k*r.size:][:r.size], from[:r.size]
			from = from[r.size:]
			switch {
			case r.kind == blank:
			case r.kind == boolean:
				to[0] = min(own[0], 1) // only 0 and 1 are valid bytes of a bool
			default:
				copy(to, own)
				if bigEndian {
					slices.Reverse(to)
				}
			}
		}
	}
}

// bigEndian reports whether this machine is big-endian.
var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1
