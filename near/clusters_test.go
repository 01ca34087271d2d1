package near

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// clusterScene returns a space of three dimensions and points in this space. Some boxes are narrower than the cutoff.
func clusterScene[T kernels.Float](seed uint64, most int) (s *scene[T], cutoff, skin T) {
	for s = newScene[T](seed, most); s.space.Dims != 3 || s.space.Cell < 0.1; {
		seed += 1 << 32
		s = newScene[T](seed, most)
	}
	cutoff, skin = s.space.Cell*T(0.3+s.r.Float64()), s.space.Cell*[]T{0, 0.1, 0.4}[s.r.IntN(3)]
	lanes := [3][]T{s.x, s.y, s.z}
	low, high := coords(s.space.Low), coords(s.space.High)
	for a, lane := range lanes {
		for i, x := range lane {
			if s.space.Border == Walled {
				x = min(max(x, low[a]), high[a])
			}
			if x-x != 0 || x > 1e15 || x < -1e15 {
				x = low[a]
			}
			lane[i] = x
		}
	}
	return s, cutoff, skin
}

func newClusters[T kernels.Float](s *scene[T], cutoff, skin T, width int, pool *jobs.Pool) *Clusters[T] {
	c := NewClusters(s.space, cutoff, skin)
	c.Width, c.Pool = width, pool
	return c
}

// squareOf returns the square of the distance of two rows of All.
func squareOf[T kernels.Float](all *kernels.Vec3s[T], i, j int) T {
	dx, dy, dz := all.X[j]-all.X[i], all.Y[j]-all.Y[i], all.Z[j]-all.Z[i]
	return (T(dx*dx) + T(dy*dy)) + T(dz*dz)
}

// TestClusters compares lists with the results of a search over all pairs of rows and images. It also compares the
// images with all images that a row can have.
func TestClusters(t *testing.T) {
	t.Run("float32", sameClusters[float32])
	t.Run("float64", sameClusters[float64])
}

func sameClusters[T kernels.Float](t *testing.T) {
	pairs := 0
	for seed := range uint64(150) {
		s, cutoff, skin := clusterScene[T](seed, 150)
		c := newClusters(s, cutoff, skin, 1<<s.r.IntN(5), nil)
		if err := c.Build(s.x, s.y, s.z); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		pairs += checkClusters(t, fmt.Sprint("seed ", seed), c)
		checkOrder(t, c, [3][]T{s.x, s.y, s.z})
		if t.Failed() {
			t.Fatalf("seed %d: %v border, %d points, width %d, cutoff %v, skin %v", seed, s.space.Border, len(s.x), c.Width, cutoff, skin)
		}
	}
	if pairs < 10000 {
		t.Errorf("%d pairs are too few for a test", pairs)
	}
}

// checkClusters compares a list with all pairs that are within its radius. It returns their number.
func checkClusters[T kernels.Float](t *testing.T, name string, c *Clusters[T]) (pairs int) {
	t.Helper()
	all, n, width := c.All(), c.Len(), c.ListWidth()
	start, row := c.List()
	if want := (n+width-1)/width + 1; len(start) != want {
		t.Fatalf("%s: %d starts, want %d", name, len(start), want)
	}
	for i := range len(start) - 1 {
		var want []int32
		for k := range all.X {
			for r := i * width; r < min((i+1)*width, n); r++ {
				if squareOf(&all, r, k) <= c.reach*c.reach {
					want = append(want, int32(k))
					break
				}
			}
		}
		got := slices.Sorted(slices.Values(row[start[i]:start[i+1]]))
		if !slices.Equal(got, want) {
			t.Fatalf("%s: cluster %d has %v, want %v", name, i, got, want)
		}
		pairs += len(want)
	}
	checkImages(t, name, c)
	return pairs
}

