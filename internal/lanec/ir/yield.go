package ir

// A kernel must not delay a stop of the world, for example of the garbage collector, and Go cannot preempt assembly. So a kernel whose loops may run long
// counts their iterations. After a number of them it yields: it calls a function in Go, where the world can stop, and then continues.

const (
	// uncountedIterations is a limit: if nested constant loops have at most this many iterations, a kernel
	// need not count them, because the wrapper cuts the rows into pieces instead.
	uncountedIterations = 1 << 12
	// yieldCycles is about the number of cycles between two yields. It is far less than a millisecond even with the most expensive instructions of each
	// CPU, and with gathers that miss the first cache.
	yieldCycles = 1 << 18
)

// CountsIterations reports whether the kernel counts the iterations of a loop inside a row: their number is large or unknown.
func (k *Kernel) CountsIterations(l *Loop) bool {
	return l != k.Rows && !l.Once && l.IterationsPerRow() > uncountedIterations
}

// IterationsPerRow returns the number of iterations of a constant loop in one row. A number above uncountedIterations means that it is large or unknown.
func (l *Loop) IterationsPerRow() int64 {
	if l.Once {
		return 1
	}
	if l.Turns < 0 || l.Turns > uncountedIterations {
		return uncountedIterations + 1
	}
	n := l.Turns
	for r := l.Body.Parent; r != nil; r = r.Parent {
		if r.Loop != nil && r.Loop != l && r.Loop.Turns >= 0 && n <= uncountedIterations {
			n *= max(1, min(r.Loop.Turns, uncountedIterations+1))
		}
	}
	return n
}

// YieldInterval returns the number of iterations between two yields of a kernel. The number is 0 if the kernel never
// yields.
func (k *Kernel) YieldInterval() int {
	most := 0
	k.Entry.Walk(func(it Item, _ *Region, _ int) {
		if l, ok := it.(*Loop); ok && k.CountsIterations(l) {
			most = max(most, k.iterationCost(l))
		}
	})
	if most == 0 || k.TestYieldInterval > 0 {
		return min(most, k.TestYieldInterval)
	}
	return max(16, yieldCycles/most)
}

// iterationCost estimates the cycles of an iteration. It leaves out inner loops whose iterations are counted
// separately. It errs on the high side.
func (k *Kernel) iterationCost(l *Loop) int {
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
					cost += k.iterationCost(it)
				} else if !k.CountsIterations(it) {
					cost += int(it.Turns) * k.iterationCost(it)
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
