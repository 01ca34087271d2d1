package ir

// A stop of the world waits for kernels: assembly cannot be interrupted. So a kernel whose loops may turn long counts their turns, and after some
// of them it breathes: it calls a function in Go, which lets the world stop, and goes on where it was.

const (
	// few is how many turns of constant loops, of which one is inside of the other, need not be counted: the rows are cut for them.
	few = 1 << 12
	// apart is about how many cycles may lie between two breaths: with the most expensive instructions of each CPU, and gathers that find
	// nothing in the first cache, it is far less than a millisecond.
	apart = 1 << 18
)

// Asks says whether the turns of a loop inside of a row are counted: it is not known how many there are, or they are many.
func (k *Kernel) Asks(l *Loop) bool { return l != k.Rows && !l.Once && l.PerRow() > few }

// PerRow is how often a loop of constant turns turns in one row; more than few is too many, or unknown.
func (l *Loop) PerRow() int64 {
	if l.Once {
		return 1
	}
	if l.Turns < 0 || l.Turns > few {
		return few + 1
	}
	n := l.Turns
	for r := l.Body.Parent; r != nil; r = r.Parent {
		if r.Loop != nil && r.Loop != l && r.Loop.Turns >= 0 && n <= few {
			n *= max(1, min(r.Loop.Turns, few+1))
		}
	}
	return n
}

// Fuel is how many turns a kernel takes before it breathes; 0 if it never does.
func (k *Kernel) Fuel() int {
	most := 0
	k.Entry.Walk(func(it Item, _ *Region, _ int) {
		if l, ok := it.(*Loop); ok && k.Asks(l) {
			most = max(most, k.turnCost(l))
		}
	})
	if most == 0 || k.Tight > 0 {
		return min(most, k.Tight)
	}
	return max(16, apart/most)
}

// turnCost is about how many cycles a turn takes without the loops in it whose turns are counted, too: rather more than fewer.
func (k *Kernel) turnCost(l *Loop) int {
	cost := 2
	for _, r := range []*Region{l.Head, l.Body} {
		if r == nil {
			continue
		}
		for _, it := range r.Items {
			switch it := it.(type) {
			case *Value:
				cost += it.Op.cycles()
			case *Loop:
				cost += 4
				if it.Once {
					cost += k.turnCost(it)
				} else if !k.Asks(it) {
					cost += int(it.Turns) * k.turnCost(it)
				}
			}
		}
	}
	return cost
}

func (o Op) cycles() int {
	switch o {
	case Gather:
		return 128
	case Div, Sqrt:
		return 32
	case Min, Max:
		return 6
	}
	return 2
}
