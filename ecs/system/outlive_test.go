package system_test

import (
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Components and systems of TestHandlesOutlive.
type (
	outlived struct{ V int32 }

	outliving struct {
		setup  *system.Setup
		frame  *system.Frame
		query  *ecs.Query
		access *access.Access
	}

	outlivingGroup struct {
		system.Group
		_ system.In[system.Simulation]
	}

	outlivingJob struct{}
	noProbe      struct{}
)

func (s *outliving) Create(u *system.Setup) error {
	s.setup, s.query, s.access = u, u.Query(ecs.Write[outlived]()), u.Access(ecs.Write[outlived]())
	return nil
}

func (s *outliving) Update(f *system.Frame) error {
	s.frame = f
	return nil
}

func (outlivingJob) Chunk(*ecs.Chunk)                        {}
func (outlivingJob) Run(*jobs.Task)                          {}
func (outlivingJob) RunRange(*jobs.Task, int, int)           {}
func (noProbe) Before(*system.Instance)                      {}
func (noProbe) After(in *system.Instance, _ uint32, _ error) {}

// outliver is a call of a method of a handle, with whether it is refused after Close. The other
// calls return as before.
type outliver struct {
	name    string
	refused bool
	call    func() error
}

// does makes a call of a function without results.
func does(f func()) func() error { return func() error { f(); return nil } }

// gives makes a call of a function whose result does not matter.
func gives[T any](f func() T) func() error { return func() error { f(); return nil } }

// outlivers returns calls of all handles of a world with systems.
func outlivers(t *testing.T, w *ecs.World) (calls []outliver) {
	s := system.Find[outliving](w)
	f, u, in, group := s.frame, s.setup, system.InstanceOf(w, s), system.Find[outlivingGroup](w)
	res, now := system.ResourceOf[outlived](w), system.ClockOf(w)
	part := system.NewExplainer(w)
	job := outlivingJob{}
	var report *system.Report
	return []outliver{
		{"Instance.Update", true, in.Update},
		{"Instance.SetEnabled", false, does(func() { in.SetEnabled(true) })},
		{"Instance.Enabled", false, gives(in.Enabled)},
		{"Instance.Group", false, gives(in.Group)},
		{"Instance.LastVersion", false, gives(in.LastVersion)},
		{"Instance.Name", false, gives(in.Name)},
		{"Instance.Running", false, gives(in.Running)},
		{"Instance.String", false, gives(in.String)},
		{"Instance.System", false, gives(in.System)},
		{"Instance.Type", false, gives(in.Type)},
		{"Instance.World", false, gives(in.World)},
		{"Group.Add", true, func() error { return group.Add(s) }},
		{"Group.Sort", false, group.Sort},
		{"Group.Members", false, gives(group.Members)},
		{"Group.Remove", false, does(func() { group.Remove(s) })},
		{"Group.SetSorting", false, does(func() { group.SetSorting(true) })},
		{"Group.SetRate", false, does(func() { group.SetRate(nil) })},
		{"Group.Alpha", false, gives(group.Alpha)},
		{"Resource.Read", true, gives(res.Read)},
		{"Resource.Write", true, gives(res.Write)},
		{"Resource.ReadBy", true, func() error { return readBy(res, u.Access()) }},
		{"Clock.Now", false, gives(now.Now)},
		{"Clock.Scale", false, gives(now.Scale)},
		{"Setup.Query", true, gives(func() *ecs.Query { return u.Query(ecs.Write[outlived]()) })},
		{"Setup.Access", false, gives(func() *access.Access { return u.Access(ecs.Read[outlived]()) })},
		{"Setup.Instance", false, gives(u.Instance)},
		{"Setup.World", false, gives(u.World)},
		{"Frame.ParallelFor", true, gives(func() jobs.Handle { return f.ParallelFor(s.query, job) })},
		{"Frame.Schedule", true, gives(func() jobs.Handle { return f.Schedule(job, s.access) })},
		{"Frame.ParallelRange", true, gives(func() jobs.Handle { return f.ParallelRange(job, 3, 1, s.access) })},
		{"Frame.Track", true, func() error { return f.Track(jobs.Handle{}, s.access) }},
		{"Frame.Run", true, func() error { return f.Run(s.query, job) }},
		{"Frame.Commands", true, gives(f.Commands)},
		{"Commands", true, gives(func() *ecs.Commands { return system.Commands[system.EndSimulation](f) })},
		{"Frame.Wait", false, does(f.Wait)},
		{"Frame.Alpha", false, gives(f.Alpha)},
		{"Frame.Delta", false, gives(f.Delta)},
		{"Frame.Elapsed", false, gives(f.Elapsed)},
		{"SetConservative", true, does(func() { system.SetConservative(w, false) })},
		{"Measure", true, does(func() { system.Measure(w, false) })},
		{"Explain", true, does(func() { report = system.Explain(w) })},
		{"Report.String", false, does(func() { _ = report.String() })},
		{"Find", true, gives(func() *outliving { return system.Find[outliving](w) })},
		{"ResourceOf", true, gives(func() *system.Resource[outlived] { return system.ResourceOf[outlived](w) })},
		{"Update", true, func() error { return system.Update(w) }},
		{"AddSystems", true, func() error { return system.AddSystems(w) }},
		{"Instances", false, gives(func() []*system.Instance { return system.Instances(w) })},
		{"IsKind", false, gives(func() bool { return system.IsKind[system.GameWorld](w) })},
		{"Warnings", false, gives(func() []string { return system.Warnings(w) })},
		{"Instance.Queries", false, gives(func() []*ecs.Query { return in.Queries() })},
		{"Instance.IdleReason", false, gives(func() string { return in.IdleReason() })},
		{"Instance.AppendSamples", false, gives(func() []system.Sample { return in.AppendSamples(nil, 0) })},
		{"Instance.Components", false, does(func() { in.Components() })},
		{"SystemsVersion", false, gives(func() uint64 { return system.SystemsVersion(w) })},
		{"WorldID", false, gives(func() uint64 { return system.WorldID(w) })},
		{"TimeNextFrame", false, does(func() { system.TimeNextFrame(w) })},
		{"FrameNumber", true, gives(func() uint64 { return system.FrameNumber(w) })},
		{"RecordTimes", true, does(func() { system.RecordTimes(w, 1)() })},
		{"Watch", true, does(func() { system.Watch(w, noProbe{})() })},
		{"OnFrameEnd", true, does(func() { system.OnFrameEnd(w, func(*system.FrameEnd) {})() })},
		{"NewExplainer", true, gives(func() *system.Explainer { return system.NewExplainer(w) })},
		{"Explainer.Continue", true, gives(func() bool { return part.Continue(func() bool { return true }) })},
		{"the end of a system.RecordTimes", false, does(system.RecordTimes(w, 1))},
		{"the end of a system.Watch", false, does(system.Watch(w, noProbe{}))},
		{"the end of a system.OnFrameEnd", false, does(system.OnFrameEnd(w, func(*system.FrameEnd) {}))},
	}
}

// readBy reads a resource by an access that does not declare it. It returns the reason of a
// refusal, unless that is the access.
func readBy(res *system.Resource[outlived], a *access.Access) (err error) {
	defer func() {
		if err, _ = recover().(error); !errors.Is(err, ecs.ErrDisposed) {
			err = nil
		}
	}()
	res.ReadBy(a)
	return nil
}

// TestHandlesOutlive: after a Restore all handles of systems work. After Close those that would use
// the world return ErrDisposed, and the others return their values.
func TestHandlesOutlive(t *testing.T) {
	w, err := system.NewWorld(t.Name(), system.Only(system.Of[outliving](), system.Of[outlivingGroup](), system.Of[system.Simulation](), system.Of[system.EndSimulation]()))
	if err != nil {
		t.Fatal(err)
	}
	e := w.Spawn(outlived{1})
	image, err := ecs.Capture(w, nil)
	if err = errors.Join(err, system.Update(w)); err != nil {
		t.Fatal(err)
	}
	calls := outlivers(t, w)
	of, query := w.ArchetypeOf(e), w.Query(ecs.With[outlived]())
	calls = append(calls, []outliver{
		{"Archetype.Len", true, gives(of.Len)},
		{"Archetype.ChunkCount", true, gives(of.ChunkCount)},
		{"Archetype.Capacity", false, gives(of.Capacity)},
		{"Query.CountUnfiltered", true, gives(query.CountUnfiltered)},
		{"Query.EmptyUnfiltered", true, gives(query.EmptyUnfiltered)},
	}...)
	check := func(when string, closed bool) {
		for _, c := range calls {
			err := func() (err error) {
				defer func() {
					if v := recover(); v != nil {
						var is bool
						if err, is = v.(error); !is {
							t.Errorf("%s: %s panics with %v", when, c.name, v)
						}
					}
				}()
				return c.call()
			}()
			switch refused := closed && c.refused; {
			case refused && !errors.Is(err, ecs.ErrDisposed):
				t.Errorf("%s: %s: got %v, want ErrDisposed", when, c.name, err)
			case !refused && err != nil:
				t.Errorf("%s: %s: got %v, want no error", when, c.name, err)
			}
		}
	}
	for range 2 {
		w.Spawn(outlived{2})
		if err := system.Restore(w, image); err != nil {
			t.Fatal(err)
		}
		check("after Restore", false)
	}
	whole := system.NewExplainer(w)
	for !whole.Continue(func() bool { return false }) {
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if text := whole.Report().String(); text == "" {
		t.Error("after Close: a snapshot that is whole explains nothing")
	}
	check("after Close", true)
}
