package pack_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/pack"
	"github.com/lanewise/lanewise/jobs"
)

// headSize is the size of the head of a message: see docs/format.md.
const headSize = 20

var full = flag.Bool("lanewise.full", false, "10,000 worlds, and every bit")

type (
	GlobalID struct{ N uint64 } // a global id
	Position struct{ X, Y, Z float32 }
	Mixed    struct {
		B  bool
		In struct {
			A int8
			F float64
			_ int16
		}
		List [3]uint16
		C    complex64
		To   ecs.Entity
	}
	Ref  struct{ To, Other ecs.Entity }
	Flag struct{}
	On   struct {
		ecs.Enableable
		N int64
	}
	OnTag struct{ ecs.Enableable }
	Team  struct {
		ecs.Shared
		Name string
		Lead ecs.Entity
	}
	Left struct {
		ecs.Cleanup
		N uint32
	}
	Item struct {
		K  uint8
		V  int64
		To ecs.Entity
	}
	Kept struct {
		ecs.Cleanup
		N uint32
	}
	Name struct {
		ecs.Managed
		Text string
		To   ecs.Entity
	}
	Whole struct { // a chunk component
		Sum int32
		To  ecs.Entity
	}
	Loaded struct {
		B blob.Ref[int32]
		N int32
	}
	Hidden struct {
		ecs.Shared
		n int32 //nolint:unused // what cannot be set is not shared by value
	}
)

func (Position) Column() (c struct{ X, Y, Z []float32 }) { return }
func (Speed) Column() (c struct{ X, Y, Z []float32 })    { return }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var named = pack.Codec(
	func(out []byte, v *Name) ([]byte, error) {
		out = binary.LittleEndian.AppendUint64(out, uint64(uint32(v.To.Index))<<32|uint64(uint32(v.To.Version)))
		return append(out, v.Text...), nil
	},
	func(in []byte, v *Name) error {
		if len(in) < 8 {
			return errors.New("too short")
		}
		u := binary.LittleEndian.Uint64(in)
		v.To, v.Text = ecs.Entity{Index: int32(u >> 32), Version: int32(u)}, string(in[8:])
		return nil
	},
)

func newWorld(t testing.TB, workers int) *ecs.World {
	p := jobs.New(jobs.Workers(workers))
	w := ecs.NewWorld("test", ecs.OnPool(p))
	t.Cleanup(func() { must(t, errors.Join(w.Close(), p.Close())) })
	return w
}

// random creates n entities of all kinds in a world, next to the existing ones.
func random(t testing.TB, w *ecs.World, rng *rand.Rand, n int, next *uint64) {
	list := slices.Collect(w.Entities())
	pick := func() ecs.Entity {
		if len(list) == 0 || rng.IntN(8) == 0 {
			return ecs.Entity{}
		}
		return list[rng.IntN(len(list))]
	}
	for range n {
		*next++
		e := w.Spawn(GlobalID{*next})
		list = append(list, e)
		for kind := range 13 {
			if rng.IntN(3) > 0 {
				continue
			}
			k := rng.IntN(5)
			switch kind {
			case 0:
				must(t, ecs.Add(w, e, Position{rng.Float32(), float32(k), float32(math.Copysign(0, -1))}))
			case 1:
				m := Mixed{B: k > 2, List: [3]uint16{1, uint16(k), 3}, C: complex(1, float32(k)), To: pick()}
				m.In.A, m.In.F = int8(-k), rng.Float64()
				must(t, ecs.Add(w, e, m))
			case 2:
				must(t, ecs.Add(w, e, Ref{pick(), pick()}))
			case 3:
				must(t, ecs.Add(w, e, Flag{}))
			case 4:
				must(t, ecs.Add(w, e, On{N: rng.Int64()}))
				must(t, ecs.SetEnabled[On](w, e, k%2 == 0))
			case 5:
				must(t, ecs.Add(w, e, OnTag{}))
				must(t, ecs.SetEnabled[OnTag](w, e, k%2 == 0))
			case 6:
				team := Team{Name: fmt.Sprint("team ", k)}
				if k == 4 {
					team.Lead = pick()
				}
				must(t, ecs.Add(w, e, team))
			case 7:
				must(t, ecs.Add(w, e, Left{N: uint32(*next)}))
			case 8:
				items := make([]Item, rng.IntN(12))
				for i := range items {
					items[i] = Item{uint8(i), rng.Int64(), pick()}
				}
				must(t, ecs.Add(w, e, ecs.BufferOf(items...)))
			case 9:
				must(t, ecs.Add(w, e, ecs.BufferOf(slices.Repeat([]Kept{{N: uint32(*next)}}, 1+20*k)...)))
			case 10:
				must(t, ecs.Add(w, e, Name{Text: fmt.Sprint("text ", k), To: pick()}))
			case 11:
				if k < 2 {
					must(t, ecs.Add(w, e, ecs.PerChunk[Whole]{Value: Whole{int32(k), pick()}}))
				}
			case 12:
				must(t, w.SetEntityName(e, fmt.Sprint("name ", *next)))
			}
		}
		if rng.IntN(10) == 0 {
			must(t, w.Destroy(e))
		}
	}
}