// checkImages checks that each row has all of its images that are near the box, and that each image
// occurs once.
func checkImages[T kernels.Float](t *testing.T, name string, c *Clusters[T]) {
	t.Helper()
	all, n := c.All(), c.Len()
	type image struct {
		row   int32
		place Point[T]
	}
	got := map[image]int{}
	for k, row := range c.Images() {
		got[image{row, Point[T]{all.X[n+k], all.Y[n+k], all.Z[n+k]}}]++
	}
	want := 0
	var turns [3]int
	for a := range turns {
		if c.space.Border == Periodic {
			turns[a] = int(math.Ceil(float64(c.reach / c.axes[a].period)))
		}
	}
	shifted := func(a, k int, x T) (T, bool) {
		axis := &c.axes[a]
		if k == 0 {
			return x, true
		}
		x += T(T(k) * axis.period)
		return x, x >= axis.low-c.reach && x <= axis.high+c.reach
	}
	for i := range n {
		for kx := -turns[0]; kx <= turns[0]; kx++ {
			for ky := -turns[1]; ky <= turns[1]; ky++ {
				for kz := -turns[2]; kz <= turns[2]; kz++ {
					x, near := shifted(0, kx, all.X[i])
					y, also := shifted(1, ky, all.Y[i])
					z, too := shifted(2, kz, all.Z[i])
					if kx|ky|kz == 0 || !near || !also || !too {
						continue
					}
					want++
					if got[image{int32(i), Point[T]{x, y, z}}] == 0 {
						t.Fatalf("%s: row %d has no image at %v %v %v", name, i, x, y, z)
					}
				}
			}
		}
	}
	if want != len(c.Images()) {
		t.Fatalf("%s: %d images, want %d", name, len(c.Images()), want)
	}
}

// checkOrder checks that the rows are the points of the lanes in another order, wrapped into the
// box.
func checkOrder[T kernels.Float](t *testing.T, c *Clusters[T], from [3][]T) {
	t.Helper()
	at := c.At()
	seen := make([]bool, len(from[0]))
	for row, k := range c.Order() {
		if seen[k] {
			t.Fatalf("point %d has two rows", k)
		}
		seen[k] = true
		for a, lane := range [][]T{at.X, at.Y, at.Z} {
			if want := c.axes[a].wrap(from[a][k]); lane[row] != want {
				t.Fatalf("row %d is at %v along axis %d, want %v", row, lane[row], a, want)
			}
		}
	}
	if len(c.Order()) != len(seen) {
		t.Fatalf("%d rows, want %d", len(c.Order()), len(seen))
	}
}

// TestClustersOrder checks that the neighbours of a row are in the same order for all widths, paths and numbers of
// workers.
func TestClustersOrder(t *testing.T) {
	pool := jobs.New(jobs.Workers(3))
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	for seed := range uint64(40) {
		s, cutoff, skin := clusterScene[float64](seed, 500)
		var want [][]int32
		for k, width := range []int{16, 8, 4, 2, 1, 0} {
			c := newClusters(s, cutoff, skin, width, []*jobs.Pool{nil, pool}[k%2])
			if err := c.Build(s.x, s.y, s.z); err != nil {
				t.Fatal(err)
			}
			got := neighboursOf(c)
			if k == 0 {
				want = got
			}
			for i := range got {
				if !slices.Equal(got[i], want[i]) {
					t.Fatalf("seed %d: with width %d the neighbours of row %d are %v, want %v", seed, width, i, got[i], want[i])
				}
			}
		}
	}
}

// neighboursOf returns the ids of the neighbours of each row in the order of the list.
func neighboursOf[T kernels.Float](c *Clusters[T]) [][]int32 {
	all, n, ids := c.All(), c.Len(), c.IDs()
	start, row := c.List()
	out := make([][]int32, n)
	for i := range n {
		out[i] = append(out[i], ids[i])
		for _, k := range row[start[i/c.ListWidth()]:start[i/c.ListWidth()+1]] {
			if squareOf(&all, i, int(k)) <= c.cutoff*c.cutoff {
				if int(k) >= n {
					k = c.Images()[int(k)-n]
				}
				out[i] = append(out[i], ids[k])
			}
		}
	}
	return out
}

// TestClustersMove moves points at random, and compares the neighbours within the cutoff with those of a list that is made anew at each step. The
// lists are so large that the workers of a pool share the work.
func TestClustersMove(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	kept, made := 0, 0
	for seed := range uint64(60) {
		most := 120
		if seed%20 == 0 {
			most = 6000
		}
		s, cutoff, skin := clusterScene[float64](seed, most)
		c := newClusters(s, cutoff, skin, 0, pool)
		if err := c.Build(s.x, s.y, s.z); err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 3))
		column := make([]float64, c.Len())
		for i, id := range c.IDs() {
			column[i] = float64(id)
		}
		for range 6 {
			wander(r, c, skin)
			rebuilt, err := c.Move()
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if rebuilt {
				made++
				c.Reorder(column)
				checkImages(t, fmt.Sprint("seed ", seed), c)
			} else {
				kept++
			}
			for i, id := range c.IDs() {
				if column[i] != float64(id) {
					t.Fatalf("seed %d: the column of row %d is of id %v, want %d", seed, i, column[i], id)
				}
			}
			checkComplete(t, fmt.Sprint("seed ", seed), c)
		}
	}
	if kept < 20 || made < 20 {
		t.Errorf("%d lists were kept, %d made", kept, made)
	}
}

