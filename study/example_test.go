package study_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/study"
)

// Cloud is a model of smoke that the wind carries towards a wall. Its exported
// fields with a default are the parameters.
type Cloud struct {
	Puffs int     `default:"400" range:"1..1000000" help:"of smoke"`
	Wind  float64 `default:"0.1" range:"-1..1" unit:"m/s" help:"towards the wall"`
	Gusts float64 `default:"0.5" range:"0..5" unit:"m/s" help:"how far the wind varies"`
	Wall  float64 `default:"10" range:"0..1000" unit:"m" help:"how far off the wall is"`

	puffs *ecs.Query
	drawn kernels.Vec2s[float64]
}

// Position is the position of a puff.
type Position struct{ X, Y float64 }

func (Position) Column() (c kernels.Vec2s[float64]) { return }

// Spread is a row of the table spread. The model emits one every ten seconds.
type Spread struct {
	Reached int     `help:"puffs at the wall"`
	Mean    float64 `unit:"m" help:"how far they are"`
}

// Result is the result of a run.
type Result struct {
	Share float64 `help:"of puffs at the wall"`
}

// Setup makes the world: all smoke is where the fire is.
func (m *Cloud) Setup(r *study.Run) (*ecs.World, error) {
	w := ecs.NewWorld("cloud", ecs.OnPool(r.Pool()))
	m.puffs = w.Query(ecs.Write[Position]())
	w.Create(w.Archetype(ecs.With[Position]()), m.Puffs)
	m.drawn.X, m.drawn.Y = make([]float64, m.Puffs), make([]float64, m.Puffs)
	return w, nil
}

// Step simulates one second.
func (m *Cloud) Step(r *study.Run) (more bool, err error) {
	first := uint64(0) // the index of the chunk's first puff
	for c := range m.puffs.Chunks() {
		pos, n := ecs.Column[Position](c), c.Len()
		gust := kernels.Vec2s[float64]{X: m.drawn.X[:n], Y: m.drawn.Y[:n]}
		random.Normal(gust.X, r.Key(gustX).Rows(first), m.Wind, m.Gusts)
		random.Normal(gust.Y, r.Key(gustY).Rows(first), 0, m.Gusts)
		pos.AddScaled(pos, &gust, 1)
		first += uint64(n)
	}
	if r.Tick%10 == 9 {
		reached, mean := m.measure()
		study.Emit(r, Spread{Reached: reached, Mean: mean})
	}
	return r.Tick < 59, nil
}

// The streams of random numbers: each place in the model that draws has a separate one.
const gustX, gustY = 1, 2

// measure counts the puffs at the wall.
func (m *Cloud) measure() (reached int, mean float64) {
	for c := range m.puffs.Chunks() {
		for _, x := range ecs.Column[Position](c).X {
			if mean += x; x >= m.Wall {
				reached++
			}
		}
	}
	return reached, mean / float64(m.Puffs)
}

// Result returns the result at the end of a run.
func (m *Cloud) Result(*study.Run) Result {
	reached, _ := m.measure()
	return Result{Share: float64(reached) / float64(m.Puffs)}
}

func main() { study.Main[*Cloud]() }

func TestCloud(t *testing.T) { study.Test[*Cloud](t, "puffs=50") }

// Save writes the data that Load needs: here only the world.
func (m *Cloud) Save(r *study.Run, w io.Writer) error { return study.SaveWorld(r, w) }

// Load replaces Setup: it reads the data that Save wrote.
func (m *Cloud) Load(r *study.Run, from io.Reader) (*ecs.World, error) {
	w, err := m.Setup(r)
	if err != nil {
		return w, err
	}
	return w, study.LoadWorld(w, from)
}

func init() { study.Guide = main }

// runCommands runs the guide's program with each command, in a directory that is empty at
// first. It prints the commands and the first lines of their standard output.
func runCommands(lines int, all ...string) {
	dir, err := os.MkdirTemp("", "cloud")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	commandsIn(dir, lines, all...)
}

// commandsIn does the same as runCommands, in a given directory.
func commandsIn(dir string, lines int, all ...string) {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	for _, line := range all {
		c := exec.Command(exe, strings.Fields(line)...)
		c.Env, c.Dir = append(os.Environ(), "LANEWISE_STUDY_TEST=cloud"), dir
		out, err := c.Output()
		fmt.Println("$ cloud", line)
		text := strings.SplitAfter(string(out), "\n")
		fmt.Print(strings.Join(text[:min(lines, len(text))], ""))
		if err != nil {
			fmt.Println(err)
		}
	}
}