// show returns the contents of all entities of some worlds as text. The entities are identified by
// their global ids, also inside the values.
func show(t testing.TB, worlds ...*ecs.World) map[uint64]string {
	all := map[uint64]string{}
	for _, w := range worlds {
		keys := keysOf(w)
		for e := range w.Entities() {
			all[keys[e]] = describe(t, w, e, keys)
		}
	}
	return all
}

// keysOf returns the global ids. A destroyed entity that waits for its cleanup has its global id in
// the component Left.
func keysOf(w *ecs.World) map[ecs.Entity]uint64 {
	keys := map[ecs.Entity]uint64{}
	for e := range w.Entities() {
		if id, err := ecs.Get[GlobalID](w, e); err == nil {
			keys[e] = id.N
		} else if l, err := ecs.Get[Left](w, e); err == nil {
			keys[e] = uint64(l.N)
		} else if k, err := ecs.GetBuffer[Kept](w, e); err == nil {
			keys[e] = uint64(k.Slice()[0].N)
		}
	}
	return keys
}

func describe(t testing.TB, w *ecs.World, e ecs.Entity, keys map[ecs.Entity]uint64) string {
	var b strings.Builder
	var texts []string
	for _, typ := range w.ArchetypeOf(e).Types() {
		v, err := w.Untyped().Get(e, typ)
		must(t, err)
		on, err := w.Untyped().Enabled(e, typ)
		must(t, err)
		texts = append(texts, fmt.Sprintf("%v %v %v", typ, on, keyed(reflect.ValueOf(v), keys)))
	}
	slices.Sort(texts)
	fmt.Fprintf(&b, "%s %s", w.EntityName(e), strings.Join(texts, "; "))
	return b.String()
}

// keyed returns a value as text, in which entity ids are replaced by global ids.
func keyed(v reflect.Value, keys map[ecs.Entity]uint64) string {
	switch {
	case v.Type() == reflect.TypeFor[ecs.Entity]():
		return fmt.Sprint("→", keys[ecs.Entity{Index: int32(v.Field(0).Int()), Version: int32(v.Field(1).Int())}])
	case v.Kind() == reflect.Struct:
		var list []string
		for i := range v.NumField() {
			list = append(list, keyed(v.Field(i), keys))
		}
		return fmt.Sprint(list)
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		var list []string
		for i := range v.Len() {
			list = append(list, keyed(v.Index(i), keys))
		}
		return fmt.Sprint(list)
	}
	return fmt.Sprint(v)
}

// idsOutside returns global ids as keys. Destroyed entities have none.
func idsOutside(w *ecs.World) pack.Option {
	return pack.Outside(func(e ecs.Entity) (uint64, error) {
		id, _ := ecs.Get[GlobalID](w, e)
		return id.N, nil
	})
}

// TestRoundTrip: random entities move to another world and come back. Afterwards they must be
// unchanged. They come back in two messages. Entities in the second message refer to entities in
// the first message.
//
// Conformance: 547
func TestRoundTrip(t *testing.T) {
	worlds := 60
	if *full {
		worlds = 10_000
	}
	next := uint64(0)
	for seed := 0; seed < worlds; {
		pool := jobs.New(jobs.Workers(2))
		a, b := ecs.NewWorld("a", ecs.OnPool(pool)), ecs.NewWorld("b", ecs.OnPool(pool))
		for range 50 {
			roundTrip(t, seed, a, b, &next)
			seed++
		}
		must(t, errors.Join(a.Close(), b.Close(), pool.Close()))
	}
}

