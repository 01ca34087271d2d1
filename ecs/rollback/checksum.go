package rollback

// checksums are hashes of worlds before ticks that are confirmed: of the last few, by tick divided by every and modulo their number.
type checksums struct {
	every  uint64 // 0: none
	newest uint64 // the latest tick that has one of ours; 0: none has
	own    []checksum
	others [][]checksum // of each player
}

// checksum is the hash of the world before a tick. Tick 0 is none: all begin with the same world.
type checksum struct{ tick, sum uint64 }

// init makes room for those of so many ticks.
func (c *checksums) init(players, every, ticks int) {
	n := 1
	if every > 0 {
		c.every = uint64(every)
		n += ticks / every
	}
	c.own = make([]checksum, n)
	for range players {
		c.others = append(c.others, make([]checksum, n))
	}
}

// at is where the checksum of a tick is.
func (c *checksums) at(tick uint64) uint64 {
	if c.every == 0 {
		return 0
	}
	return tick / c.every % uint64(len(c.own))
}

// takes reports whether there may be a checksum of a tick.
func (c *checksums) takes(tick uint64) bool { return tick == 0 || c.every > 0 && tick%c.every == 0 }

// theirs notes a checksum of a player, and compares it with ours if that is known.
func (c *checksums) theirs(player int, tick, sum uint64, stats *Stats) *Desync {
	own := &c.others[player][c.at(tick)]
	if tick <= own.tick {
		return nil // it is old, or has been here
	}
	*own = checksum{tick, sum}
	return c.compare(player, tick, stats)
}

// compare compares ours with that of a player, if both are known.
func (c *checksums) compare(player int, tick uint64, stats *Stats) *Desync {
	own, other := c.own[c.at(tick)], c.others[player][c.at(tick)]
	if own.tick != tick || other.tick != tick {
		return nil
	}
	stats.Sums++
	if own.sum != other.sum {
		return &Desync{tick, player, own.sum, other.sum}
	}
	return nil
}

// sum makes the checksums of the ticks that are confirmed now.
func (s *Session[I]) sum() error {
	c := &s.sums
	if c.every == 0 {
		return nil
	}
	for tick := c.newest + c.every; tick < s.tick && tick <= s.inputs.Confirmed(); tick += c.every {
		sum, err := s.ring.Hash(tick)
		if err != nil {
			return s.fail(err)
		}
		c.own[c.at(tick)] = checksum{tick, sum}
		c.newest = tick
		for p := range c.others {
			if p == s.config.Local {
				continue
			}
			if d := c.compare(p, tick, &s.stats); d != nil {
				return s.fail(d)
			}
		}
	}
	return nil
}
