package exhibit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/jobs"
)

// MaxTick is the last tick that a link can have. It limits the time that the page needs to open a link.
const MaxTick = 1_000_000

// A Run is a simulation from its start, with a record of all changes of its parameters.
type Run struct {
	*Exhibit
	Simulation Simulation
	Values     []float64 // of the parameters at the current tick
	Tick       int       // number of ticks so far

	start   []float64 // the values at tick 0
	changes []change  // in the order of their ticks
	next    int       // index of the first change that has not been made
}

// A change is the change of a live parameter before a tick.
type change struct {
	tick, param int
	value       float64
}

// Start starts a run of an exhibit with the default parameters. The pool may be nil.
func Start(e *Exhibit, pool *jobs.Pool) (*Run, error) {
	values := make([]float64, len(e.Params))
	for i := range values {
		values[i] = e.Params[i].Default
	}
	return start(e, pool, values, nil)
}

func start(e *Exhibit, pool *jobs.Pool, values []float64, changes []change) (*Run, error) {
	s, err := e.start(pool, values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	return &Run{Exhibit: e, Simulation: s, Values: slices.Clone(values), start: values, changes: changes}, nil
}

// Open starts the run that a link describes, and returns the tick of the link. The caller advances
// the run to this tick.
func Open(link string, pool *jobs.Pool) (run *Run, tick int, err error) {
	return open(link, pool, MaxTick)
}

func open(link string, pool *jobs.Pool, maxTick int) (run *Run, tick int, err error) {
	name, rest, _ := strings.Cut(link, "?")
	e := Find(name)
	if e == nil {
		return nil, 0, fmt.Errorf("there is no exhibit %q", name)
	}
	values := make([]float64, len(e.Params))
	for i := range values {
		values[i] = e.Params[i].Default
	}
	var changes []change
	for pair := range strings.SplitSeq(rest, "&") {
		key, text, _ := strings.Cut(pair, "=")
		i := slices.IndexFunc(e.Params, func(p Param) bool { return p.Name == key })
		switch {
		case pair == "":
		case key == "tick":
			if tick, err = strconv.Atoi(text); err != nil || tick < 0 || tick > maxTick {
				return nil, 0, fmt.Errorf("tick=%s: want a number from 0 to %d", text, maxTick)
			}
		case i < 0:
			return nil, 0, fmt.Errorf("%s has no parameter %q", name, key)
		default:
			first, more, err := parse(&e.Params[i], i, text)
			if err != nil {
				return nil, 0, err
			}
			values[i], changes = first, append(changes, more...)
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return a.tick - b.tick })
	run, err = start(e, pool, values, changes)
	return run, tick, err
}

// parse reads the values of a parameter. For example, the text 0.4,120:1.5 has the value 0.4 at the start, and
// changes it to 1.5 before tick 120.
func parse(p *Param, param int, text string) (first float64, more []change, err error) {
	for i, part := range strings.Split(text, ",") {
		at, value, ok := strings.Cut(part, ":")
		if !ok {
			at, value = "0", part
		}
		tick, err := strconv.Atoi(at)
		v, wrong := strconv.ParseFloat(value, 64)
		switch {
		case errors.Join(err, wrong) != nil || ok != (i > 0) || tick < 0:
			return 0, nil, fmt.Errorf("%s=%s: want a number, or numbers such as 1,120:2 for a change before tick 120", p.Name, text)
		case i == 0:
			first = p.allowed(v)
		case !p.Live:
			return 0, nil, fmt.Errorf("%s=%s: %s cannot change during a run", p.Name, text, p.Name)
		default:
			more = append(more, change{tick, param, p.allowed(v)})
		}
	}
	return first, more, nil
}

// Set changes a live parameter before the next tick. It also drops those changes of the link that the run has not
// reached yet.
func (r *Run) Set(param int, value float64) {
	value = r.Params[param].allowed(value)
	r.changes = r.changes[:r.next]
	if n := len(r.changes); n > 0 && r.changes[n-1].tick == r.Tick && r.changes[n-1].param == param {
		r.changes = r.changes[:n-1]
	}
	r.changes = append(r.changes, change{r.Tick, param, value})
	r.next = len(r.changes)
	r.set(param, value)
}

func (r *Run) set(param int, value float64) {
	r.Values[param] = value
	r.Simulation.Set(param, value)
}

// Advance computes n ticks.
func (r *Run) Advance(n int) error {
	for range n {
		for r.next < len(r.changes) && r.changes[r.next].tick <= r.Tick {
			r.set(r.changes[r.next].param, r.changes[r.next].value)
			r.next++
		}
		if err := r.Simulation.Tick(r.Tick); err != nil {
			return fmt.Errorf("%s, tick %d: %w", r.Name, r.Tick, err)
		}
		r.Tick++
	}
	return nil
}

// Link returns the link of the run up to the current tick. It leaves out parameters that always had their default
// values.
func (r *Run) Link() string {
	var b strings.Builder
	b.WriteString(r.Name)
	separator := byte('?')
	for i, p := range r.Params {
		text := written(r.start[i])
		for _, c := range r.changes[:r.next] {
			if c.param == i {
				text += fmt.Sprintf(",%d:%s", c.tick, written(c.value))
			}
		}
		if text != written(p.Default) {
			fmt.Fprintf(&b, "%c%s=%s", separator, p.Name, text)
			separator = '&'
		}
	}
	fmt.Fprintf(&b, "%ctick=%d", separator, r.Tick)
	return b.String()
}

// written returns a value in the form that links have. Six digits are enough to find the same value among the
// values of a slider.
func written(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// mark is the beginning of each file that Save writes.
const mark = "lanewise gallery\n"

// Save writes the link of the run, and a snapshot of its world.
func (r *Run) Save(to io.Writer) error {
	w := r.Simulation.World()
	if w == nil {
		return fmt.Errorf("%s has no world to save: share its link", r.Name)
	}
	m, err := ecs.Capture(w, nil)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(to, "%s%s\n", mark, r.Link()); err != nil {
		return err
	}
	_, err = snapshot.Write(to, m)
	return err
}

// Load reads a file that Save has written. The run continues as the saved run would have continued.
func Load(from io.Reader, pool *jobs.Pool) (*Run, error) {
	in := bufio.NewReader(from)
	head := make([]byte, len(mark))
	if _, err := io.ReadFull(in, head); err != nil || string(head) != mark {
		return nil, errors.New("the file is not from the gallery")
	}
	link, err := in.ReadString('\n')
	if err != nil {
		return nil, errors.New("the file of the gallery has no link")
	}
	r, tick, err := open(strings.TrimSuffix(link, "\n"), pool, math.MaxInt) // no tick is replayed
	if err != nil {
		return nil, err
	}
	for r.Tick = tick; r.next < len(r.changes) && r.changes[r.next].tick <= tick; r.next++ {
		r.set(r.changes[r.next].param, r.changes[r.next].value)
	}
	w := r.Simulation.World()
	if w == nil {
		return nil, fmt.Errorf("%s has no world to load", r.Name)
	}
	if err := snapshot.LoadFrom(w, in); err != nil {
		r.Close()
		return nil, err
	}
	if s, ok := r.Simulation.(loaded); ok {
		if err := s.Loaded(); err != nil {
			r.Close()
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	return r, nil
}

// loaded is a simulation that keeps a copy of a part of its world.
type loaded interface {
	// Loaded makes the copy again after the world was loaded. It returns an error if the world is not
	// that of the parameters, as in a file that was edited.
	Loaded() error
}

// counted returns an error if a loaded world does not have the number of rows that the parameters say.
func counted(n, want int) error {
	if n != want {
		return fmt.Errorf("the world of the file has %d rows, and its parameters say %d", n, want)
	}
	return nil
}

// Hash returns the hash of the state.
func (r *Run) Hash() uint64 { return r.Simulation.Hash() }

// Close releases the world of the run.
func (r *Run) Close() {
	if w := r.Simulation.World(); w != nil {
		w.Close()
	}
}
