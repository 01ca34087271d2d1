package scene

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// manyText returns a text of n entities with two components.
func manyText(n int) []byte {
	var o strings.Builder
	o.WriteString("{\"entities\": {\n")
	for i := range n {
		fmt.Fprintf(&o, "\t\"e%d\": {\"Position\": {\"X\": %d.5, \"Y\": 2, \"Z\": 3}, \"Velocity\": {\"X\": 1, \"Y\": %d, \"Z\": 0}},\n", i, i, i)
	}
	o.WriteString("}}\n")
	return []byte(o.String())
}

func BenchmarkScene(b *testing.B) {
	for _, n := range []int{1_000, 20_000, 200_000} {
		text := manyText(n)
		rate := func(b *testing.B, per float64, unit string) {
			b.ReportMetric(per*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, unit)
		}
		b.Run(fmt.Sprintf("do=parse/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				parse(b, text)
			}
			rate(b, 2, "Mcomponents/s")
		})
		b.Run(fmt.Sprintf("do=bake/n=%d", n), func(b *testing.B) { // includes parsing the text
			for b.Loop() {
				bakeOnce(b, text)
			}
			rate(b, 2, "Mcomponents/s")
		})
		file := bytesOf(b, bakeOnce(b, text))
		b.Run(fmt.Sprintf("do=read/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				readOnce(b, file)
			}
			rate(b, 1, "Mrows/s")
		})
	}
}

func parse(b *testing.B, text []byte) *Document {
	d, err := Parse("bench", text)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

func bakeOnce(b *testing.B, text []byte) *Baked {
	s, err := parse(b, text).Bake()
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func readOnce(b *testing.B, file []byte) {
	if _, err := ReadBaked(bytes.NewReader(file)); err != nil {
		b.Fatal(err)
	}
}

// benchText returns a scene of n entities with two components.
func benchText(n int) string {
	var b strings.Builder
	b.WriteString("{\"entities\": {\n")
	for i := range n {
		fmt.Fprintf(&b, "\"stone/%d\": {\"Position\": {\"X\": %d, \"Y\": 1.5}, \"Mass\": {\"Kg\": 3}},\n", i, i)
	}
	b.WriteString("}}")
	return b.String()
}

func bakedBytes(b testing.TB, n int) []byte {
	var out bytes.Buffer
	must(b, bake(b, benchText(n)).Write(&out))
	return out.Bytes()
}

// BenchmarkLoad loads a baked scene into a world, from bytes to the last row. The benchmark
// loads into an empty world, and into a world that already has the same number of other rows. A
// world keeps as much free memory as it uses. So only the empty world must take all of its
// memory from the operating system again in each run.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{20_000, 200_000} {
		loadInto(b, n, 0)
		loadInto(b, n, n)
	}
}

func loadInto(b *testing.B, n, others int) {
	b.Run(fmt.Sprintf("rows=%d/others=%d", n, others), func(b *testing.B) {
		data := bakedBytes(b, n)
		w := ecs.NewWorld("bench")
		defer w.Close()
		_, err := w.Instantiate(w.Spawn(Position{}, Mass{}), others)
		must(b, err)
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			loadOnce(b, w, data)
		}
		b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds()/1e6, "Mrows/s")
	})
}

func loadOnce(b *testing.B, w *ecs.World, data []byte) {
	baked, err := ReadBaked(bytes.NewReader(data))
	must(b, err)
	a, err := ecs.NewImageStream(baked.Image(), SceneTag{})
	must(b, err)
	must(b, a.Begin(w))
	for a.Left() > 0 {
		_, err := a.Load(DefaultBudget)
		must(b, err)
	}
	b.StopTimer()
	_, err = a.Unload(1 << 30)
	must(b, err)
	b.StartTimer()
}

