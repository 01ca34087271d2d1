package alloc

import (
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A Target describes the registers of a CPU.
type Target struct {
	Registers []int                  // number of registers of each class
	Class     func(v *ir.Value) int  // class of a value's register; nil: all are of class 0
	InMemory  func(v *ir.Value) bool // whether a constant needs no register; nil: never
	Early     map[ir.Op]bool         // operations that write their result before they have read all arguments
}

// An Allocation maps the values of a kernel to registers and memory.
type Allocation struct {
	Slots   int   // number of memory slots, of one vector each
	Spilled int   // number of values in memory
	Peak    []int // number of used registers of each class
	places  map[*ir.Value]int
}

// Register returns the register number of a value, and false if it has none.
func (a *Allocation) Register(v *ir.Value) (int, bool) {
	p, ok := a.places[v]
	return p, ok && p >= 0
}

// Slot returns the number of a value's memory slot, from 1 on, and false if it
// has none.
func (a *Allocation) Slot(v *ir.Value) (int, bool) {
	p := a.places[v]
	return -p, p < 0
}

// allocator assigns registers and slots in the order of the values.
type allocator struct {
	*Allocation
	lives *lives
	class func(v *ir.Value) int
	held  [][][]*life // by class and register
	slots [][]*life
}

// Allocate assigns a register or a slot to every value of a kernel that has a
// result.
func Allocate(k *ir.Kernel, t Target) *Allocation {
	a := &allocator{
		Allocation: &Allocation{places: map[*ir.Value]int{}, Peak: make([]int, len(t.Registers))},
		lives:      findLives(k, t.Early), class: t.Class,
	}
	if a.class == nil {
		a.class = func(*ir.Value) int { return 0 }
	}
	for _, n := range t.Registers {
		a.held = append(a.held, make([][]*life, n))
	}
	order := slices.DeleteFunc(slices.Clone(a.lives.order), func(x *life) bool {
		return x.v.Op.Acts() || x.v.Op == ir.Const && t.InMemory != nil && t.InMemory(x.v)
	})
	slices.SortStableFunc(order, func(x, y *life) int { return x.from - y.from })
	for _, x := range order {
		a.give(x)
	}
	return a.Allocation
}

// give assigns a register or a slot to a value.
func (a *allocator) give(x *life) {
	class := a.class(x.v)
	r := a.preferred(x, class)
	for i := 0; i < len(a.held[class]) && r < 0; i++ {
		if a.free(x, class, i) {
			r = i
		}
	}
	if r < 0 {
		if r = a.evict(x, class); r < 0 {
			a.spill(x)
			return
		}
	}
	a.places[x.v] = r
	a.Peak[class] = max(a.Peak[class], r+1)
	a.held[class][r] = append(a.held[class][r], x)
}

// preferred returns the preferred register of x. This is the register of a value
// that x is moved from or to, or the register of an operand that is not used
// later.
func (a *allocator) preferred(x *life, class int) int {
	wishes := x.v.Args
	if x.v.Op == ir.Phi {
		wishes = nil
	}
	if x.hint != nil {
		wishes = append([]*ir.Value{x.hint}, wishes...)
	}
	for _, w := range wishes {
		if r, ok := a.Register(w); ok && a.class(w) == class && a.free(x, class, r) {
			return r
		}
	}
	return -1
}

func (a *allocator) free(x *life, class, r int) bool {
	return !slices.ContainsFunc(a.held[class][r], x.overlaps)
}

// evict chooses the register whose values cost least, moves these values to memory, and returns the register. If x
// costs less than the values of every register, evict returns -1.
func (a *allocator) evict(x *life, class int) int {
	best, least := -1, x.cost()
	for r, held := range a.held[class] {
		cost := 0.0
		for _, y := range held {
			if x.overlaps(y) {
				cost += y.cost()
			}
		}
		if cost < least {
			best, least = r, cost
		}
	}
	if best >= 0 {
		a.held[class][best] = slices.DeleteFunc(a.held[class][best], func(y *life) bool {
			if !x.overlaps(y) {
				return false
			}
			a.spill(y)
			return true
		})
	}
	return best
}

// spill assigns the first slot that is free during the whole life of a value.
func (a *allocator) spill(x *life) {
	a.Spilled++
	s := slices.IndexFunc(a.slots, func(held []*life) bool { return !slices.ContainsFunc(held, x.overlaps) })
	if s < 0 {
		s = len(a.slots)
		a.slots = append(a.slots, nil)
		a.Slots++
	}
	a.slots[s] = append(a.slots[s], x)
	a.places[x.v] = -1 - s
}