// idsInside finds the entities of a world by global id.
func idsInside(w *ecs.World) pack.Option {
	return pack.Inside(func(key uint64) (ecs.Entity, error) {
		for c := range w.Query(ecs.Read[GlobalID](), ecs.IncludeHidden()).Chunks() {
			ids := c.LaneBytes(reflect.TypeFor[GlobalID](), 0)
			for i, e := range c.Entities() {
				if binary.NativeEndian.Uint64(ids[8*i:]) == key {
					return e, nil
				}
			}
		}
		return ecs.Entity{}, nil
	})
}

// roundTrip fills a with random entities, moves them to b, and moves them back.
func roundTrip(t *testing.T, seed int, a, b *ecs.World, next *uint64) {
	pa, pb := pack.New(a, named, idsOutside(a), idsInside(a)), pack.New(b, named, idsOutside(b), idsInside(b))
	query := a.Query(ecs.With[GlobalID](), ecs.IncludeHidden())
	other := b.Query(ecs.With[GlobalID](), ecs.IncludeHidden())
	rng := rand.New(rand.NewPCG(uint64(seed), 547))
	random(t, a, rng, 1+rng.IntN(40), next)
	ids := slices.Collect(a.Entities())
	rng.Shuffle(len(ids), func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })
	want := show(t, a)
	hash, err := query.HashRows(reflect.TypeFor[GlobalID]())
	must(t, err)
	before := a.Hash()
	m, err := pa.Pack(nil, ids)
	must(t, err)
	if a.Hash() != before || pack.Len(m) != len(ids) {
		t.Fatalf("world %d: Pack has changed it, or has %d of %d entities", seed, pack.Len(m), len(ids))
	}
	m, err = pa.Take(m[:0], ids)
	must(t, err)
	if a.Len() != 0 {
		t.Fatalf("world %d: %d entities have stayed", seed, a.Len())
	}
	there, err := pb.Unpack(m)
	must(t, err)
	compare(t, seed, "there", show(t, b), want)
	if sum, err := other.HashRows(reflect.TypeFor[GlobalID]()); err != nil || sum != hash {
		t.Fatalf("world %d: the rows have the hash %#x there, not %#x: %v", seed, sum, hash, err)
	}
	// The entities come back in two halves. If an entity refers to an entity of the half that
	// came back first, the key of the reference must find that entity.
	half := slices.Clone(there[:len(there)/2])
	rest := slices.Clone(there[len(there)/2:])
	first, err := pb.Pack(nil, half)
	must(t, err)
	second, err := pb.Pack(nil, rest)
	must(t, err)
	for _, e := range half {
		if !b.Exists(e) {
			t.Fatal("Pack took it")
		}
	}
	m, err = pb.Take(nil, there)
	must(t, err)
	if b.Len() != 0 {
		t.Fatalf("world %d: %d entities have stayed there", seed, b.Len())
	}
	_, err = pa.Unpack(first)
	must(t, err)
	_, err = pa.Unpack(second)
	must(t, err)
	if a.Len() != len(ids) {
		t.Fatalf("world %d: %d of %d came back", seed, a.Len(), len(ids))
	}
	_, err = pa.Take(nil, slices.Collect(a.Entities()))
	must(t, err)
	// And completely.
	_, err = pa.Unpack(m)
	must(t, err)
	compare(t, seed, "back", show(t, a), want)
	if sum, err := query.HashRows(reflect.TypeFor[GlobalID]()); err != nil || sum != hash {
		t.Fatalf("world %d: the rows have the hash %#x, not %#x: %v", seed, sum, hash, err)
	}
	_, err = pa.Take(nil, slices.Collect(a.Entities()))
	must(t, err)
}