// BenchmarkStreamRows loads and unloads a scene of 100,000 named rows, 10,000 in each frame, and
// measures the longest of these frames. In the first frame all rows also get their ids.
func BenchmarkStreamRows(b *testing.B) {
	files := fstest.MapFS{"big.scene.baked": &fstest.MapFile{Data: bakedBytes(b, 100_000)}}
	w, err := system.NewWorld("bench")
	must(b, err)
	defer w.Close()
	must(b, Configure(w, Config{Files: files, Delay: 1}))
	s, err := streamerFor(w)
	must(b, err)
	var first, coming, going, nothing longest
	var memory [64 << 10]uint64
	for b.Loop() {
		e := Load(w, "big.scene", 0)
		must(b, s.runUpdate(false))
		in := s.byID[e]
		<-in.load.finished // leaves reading out of the measurement
		first.frame(b, s)
		for in.phase == Coming {
			coming.frame(b, s)
		}
		must(b, w.Destroy(e))
		for s.byID[e] != nil {
			going.frame(b, s)
			nothing.time(func() { // the delays of the machine itself in a frame that allocates nothing
				for range 6 {
					for i := range memory {
						memory[i] += uint64(i)
					}
				}
			})
		}
	}
	nothing.report(b, "control")
	first.report(b, "first")
	coming.report(b, "come")
	going.report(b, "go")
}

// longest holds the times of frames.
type longest struct {
	n, late   int // number of frames, and of those longer than a millisecond
	sum, most time.Duration
}

func (l *longest) frame(b *testing.B, s *streamer) {
	l.time(func() { must(b, s.runUpdate(false)) })
}

func (l *longest) time(f func()) {
	start := time.Now()
	f()
	took := time.Since(start)
	l.n, l.sum, l.most = l.n+1, l.sum+took, max(l.most, took)
	if took > time.Millisecond {
		l.late++
	}
}

func (l *longest) report(b *testing.B, what string) {
	b.ReportMetric(float64(l.sum.Microseconds())/float64(l.n), "µs/"+what)
	b.ReportMetric(float64(l.most.Microseconds()), "max-µs/"+what)
	b.ReportMetric(float64(l.late)/float64(l.n), "late/"+what)
}

// BenchmarkLiveLink changes a value in a text of 20,000 entities. With 1,000 updates a second, it
// measures the time from the end of the save until the value is in the world.
func BenchmarkLiveLink(b *testing.B) {
	text := benchText(20_000)
	file := filepath.Join(b.TempDir(), "big.scene")
	must(b, os.WriteFile(file, []byte(text), 0o644))
	w := stage(b, Config{Files: os.DirFS(filepath.Dir(file)), Live: true})
	e := Load(w, "big.scene", 0)
	updateUntilWatched(b, w, e)
	stone := Find(w, e, "stone/7777")
	n := 1
	for b.Loop() {
		n++
		next := strings.Replace(text, `"X": 7777,`, fmt.Sprintf(`"X": %d,`, -n), 1)
		b.StopTimer()
		must(b, os.WriteFile(file, []byte(next), 0o644))
		b.StartTimer()
		for {
			must(b, system.Update(w))
			if p, _ := ecs.Get[Position](w, stone); p.X == float32(-n) {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// BenchmarkGrow measures the frame in which the table of a world grows, because it has no space for
// the ids of a scene of 10,000 rows.
func BenchmarkGrow(b *testing.B) {
	data := bakedBytes(b, 10_000)
	for _, others := range []int{1 << 14, 1 << 17, 1 << 20} {
		b.Run(fmt.Sprintf("others=%d", others), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				w := ecs.NewWorld("bench")
				_, err := w.Instantiate(w.Spawn(Mass{}), others-1)
				must(b, err)
				baked, err := ReadBaked(bytes.NewReader(data))
				must(b, err)
				a, err := ecs.NewImageStream(baked.Image(), SceneTag{})
				must(b, err)
				b.StartTimer()
				must(b, a.Begin(w))
				b.StopTimer()
				must(b, w.Close())
				b.StartTimer()
			}
		})
	}
}
