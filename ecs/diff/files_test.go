package diff

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/snapshot/untyped"
)

// file returns an image as a snapshot without types.
func file(t testing.TB, m *ecs.Image) *untyped.File {
	t.Helper()
	var b bytes.Buffer
	_, err := snapshot.Write(&b, m)
	ok(t, err)
	f, err := untyped.Read(&b)
	ok(t, err)
	return f
}

// Files differ where the images do that they are of.
func TestFiles(t *testing.T) {
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 3))
		a, b, ids := two(t, 40+r.IntN(1500))
		for range r.IntN(4) {
			change(t, b, ids[r.IntN(len(ids))], r)
		}
		x, y := capture(t, a, nil), capture(t, b, nil)
		var want, got []Difference
		for d := range Images(x, y) {
			want = append(want, d)
		}
		f, g := file(t, x), file(t, y)
		for d := range Files(f, g) {
			got = append(got, d)
		}
		if len(got) != len(want) || f.Hash != x.Hash() || f.Entities() != a.Len() {
			t.Fatalf("seed %d: files %v, images %v", seed, got, want)
		}
		for i := range want {
			p, q := want[i], got[i]
			if p.Kind != Shared && p.Lane != "Lane" && p != q || p.Kind != q.Kind || p.Entity != q.Entity {
				t.Errorf("seed %d: image %v, file %v", seed, p, q)
			}
		}
	}
}

// A component that consists of something else is another one.
func TestFilesOfTypes(t *testing.T) {
	w := ecs.NewWorld("a")
	w.Spawn(position{X: 1})
	f, g := file(t, capture(t, w, nil)), file(t, capture(t, w, nil))
	g.Components[0].Lanes = g.Components[0].Lanes[:2]
	if got := Text(Files(f, g), 9); !strings.HasPrefix(got, "entity 0v1: the first has diff.position, the second diff.position (") {
		t.Errorf("got %q", got)
	}
}
