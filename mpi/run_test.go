package mpi

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	dam "github.com/lanewise/lanewise/examples/dam/model"
	"github.com/lanewise/lanewise/examples/flock/model"
)

var full = flag.Bool("lanewise.full", false, "10,000 random worlds, and more runs")

// program is the command of internal/check, or the reason why there is none.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "lanewise-mpi")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "check")
	tags := buildTags
	if guard {
		tags += ",lanewise_guard"
	}
	if out, err := exec.Command("go", "build", "-tags", tags, "-o", program, "./internal/check").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("go build: %v\n%s", err, out))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// mpirun runs a case and returns its output and exit code. A launch mostly waits for its processes, so
// tests that launch are parallel.
func mpirun(t *testing.T, ranks int, args ...string) (out string, code int) {
	t.Helper()
	limit := 2 * time.Minute
	if *full {
		limit *= 10
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	args = append(append(append([]string{}, launcher[1:]...), "-n", fmt.Sprint(ranks), program), args...)
	cmd := exec.CommandContext(ctx, launcher[0], args...)
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v: is it installed? A test that did not run has not passed", launcher[0], err)
	}
	if ctx.Err() != nil {
		t.Fatalf("%v does not end:\n%s", args, text)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// runCase runs a case that must succeed. It returns the line of rank 0 that begins with the given
// word.
func runCase(t *testing.T, word string, ranks int, args ...string) string {
	t.Helper()
	out, code := mpirun(t, ranks, args...)
	for l := range strings.Lines(out) {
		if code == 0 && strings.HasPrefix(l, word) {
			return strings.TrimSpace(l)
		}
	}
	t.Fatalf("%d ranks, %v: code %d:\n%s", ranks, args, code, out)
	return ""
}

// golden is the hash of the tests' flock after 200 ticks. The hash is the same on all machines and
// with both MPIs.
const golden = "65e698fd350d8b53"

func flockArgs(more ...string) []string {
	return append([]string{"-case", "flock", "-rows", "1500", "-size", "25", "-ticks", "200", "-crowd"}, more...)
}

// TestSame simulates a flock on several ranks and workers, with moving cuts, and in one world without
// MPI. The hashes must be equal.
//
// Conformance: 541
func TestSame(t *testing.T) {
	t.Parallel()
	want := "hash " + golden + " "
	if got := fmt.Sprintf("hash %016x ", oneWorld(t)); got != want {
		t.Fatalf("one world without MPI: %s, want %s", got, want)
	}
	var first string
	for _, c := range []struct {
		ranks int
		runs  string // workers, ticks between balancing, bricks
	}{
		{1, "1/0/0,0,0 2/10/0,0,0 3/0/0,0,0"},
		{2, "1/10/0,0,0 2/0/0,0,0 3/7/2,1,1"},
		{3, "1/7/0,0,0 2/10/3,1,1 3/0/0,0,0"},
		{4, "1/10/2,2,1 2/0/1,4,1 3/7/0,0,0"},
		{7, "1/7/0,0,0 2/10/7,1,1 3/0/0,0,0"},
	} {
		t.Run(fmt.Sprintf("ranks=%d", c.ranks), func(t *testing.T) {
			one, others, _ := strings.Cut(c.runs, " ")
			run := strings.Split(one, "/")
			out, code := mpirun(t, c.ranks, flockArgs("-workers", run[0], "-balance", run[1], "-bricks", run[2], "-again", others)...)
			var got []string
			for l := range strings.Lines(out) {
				if strings.HasPrefix(l, "hash") {
					got = append(got, strings.TrimSpace(l))
				}
			}
			if code != 0 || len(got) != 3 {
				t.Fatalf("code %d, %d runs of 3:\n%s", code, len(got), out)
			}
			for i, line := range got {
				if first == "" {
					first = line
				}
				if !strings.HasPrefix(line, want) || line != first {
					t.Errorf("run %d of %s: %s\nwant %s\nor   %s", i, c.runs, line, want, first)
				}
			}
		})
	}
}

// oneWorld simulates the flock of TestSame without MPI.
func oneWorld(t *testing.T) uint64 {
	m := &model.Flock{Birds: 1500, Size: 25, View: 1, Pace: 0.1, Noise: 0.4}
	w, err := m.Make("one", nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	for c := range m.Query().Chunks() {
		p := ecs.Column[model.Place](c)
		for i := range p.X {
			p.X[i], p.Y[i] = p.X[i]/2, p.Y[i]/2
		}
	}
	for tick := range 200 {
		if err := m.Tick(tick); err != nil {
			t.Fatal(err)
		}
	}
	hash, err := w.Query(ecs.Read[model.ID]()).HashRows(reflect.TypeFor[model.ID]())
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// TestMelt melts the crystal of bench/md on several ranks, and compares the hash with that of bench/md for one machine. The ranks
// first share the rows, and then the pairs of each row.
func TestMelt(t *testing.T) {
	t.Parallel()
	sizes := []int{1, 3, 8}
	if *full {
		sizes = []int{1, 2, 3, 4, 5, 6, 7, 8}
	}
	for _, ranks := range sizes {
		out, code := mpirun(t, ranks, "-case", "melt")
		if want := "melt 7165db32cccf801f\n"; code != 0 || strings.Count(out, "melt ") != 2 || strings.Count(out, want) != 2 {
			t.Errorf("%d ranks: code %d:\n%s\nwant twice %s", ranks, code, out, want)
		}
	}
}

// TestDam simulates water on several ranks, which compute the forces in two steps, and in one world
// without MPI.
//
// Conformance: 541
func TestDam(t *testing.T) {
	t.Parallel()
	m := &dam.Dam{Drops: 700}
	w, err := m.World()
	if err != nil {
		t.Fatal(err)
	}
	const ticks = 150
	for tick := range ticks {
		if err := m.Tick(tick); err != nil {
			t.Fatal(err)
		}
	}
	id := reflect.TypeFor[dam.ID]()
	hash, err := w.Query(ecs.Read[dam.ID]()).HashRows(id)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("hash %016x", hash)
	for _, c := range []struct {
		ranks  int
		bricks string
	}{{1, "0,0,0"}, {2, "0,0,0"}, {3, "3,1,1"}, {4, "2,2,1"}, {7, "7,1,1"}} {
		args := []string{"-case", "dam", "-rows", "700", "-ticks", fmt.Sprint(ticks), "-balance", "11", "-bricks", c.bricks}
		if got := runCase(t, "hash", c.ranks, args...); got != want {
			t.Errorf("%d ranks: %s, want %s", c.ranks, got, want)
		}
	}
}

// TestAllocs checks that a repeated exchange allocates nothing, except for a few words if rows move.
func TestAllocs(t *testing.T) {
	t.Parallel()
	for _, ranks := range []int{1, 3} {
		var moved bool
		var ticks, mallocs, bytes int
		line := runCase(t, "moved", ranks, "-case", "allocs")
		if _, err := fmt.Sscanf(line, "moved %t, %d ticks: mallocs %d bytes %d", &moved, &ticks, &mallocs, &bytes); err != nil {
			t.Fatal(line, err)
		}
		if moved != (ranks > 1) || mallocs > 8*ticks*(ranks-1) || bytes > 1024*ticks {
			t.Errorf("%d ranks: %s", ranks, line)
		}
	}
}

// TestControl applies neighbours in the order of arrival. The ranks must then disagree, which proves
// that TestSame can fail.
//
// Conformance: 542
func TestControl(t *testing.T) {
	t.Parallel()
	one := runCase(t, "hash", 1, flockArgs("-control")...)
	for _, n := range []int{2, 4} {
		if got := runCase(t, "hash", n, flockArgs("-control")...); got == one {
			t.Errorf("%d ranks add up in their own order, and get the same: %s", n, got)
		}
	}
}

// TestZoo moves rows with components of all kinds, across several bricks at once, while cuts move.
// It runs 200 ticks with one to three workers per rank.
//
// Conformance: 547
func TestZoo(t *testing.T) {
	t.Parallel()
	first := ""
	for _, c := range []struct {
		ranks, workers, balance int
		bricks                  string
	}{
		{1, 1, 0, "0,0,0"}, {2, 2, 3, "0,0,0"}, {3, 3, 7, "3,1,1"}, {4, 1, 3, "1,2,2"}, {4, 2, 5, "4,1,1"}, {7, 3, 5, "7,1,1"}, {8, 1, 4, "2,2,2"},
	} {
		out, code := mpirun(t, c.ranks, "-case", "zoo", "-rows", "240", "-ticks", "200", "-workers", fmt.Sprint(c.workers), "-bricks", c.bricks,
			"-balance", fmt.Sprint(c.balance))
		var bricks [3]int
		var moved, ghosts, far, cuts int
		hash, stats, _ := strings.Cut(out, "\n")
		if _, err := fmt.Sscanf(stats, "bricks [%d %d %d] moved %d ghosts %d far %d cuts %d", &bricks[0], &bricks[1], &bricks[2], &moved, &ghosts, &far, &cuts); err != nil || code != 0 {
			t.Fatalf("%d ranks: code %d, %v\n%s", c.ranks, code, err, out)
		}
		if first == "" {
			first = hash
		}
		if hash != first {
			t.Errorf("%d ranks, %d workers: %s, want %s", c.ranks, c.workers, hash, first)
		}
		if c.ranks > 1 && (moved == 0 || ghosts == 0 || cuts == 0) || far == 0 && max(bricks[0], bricks[1], bricks[2]) > 2 {
			t.Errorf("%d ranks: what is to be tested did not happen: %s", c.ranks, stats)
		}
	}
}

// TestEdges moves few rows to random places in small spaces with and without walls. The spaces have
// one or two bricks along an axis, some ranks have no rows, and cuts move. Rows are destroyed on one
// rank and created on another rank with the same ID. After each tick, each rank must have exactly the
// rows that it must see, once each.
func TestEdges(t *testing.T) {
	t.Parallel()
	n := 40
	if *full {
		n = 2000
	}
	for _, ranks := range []int{2, 3, 5} {
		var empty, ghosts, again, cuts int
		line := runCase(t, "empty", ranks, "-case", "edges", "-worlds", fmt.Sprint(n))
		if _, err := fmt.Sscanf(line, "empty %d ghosts %d again %d cuts %d", &empty, &ghosts, &again, &cuts); err != nil || min(empty, ghosts, again, cuts) < n/2 {
			t.Errorf("%d ranks: what is to be tested happened too seldom: %s, %v", ranks, line, err)
		}
	}
}

// TestWorlds sends the rows of random worlds to other ranks and back. They must be unchanged.
func TestWorlds(t *testing.T) {
	t.Parallel()
	n := 300
	if *full {
		n = 10_000
	}
	runCase(t, "ok", 3, "-case", "worlds", "-worlds", fmt.Sprint(n))
}

// TestOperations tests the operations between ranks, also with messages in short pieces.
func TestOperations(t *testing.T) {
	t.Parallel()
	for _, ranks := range []int{1, 2, 5} {
		runCase(t, "ok", ranks, "-case", "sums,bytes,gather")
		runCase(t, "ok", ranks, "-case", "bytes,gather", "-piece", "499")
	}
	if got, want := runCase(t, "hash", 3, "-case", "flock", "-ticks", "5", "-piece", "500"), runCase(t, "hash", 1, "-case", "flock", "-ticks", "5"); got != want {
		t.Errorf("in pieces: %s, want %s", got, want)
	}
	if got := runCase(t, "mpi:", 2, "-case", "thread"); !strings.Contains(got, ErrThread.Error()) {
		t.Error(got)
	}
	if got := runCase(t, "", 1, "-case", "version"); !strings.Contains(strings.ToLower(got), strings.Replace(buildTags, "openmpi", "open mpi", 1)) {
		t.Errorf("%s, built for %s", got, buildTags)
	}
}

// TestSnapshot saves on some number of ranks and continues on another.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := runCase(t, "hash", 2, flockArgs()...)
	runCase(t, "hash", 3, "-case", "flock", "-rows", "1500", "-size", "25", "-ticks", "40", "-crowd", "-save", dir)
	runCase(t, "hash", 1, "-case", "flock", "-rows", "1500", "-size", "25", "-ticks", "80", "-load", dir, "-save", dir)
	for _, ranks := range []int{4, 2, 1} {
		if got := runCase(t, "hash", ranks, append(flockArgs("-load", dir), "-balance", "20")...); got != want {
			t.Errorf("%d ranks go on to %s, want %s", ranks, got, want)
		}
	}
	parts, err := filepath.Glob(filepath.Join(dir, "*.rows"))
	if err != nil || len(parts) != 1 {
		t.Fatal("files of the first snapshot are left:", parts, err)
	}
	b, err := os.ReadFile(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	refused := func(ranks int, why string) {
		t.Helper()
		if out, code := mpirun(t, ranks, flockArgs("-load", dir)...); code != 1 || !strings.Contains(out, ErrSnapshot.Error()) || !strings.Contains(out, why) {
			t.Errorf("%d ranks, %s: code %d\n%s", ranks, why, code, out)
		}
	}
	b[len(b)/2] ^= 4
	if err := os.WriteFile(parts[0], b, 0o666); err != nil {
		t.Fatal(err)
	}
	refused(3, "CRC")
	if err := os.Remove(parts[0]); err != nil {
		t.Fatal(err)
	}
	refused(3, "no such file")
	if err := os.WriteFile(filepath.Join(dir, manifestName), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	refused(1, "is no manifest")
}

// TestTooManyRanks starts more ranks than there are cells, and a number of ranks that does not divide
// the cells.
//
// Conformance: 544
func TestTooManyRanks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ranks int
		fits  bool
	}{{2, true}, {3, false}, {4, true}, {5, false}, {8, false}} {
		out, code := mpirun(t, c.ranks, "-case", "many")
		says := strings.Contains(out, fmt.Sprintf("%d ranks for 2×2×1 cells", c.ranks)) && strings.Contains(out, "start fewer ranks")
		if code != 0 || says == c.fits {
			t.Errorf("%d ranks: code %d\n%s", c.ranks, code, out)
		}
	}
}

// TestEnds ends ranks in every way. All ranks must then end with the exit code of the rank that ended
// first, and one of them must print the reason.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		code int
		say  []string
	}{
		{"error", 1, []string{"rank 1 of 3, tick 17: no more coffee"}},
		{"panic", 1, []string{"rank 1 of 3, tick 0: panic: no more tea", "main.go"}},
		{"abort", 7, []string{"rank 1 of 3, tick 0: seven"}},
		{"exit", 9, nil},
		{"kill", codeOfKill, nil},
		{"late", 1, []string{"waited too long: for 500ms, on exchange of all ranks; not waiting as long: rank 1", "rank 0 waits in Exchange at tick 0", "rank 2 waits"}},
		{"twice", 1, []string{"tick 1: Order: two rows have one ID"}},
		{"lost", 1, []string{"Migrate: 1 rows for rank 2", "refer to rows by their ID"}},
		{"blobs", 1, []string{"Migrate: 1 rows for rank 2", "zoo.Guide", "refers to a blob"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, code := mpirun(t, 3, "-case", c.name)
			if code != c.code {
				t.Errorf("code %d, want %d", code, c.code)
			}
			for _, text := range c.say {
				if !strings.Contains(out, text) {
					t.Errorf("%q is not said", text)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}
