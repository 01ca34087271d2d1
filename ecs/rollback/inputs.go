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

// Inputs is the log of the inputs of all players, tick by tick: of each player first those that are
// confirmed, and after them those that were predicted. It knows the last ticks only, as many as its capacity says. Two inputs are the
// same if their bits are: -0 is another input than +0, and a NaN is the same as itself.
type Inputs[I comparable] struct {
	layout    *layout
	players   int
	capacity  uint64 // ticks; a power of two
	values    []I    // confirmed, or as At has shown them last: by tick modulo capacity, then by player
	confirmed []uint64
	shown     uint64 // At was asked for ticks below
	wrong     uint64 // the first tick that At has shown a wrong prediction for, and has not shown again since
	predict   func(player int, tick uint64, last I) I
}

// none is no tick.
const none = math.MaxUint64

// NewInputs returns an empty log of so many players that knows so many of the last ticks, or a few more.
// Predict guesses an input from the last one of the player that is confirmed, the zero value if there is none; without it
// that is the guess. The error wraps ecs.ErrArgument if there is no player or no tick, or if the type of an input contains anything but numbers
// and booleans: a string, a pointer, an interface or a channel.
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
		confirmed: make([]uint64, players), wrong: none, predict: predict,
	}, nil
}

// place returns the address of an input in the log.
func (l *Inputs[I]) place(player int, tick uint64) *I {
	return &l.values[int(tick&(l.capacity-1))*l.players+player]
}

// isSame reports whether the input at a place has the bits of another one.
func (l *Inputs[I]) isSame(own *I, input I) bool {
	return l.layout.sameBits(memoryOf(own), memoryOf(&input))
}

// oldestNeeded returns the oldest tick that may still be asked for: the inputs of this tick and of later ones must not be overwritten. A tick that
// is not confirmed by all may turn out to be wrong; one that is wrong is asked for again; and the next tick has not been asked for yet.
func (l *Inputs[I]) oldestNeeded() uint64 { return min(l.Confirmed(), l.wrong, l.shown) }

// Confirm says what the input of a player in a tick was. That of a tick that is confirmed already must be the same; that of one
// which At has shown with another prediction makes the tick wrong: see Wrong.
//
// The error wraps ecs.ErrArgument, and nothing has changed, if there is no such player, an input of an
// earlier tick is missing, one that was confirmed would change, or the log would overwrite an input that is still
// needed: one of a tick that is not confirmed by all, that has to be run again, or that At has not shown yet.
func (l *Inputs[I]) Confirm(player int, tick uint64, input I) error {
	if err := l.checkInput("Inputs.Confirm", player, tick, input); err != nil {
		return err
	}
	if tick < l.confirmed[player] {
		return nil
	}
	own := l.place(player, tick)
	if tick < l.shown && !l.isSame(own, input) {
		l.wrong = min(l.wrong, tick)
	}
	*own = input
	l.confirmed[player]++
	return nil
}

// checkInput returns the error of an input that op must refuse.
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
	case tick < known && tick+l.capacity >= max(known, l.shown) && !l.isSame(l.place(player, tick), input):
		return fmt.Errorf("rollback: %s: player %d: the input of tick %d was confirmed as another one: %w", op, player, tick, ecs.ErrArgument)
	}
	return nil
}

// tooFarError is the error for an input that would take the place of one that is still needed.
func (l *Inputs[I]) tooFarError(op string, player int, tick uint64) error {
	return fmt.Errorf("rollback: %s: player %d: the input of tick %d is too far ahead: the log has %d ticks, and tick %d has still to be confirmed by all and run: confirm or run that first: %w", op, player, tick, l.capacity, l.oldestNeeded(), ecs.ErrArgument)
}

// At returns the inputs of a tick in the order of the players, confirmed or predicted. They are the log's, and good until
// it is asked for the next. It panics if the tick is not the next one or one of those that are known, or if its predictions would take the
// place of inputs of a tick that is not confirmed by all.
func (l *Inputs[I]) At(tick uint64) []I {
	if l.players == 0 {
		panic("rollback: Inputs.At: the log is the zero Inputs: make it with NewInputs")
	}
	if tick > l.shown || tick+l.capacity < max(l.shown, slices.Max(l.confirmed)) {
		panic(fmt.Sprintf("rollback: Inputs.At: tick %d: the log has %d ticks and the next is %d", tick, l.capacity, l.shown))
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
			last = *l.place(p, known-1)
		}
		*l.place(p, tick) = l.predict(p, tick, last)
	}
	l.shown = max(l.shown, tick+1)
	if tick == l.wrong { // later ticks that were shown have to be shown again, too
		if l.wrong++; l.wrong == l.shown {
			l.wrong = none
		}
	}
	first := int(tick&(l.capacity-1)) * l.players
	return l.values[first : first+l.players : first+l.players]
}