func Example() {
	runCommands(10, "params", "run wind=0.2", "run -table spread wind=0.2")
	// Output:
	// $ cloud params
	// parameter  default  range       unit  meaning
	// puffs      400      1..1000000        of smoke
	// wind       0.1      -1..1       m/s   towards the wall
	// gusts      0.5      0..5        m/s   how far the wind varies
	// wall       10       0..1000     m     how far off the wall is
	// $ cloud run wind=0.2
	// share  0.69
	// $ cloud run -table spread wind=0.2
	// tick,reached,mean
	// 9,0,2.0182393219377803
	// 19,3,4.013718956083847
	// 29,26,5.842633963187692
	// 39,88,7.817938462653034
	// 49,189,9.835718450101226
	// 59,276,11.87233982378311
}

func Example_sweep() {
	runCommands(4,
		"sweep -out first wind=0.1:0.3:0.1 gusts=0.5,1.0 -seeds 10",
		"table -out first",
		"table -out first spread",
		"table -out first runs",
		"table -out first -format jsonl",
		"table -out first -summary",
		"table -out first -summary -format csv")
	// Output:
	// $ cloud sweep -out first wind=0.1:0.3:0.1 gusts=0.5,1.0 -seeds 10
	// $ cloud table -out first
	// run,seed,state,hash,puffs,wind,gusts,wall,tick,share
	// 0,6782134203041498256,ok,5268a83798c09f11,400,0.1,0.5,10,60,0.145
	// 1,4668244276158768941,ok,4d143f81530e4706,400,0.1,0.5,10,60,0.1575
	// 2,5553279997362368446,ok,92280a6812b6438a,400,0.1,0.5,10,60,0.17
	// $ cloud table -out first spread
	// run,seed,state,hash,puffs,wind,gusts,wall,tick,reached,mean
	// 0,6782134203041498256,ok,5268a83798c09f11,400,0.1,0.5,10,9,0,1.018239321937781
	// 0,6782134203041498256,ok,5268a83798c09f11,400,0.1,0.5,10,19,0,2.013718956083845
	// 0,6782134203041498256,ok,5268a83798c09f11,400,0.1,0.5,10,29,2,2.8426339631876925
	// $ cloud table -out first runs
	// run,seed,state,hash,puffs,wind,gusts,wall,ticks,why
	// 0,6782134203041498256,ok,5268a83798c09f11,400,0.1,0.5,10,60,
	// 1,4668244276158768941,ok,4d143f81530e4706,400,0.1,0.5,10,60,
	// 2,5553279997362368446,ok,92280a6812b6438a,400,0.1,0.5,10,60,
	// $ cloud table -out first -format jsonl
	// {"run":0,"seed":"6782134203041498256","state":"ok","hash":"5268a83798c09f11","puffs":400,"wind":0.1,"gusts":0.5,"wall":10,"tick":60,"share":0.145}
	// {"run":1,"seed":"4668244276158768941","state":"ok","hash":"4d143f81530e4706","puffs":400,"wind":0.1,"gusts":0.5,"wall":10,"tick":60,"share":0.1575}
	// {"run":2,"seed":"5553279997362368446","state":"ok","hash":"92280a6812b6438a","puffs":400,"wind":0.1,"gusts":0.5,"wall":10,"tick":60,"share":0.17}
	// {"run":3,"seed":"5212415314584520068","state":"ok","hash":"117e107fda852599","puffs":400,"wind":0.1,"gusts":0.5,"wall":10,"tick":60,"share":0.1575}
	// $ cloud table -out first -summary
	// wind [m/s]  gusts [m/s]  n   tick    share
	// 0.1         0.5          10  60 ± 0  0.1495 ± 0.0039
	// 0.1         1            10  60 ± 0  0.2965 ± 0.0063
	// 0.2         0.5          10  60 ± 0  0.6972 ± 0.0068
	// $ cloud table -out first -summary -format csv
	// puffs,wind,gusts,wall,n,tick_mean,tick_error,tick_n,share_mean,share_error,share_n
	// 400,0.1,0.5,10,10,60,0,10,0.14950000000000002,0.003940530139178965,10
	// 400,0.1,1,10,10,60,0,10,0.2965,0.006326750965367438,10
	// 400,0.2,0.5,10,10,60,0,10,0.6972499999999999,0.006815525576864113,10
}

