package rollback_test

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rollback"
)

// Push is the input of a player in a tick.
type Push int8

// Cart is the place of a player's cart.
type Cart struct{ Player, At int32 }

// Game is a world of two carts.
type Game struct {
	w     *ecs.World
	carts [2]ecs.Entity
	ran   int
}

func newGame() *Game {
	g := &Game{w: ecs.NewWorld("carts")}
	for p := range g.carts {
		g.carts[p] = g.w.Spawn(Cart{Player: int32(p)})
	}
	return g
}

// step runs one tick.
func (g *Game) step(tick uint64, inputs []Push) error {
	g.ran++
	for p, push := range inputs {
		cart, err := ecs.Get[Cart](g.w, g.carts[p])
		if err != nil {
			return err
		}
		cart.At += int32(push)
		if err := ecs.Set(g.w, g.carts[p], cart); err != nil {
			return err
		}
	}
	return nil
}

func Example() {
	var games [2]*Game
	var peers [2]*rollback.Session[Push]
	for p := range games {
		games[p] = newGame()
		defer games[p].w.Close()
		s, err := rollback.New(rollback.Config[Push]{
			World: games[p].w, Players: 2, Local: p,
			Step: games[p].step,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		peers[p] = s
	}
	turn := func(tick int, arrives bool) {
		for p, s := range peers {
			if err := s.Advance(Push(p + tick/4)); err != nil {
				fmt.Println(err)
			}
		}
		var packet rollback.Packet[Push]
		for p, s := range peers {
			if s.Packet(1-p, &packet); arrives {
				if err := peers[1-p].Receive(&packet); err != nil {
					fmt.Println(err)
				}
			}
		}
	}
	for tick := range 6 {
		turn(tick, false) // no packet arrives: each predicts that the other does nothing
	}
	fmt.Println(ecs.Get[Cart](games[0].w, games[0].carts[1]))
	turn(6, true)
	for p, s := range peers {
		s.Settle()
		fmt.Printf("player %d: %d of %d ticks confirmed, ran %d, hash %#x\n", p, s.Confirmed(), s.Tick(), games[p].ran, games[p].w.Hash())
	}
	fmt.Println(ecs.Get[Cart](games[0].w, games[0].carts[1]))
	// Output:
	// {1 0} <nil>
	// player 0: 7 of 7 ticks confirmed, ran 14, hash 0x7efbf70999c4f1ba
	// player 1: 7 of 7 ticks confirmed, ran 10, hash 0x7efbf70999c4f1ba
	// {1 10} <nil>
}

func ExampleInputs() {
	log, err := rollback.NewInputs[Push](2, 8, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	log.Confirm(0, 0, 1)
	fmt.Println(log.At(0)) // player 1 is unknown
	log.Confirm(0, 1, 1)
	fmt.Println(log.At(1))
	log.Confirm(1, 0, -1)
	fmt.Println(log.Wrong())
	fmt.Println(log.At(0), log.At(1)) // predictions repeat the last confirmed input
	fmt.Println(log.Confirmed(), log.ConfirmedOf(0))
	fmt.Println(log.Input(1, 0))
	// Output:
	// [1 0]
	// [1 0]
	// 0 true
	// [1 -1] [1 -1]
	// 1 2
	// -1 true
}

// Place is the position of a car.
type Place struct{ X float32 }

func ExampleRing() {
	w := ecs.NewWorld("example")
	car := w.Spawn(Place{X: -1})
	ring, err := rollback.NewRing(w, 8)
	for tick := range uint64(10) {
		err = errors.Join(err, ring.Keep(tick)) // before the tick
		ecs.Set(w, car, Place{X: float32(tick)})
	}
	err = errors.Join(err, ring.Back(7)) // the state before tick 7; later ticks are dropped
	place, _ := ecs.Get[Place](w, car)
	fmt.Println(place.X, ring.Image(8) == nil, ring.Back(1), err)
	// Output: 6 true rollback: Ring.Back: tick 1 is not kept: the ring has 6 ticks, from 2 to 7: index out of range <nil>
}
