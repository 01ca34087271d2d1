// Harbour is a world in tiles that does not fit into memory. A camera travels over the world.
// Near tiles are loaded from files while it travels, and distant tiles are unloaded. No update
// loads or unloads more rows than the budget. The hash at the end is the same on every machine,
// however fast its disk is.
//
//	harbour -side 10 -rows 10000 -laps 20
//	harbour -record voyage.replay
//	harbour -check voyage.replay
//	harbour -live quay
//
// The second command records the voyage, and the third one compares a voyage with the recording: change
// the program between the two to see the first update that differs. The last command only watches one small
// tile; edit its text to see the tile change.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/ecs/scene"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// These are the components. A ship has a place and is moored to the pier of its tile.
type (
	Place   struct{ X, Y float32 }
	Drift   struct{ X, Y float32 }
	Mooring struct{ Pier ecs.Entity }
	Tile    struct{ X, Y int32 } // with the SubScene of a tile
)

func (Place) Column() (c kernels.Vec2s[float32]) { return }
func (Drift) Column() (c kernels.Vec2s[float32]) { return }

func init() {
	ecs.RegisterComponent[Place]()
	ecs.RegisterComponent[Drift]()
	ecs.RegisterComponent[Mooring]()
}

// Voyage describes the length and the size of a voyage.
type Voyage struct {
	Side, Rows, Laps int // tiles along an edge, entities of a tile, rounds of the camera
	Budget           int // limit of rows per update

	Record, Check string // files of recordings: one to write, and one to compare the voyage with
	Values        string // the updates whose values are recorded, as "491-500"; empty for none
}

// updates is the number of updates of a round of the camera.
const updates = 240

// write writes the tiles as texts, and bakes them.
func (v Voyage) write(dir string) error {
	for i := range v.Side * v.Side {
		x, y := i%v.Side, i/v.Side
		var b strings.Builder
		fmt.Fprintf(&b, "{\"entities\": {\n\"pier\": {\"Place\": {\"X\": %d, \"Y\": %d}},\n", x, y)
		for k := range v.Rows - 1 {
			fmt.Fprintf(&b, "\"crate/%d\": {\"Place\": {\"X\": %d.%02d, \"Y\": %d.%02d}, \"Drift\": {\"X\": 0.0%d}, \"Mooring\": {\"Pier\": \"@pier\"}},\n",
				k, x, k*37%100, y, k*61%100, k%7)
		}
		b.WriteString("}}\n")
		file := filepath.Join(dir, tileName(i))
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			return err
		}
		if _, _, err := scene.BakeFile(file); err != nil {
			return err
		}
	}
	return nil
}

func tileName(i int) string { return fmt.Sprintf("tile%03d.scene", i) }

// Log records a voyage.
type Log struct {
	Hash     uint64
	Loads    int           // number of loaded tiles in all
	Most     int           // largest number of rows in one update
	Entities int           // largest number
	Longest  time.Duration // longest update
	Late     int           // updates that took longer than a frame at 60 Hz
	Updates  int
	Heap     []uint64 // bytes alive after each lap

	came, before []scene.Status // states of all tiles, now and at the previous update
	failed       error          // error from a notice
}

// open creates the world, with a request for each tile. All requests are switched off.
func (v Voyage) open(files fs.FS, notice func(scene.Notice), options ...system.Option) (*ecs.World, error) {
	w, err := system.NewWorld("harbour", append(options, system.Only(system.Of[Camera](), system.Of[Float]()), system.WithPlugins(scene.Systems()))...)
	if err != nil {
		return w, err
	}
	if err := scene.Configure(w, scene.Config{Files: files, Budget: v.Budget, Delay: 4, Notice: notice}); err != nil {
		return w, err
	}
	for i := range v.Side * v.Side {
		e := scene.Load(w, tileName(i), 0)
		if err := ecs.Add(w, e, Tile{int32(i % v.Side), int32(i / v.Side)}); err != nil {
			return w, err
		}
		if err := ecs.SetEnabled[scene.Request](w, e, false); err != nil {
			return w, err
		}
	}
	system.Find[Camera](w).side = v.Side
	return w, nil
}

// recorder returns a Recorder that writes a recording, or compares the world with one. Without a file, it
// returns nil.
func (v Voyage) recorder(w *ecs.World) (*replay.Recorder, *os.File, error) {
	if v.Check != "" {
		f, err := os.Open(v.Check)
		if err != nil {
			return nil, nil, err
		}
		r, err := replay.Verify(f, w)
		return r, f, err
	}
	if v.Record == "" {
		return nil, nil, nil
	}
	options := []replay.Option{replay.BySystem()}
	if v.Values != "" {
		var first, last uint64
		if _, err := fmt.Sscanf(v.Values, "%d-%d", &first, &last); err != nil || first < 1 || first > last {
			return nil, nil, fmt.Errorf("-values %s: want a range of updates, such as 491-500", v.Values)
		}
		options = append(options, replay.Values(first, last))
	}
	f, err := os.Create(v.Record)
	if err != nil {
		return nil, nil, err
	}
	r, err := replay.Record(f, w, options...)
	return r, f, err
}