func compare(t *testing.T, seed int, where string, got, want map[uint64]string) {
	t.Helper()
	for k, text := range want { //lanewise:inexact the test fails for any
		if got[k] != text {
			t.Fatalf("world %d, %s: entity %d has\n%s\nwant\n%s", seed, where, k, got[k], text)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("world %d, %s: %d entities, want %d", seed, where, len(got), len(want))
	}
}

// fixChecksum corrects the checksum.
func fixChecksum(b []byte) []byte {
	binary.LittleEndian.PutUint64(b[8:], uint64(len(b)))
	binary.LittleEndian.PutUint32(b[len(b)-4:], frames.Sum(b[:len(b)-4]))
	return b
}

// TestDamage checks that a message is refused if it was cut short or if any bit was flipped, and
// that the world is unchanged.
func TestDamage(t *testing.T) {
	w, to := newWorld(t, 1), newWorld(t, 1)
	next := uint64(0)
	random(t, w, rand.New(rand.NewPCG(1, 1)), 12, &next)
	random(t, to, rand.New(rand.NewPCG(2, 1)), 12, &next)
	m, err := pack.New(w, named).Pack(nil, slices.Collect(w.Entities()))
	must(t, err)
	p := pack.New(to, named)
	want := to.Hash()
	for n := range m {
		if _, err := p.Unpack(m[:n]); !errors.Is(err, pack.ErrCorrupt) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(m), err)
		}
	}
	step := 7
	if *full {
		step = 1
	}
	for bit := 0; bit < 8*len(m); bit += step {
		b := bytes.Clone(m)
		b[bit/8] ^= 1 << (bit % 8)
		if _, err := p.Unpack(b); !errors.Is(err, pack.ErrCorrupt) {
			t.Fatalf("bit %d of byte %d: %v", bit%8, bit/8, err)
		}
	}
	if to.Hash() != want {
		t.Error("the world has changed")
	}
	if _, err := p.Unpack(m); err != nil {
		t.Error(err)
	}
}

// FuzzUnpack: arbitrary bytes are refused and the world is unchanged, or they make a consistent
// world.
func FuzzUnpack(f *testing.F) {
	w := newWorld(f, 1)
	next := uint64(0)
	random(f, w, rand.New(rand.NewPCG(1, 1)), 12, &next)
	p := pack.New(w, named)
	for _, n := range []int{0, 1, 5, w.Len()} {
		m, err := p.Pack(nil, slices.Collect(w.Entities())[:n])
		must(f, err)
		f.Add(m)
	}
	f.Fuzz(func(t *testing.T, b []byte) { unpackAny(t, b) })
}

func unpackAny(t testing.TB, b []byte) {
	if len(b) < headSize+4 {
		return
	}
	pool := jobs.New(jobs.Workers(1))
	w := ecs.NewWorld("any", ecs.OnPool(pool))
	defer func() { must(t, errors.Join(w.Close(), pool.Close())) }()
	next := uint64(1 << 20)
	random(t, w, rand.New(rand.NewPCG(3, 1)), 4, &next)
	before, n := w.Hash(), w.Len()
	p := pack.New(w, named)
	ids, err := p.Unpack(fixChecksum(bytes.Clone(b)))
	if err != nil {
		if w.Hash() != before || w.Len() != n {
			t.Fatalf("it was refused, and has changed the world: %v", err)
		}
		return
	}
	if w.Len() != n+len(ids) {
		t.Fatalf("%d entities came to %d, and there are %d", len(ids), n, w.Len())
	}
	ids = slices.Clone(ids)
	again, err := p.Pack(nil, ids)
	must(t, err)
	m, err := ecs.Capture(w, nil)
	must(t, err)
	if m.Hash() != w.Hash() {
		t.Fatal("an image of the world has another hash")
	}
	for _, e := range ids {
		must(t, w.Destroy(e))
	}
	if _, err := p.Unpack(again); err != nil {
		t.Fatalf("what came cannot come again: %v", err)
	}
}

// TestMutations: messages in which some bytes were changed and the checksum was corrected must be
// refused, or make a consistent world.
func TestMutations(t *testing.T) {
	w := newWorld(t, 1)
	next := uint64(0)
	random(t, w, rand.New(rand.NewPCG(1, 1)), 12, &next)
	m, err := pack.New(w, named).Pack(nil, slices.Collect(w.Entities()))
	must(t, err)
	n := 3000
	if *full {
		n = 300_000
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for range n {
		b := bytes.Clone(m)
		for range 1 + rng.IntN(3) {
			at := headSize + rng.IntN(len(b)-headSize)
			switch rng.IntN(3) {
			case 0:
				b[at] = byte(rng.Uint32())
			case 1:
				b[at] ^= 1 << rng.IntN(8)
			default:
				b[at] = []byte{0, 1, 0x7f, 0x80, 0xff}[rng.IntN(5)]
			}
		}
		unpackAny(t, b)
	}
}

// The panic for a nil option must contain the index of the option.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "pack: New: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	pack.New(ecs.NewWorld(t.Name()), nil)
}
