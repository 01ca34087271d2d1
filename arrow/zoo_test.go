package arrow

import (
	"reflect"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanewise/lanewise/ecs"
)

// zooTerms select a component of every kind.
var zooTerms = []ecs.Term{
	ecs.Read[Health](), ecs.Optional(ecs.Read[Body]()), ecs.Optional(ecs.Read[Target]()), ecs.Optional(ecs.Read[Burning]()),
	ecs.AnyOf(ecs.With[Frozen](), ecs.With[Team]()), ecs.IgnoreEnabled(),
}

// zoo makes a world with n entities of each of four kinds, one kind after another, or mixed.
func zoo(t testing.TB, n int, mixed bool) *ecs.World {
	w := newWorld(t)
	var last ecs.Entity
	kinds := []func(k int){func(k int) {
		b := Body{Alive: k%3 == 0, Key: [6]byte{byte(k), 1, 2, 3, 4, 250}, Bits: [3]bool{k%2 == 0, true, k%5 == 0}}
		b.Spin.Axis, b.Spin.Rate = int8(-k), 1/float64(k+1)
		b.Matrix = [2][3]float32{{float32(k), 1, 2}, {3, 4, -float32(k)}}
		b.Legs[0].Length, b.Legs[0].Angle, b.Legs[1].Length, b.Legs[1].Angle = uint16(k), 2, 3, uint16(k*7)
		last = w.Spawn(Health(-k), b, Frozen{}, Target{last})
	}, func(k int) {
		e := w.Spawn(Health(k), Burning{Heat: float32(k)}, Team{Name: []string{"red", "blue", ""}[k%3], Color: uint8(200 + k%3), Score: -(k % 3), Share: 0.1})
		if k%4 == 1 {
			if err := ecs.SetEnabled[Burning](w, e, false); err != nil {
				t.Fatal(err)
			}
		}
	}, func(k int) {
		w.Spawn(Health(k), Frozen{}, Target{Entity: last})
	}, func(k int) {
		w.Spawn(Health(k), Frozen{}, Body{Alive: true}, Team{Name: "white", Left: true})
	}}
	if mixed {
		for k := range n {
			for _, spawn := range kinds {
				spawn(k)
			}
		}
		return w
	}
	for _, spawn := range kinds {
		for k := range n {
			spawn(k)
		}
	}
	return w
}

// checkRow compares a row with its entity.
func checkRow(t *testing.T, w *ecs.World, e ecs.Entity, b arrow.RecordBatch, i int) {
	t.Helper()
	col := func(name string) arrow.Array { return b.Column(b.Schema().FieldIndices(name)[0]) }
	expect := func(name string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%v: %s is %v, want %v", e, name, got, want)
		}
	}
	h, _ := ecs.Get[Health](w, e)
	expect("Health", col("Health").(*array.Int16).Value(i), int16(h))
	body, err := ecs.Get[Body](w, e)
	for _, name := range []string{"Body.Alive", "Body.Key", "Body.Matrix", "Body.Legs.Angle", "Body.Bits"} {
		expect(name+" null", col(name).IsNull(i), err != nil)
	}
	if err == nil {
		expect("Body.Alive", col("Body.Alive").(*array.Boolean).Value(i), body.Alive)
		expect("Body.Spin.Axis", col("Body.Spin.Axis").(*array.Int8).Value(i), body.Spin.Axis)
		expect("Body.Spin.Rate", col("Body.Spin.Rate").(*array.Float64).Value(i), body.Spin.Rate)
		expect("Body.Key", col("Body.Key").(*array.FixedSizeBinary).Value(i), body.Key[:])
		m := col("Body.Matrix").(*array.FixedSizeList).ListValues().(*array.FixedSizeList).ListValues().(*array.Float32)
		for k := range 6 {
			expect("Body.Matrix", m.Value(6*i+k), body.Matrix[k/3][k%3])
		}
		legs := col("Body.Legs.Angle").(*array.FixedSizeList).ListValues().(*array.Uint16)
		expect("Body.Legs.Angle", [2]uint16{legs.Value(2 * i), legs.Value(2*i + 1)}, [2]uint16{body.Legs[0].Angle, body.Legs[1].Angle})
		bits := col("Body.Bits").(*array.FixedSizeList).ListValues().(*array.Boolean)
		expect("Body.Bits", [3]bool{bits.Value(3 * i), bits.Value(3*i + 1), bits.Value(3*i + 2)}, body.Bits)
	}
	target, err := ecs.Get[Target](w, e)
	expect("Target null", col("Target.Entity").IsNull(i), err != nil)
	if err == nil {
		expect("Target", EntityOf(col("Target.Entity").(*array.Int64).Value(i)), target.Entity)
	}
	on, err := ecs.Enabled[Burning](w, e)
	expect("Burning.enabled null", col("Burning.enabled").IsNull(i), err != nil)
	if err == nil {
		expect("Burning.enabled", col("Burning.enabled").(*array.Boolean).Value(i), on)
	}
	expect("Frozen", col("Frozen").(*array.Boolean).Value(i), ecs.Has[Frozen](w, e))
	v, err := w.Untyped().Get(e, reflect.TypeFor[Team]())
	expect("Team null", col("Team.Name").IsNull(i), err != nil)
	if err == nil {
		team := v.(Team)
		expect("Team.Name", col("Team.Name").(*array.String).Value(i), team.Name)
		expect("Team.Color", col("Team.Color").(*array.Uint8).Value(i), team.Color)
		expect("Team.Left", col("Team.Left").(*array.Boolean).Value(i), team.Left)
		expect("Team.Score", col("Team.Score").(*array.Int64).Value(i), int64(team.Score))
		expect("Team.Share", col("Team.Share").(*array.Float32).Value(i), team.Share)
	}
}
