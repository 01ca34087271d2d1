package system

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

type (
	attrGroup struct{ Group }
	attrInner struct {
		Group
		_ In[attrGroup]
	}
	attrLone struct{}
	attrMany struct {
		_    In[attrInner]
		_    First[attrGroup]
		_    Before[attrLone]
		_    After[*attrInner] // a pointer type has the same meaning
		_    CreateBefore[attrLone]
		_    CreateAfter[attrInner]
		_    Manual
		_    MatchingOnly
		_    For[EditorWorld]
		_    For[GameWorld]
		Kept In[Simulation] // not a blank field, so not an attribute
		_    int
	}
	attrDerived struct {
		attrMany
		_ Before[attrInner]
	}
	attrCircle struct {
		Group
		_ In[attrCircle]
	}
	attrValue int
)

func (*attrLone) Update(*Frame) error { return nil }
func (*attrMany) Update(*Frame) error { return nil }
func (attrValue) Update(*Frame) error { return nil }

func TestAttributes(t *testing.T) {
	got := *Of[attrMany]().attrs()
	want := attributes{
		Places:       []groupPlacement{{Group: Of[attrInner]()}, {Group: Of[attrGroup](), First: true}},
		Before:       []*Type{Of[attrLone]()},
		After:        []*Type{Of[attrInner]()},
		CreateBefore: []*Type{Of[attrLone]()},
		CreateAfter:  []*Type{Of[attrInner]()},
		Manual:       true,
		MatchingOnly: true,
		For:          []WorldKind{EditorWorld{}, GameWorld{}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("attributes %+v, want %+v", got, want)
	}
}

// Conformance: 274
func TestAttributesAreNotInherited(t *testing.T) {
	got := *Of[attrDerived]().attrs()
	if want := (attributes{Before: []*Type{Of[attrInner]()}}); !reflect.DeepEqual(got, want) {
		t.Errorf("attributes of a type that embeds another: %+v, want %+v", got, want)
	}
}

func TestType(t *testing.T) {
	const path = "github.com/lanewise/lanewise/ecs/system."
	tests := []struct {
		typ    *Type
		name   string
		system bool
		group  bool
	}{
		{Of[attrGroup](), path + "attrGroup", true, true},
		{Of[attrInner](), path + "attrInner", true, true},
		{Of[attrLone](), path + "attrLone", true, false},
		{Of[attrMany](), path + "attrMany", true, false},
		{Of[attrCircle](), path + "attrCircle", true, true},
		{Of[attrValue](), path + "attrValue", true, false},
		{Of[FixedStep](), path + "FixedStep", true, true},
		{typeFor[attributes](), path + "attributes", false, false},
		{typeFor[[]int](), "[]int", false, false},
	}
	for _, tt := range tests {
		if tt.typ.String() != tt.name {
			t.Errorf("name %q, want %q", tt.typ.String(), tt.name)
		}
		if tt.typ.isSystem != tt.system || tt.typ.isGroup != tt.group {
			t.Errorf("%s: system %v, group %v", tt.name, tt.typ.isSystem, tt.typ.isGroup)
		}
	}
	if typeFor[attrLone]() != Of[attrLone]() || typeFor[*attrLone]() != Of[attrLone]() {
		t.Error("a Go type has more than one Type")
	}
}

func TestRegister(t *testing.T) {
	t.Cleanup(Unregister[attrLone])
	t.Cleanup(Unregister[attrMany])
	Register[attrLone]()
	Register[attrMany]()
	Register[attrLone]()
	var got []string
	for _, typ := range RegisteredTypes() {
		if strings.HasSuffix(typ.String(), ".attrLone") || strings.HasSuffix(typ.String(), ".attrMany") {
			got = append(got, typ.String()[strings.LastIndex(typ.String(), ".")+1:])
		}
	}
	if want := []string{"attrLone", "attrMany"}; !slices.Equal(got, want) {
		t.Errorf("registered %q, want %q", got, want)
	}
}

func TestKinds(t *testing.T) {
	tests := []struct {
		world worldKinds
		marks []WorldKind
		want  bool
	}{
		{simulationKind, nil, true},
		{gameKind, nil, true},
		{serverKind, nil, true},
		{thinClientKind, nil, false},
		{editorKind, nil, false},
		{stagingKind, nil, false},
		{0, nil, false},
		{editorKind, []WorldKind{EditorWorld{}}, true},
		{editorKind, []WorldKind{GameWorld{}, EditorWorld{}}, true},
		{simulationKind, []WorldKind{EditorWorld{}}, false},
		{gameKind | serverKind, []WorldKind{ServerWorld{}}, true},
	}
	for _, tt := range tests {
		if got := tt.world.admitsType(tt.marks); got != tt.want {
			t.Errorf("world %b, For %v: %v, want %v", tt.world, tt.marks, got, tt.want)
		}
	}
	var union worldKinds
	for _, k := range []WorldKind{EditorWorld{}, GameWorld{}, SimulationWorld{}, ConversionWorld{}, StagingWorld{}, ShadowWorld{}, StreamingWorld{}, ServerWorld{}, ClientWorld{}, ThinClientWorld{}} {
		if f := k.worldKinds(); f == 0 || f&(f-1) != 0 || union&f != 0 {
			t.Errorf("%T has bits %b", k, f)
		}
		union |= k.worldKinds()
	}
	if want := worldKinds(1023); union != want {
		t.Errorf("all kinds together are %b, want %b", union, want)
	}
}

// TestLive checks which kinds of world count as LiveWorld, and which systems with For[LiveWorld] these
// worlds have.
func TestLive(t *testing.T) {
	tests := []struct {
		kind WorldKind
		as   Option
		is   func(*ecs.World) bool
		live bool
	}{
		{LiveWorld{}, WithKind[LiveWorld](), IsKind[LiveWorld], true},
		{EditorWorld{}, WithKind[EditorWorld](), IsKind[EditorWorld], true},
		{GameWorld{}, WithKind[GameWorld](), IsKind[GameWorld], true},
		{SimulationWorld{}, WithKind[SimulationWorld](), IsKind[SimulationWorld], true},
		{ConversionWorld{}, WithKind[ConversionWorld](), IsKind[ConversionWorld], false},
		{StagingWorld{}, WithKind[StagingWorld](), IsKind[StagingWorld], false},
		{ShadowWorld{}, WithKind[ShadowWorld](), IsKind[ShadowWorld], false},
		{StreamingWorld{}, WithKind[StreamingWorld](), IsKind[StreamingWorld], false},
		{ServerWorld{}, WithKind[ServerWorld](), IsKind[ServerWorld], true},
		{ClientWorld{}, WithKind[ClientWorld](), IsKind[ClientWorld], true},
		{ThinClientWorld{}, WithKind[ThinClientWorld](), IsKind[ThinClientWorld], true},
	}
	for i, tt := range tests {
		w := newWorld(t, Only(), tt.as)
		if got := IsKind[LiveWorld](w); got != tt.live {
			t.Errorf("a world that is %T is live: %v, want %v", tt.kind, got, tt.live)
		}
		for k, other := range tests[1:] { // a LiveWorld has none of the other kinds
			if got := other.is(w); got != (k+1 == i) {
				t.Errorf("a world that is %T is %T: %v", tt.kind, other.kind, got)
			}
		}
		if got := attachmentOf(w).worldKinds.admitsType([]WorldKind{LiveWorld{}}); got != tt.live {
			t.Errorf("a world that is %T has systems for Live: %v, want %v", tt.kind, got, tt.live)
		}
	}
	if !IsKind[LiveWorld](newWorld(t, Only())) {
		t.Error("a world is not live unless something is said")
	}
	if w := newWorld(t, Only(), WithKind[StagingWorld](), WithKind[LiveWorld]()); !IsKind[LiveWorld](w) || !IsKind[StagingWorld](w) || IsKind[GameWorld](w) {
		t.Error("two kinds do not add up")
	}
}

func TestOrderString(t *testing.T) {
	for o, want := range map[groupPart]string{partFirst: "First", partNormal: "In", partLast: "Last", 7: "order(7)"} {
		if o.String() != want {
			t.Errorf("%d is %q, want %q", o, o, want)
		}
	}
}
