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

// benchText is a scene of n entities with two components.
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

// BenchmarkLoad loads a baked scene into a world, from bytes to the last row: into an empty one, and into one that has as many
// other rows. A world keeps as much free memory as it uses, so that only the empty one takes all from the system again.
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
	a, err := ecs.NewArrival(baked.Image(), SceneTag{})
	must(b, err)
	must(b, a.Begin(w))
	for a.Left() > 0 {
		_, err := a.Admit(DefaultBudget)
		must(b, err)
	}
	b.StopTimer()
	_, err = a.Withdraw(1 << 30)
	must(b, err)
	b.StartTimer()
}

// BenchmarkAdmit is the longest of the frames in which a scene of 100,000 named rows comes, 10,000 a frame, and goes.
func BenchmarkAdmit(b *testing.B) {
	files := fstest.MapFS{"big.scene.baked": &fstest.MapFile{Data: bakedBytes(b, 100_000)}}
	w, err := system.NewWorld("bench")
	must(b, err)
	defer w.Close()
	must(b, Configure(w, Config{Files: files, Delay: 1}))
	s, err := streamerFor(w)
	must(b, err)
	var coming, going, frames time.Duration
	for b.Loop() {
		e := Load(w, "big.scene", 0)
		for phase := Unloaded; phase != Loaded; frames++ {
			must(b, s.step(false))
			if in := s.byID[e]; in.load != nil {
				<-in.load.over // the load is not measured
			} else if in.phase == Coming {
				coming = max(coming, timed(b, s))
			}
			phase = s.byID[e].phase
		}
		must(b, w.Destroy(e))
		for s.byID[e] != nil {
			going = max(going, timed(b, s))
		}
	}
	b.ReportMetric(float64(coming.Microseconds()), "max-µs/come")
	b.ReportMetric(float64(going.Microseconds()), "max-µs/go")
}

func timed(b *testing.B, s *streamer) time.Duration {
	start := time.Now()
	must(b, s.step(false))
	return time.Since(start)
}

// BenchmarkLiveLink is how long it takes from the end of a save until a value in a text of 20,000 entities is seen, at
// 1,000 updates a second.
func BenchmarkLiveLink(b *testing.B) {
	text := benchText(20_000)
	file := filepath.Join(b.TempDir(), "big.scene")
	must(b, os.WriteFile(file, []byte(text), 0o644))
	w := stage(b, Config{Files: os.DirFS(filepath.Dir(file)), Live: true})
	e := Load(w, "big.scene", 0)
	until(b, w, e, Live)
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
