package kernels

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const messagesFile = "testdata/messages.golden"

// TestMessages compares the messages about misuse of every kernel with testdata. It also finds each
// panic call in the source that none of the tested calls reaches. -lanewise.update rewrites the file.
func TestMessages(t *testing.T) {
	c := &collector{reached: map[string]bool{}}
	for _, k := range table[float32]() {
		messagesOf(c, &k)
	}
	for _, k := range sliceTable[float32]() {
		sliceMessagesOf(c, &k)
	}
	otherMessages[float32](c)
	overlapMessages(c)
	got := strings.Join(c.messages, "\n") + "\n"
	if *update {
		if err := os.WriteFile(messagesFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(messagesFile)
	if err != nil {
		t.Fatal(err)
	}
	golden := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
	for _, m := range c.messages {
		if !slices.Contains(golden, m) {
			t.Errorf("not in %s: %s", messagesFile, m)
		}
	}
	for _, m := range golden {
		if !slices.Contains(c.messages, m) {
			t.Errorf("in %s, but nothing says it any more: %s", messagesFile, m)
		}
	}
	double := &collector{reached: map[string]bool{}}
	for _, k := range table[float64]() {
		messagesOf(double, &k)
	}
	for _, k := range sliceTable[float64]() {
		sliceMessagesOf(double, &k)
	}
	otherMessages[float64](double)
	overlapMessages(double)
	both := slices.DeleteFunc(slices.Clone(c.messages), func(m string) bool { return strings.Contains(m, "Rounded: ") }) // of functions for float32 only
	if !slices.Equal(double.messages, both) {
		t.Error("float64 says other things than float32")
	}
	for _, site := range panicCalls(t) {
		if !slices.ContainsFunc(site.lines(), func(l string) bool { return c.reached[l] || double.reached[l] }) {
			t.Errorf("%s:%d: no misuse of this test leads to this panic", site.file, site.from)
		}
	}
}

// A collector keeps each panic message once, with the line of the panic.
type collector struct {
	messages []string
	reached  map[string]bool // "file.go:12"
}

// panicOf runs f and keeps the message if f panics.
func (c *collector) panicOf(f func()) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		c.add(fmt.Sprint(v))
		var pcs [32]uintptr
		frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
		for more := true; more; {
			var frame runtime.Frame
			frame, more = frames.Next()
			c.reached[fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)] = true
		}
	}()
	f()
}

func (c *collector) add(message string) {
	if !slices.Contains(c.messages, message) {
		c.messages = append(c.messages, message)
	}
}

// messagesOf shortens each lane of a kernel by one row.
func messagesOf[T Float](c *collector, k *kernel[T]) {
	for short, width := range slices.Concat(k.dst, k.src) {
		in := newInputs(k, 8, false, 1)
		a := args[T]{n: 8, dst: in.dst, src: in.src, scalar: in.scalar}
		for i, rows := range slices.Concat(in.dst, in.src) {
			if i == short {
				rows = rows[:7*rowBytes[T](width)]
			}
			if i < len(k.dst) {
				a.dst[i] = rows
			} else {
				a.src[i-len(k.dst)] = rows
			}
		}
		c.panicOf(func() { k.run(&a) })
	}
}

// sliceMessagesOf does the same for kernels of sliceTable: it shortens each operand by one unit.
func sliceMessagesOf[T Float](c *collector, k *sliceKernel[T]) {
	for short, kind := range slices.Concat(k.dst, k.src) {
		if kind == resultKind || kind == indexKind || kind == planesKind || k.name == "Compress" && short == 0 {
			continue // Compress needs no more rows than it keeps: see below
		}
		in := sliceInputs(k, 65, false, 1)
		a := args[T]{n: 65, dst: in.dst, src: in.src, scalar: in.scalar}
		all, unit := kind.size(65, rowBytes[T](1))
		if short < len(k.dst) {
			a.dst[short] = a.dst[short][:all-unit]
		} else {
			a.src[short-len(k.dst)] = a.src[short-len(k.dst)][:all-unit]
		}
		c.panicOf(func() { k.run(&a) })
	}
}