func Example_axes() {
	runCommands(3,
		"sweep -out steps wind=0.1:0.3:0.1 gusts=0,0.5",
		"sweep -out drawn wind=-0.2..0.2 gusts -latin 5",
		"table -out drawn")
	// Output:
	// $ cloud sweep -out steps wind=0.1:0.3:0.1 gusts=0,0.5
	// $ cloud sweep -out drawn wind=-0.2..0.2 gusts -latin 5
	// $ cloud table -out drawn
	// run,seed,state,hash,puffs,wind,gusts,wall,tick,share
	// 0,6782134203041498256,ok,23571a6e84ac10e2,400,0.18764154630845353,2.3810826437489787,10,60,0.515
	// 1,6782134203041498256,ok,8d0b38dfd4b34c36,400,0.0609992757078599,3.2872033221272066,10,60,0.3925
}

// Two workers, on one machine or on two that see the directory, do a half of the runs each. The table is
// that of a sweep on one machine.
func Example_shares() {
	runCommands(4,
		"sweep -plan -out both wind=0.1,0.2 -seeds 4",
		"worker -out both -shard 0/2",
		"worker -out both -shard 1/2",
		"table -out both")
	// Output:
	// $ cloud sweep -plan -out both wind=0.1,0.2 -seeds 4
	// $ cloud worker -out both -shard 0/2
	// $ cloud worker -out both -shard 1/2
	// $ cloud table -out both
	// run,seed,state,hash,puffs,wind,gusts,wall,tick,share
	// 0,6782134203041498256,ok,5268a83798c09f11,400,0.1,0.5,10,60,0.145
	// 1,4668244276158768941,ok,4d143f81530e4706,400,0.1,0.5,10,60,0.1575
	// 2,5553279997362368446,ok,92280a6812b6438a,400,0.1,0.5,10,60,0.17
}

// A stranger computes all runs of a study again, with another number of workers, and then a tenth of them.
func Example_verify() {
	runCommands(10,
		"sweep -out first wind=0.1:0.3:0.1 gusts=0.5,1.0 -seeds 10",
		"certify -out first",
		"verify -out first -workers 3",
		"verify -out first -sample 10%",
		"verify -out first -runs 7,20:22 -ticks 10:30")
	// Output:
	// $ cloud sweep -out first wind=0.1:0.3:0.1 gusts=0.5,1.0 -seeds 10
	// $ cloud certify -out first
	// $ cloud verify -out first -workers 3
	// logs: 60 records are those of the certificate
	// 60 of 60 runs computed again with 3 workers: all bits are the same
	// verified
	// $ cloud verify -out first -sample 10%
	// logs: 60 records are those of the certificate
	// 6 of 60 runs computed again with 1 worker: all bits are the same
	// verified
	// $ cloud verify -out first -runs 7,20:22 -ticks 10:30
	// logs: 60 records are those of the certificate
	// 4 of 60 runs computed again with 1 worker, up to tick 30: all bits are the same
	// verified
}

// One digit of a table is changed.
func Example_wrong() {
	dir, err := os.MkdirTemp("", "cloud")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	commandsIn(dir, 1, "sweep -out first wind=0.1:0.3:0.1 -seeds 10", "certify -out first")
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	c := exec.Command(exe, "table", "-out", "first", "spread")
	c.Env, c.Dir = append(os.Environ(), "LANEWISE_STUDY_TEST=cloud"), dir
	table, err := c.Output()
	if err == nil {
		table = []byte(strings.Replace(string(table), "2.013718956083845", "2.013718956083846", 1))
		err = os.WriteFile(dir+"/spread.csv", table, 0o644)
	}
	if err != nil {
		panic(err)
	}
	commandsIn(dir, 10, "verify -out first -sample 10% -seed 1 spread.csv")
	// Output:
	// $ cloud sweep -out first wind=0.1:0.3:0.1 -seeds 10
	// $ cloud certify -out first
	// $ cloud verify -out first -sample 10% -seed 1 spread.csv
	// logs: 30 records are those of the certificate
	// WRONG spread.csv: line 3: run 0: table spread, tick 19: mean is 2.013718956083846, and here 2.013718956083845
	// 4 of 30 runs computed again with 1 worker: all bits are the same
	// exit status 1
}

func ExampleOnce() {
	for _, wind := range []string{"wind=0", "wind=0.2"} {
		out, err := study.Once[*Cloud](nil, wind, "puffs=1000")
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %.3f of the smoke is at the wall after %d s\n", wind, out.Result.Share, out.Ticks)
	}
	// Output:
	// wind=0: 0.006 of the smoke is at the wall after 60 s
	// wind=0.2: 0.693 of the smoke is at the wall after 60 s
}
