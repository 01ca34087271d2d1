package rollback

import "slices"

// checksums holds the hashes of worlds before the last few confirmed ticks. The index of a hash is
// tick / every, modulo the length of the list.
//
// A hash that differs shows only that two worlds differ. With three or more players, the reason may
// be that a third player has sent different inputs to the two peers. Therefore a checksum also
// contains a digest of the inputs of each player.
type checksums struct {
	interval     uint64 // number of ticks from one checksum to the next; 0 for no checksums
	newest       uint64 // the latest tick with a checksum that we have computed; 0 if there is none
	ours         []checksum
	theirs       [][]checksum // checksums received from each player
	inputDigests []uint64     // digest of all confirmed inputs of each player; nil with fewer than three players
	tickDigests  [][]uint64   // input digests before the ticks that have a checksum
}

// checksum holds the hash of the world before a tick, and a digest of each player's inputs before
// this tick. If tick is 0, there is no checksum. The real tick 0 needs no checksum, because all
// peers begin with the same world.
type checksum struct {
	tick, sum uint64
	inputs    []uint64 // empty if unknown
}

// allocate allocates memory for the checksums of twice the given number of ticks. This memory is
// enough for all unconfirmed ticks that may have inputs, and for as many confirmed ticks.
func (c *checksums) allocate(players, every int, ticks uint64) {
	n := uint64(1)
	if every > 0 {
		c.interval = uint64(every)
		n += 2 + 2*ticks/c.interval
	}
	c.ours = make([]checksum, n)
	for range players {
		c.theirs = append(c.theirs, make([]checksum, n))
	}
	if players > 2 && every > 0 {
		c.inputDigests = make([]uint64, players)
		for range n {
			c.tickDigests = append(c.tickDigests, make([]uint64, players))
		}
	}
}

// index returns the index of the checksum of a tick.
func (c *checksums) index(tick uint64) uint64 {
	if c.interval == 0 {
		return 0
	}
	return tick / c.interval % uint64(len(c.ours))
}

// isChecksumTick reports whether peers compute a checksum before the tick.
func (c *checksums) isChecksumTick(tick uint64) bool {
	return tick == 0 || c.interval > 0 && tick%c.interval == 0
}

// addInput adds the confirmed input of a player in a tick to the player's digest. The calls for a
// player must be in the order of the ticks.
func (c *checksums) addInput(player int, tick uint64, l *layout, input []byte) {
	if c.inputDigests == nil {
		return
	}
	c.inputDigests[player] = l.addDigest(c.inputDigests[player], input)
	if tick++; tick%c.interval == 0 {
		c.tickDigests[c.index(tick)][player] = c.inputDigests[player]
	}
}

// putChecksum stores a checksum in a list, at the index of its tick.
func (c *checksums) putChecksum(list []checksum, tick, sum uint64, inputs []uint64) {
	to := &list[c.index(tick)]
	to.tick, to.sum, to.inputs = tick, sum, append(to.inputs[:0], inputs...)
}

// receive stores a checksum of another player. If our own checksum of the tick is known, receive
// compares the two.
func (c *checksums) receive(player int, tick, sum uint64, inputs []uint64, stats *Stats) *Desync {
	old := &c.theirs[player][c.index(tick)]
	if tick < old.tick || tick == old.tick && sum == old.sum && slices.Equal(inputs, old.inputs) {
		return nil // the checksum is too old, or was received before
	}
	c.putChecksum(c.theirs[player], tick, sum, inputs)
	return c.compareTick(player, tick, stats)
}

// compareTick compares our checksum of a tick with the checksum of a player, if both checksums are
// known.
func (c *checksums) compareTick(player int, tick uint64, stats *Stats) *Desync {
	own, other := &c.ours[c.index(tick)], &c.theirs[player][c.index(tick)]
	if own.tick != tick || other.tick != tick || tick == 0 {
		return nil
	}
	stats.Sums++
	source := -1
	if len(other.inputs) == len(own.inputs) {
		for p := len(own.inputs) - 1; p >= 0; p-- {
			if own.inputs[p] != other.inputs[p] {
				source = p
			}
		}
	}
	if source < 0 && own.sum == other.sum {
		return nil
	}
	return &Desync{Tick: tick, Player: player, Source: source, Own: own.sum, Theirs: other.sum}
}

// makeChecksums computes the checksums of ticks that were confirmed since the last call, and
// compares them.
func (s *Session[I]) makeChecksums() error {
	c := &s.checksums
	if c.interval == 0 {
		return nil
	}
	for tick := c.newest + c.interval; tick < s.tick && tick <= s.inputs.Confirmed(); tick += c.interval {
		sum, err := s.ring.Hash(tick)
		if err != nil {
			return s.setFailed(err)
		}
		var inputs []uint64
		if c.inputDigests != nil {
			inputs = c.tickDigests[c.index(tick)]
		}
		c.putChecksum(c.ours, tick, sum, inputs)
		c.newest = tick
		for p := range c.theirs {
			if p == s.config.Local {
				continue
			}
			if d := c.compareTick(p, tick, &s.stats); d != nil {
				return s.setFailed(d)
			}
		}
	}
	return nil
}