// otherMessages collects the messages about bad values.
func otherMessages[T Float](c *collector) {
	m := randomMats[T](3)
	for _, index := range []int32{-1, 3, math.MinInt32} {
		c.panicOf(func() { randomMats[T](2).MulAffineByParent(m, []int32{2, index}, randomMats[T](2)) })
		c.panicOf(func() { randomMats[T](2).MulFullByParent(m, []int32{2, index}, randomMats[T](2)) })
	}
	c.panicOf(func() { Compress(make([]T, 2), make([]T, 5), []uint64{0b11100}) })
	c.panicOf(func() { Indices(make([]int32, 2), []uint64{0b11100}) })
	c.panicOf(func() { Indices(nil, make([]uint64, 1<<31/64+1)) }) // the memory is not touched
	c.panicOf(func() { Gather(make([]T, 2), make([]T, 2), make([]int32, 3)) })
	c.panicOf(func() { Scatter(make([]T, 2), make([]int32, 3), make([]T, 2)) })
	for _, index := range []int32{-1, 3, math.MinInt32} {
		c.panicOf(func() { Gather(make([]T, 2), make([]T, 3), []int32{2, index}) })
		c.panicOf(func() { Scatter(make([]T, 3), []int32{2, index}, make([]T, 2)) })
	}
	c.panicOf(func() { Histogram(nil, make([]T, 2), 0, 1) })
	for _, hi := range []T{1, T(math.NaN()), T(math.Inf(1))} {
		c.panicOf(func() { Histogram(make([]int, 4), make([]T, 2), 1, hi) })
	}
	c.panicOf(func() { And(make([]uint64, 2), make([]uint64, 2), make([]uint64, 1)) })
	c.panicOf(func() { Not(make([]uint64, 2), make([]uint64, 1), 64) })
	for _, n := range []int{64, 129, -1} {
		c.panicOf(func() { Not(make([]uint64, 2), make([]uint64, 2), n) })
		c.panicOf(func() { All(make([]uint64, 2), n) })
	}
	c.panicOf(func() { new(Boxes[T]).InPlanes(nil, make([]Plane[T], MaxPlanes+1)) })
	c.panicOf(func() { new(Spheres[T]).InPlanes(nil, make([]Plane[T], MaxPlanes+1)) })
	c.panicOf(func() { randomQuats[T](1).FromEuler(randomVecs[T](1), OrderZYX+1) })

	c.panicOf(func() {
		var m Mat3x4s[T]
		m.Compose(&Vec3s[T]{}, nil, randomVecs[T](1))
	})

	paths := strings.Join(Paths(), ", ")
	_, wrong := choosePath("avx1024")
	for _, err := range []error{Use("avx1024"), wrong} {
		c.add(strings.ReplaceAll(err.Error(), paths, "(those of this machine)"))
	}
}

// overlapMessages collects the messages about overlaps, one example of each form. Only checking
// builds have them. TestEveryOverlap checks the message of each kernel.
func overlapMessages(c *collector) {
	x := make([]float32, 8)
	c.panicOf(func() { inspect("Kernel", lane("dst", x[1:]), lane("x", x[:7])) })
	c.panicOf(func() { inspect("Kernel", slices.Concat(lane("v.X", x), lane("v.Y", x))) })
	c.panicOf(func() { inspectMove("Kernel", spanOf("dst", x[1:]), spanOf("x", x[:7])) })
	c.panicOf(func() { Announce("own: Kernel", Writes("x", x[1:]), Reads("y", x[:7])) })
}

// A site is a call of panic in the source.
type site struct {
	file     string
	from, to int
}

func (s site) lines() (all []string) {
	for l := s.from; l <= s.to; l++ {
		all = append(all, fmt.Sprintf("%s:%d", s.file, l))
	}
	return all
}

// panicCalls returns the calls of panic in the package.
func panicCalls(t *testing.T) (sites []site) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
					sites = append(sites, site{name, fset.Position(call.Pos()).Line, fset.Position(call.End()).Line})
				}
			}
			return true
		})
	}
	if len(sites) < 20 {
		t.Fatalf("%d panics in the source: this does not look", len(sites))
	}
	return sites
}

// TestNoRows calls every kernel with nil slices and with views whose lanes are nil. The kernel must
// do nothing and must not panic.
func TestNoRows(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		eachKernel(t, testNoRows[float32], testNoRows[float64])
		eachSlice(t, testNoSliceRows[float32], testNoSliceRows[float64])
		testNothing[float32](t)
		testNothing[float64](t)
	})
}

func testNoRows[T Float](t *testing.T, k *kernel[T]) {
	a := args[T]{dst: make([][]byte, len(k.dst)), src: make([][]byte, len(k.src)), scalar: make([]T, 8)}
	if got := panicOf(func() { k.run(&a) }); got != "" {
		t.Errorf("panic %q", got)
	}
}

func testNoSliceRows[T Float](t *testing.T, k *sliceKernel[T]) {
	a := args[T]{dst: make([][]byte, len(k.dst)), src: make([][]byte, len(k.src)), scalar: make([]T, 8)}
	for i, kind := range k.dst {
		all, _ := kind.size(0, rowBytes[T](1))
		a.dst[i] = make([]byte, all)
	}
	if got := panicOf(func() { k.run(&a) }); got != "" {
		t.Errorf("panic %q", got)
	}
}

