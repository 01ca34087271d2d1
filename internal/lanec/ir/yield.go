package ir

// Go's garbage collector must be able to stop the world, but it cannot preempt assembly. So a kernel whose loops may run long counts their
// iterations. After a number of them it yields: it calls a function in Go, where the world can stop, and then continues.

const (
	// uncountedIterations is the largest number of iterations per row that a kernel need not count. If
	// nested loops with constant counts have at most this number of iterations, the wrapper divides the
	// rows into pieces instead.
	uncountedIterations = 1 << 12
	// yieldCycles is about the number of cycles between two yields. It is far less than a millisecond even with the most expensive instructions of each
	// CPU, and with gathers that miss the first cache.
	yieldCycles = 1 << 18
)

// CountsIterations reports whether the kernel counts the iterations of a loop inside a row. It does so if their number is
// large or unknown.
func (k *Kernel) CountsIterations(l *Loop) bool {
	return l != k.Rows && !l.Once && l.IterationsPerRow() > uncountedIterations
}

// IterationsPerRow returns the number of iterations of a loop with a constant count in one row, including all iterations of the loops around it. A
// number above uncountedIterations means that it is large or unknown.
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
// separately. The estimate is rather too high than too low.
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