// Input returns what a player did in a tick, if that is confirmed and not forgotten.
func (l *Inputs[I]) Input(player int, tick uint64) (input I, confirmed bool) {
	if player < 0 || player >= l.players || tick >= l.confirmed[player] || tick+l.capacity < max(l.confirmed[player], l.shown) {
		return input, false
	}
	return *l.place(player, tick), true
}

// Confirmed returns how many ticks have all their inputs confirmed.
func (l *Inputs[I]) Confirmed() uint64 {
	if len(l.confirmed) == 0 {
		return 0
	}
	least := uint64(none)
	for _, n := range l.confirmed {
		least = min(least, n)
	}
	return least
}

// ConfirmedOf returns how many inputs of a player are confirmed. It panics if there is no such player.
func (l *Inputs[I]) ConfirmedOf(player int) uint64 {
	if player < 0 || player >= l.players {
		panic(fmt.Sprintf("rollback: Inputs.ConfirmedOf: player %d of %d", player, l.players))
	}
	return l.confirmed[player]
}

// Wrong returns the first tick that At has shown with a prediction that was wrong: the world has to go back to it, and At
// has to be asked for it and for all later ticks again. Until At has been asked for all of them, Wrong returns the next of them.
func (l *Inputs[I]) Wrong() (tick uint64, is bool) { return l.wrong, l.wrong != none && l.players > 0 }

// layout says where the numbers of an input are in its memory. Inputs are compared by the bits of these numbers and not with ==, because
// == takes -0 for +0, and a NaN for another value than itself. Padding and blank fields are left out, because a copy of a value need
// not have the same bytes there.
type layout struct {
	runs    []valueRun
	encoded int // how many bytes appendInput appends; -1 if that depends on the machine
}

// valueRun is a number of values of one kind that follow each other without a gap.
type valueRun struct {
	at, size, n int
	kind        valueKind
}

// valueKind says how a value is read.
type valueKind uint8

const (
	unsigned valueKind = iota // floats too: their bits
	signed
	boolean
	blank
)

// layouts has the layout of each type that was asked for, because a packet is made and read in each tick.
var layouts sync.Map

// layoutOf returns the layout of a type. It refuses types that have something beside numbers: the text of a string, or the value in an
// interface, is not in the input's own memory, and an address means nothing to another peer.
func layoutOf(op string, t reflect.Type) (*layout, error) {
	if l, ok := layouts.Load(t); ok {
		return l.(*layout), nil
	}
	l := new(layout)
	if err := l.addType(t, t.String(), 0, false); err != nil {
		return nil, fmt.Errorf("rollback: %s: inputs of type %v: %w: an input has numbers, truth values, arrays and structs of these only: use a number or an array of fixed length in its place: %w", op, t, err, ecs.ErrArgument)
	}
	l.encoded = binary.Size(reflect.Zero(t).Interface())
	layouts.Store(t, l)
	return l, nil
}

// addType adds the values of a type that begins at an offset.
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

// addRun adds a run, to the last one if it goes on.
func (l *layout) addRun(r valueRun, hidden bool) {
	if hidden {
		r.kind = blank
	}
	if last := len(l.runs) - 1; last >= 0 {
		if p := &l.runs[last]; p.kind == r.kind && p.size == r.size && p.at+p.size*p.n == r.at {
			p.n += r.n
			return
		}
	}
	l.runs = append(l.runs, r)
}

// sameBits reports whether two inputs have the same bits.
func (l *layout) sameBits(a, b []byte) bool {
	for _, r := range l.runs {
		if end := r.at + r.size*r.n; r.kind != blank && !bytes.Equal(a[r.at:end], b[r.at:end]) {
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
		for k := range r.n {
			d = (d ^ r.bits(b[r.at+k*r.size:])) * 0xff51afd7ed558ccd
			d ^= d >> 32
		}
	}
	return d
}

// appendInput appends an input as package encoding/binary does, little end first. Unlike that package it does not bring a float32 to float64 and
// back, which changes the bits of a signaling NaN.
func (l *layout) appendInput(to, b []byte) []byte {
	for i := range l.runs {
		r := &l.runs[i]
		for k := range r.n {
			v := uint64(0)
			if r.kind != blank {
				v = r.bits(b[r.at+k*r.size:])
			}
			for j := range r.size {
				to = append(to, byte(v>>(8*j)))
			}
		}
	}
	return to
}

// decodeInput reads an input that appendInput has written. Blank fields are skipped.
func (l *layout) decodeInput(b, from []byte) {
	for i := range l.runs {
		r := &l.runs[i]
		for k := range r.n {
			to, own := b[r.at+k*r.size:][:r.size], from[:r.size]
			from = from[r.size:]
			switch {
			case r.kind == blank:
			case r.kind == boolean:
				to[0] = min(own[0], 1) // another byte is no bool
			default:
				copy(to, own)
				if bigEndian {
					slices.Reverse(to)
				}
			}
		}
	}
}

// bigEndian says that this machine has the big end of a number first.
var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1