// testNothing checks the results of reductions over no rows.
func testNothing[T Float](t *testing.T) {
	var x []T
	if sum, dot, norm := Sum(x), Dot(x, x), Norm(x); sum != 0 || dot != 0 || norm != 0 {
		t.Errorf("Sum, Dot, Norm of nothing are %v, %v, %v, want 0", sum, dot, norm)
	}
	if lo, hi := Min(x), Max(x); lo == lo || hi == hi {
		t.Errorf("Min, Max of nothing are %v, %v, want NaN", lo, hi)
	}
	if lo, hi, kept := ArgMin(x), ArgMax(x), Compress(x, x, nil); lo != -1 || hi != -1 || kept != 0 {
		t.Errorf("ArgMin, ArgMax, Compress of nothing are %d, %d, %d, want -1, -1, 0", lo, hi, kept)
	}
}

// TestNilViews calls every method with a nil pointer for each of its views. Each method must panic
// with a nil dereference before it writes anything. Only Compose accepts nil: it means no rotation
// or no scale.
func TestNilViews(t *testing.T) {
	optional := map[string][]int{"Compose": {2, 3}, "ComposeStream": {2, 3}}
	tried := 0
	for _, view := range []any{&Vec2s[float32]{}, &Vec3s[float64]{}, &Vec4s[float32]{}, &Quats[float64]{}, &Mat4s[float32]{}, &Mat3x4s[float64]{}} {
		typ := reflect.TypeOf(view)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			for none := range m.Type.NumIn() {
				if m.Type.In(none).Kind() != reflect.Pointer || slices.Contains(optional[m.Name], none) || m.Name == "Slice" || m.Name == "Len" {
					continue
				}
				tried++
				operands := make([]reflect.Value, m.Type.NumIn())
				for i := range operands {
					if operands[i] = reflect.Zero(m.Type.In(i)); i != none {
						operands[i] = threeRows(m.Type.In(i))
					}
				}
				before := memory(operands)
				message := panicOf(func() { m.Func.Call(operands) })
				if !strings.Contains(message, "nil pointer dereference") {
					t.Errorf("%v.%s with nil for operand %d: panic %q", typ.Elem(), m.Name, none, message)
				}
				if !bytes.Equal(memory(operands), before) {
					t.Errorf("%v.%s with nil for operand %d: rows were written", typ.Elem(), m.Name, none)
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d operands tried", tried)
	}
}

// threeRows returns an operand of the given type. Slices and views have three rows of a positive
// number.
func threeRows(typ reflect.Type) reflect.Value {
	switch typ.Kind() {
	case reflect.Pointer:
		v := reflect.New(typ.Elem())
		for i := range typ.Elem().NumField() {
			v.Elem().Field(i).Set(threeRows(typ.Elem().Field(i).Type))
		}
		return v
	case reflect.Slice:
		v := reflect.MakeSlice(typ, 3, 3)
		for i := range 3 {
			v.Index(i).Set(threeRows(typ.Elem()))
		}
		return v
	case reflect.Float32, reflect.Float64:
		return reflect.ValueOf(0.5).Convert(typ)
	}
	return reflect.Zero(typ)
}

// memory returns the contents of the operands as bytes.
func memory(operands []reflect.Value) []byte {
	var b bytes.Buffer
	for _, v := range operands {
		if v.Kind() == reflect.Pointer && v.IsNil() {
			continue
		}
		fmt.Fprintf(&b, "%v\n", reflect.Indirect(v))
	}
	return b.Bytes()
}

// TestTornViews passes a view with lanes of unequal length to every kernel that has a view as
// operand. Each view operand has such a lane in turn, and the lane is once too long and once too
// short. Len is the length of the first lane only, so a kernel that compares only Len would miss
// a wrong length of another lane.
func TestTornViews(t *testing.T) {
	torn := Vec3s[float32]{make([]float32, 4), make([]float32, 3), make([]float32, 5)}
	whole := randomVecs[float32](4)
	if torn.Len() != 4 {
		t.Errorf("Len is %d, want that of X", torn.Len())
	}
	for _, c := range []struct {
		run  func()
		want string
	}{
		{func() { torn.Add(whole, whole) }, "kernels: Vec3s.Add: len(v.Y) is 3, len(v.X) is 4"},
		{func() { whole.Add(&torn, whole) }, "kernels: Vec3s.Add: len(x.Y) is 3, len(v.X) is 4"},
		{func() { whole.Add(whole, &torn) }, "kernels: Vec3s.Add: len(y.Y) is 3, len(v.X) is 4"},
		{func() { whole.Add(whole, randomVecs[float32](5)) }, "kernels: Vec3s.Add: len(y.X) is 5, len(v.X) is 4"},
		{func() { randomQuats[float32](4).FromEuler(&torn, OrderXYZ) }, "kernels: Quats.FromEuler: len(angles.Y) is 3, len(q.X) is 4"},
		{func() { torn.Slice(0, 6) }, "runtime error: slice bounds out of range [:6]"},
	} {
		if got := panicOf(c.run); !strings.HasPrefix(got, c.want) {
			t.Errorf("panic %q, want %q", got, c.want)
		}
	}
}