// wander moves the rows by a part of the skin or by more than the skin. In a walled box the rows
// stay inside.
func wander(r *rand.Rand, c *Clusters[float64], skin float64) {
	far := float64(skin * []float64{0.2, 0.2, 2}[r.IntN(3)])
	if skin == 0 && r.IntN(2) == 0 {
		far = c.cutoff / 2
	}
	at := c.At()
	low, high := coords(c.space.Low), coords(c.space.High)
	squeeze := r.IntN(2) == 0 // each half of the rows towards the other, so that pairs come nearer by nearly the whole skin
	for a, lane := range [][]float64{at.X, at.Y, at.Z} {
		middle := 0.0
		if squeeze && len(lane) > 0 {
			middle = lane[r.IntN(len(lane))]
		}
		for i := range lane {
			switch {
			case !squeeze:
				lane[i] += float64(far * (r.Float64() - 0.5))
			case lane[i] > middle && a == 0:
				lane[i] -= float64(skin * 0.49)
			case a == 0:
				lane[i] += float64(skin * 0.49)
			}
			if c.space.Border == Walled {
				lane[i] = min(max(lane[i], low[a]), high[a])
			}
		}
	}
}

// checkComplete compares the neighbours within the cutoff with those of a new list, by id and place.
func checkComplete(t *testing.T, name string, c *Clusters[float64]) {
	t.Helper()
	at := c.At()
	fresh := NewClusters(c.space, c.cutoff, 0)
	if err := fresh.Build(at.X, at.Y, at.Z); err != nil {
		t.Fatal(err)
	}
	want := neighboursOf(fresh)
	got := neighboursOf(c)
	rows := make([]int, c.Len())
	for row, k := range fresh.IDs() {
		rows[k] = row // the id in fresh is the row in c
	}
	for i := range got {
		w := want[rows[i]]
		for k := range w {
			w[k] = c.IDs()[w[k]]
		}
		slices.Sort(w)
		slices.Sort(got[i])
		if len(w) != len(got[i]) || !slices.Equal(w, got[i]) {
			t.Fatalf("%s: the neighbours of row %d are %v, want %v", name, i, got[i], w)
		}
	}
}

// TestClustersErrors checks that the error names a point without a position, and that the rows and the list do
// not change.
func TestClustersErrors(t *testing.T) {
	for _, test := range []struct {
		border Border
		x      float64
		want   string
		is     error
	}{
		{Periodic, math.NaN(), "near: Clusters.Move: the point with id 17 is at (NaN, 3, 3): a coordinate is not finite: take shorter steps, or look for two points in one place", ErrNotFinite},
		{Endless, math.Inf(-1), "near: Clusters.Move: the point with id 17 is at (-Inf, 3, 3): a coordinate is not finite: take shorter steps, or look for two points in one place", ErrNotFinite},
		{Walled, 9.5, "near: Clusters.Move: the point with id 17 is at (9.5, 3, 3): the point is outside of the walled box: move it back, or use a space that is Periodic or Endless", ErrOutside},
	} {
		c := NewClusters(Space[float64]{Dims: 3, High: Point[float64]{X: 9, Y: 9, Z: 9}, Border: test.border}, 1, 0.1)
		r := rand.New(rand.NewPCG(1, 1))
		x := make([]float64, 200)
		for i := range x {
			x[i] = 9 * r.Float64()
		}
		x[17] = 3
		if err := c.Build(x, x, x); err != nil {
			t.Fatal(err)
		}
		ids := slices.Clone(c.IDs())
		start, row := c.List()
		start, row = slices.Clone(start), slices.Clone(row)
		at := c.At()
		at.X[slices.Index(ids, 17)] = test.x
		rebuilt, err := c.Move()
		if err == nil || err.Error() != test.want || !errors.Is(err, test.is) || rebuilt {
			t.Errorf("%v, %v; want %s", rebuilt, err, test.want)
		}
		nowStart, nowRow := c.List()
		if !slices.Equal(start, nowStart) || !slices.Equal(row, nowRow) || !slices.Equal(ids, c.IDs()) {
			t.Errorf("%v: the list has changed", test.border)
		}
		at.X[slices.Index(ids, 17)] = 3 // and the next step is an ordinary one
		if rebuilt, err := c.Move(); rebuilt || err != nil {
			t.Errorf("%v: %v, %v", test.border, rebuilt, err)
		}
		checkComplete(t, test.border.String(), c)
	}
}

