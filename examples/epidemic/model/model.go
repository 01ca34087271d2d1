// Package model is the town of examples/epidemic. The command epidemic uses the model in studies. The
// gallery (examples/gallery) shows one run.
package model

import (
	"math/bits"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// Epidemic is the model. Its exported fields are the parameters.
type Epidemic struct {
	Side  int     `default:"64" range:"4..4096" unit:"people" help:"on a side of the town"`
	Beta  float64 `default:"0.2" range:"0..1" unit:"1/day" help:"chance to catch it from an infected neighbour"`
	Gamma float64 `default:"0.1" range:"0..1" unit:"1/day" help:"chance to recover"`
	Days  int     `default:"200" range:"1..100000" help:"after which nobody looks any more"`
	First int     `default:"5" range:"1..1000" unit:"people" help:"infected on the first day"`

	people *ecs.Query
	before []int // number of people in earlier chunks
	town   town
	peak   int
}

// Health is the state of a person.
type Health struct{ Value uint8 }

// Column returns the view of a column: a slice.
func (Health) Column() (c []uint8) { return }

// These are the values of Health.
const (
	Susceptible = iota
	Infected
	Recovered
)

// These are the numbers of the streams of random numbers.
const (
	StreamFirst = iota
	StreamDay   // one number per person: healthy people are infected by it, and ill people recover by it
)

// Begin creates a world in which the first people are infected.
func (m *Epidemic) Begin(name string, pool *jobs.Pool, key random.Key) *ecs.World {
	w := m.settle(name, pool)
	n := uint64(m.Side * m.Side)
	for i := range m.First {
		m.town.set(int(random.BelowOf(key.ID(uint64(i)), n)), Infected)
	}
	m.put()
	return w
}

// settle creates a world of healthy people.
func (m *Epidemic) settle(name string, pool *jobs.Pool) *ecs.World {
	w := ecs.NewWorld(name, ecs.OnPool(pool))
	m.people = w.Query(ecs.Write[Health]())
	w.Create(w.Archetype(ecs.With[Health]()), m.Side*m.Side)
	m.before = m.people.AppendOffsets(nil)
	m.town = newTown(m.Side, m.Beta, m.Gamma)
	return w
}

// put writes the states of all people to the world.
func (m *Epidemic) put() {
	for c := range m.people.Chunks() {
		for i := range *ecs.Column[Health](c) {
			(*ecs.Column[Health](c))[i] = m.town.health(m.before[c.Index()] + i)
		}
	}
}

// Take reads the states of all people from the world, as put writes them. Call it when the world was
// restored, because the model has a second copy of the people, as bits.
func (m *Epidemic) Take() {
	m.before = m.people.AppendOffsets(m.before[:0])
	for c := range m.people.Chunks() {
		for i, h := range *ecs.ReadColumn[Health](c) {
			m.town.set(m.before[c.Index()]+i, h)
		}
	}
}

// Health returns the state of a person. People are numbered line by line.
func (m *Epidemic) Health(at int) uint8 { return m.town.health(at) }

// SetRates changes the parameters Beta and Gamma during a run.
func (m *Epidemic) SetRates(beta, gamma float64) {
	m.Beta, m.Gamma = beta, gamma
	m.town.setRates(beta, gamma)
}

// NextDay simulates a day with the random numbers of a key. It counts the people in each state.
func (m *Epidemic) NextDay(pool *jobs.Pool, key random.Key) (count [3]int, err error) {
	t := &m.town
	t.key = key
	if err := pool.Range(len(t.well), 64, t.decide); err != nil {
		return count, err
	}
	if err := m.people.ParallelFor(m).Wait(); err != nil {
		return count, err
	}
	return t.turn(), nil
}

// Chunk writes the day's changes to the people of one chunk.
func (m *Epidemic) Chunk(c *ecs.Chunk) {
	now, lo := *ecs.Column[Health](c), m.before[c.Index()]
	hi := lo + len(now)
	for k := lo / 64; 64*k < hi; k++ {
		if m.town.caught[k]|m.town.healed[k] == 0 {
			continue
		}
		for _, turn := range [...]struct {
			who uint64
			to  uint8
		}{{m.town.caught[k], Infected}, {m.town.healed[k], Recovered}} {
			for who := turn.who; who != 0; who &= who - 1 {
				if at := 64*k + bits.TrailingZeros64(who); at >= lo && at < hi {
					now[at-lo] = turn.to
				}
			}
		}
	}
}

// A town stores the states of people as bits, line by line, so that a word holds the states of 64
// people. One operation on words then computes something for 64 people at once.
type town struct {
	side        int
	pad         int      // empty words before and after those of ill
	well, ill   []uint64 // a bit per person; all others have recovered
	first, last []uint64 // people without a left neighbour, and without a right one
	caught      []uint64 // the changes of the day
	healed      []uint64
	chance      [5]float32 // of an infection, by the number of ill neighbours
	recover     float32
	key         random.Key
}

func newTown(side int, beta, gamma float64) town {
	n := side * side
	words := kernels.MaskLen(n)
	t := town{side: side, pad: side/64 + 2}
	for _, m := range []*[]uint64{&t.well, &t.first, &t.last, &t.caught, &t.healed} {
		*m = make([]uint64, words)
	}
	t.ill = make([]uint64, words+2*t.pad)
	kernels.Not(t.well, t.well, n)
	for at := 0; at < n; at += side {
		t.first[at/64] |= 1 << (at % 64)
		end := at + side - 1
		t.last[end/64] |= 1 << (end % 64)
	}
	t.setRates(beta, gamma)
	return t
}

// setRates computes the chances of infections and recoveries.
func (t *town) setRates(beta, gamma float64) {
	escape := 1.0 // for all ill neighbours
	for k := range t.chance {
		t.chance[k] = float32(1 - escape)
		escape = float64(escape * (1 - beta))
	}
	t.recover = float32(gamma)
}

// health returns the state of a person.
func (t *town) health(at int) uint8 {
	switch bit := uint64(1) << (at % 64); {
	case t.well[at/64]&bit != 0:
		return Susceptible
	case t.ill[t.pad+at/64]&bit != 0:
		return Infected
	}
	return Recovered
}

// set sets the state of a person.
func (t *town) set(at int, health uint8) {
	bit := uint64(1) << (at % 64)
	t.well[at/64] &^= bit
	t.ill[t.pad+at/64] &^= bit
	switch health {
	case Susceptible:
		t.well[at/64] |= bit
	case Infected:
		t.ill[t.pad+at/64] |= bit
	}
}

// illBits returns the bits of the ill people among 64 people. The bits of these people begin
// the given number of bits after the start of word k, or before it if the number is negative.
func (t *town) illBits(k, by int) uint64 {
	at := 64*(t.pad+k) + by
	return t.ill[at/64]>>(at%64) | t.ill[at/64+1]<<(64-at%64) // a shift by 64 gives 0
}

// lines is the largest number of words that decideSome computes in one call.
const lines = 16

// decide computes the infections and recoveries in words of people.
func (t *town) decide(lo, hi int) {
	d := draws{key: t.key, number: make([]float32, 64*lines)}
	for at := lo; at < hi; at += lines {
		t.decideSome(&d, at, min(at+lines, hi))
	}
}

// decideSome does the work of decide for at most lines words.
func (t *town) decideSome(d *draws, lo, hi int) {
	var by [5][lines]uint64 // the people by number of ill neighbours, and first the ill people
	asked := 0
	for k := lo; k < hi; k++ {
		ill, well := t.ill[t.pad+k], t.well[k]
		left, right := t.illBits(k, -1)&^t.first[k], t.illBits(k, 1)&^t.last[k]
		up, down := t.illBits(k, -t.side), t.illBits(k, t.side)
		// Compute how many of the four neighbours are ill, as three bits per person.
		one, two := left^right, left&right
		uno, duo := up^down, up&down
		low, mid, high := one^uno, two^duo^(one&uno), two&duo
		for n, who := range [...]uint64{ill, low &^ mid & well, mid &^ low & well, low & mid & well, high & well} {
			by[n][k-lo] = who
		}
		asked += bits.OnesCount64(ill | (low|mid|high)&well)
	}
	clear(t.caught[lo:hi])
	clear(t.healed[lo:hi])
	if asked == 0 {
		return
	}
	if d.all = asked > 2*(hi-lo); d.all { // single draws take more than thirty times as long
		random.Uniform(d.number[:64*(hi-lo)], d.key.Rows(uint64(64*lo)))
	}
	for n := range by {
		chance, to := t.chance[n], t.caught
		if n == 0 {
			chance, to = t.recover, t.healed
		}
		d.take(to[lo:hi], by[n][:hi-lo], lo, chance)
	}
}

// turn ends a day. It counts the people in each state.
func (t *town) turn() (count [3]int) {
	for k := range t.well {
		t.well[k] &^= t.caught[k]
		t.ill[t.pad+k] = t.ill[t.pad+k]&^t.healed[k] | t.caught[k]
	}
	count[Susceptible], count[Infected] = kernels.Count(t.well), kernels.Count(t.ill)
	count[Recovered] = t.side*t.side - count[Susceptible] - count[Infected]
	return count
}

// draws holds random numbers for people. It draws numbers for all people at once, or only for
// the people who need a number. A person gets the same number in both cases.
type draws struct {
	key    random.Key
	number []float32
	all    bool
	mask   [lines]uint64
}

// take decides for each person in the set who whether the person's random number is below a chance. If so, it sets
// the person's bit in dst. Word lo contains the first person.
func (d *draws) take(dst, who []uint64, lo int, chance float32) {
	if d.all {
		mask := d.mask[:len(who)]
		kernels.Below(mask, d.number[:64*len(who)], chance)
		for k, m := range mask {
			dst[k] |= who[k] & m
		}
		return
	}
	for k, some := range who {
		for ; some != 0; some &= some - 1 {
			i := bits.TrailingZeros64(some)
			if random.UniformOf[float32](d.key.Row(uint64(64*(lo+k)+i))) < chance {
				dst[k] |= 1 << i
			}
		}
	}
}
