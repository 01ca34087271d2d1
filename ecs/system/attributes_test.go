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
		_    After[*attrInner] // the pointer means the same
		_    CreateBefore[attrLone]
		_    CreateAfter[attrInner]
		_    Manual
		_    MatchingOnly
		_    For[Editor]
		_    For[Game]
		Kept In[Simulation] // not blank: a field like any other
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
	got := *Of[attrMany]().Attributes()
	want := Attributes{
		Places:       []Place{{Group: Of[attrInner]()}, {Group: Of[attrGroup](), First: true}},
		Before:       []*Type{Of[attrLone]()},
		After:        []*Type{Of[attrInner]()},
		CreateBefore: []*Type{Of[attrLone]()},
		CreateAfter:  []*Type{Of[attrInner]()},
		Manual:       true,
		MatchingOnly: true,
		For:          []Kind{Editor{}, Game{}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("attributes %+v, want %+v", got, want)
	}
}

// Conformance: 274
func TestAttributesAreNotInherited(t *testing.T) {
	got := *Of[attrDerived]().Attributes()
	if want := (Attributes{Before: []*Type{Of[attrInner]()}}); !reflect.DeepEqual(got, want) {
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
		root   *Type
		groups []*Type
	}{
		{Of[attrGroup](), path + "attrGroup", true, true, Of[attrGroup](), nil},
		{Of[attrInner](), path + "attrInner", true, true, Of[attrGroup](), []*Type{Of[attrGroup]()}},
		{Of[attrLone](), path + "attrLone", true, false, Of[Simulation](), nil},
		{Of[attrMany](), path + "attrMany", true, false, Of[attrGroup](), []*Type{Of[attrInner](), Of[attrGroup]()}},
		{Of[attrCircle](), path + "attrCircle", true, true, Of[attrCircle](), []*Type{Of[attrCircle]()}},
		{Of[attrValue](), path + "attrValue", true, false, Of[Simulation](), nil},
		{Of[FixedStep](), path + "FixedStep", true, true, Of[Simulation](), []*Type{Of[Simulation]()}},
		{typeFor[Attributes](), path + "Attributes", false, false, Of[Simulation](), nil},
		{typeFor[[]int](), "[]int", false, false, Of[Simulation](), nil},
	}
	for _, tt := range tests {
		if tt.typ.Name() != tt.name || tt.typ.String() != tt.name {
			t.Errorf("name %q, want %q", tt.typ.Name(), tt.name)
		}
		if tt.typ.isSystem != tt.system || tt.typ.isGroup != tt.group {
			t.Errorf("%s: system %v, group %v", tt.name, tt.typ.isSystem, tt.typ.isGroup)
		}
		if got := tt.typ.Root(); got != tt.root {
			t.Errorf("%s: root %v, want %v", tt.name, got, tt.root)
		}
		if got := tt.typ.Groups(); !slices.Equal(got, tt.groups) {
			t.Errorf("%s: groups %v, want %v", tt.name, got, tt.groups)
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
	for _, typ := range Types() {
		if strings.HasSuffix(typ.Name(), ".attrLone") || strings.HasSuffix(typ.Name(), ".attrMany") {
			got = append(got, typ.Name()[strings.LastIndex(typ.Name(), ".")+1:])
		}
	}
	if want := []string{"attrLone", "attrMany"}; !slices.Equal(got, want) {
		t.Errorf("registered %q, want %q", got, want)
	}
}

func TestKinds(t *testing.T) {
	tests := []struct {
		world worldKinds
		marks []Kind
		want  bool
	}{
		{simulations, nil, true},
		{games, nil, true},
		{servers, nil, true},
		{thinClients, nil, false},
		{editors, nil, false},
		{stagings, nil, false},
		{0, nil, false},
		{editors, []Kind{Editor{}}, true},
		{editors, []Kind{Game{}, Editor{}}, true},
		{simulations, []Kind{Editor{}}, false},
		{games | servers, []Kind{Server{}}, true},
	}
	for _, tt := range tests {
		if got := tt.world.admits(tt.marks); got != tt.want {
			t.Errorf("world %b, For %v: %v, want %v", tt.world, tt.marks, got, tt.want)
		}
	}
	var union worldKinds
	for _, k := range []Kind{Editor{}, Game{}, Simulating{}, Conversion{}, Staging{}, Shadow{}, Streaming{}, Server{}, Client{}, ThinClient{}} {
		if f := k.worldKinds(); f == 0 || f&(f-1) != 0 || union&f != 0 {
			t.Errorf("%T has bits %b", k, f)
		}
		union |= k.worldKinds()
	}
	if want := worldKinds(1023); union != want {
		t.Errorf("all kinds together are %b, want %b", union, want)
	}
}

// TestLive holds which kinds are alive, for worlds and for systems.
func TestLive(t *testing.T) {
	tests := []struct {
		kind Kind
		as   Option
		is   func(*ecs.World) bool
		live bool
	}{
		{Live{}, As[Live](), Is[Live], true},
		{Editor{}, As[Editor](), Is[Editor], true},
		{Game{}, As[Game](), Is[Game], true},
		{Simulating{}, As[Simulating](), Is[Simulating], true},
		{Conversion{}, As[Conversion](), Is[Conversion], false},
		{Staging{}, As[Staging](), Is[Staging], false},
		{Shadow{}, As[Shadow](), Is[Shadow], false},
		{Streaming{}, As[Streaming](), Is[Streaming], false},
		{Server{}, As[Server](), Is[Server], true},
		{Client{}, As[Client](), Is[Client], true},
		{ThinClient{}, As[ThinClient](), Is[ThinClient], true},
	}
	for i, tt := range tests {
		w := newWorld(t, Only(), tt.as)
		if got := Is[Live](w); got != tt.live {
			t.Errorf("a world that is %T is live: %v, want %v", tt.kind, got, tt.live)
		}
		for k, other := range tests[1:] { // what lives is not all that lives
			if got := other.is(w); got != (k+1 == i) {
				t.Errorf("a world that is %T is %T: %v", tt.kind, other.kind, got)
			}
		}
		if got := attachmentOf(w).is.admits([]Kind{Live{}}); got != tt.live {
			t.Errorf("a world that is %T has systems for Live: %v, want %v", tt.kind, got, tt.live)
		}
	}
	if !Is[Live](newWorld(t, Only())) {
		t.Error("a world is not live unless something is said")
	}
	if w := newWorld(t, Only(), As[Staging](), As[Live]()); !Is[Live](w) || !Is[Staging](w) || Is[Game](w) {
		t.Error("two kinds do not add up")
	}
}

func TestOrderString(t *testing.T) {
	for o, want := range map[order]string{orderFirst: "First", orderNormal: "In", orderLast: "Last", 7: "order(7)"} {
		if o.String() != want {
			t.Errorf("%d is %q, want %q", o, o, want)
		}
	}
}
