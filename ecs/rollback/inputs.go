package rollback

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"

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

// at is where an input is kept.
func (l *Inputs[I]) at(player int, tick uint64) *I {
	return &l.values[int(tick&(l.capacity-1))*l.players+player]
}

// same reports whether the input at a place has the bits of another one.
func (l *Inputs[I]) same(own *I, input I) bool {
	return l.layout.equal(memoryOf(own), memoryOf(&input))
}

// oldest returns the oldest tick that may still be asked for: the inputs of this tick and of later ones must not be overwritten. A tick that
// is not confirmed by all may turn out to be wrong; one that is wrong is asked for again; and the next tick has not been asked for yet.
func (l *Inputs[I]) oldest() uint64 { return min(l.Confirmed(), l.wrong, l.shown) }

// Confirm says what the input of a player in a tick was. That of a tick that is confirmed already must be the same; that of one
// which At has shown with another prediction makes the tick wrong: see Wrong.
//
// The error wraps ecs.ErrArgument, and nothing has changed, if there is no such player, an input of an
// earlier tick is missing, one that was confirmed would change, or the log would overwrite an input that is still
// needed: one of a tick that is not confirmed by all, that has to be run again, or that At has not shown yet.
func (l *Inputs[I]) Confirm(player int, tick uint64, input I) error {
	if err := l.refuses("Inputs.Confirm", player, tick, input); err != nil {
		return err
	}
	if tick < l.confirmed[player] {
		return nil
	}
	own := l.at(player, tick)
	if tick < l.shown && !l.same(own, input) {
		l.wrong = min(l.wrong, tick)
	}
	*own = input
	l.confirmed[player]++
	return nil
}

// refuses says why an input is not taken by op.
func (l *Inputs[I]) refuses(op string, player int, tick uint64, input I) error {
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
	case tick >= l.oldest()+l.capacity:
		return l.tooFar(op, player, tick)
	case tick < known && tick+l.capacity >= max(known, l.shown) && !l.same(l.at(player, tick), input):
		return fmt.Errorf("rollback: %s: player %d: the input of tick %d was confirmed as another one: %w", op, player, tick, ecs.ErrArgument)
	}
	return nil
}

// tooFar is the error for an input that would take the place of one that is still needed.
func (l *Inputs[I]) tooFar(op string, player int, tick uint64) error {
	return fmt.Errorf("rollback: %s: player %d: the input of tick %d is too far ahead: the log has %d ticks, and tick %d has still to be confirmed by all and run: confirm or run that first: %w", op, player, tick, l.capacity, l.oldest(), ecs.ErrArgument)
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
	if tick >= l.oldest()+l.capacity {
		panic(l.tooFar("Inputs.At", 0, tick).Error())
	}
	for p, known := range l.confirmed {
		if tick < known {
			continue
		}
		var last I
		if known > 0 {
			last = *l.at(p, known-1)
		}
		*l.at(p, tick) = l.predict(p, tick, last)
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
	return *l.at(player, tick), true
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