// TestClustersTooMany checks the errors for lists and images with more numbers than an int32 can count. After such an
// error the list must be unchanged.
func TestClustersTooMany(t *testing.T) {
	x := []float64{0.1, 0.2, 0.3, 0.4}
	c := NewClusters(Space[float64]{Dims: 3, High: Point[float64]{X: 2, Y: 2, Z: 2}, Border: Periodic}, 1, 0.1)
	if err := c.Build(x, x, x); err != nil {
		t.Fatal(err)
	}
	_, row := c.List()
	want := slices.Clone(row)
	c.list.limit = 2
	if err := c.Build(x[:3], x[:3], x[:3]); !errors.Is(err, ErrTooMany) {
		t.Errorf("a list that is too long: %v", err)
	}
	if _, row := c.List(); !slices.Equal(row, want) || c.Len() != 4 {
		t.Errorf("the list has changed: %v, want %v", row, want)
	}
	c.list.limit = maxPoints
	if rebuilt, err := c.Move(); rebuilt || err != nil {
		t.Error(rebuilt, err)
	}
	thin := NewClusters(Space[float64]{Dims: 3, High: Point[float64]{X: 1e-3, Y: 1e-3, Z: 1e-3}, Border: Periodic}, 1, 0.1)
	if err := thin.Build(x, x, x); !errors.Is(err, ErrTooMany) || thin.Len() != 0 {
		t.Errorf("a box that is much narrower than the cutoff: %v", err)
	}
}

// TestClustersRange checks that the parts consist of whole clusters and contain each row once, and that Range returns the error of the
// lowest part that fails.
func TestClustersRange(t *testing.T) {
	pool := jobs.New(jobs.Workers(3))
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	x := make([]float32, 1003)
	for i := range x {
		x[i] = float32(i)
	}
	for _, p := range []*jobs.Pool{nil, pool} {
		for _, n := range []int{0, 1, 1003} {
			c := NewClusters(Space[float32]{Dims: 3, Border: Endless}, 2, 0.5)
			c.Pool, c.Width = p, 4
			if err := c.Build(x[:n], x[:n], x[:n]); err != nil {
				t.Fatal(err)
			}
			seen := make([]int, n)
			bad := func(lo, hi int) error {
				if lo%4 != 0 || hi%4 != 0 && hi != n {
					t.Errorf("a part has the rows %d to %d", lo, hi)
				}
				for i := lo; i < hi; i++ {
					seen[i]++
				}
				if hi > n/2 && n > 0 {
					return fmt.Errorf("row %d", max(lo, n/2))
				}
				return nil
			}
			err := c.Range(bad)
			if want := fmt.Sprintf("row %d", n/2); n > 0 && (err == nil || err.Error() != want) || n == 0 && err != nil {
				t.Errorf("%d rows: the error is %v, want %s", n, err, want)
			}
			for i, k := range seen {
				if k != 1 {
					t.Fatalf("row %d is in %d parts", i, k)
				}
			}
		}
	}
}

// TestClustersLength checks that rows are ordered well: in a liquid the list of a cluster is not much longer than the list of one row. It also makes
// lists that are so large that the workers of a pool share the work.
func TestClustersLength(t *testing.T) {
	const cells = 12
	r := rand.New(rand.NewPCG(1, 2))
	width := math.Cbrt(4 / 0.8442)
	var at [3][]float64
	for i := range 4 * cells * cells * cells {
		corner, cell := [4][3]float64{{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}}[i%4], i/4
		for a, k := range []int{cell % cells, cell / cells % cells, cell / cells / cells} {
			at[a] = append(at[a], float64(width*(float64(k)+corner[a]))+float64(0.15*r.NormFloat64()))
		}
	}
	side := float64(cells * width)
	c := NewClusters(Space[float64]{Dims: 3, High: Point[float64]{X: side, Y: side, Z: side}, Border: Periodic}, 2.5, 0.3)
	for _, test := range []struct {
		width int
		most  float64
	}{{1, 78}, {4, 135}, {8, 182}, {16, 242}} {
		c.Width = test.width
		if err := c.Build(at[0], at[1], at[2]); err != nil {
			t.Fatal(err)
		}
		start, row := c.List()
		if got := float64(len(row)) / float64(len(start)-1); got > test.most {
			t.Errorf("a cluster of %d rows has a list of %.1f on average, want at most %v", test.width, got, test.most)
		}
	}
}
