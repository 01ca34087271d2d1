package ecs

// tool is a component of the model, together with its operations. Each value of the component is made
// from a number, which is 0 for a newly added component.
type tool struct {
	with, without            Term
	tag, cleanup, shared     bool
	switched                 bool
	enabled                  func(w *World, e Entity) (bool, error)
	turn                     func(w *World, e Entity, on bool) error
	turnMatching             func(w *World, q *Query, on bool) error
	turnLater                func(c *Commands, e Entity, on bool) error
	turnMatchingLater        func(c *Commands, q *Query, on bool) error
	value                    func(n int32) any
	get                      func(w *World, e Entity) (int32, error)
	has                      func(w *World, e Entity) bool
	add, set                 func(w *World, e Entity, n int32) error
	ensure, remove           func(w *World, e Entity) (bool, error)
	addLater, setLater       func(c *Commands, e Entity, n int32) error
	ensureLater, removeLater func(c *Commands, e Entity) (bool, error)
	addAllLater              func(c *Commands, ids []Entity, n int32) error
	addMatchingLater         func(c *Commands, q *Query, n int32) error
	addLinked                func(w *World, e Entity, mask *Query, n int32) error
	setLinked                func(w *World, e Entity, n int32) error
	addLinkedLater           func(c *Commands, e Entity, mask *Query, n int32) error
	setLinkedLater           func(c *Commands, e Entity, n int32) error
}

func toolFor[T any](make func(n int32) T, number func(v T) int32) tool {
	c, err := componentFor[T]("test")
	if err != nil {
		panic(err)
	}
	return tool{
		with: With[T](), without: Without[T](),
		tag: c.kind.has(isTag), cleanup: c.kind.has(isCleanup), shared: c.kind.has(isShared),
		switched:     c.kind.has(isEnableable),
		enabled:      Enabled[T],
		turn:         func(w *World, e Entity, on bool) error { return SetEnabled[T](w, e, on) },
		turnMatching: func(w *World, q *Query, on bool) error { return SetEnabledAll[T](w, Matching(q), on) },
		turnLater:    func(c *Commands, e Entity, on bool) error { return SetEnabled[T](c, e, on) },

		turnMatchingLater: func(c *Commands, q *Query, on bool) error { return SetEnabledAll[T](c, Matching(q), on) },
		value:             func(n int32) any { return make(n) },
		get: func(w *World, e Entity) (int32, error) {
			v, err := Get[T](w, e)
			if err != nil {
				return 0, err
			}
			return number(v), nil
		},
		has:              Has[T],
		add:              func(w *World, e Entity, n int32) error { return Add(w, e, make(n)) },
		set:              func(w *World, e Entity, n int32) error { return Set(w, e, make(n)) },
		ensure:           func(w *World, e Entity) (bool, error) { return Ensure[T](w, e) },
		remove:           func(w *World, e Entity) (bool, error) { return Remove[T](w, e) },
		addLater:         func(c *Commands, e Entity, n int32) error { return Add(c, e, make(n)) },
		setLater:         func(c *Commands, e Entity, n int32) error { return Set(c, e, make(n)) },
		addAllLater:      func(c *Commands, ids []Entity, n int32) error { return AddAll(c, Entities(ids), make(n)) },
		addMatchingLater: func(c *Commands, q *Query, n int32) error { return AddAll(c, Matching(q), make(n)) },
		addLinked:        func(w *World, e Entity, mask *Query, n int32) error { return AddAll(w, LinkedTo(e, mask), make(n)) },
		setLinked:        func(w *World, e Entity, n int32) error { return SetAll(w, LinkedTo(e, nil), make(n)) },
		addLinkedLater:   func(c *Commands, e Entity, mask *Query, n int32) error { return AddAll(c, LinkedTo(e, mask), make(n)) },
		setLinkedLater:   func(c *Commands, e Entity, n int32) error { return SetAll(c, LinkedTo(e, nil), make(n)) },
		ensureLater:      func(c *Commands, e Entity) (bool, error) { return Ensure[T](c, e) },
		removeLater:      func(c *Commands, e Entity) (bool, error) { return Remove[T](c, e) },
	}
}

// kit holds the components of the model.
var kit = [...]tool{
	toolFor(func(n int32) A { return A{n} }, func(v A) int32 { return v.Value }),
	toolFor(func(n int32) C { return C{n, -n, 2 * n} }, func(v C) int32 { return mustEqual(v.X, -v.Y, v.Z/2) }),
	toolFor(func(n int32) Matrix { return Matrix{[16]float32{0: float32(n), 15: float32(n)}} }, func(v Matrix) int32 { return mustEqual(int32(v.M[0]), int32(v.M[15])) }),
	toolFor(func(int32) Tag { return Tag{} }, func(Tag) int32 { return 0 }),
	toolFor(func(n int32) Cl { return Cl{Value: n} }, func(v Cl) int32 { return v.Value }),
	toolFor(func(int32) ClTag { return ClTag{} }, func(ClTag) int32 { return 0 }),
	toolFor(func(n int32) Sh { return Sh{Value: n} }, func(v Sh) int32 { return v.Value }),
	toolFor(func(n int32) ClSh { return ClSh{Value: n} }, func(v ClSh) int32 { return v.Value }),
	toolFor(bufferOfNumber[Elem], numberOfBuffer[Elem]),
	toolFor(bufferOfNumber[ElemCl], numberOfBuffer[ElemCl]),
	toolFor(func(n int32) En { return En{Value: n} }, func(v En) int32 { return v.Value }),
	toolFor(func(int32) EnTag { return EnTag{} }, func(EnTag) int32 { return 0 }),
	toolFor(func(n int32) Obj { return Obj{Number: &n} }, Obj.number),
	toolFor(func(int32) Prefab { return Prefab{} }, func(Prefab) int32 { return 0 }),
	toolFor(func(int32) Inactive { return Inactive{} }, func(Inactive) int32 { return 0 }),
	toolFor(func(int32) OmitGroup { return OmitGroup{} }, func(OmitGroup) int32 { return 0 }),
	toolFor(func(int32) LinkedGroup { return LinkedGroup{} }, func(LinkedGroup) int32 { return 0 }),
}

// These are indices into kit.
const (
	firstSwitch = 10 // the first of two enableable components
	prefabAt    = 13
	inactiveAt  = 14
	omitAt      = 15
	groupAt     = 16 // made from a number a group is empty
)

// mustEqual returns its first argument if all arguments are equal. Otherwise it returns a number that no
// value in the tests has.
func mustEqual(n int32, others ...int32) int32 {
	for _, o := range others {
		if o != n {
			return -1 << 30
		}
	}
	return n
}

type number interface{ Elem | ElemCl }

// bufferOfNumber returns a buffer of n elements with the value n.
func bufferOfNumber[T number](n int32) Buffer[T] {
	list := make([]T, n)
	for i := range list {
		switch e := any(&list[i]).(type) {
		case *Elem:
			e.Value = n
		case *ElemCl:
			e.Value = n
		}
	}
	return BufferOf(list...)
}

func numberOfBuffer[T number](b Buffer[T]) int32 {
	n := int32(b.Len())
	for _, e := range b.Slice() {
		switch e := any(e).(type) {
		case Elem:
			n = mustEqual(n, e.Value)
		case ElemCl:
			n = mustEqual(n, e.Value)
		}
	}
	return n
}