// sail travels over the tiles, which it loads from files. It returns the log of the voyage.
func (v Voyage) sail(files fs.FS, options ...system.Option) (l *Log, err error) {
	l = &Log{}
	w, err := v.open(files, func(n scene.Notice) {
		if n.Phase == scene.Loaded {
			l.Loads++
		}
		if n.Err != nil {
			l.failed = n.Err
		}
	}, options...)
	if w != nil {
		defer w.Close()
	}
	if err != nil {
		return nil, err
	}
	recorder, file, err := v.recorder(w)
	if file != nil {
		defer func() { err = firstOf(err, file.Close()) }()
	}
	if err != nil {
		return nil, err
	}
	if recorder != nil {
		defer func() { err = firstOf(err, recorder.Close()) }()
	}
	status := w.Query(ecs.Read[scene.Status]())
	for lap := range v.Laps {
		for range updates {
			if err := l.update(w, status); err != nil {
				return nil, fmt.Errorf("lap %d: %w", lap, err)
			}
			if recorder != nil {
				if err := recorder.Tick(); err != nil {
					return nil, err
				}
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		l.Heap = append(l.Heap, m.HeapAlloc)
	}
	l.Hash = w.Hash()
	return l, nil
}

// update makes one update and records its duration and the number of loaded rows.
func (l *Log) update(w *ecs.World, status *ecs.Query) error {
	system.ClockOf(w).Advance(1.0 / 60)
	start := time.Now()
	err := system.Update(w)
	took := time.Since(start)
	if err = firstOf(err, l.failed); err != nil {
		return err
	}
	l.Longest = max(l.Longest, took)
	if l.Updates++; took > time.Second/60 {
		l.Late++
	}
	l.before, l.came = l.came, l.before[:0]
	if l.came, err = ecs.AppendValues(status, l.came); err != nil {
		return err
	}
	rows := 0
	for i := range l.before {
		rows += int(max(0, l.came[i].Came-l.before[i].Came))
	}
	l.Most, l.Entities = max(l.Most, rows), max(l.Entities, w.Len())
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func main() {
	v := Voyage{}
	flag.IntVar(&v.Side, "side", 4, "tiles along an `edge`")
	flag.IntVar(&v.Rows, "rows", 400, "entities of a `tile`")
	flag.IntVar(&v.Laps, "laps", 2, "`rounds` of the camera")
	flag.IntVar(&v.Budget, "budget", scene.DefaultBudget, "`rows` that come in one update")
	flag.StringVar(&v.Record, "record", "", "write a recording of the voyage to a `file`")
	flag.StringVar(&v.Check, "check", "", "compare the voyage with the recording in a `file`")
	flag.StringVar(&v.Values, "values", "", "with -record, also record all values after the updates in a `range`, as 491-500")
	live := flag.String("live", "", "only watch the first tile in a `directory`, to be edited meanwhile")
	flag.Parse()
	if err := v.checkFiles(*live, flag.Args()); err != nil {
		log.Fatal(err)
	}
	run := v.show
	if *live != "" {
		run = func() error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			defer stop()
			return watch(ctx, *live, os.Stdout)
		}
	}
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

// checkFiles returns an error if two flags exclude each other, or if one of them would have no effect. args are
// the arguments after the flags.
func (v Voyage) checkFiles(live string, args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("argument %q: harbour has only flags, such as -check %[1]s", args[0])
	case v.Record != "" && v.Check != "":
		return fmt.Errorf("-record %s -check %s: give one of them, because a voyage either writes a recording or is compared with one", v.Record, v.Check)
	case v.Values != "" && v.Record == "":
		return fmt.Errorf("-values %s: give -record too, because only a recording has values", v.Values)
	case live != "" && v.Record+v.Check != "":
		return fmt.Errorf("-live %s: leave out -record and -check, because -live makes no voyage", live)
	}
	return nil
}

// show writes the tiles, travels, and prints the log. The hash is the same on every machine.
func (v Voyage) show() (err error) {
	if v.Side < 1 || v.Rows < 1 || v.Laps < 1 || v.Budget < 1 {
		return fmt.Errorf("-side %d -rows %d -laps %d -budget %d: take 1 at least", v.Side, v.Rows, v.Laps, v.Budget)
	}
	dir, err := os.MkdirTemp("", "harbour")
	if err != nil {
		return err
	}
	defer func() { err = firstOf(err, os.RemoveAll(dir)) }()
	if err := v.write(dir); err != nil {
		return err
	}
	l, err := v.sail(os.DirFS(dir))
	if err != nil {
		return err
	}
	log.Printf("%d tiles came, %d entities at most; at most %d rows and %v in one update, %d of %d longer than a frame; heap %d KiB after the first lap, %d KiB after the last",
		l.Loads, l.Entities, l.Most, l.Longest, l.Late, l.Updates, l.Heap[0]>>10, l.Heap[len(l.Heap)-1]>>10)
	if v.Check != "" {
		log.Printf("no difference from %s in %d updates", v.Check, l.Updates)
	}
	fmt.Printf("%016x\n", l.Hash)
	return nil
}
