package rollback

import "slices"

// checksums holds hashes of worlds before confirmed ticks: those of the last few, at index tick /
// every modulo their number.
//
// A different hash says only that two worlds differ. With three players or more, the reason may be
// a third player who has sent different inputs to the two. Therefore a checksum also has a digest
// of the inputs of each player.
type checksums struct {
	every   uint64 // distance of ticks with a checksum; 0 for none
	newest  uint64 // the latest tick with a checksum of our own; 0 for none
	own     []checksum
	others  [][]checksum // of each player
	digests []uint64     // of all confirmed inputs of each player; nil with fewer than three players
	before  [][]uint64   // the digests before the ticks of checksums
}

// checksum is the hash of the world before a tick, and a digest of the inputs of each player before
// it. Tick 0 means none, because all peers begin with the same world.
type checksum struct {
	tick, sum uint64
	inputs    []uint64 // empty if unknown
}

// makeRoom allocates the checksums of the given number of ticks: of all unconfirmed ticks that may
// have inputs, and of as many again.
func (c *checksums) makeRoom(players, every int, ticks uint64) {
	n := uint64(1)
	if every > 0 {
		c.every = uint64(every)
		n += 2 + 2*ticks/c.every
	}
	c.own = make([]checksum, n)
	for range players {
		c.others = append(c.others, make([]checksum, n))
	}
	if players > 2 && every > 0 {
		c.digests = make([]uint64, players)
		for range n {
			c.before = append(c.before, make([]uint64, players))
		}
	}
}

// index returns the index of the checksum of a tick.
func (c *checksums) index(tick uint64) uint64 {
	if c.every == 0 {
		return 0
	}
	return tick / c.every % uint64(len(c.own))
}

// mayHave reports whether a tick may have a checksum.
func (c *checksums) mayHave(tick uint64) bool { return tick == 0 || c.every > 0 && tick%c.every == 0 }

// addInput adds the confirmed input of a player in a tick to the digest. It must be called for the
// ticks of a player in order.
func (c *checksums) addInput(player int, tick uint64, l *layout, input []byte) {
	if c.digests == nil {
		return
	}
	c.digests[player] = l.addDigest(c.digests[player], input)
	if tick++; tick%c.every == 0 {
		c.before[c.index(tick)][player] = c.digests[player]
	}
}

// putChecksum stores a checksum in a list, at the index of its tick.
func (c *checksums) putChecksum(list []checksum, tick, sum uint64, inputs []uint64) {
	to := &list[c.index(tick)]
	to.tick, to.sum, to.inputs = tick, sum, append(to.inputs[:0], inputs...)
}

// receive stores a checksum of another player, and compares it with our own if that is known.
func (c *checksums) receive(player int, tick, sum uint64, inputs []uint64, stats *Stats) *Desync {
	old := &c.others[player][c.index(tick)]
	if tick < old.tick || tick == old.tick && sum == old.sum && slices.Equal(inputs, old.inputs) {
		return nil // it is too old, or was received before
	}
	c.putChecksum(c.others[player], tick, sum, inputs)
	return c.compareTick(player, tick, stats)
}

// compareTick compares our checksum of a tick with that of a player, if both are known.
func (c *checksums) compareTick(player int, tick uint64, stats *Stats) *Desync {
	own, other := &c.own[c.index(tick)], &c.others[player][c.index(tick)]
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
	if c.every == 0 {
		return nil
	}
	for tick := c.newest + c.every; tick < s.tick && tick <= s.inputs.Confirmed(); tick += c.every {
		sum, err := s.ring.Hash(tick)
		if err != nil {
			return s.setFailed(err)
		}
		var inputs []uint64
		if c.digests != nil {
			inputs = c.before[c.index(tick)]
		}
		c.putChecksum(c.own, tick, sum, inputs)
		c.newest = tick
		for p := range c.others {
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
