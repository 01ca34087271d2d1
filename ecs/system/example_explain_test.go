package system_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs/profile"
)

// A farm has three systems: Plough and Sow write different components, and Harvest waits for both.
type (
	Soil struct{ X float32 }
	Seed struct{ X float32 }

	Plough struct {
		_ system.In[system.Simulation]
		fields
	}
	Sow struct {
		fields
	}
	Harvest struct {
		_ system.In[system.Simulation]
		_ system.After[Plough]
		_ system.After[Sow]
		fields
	}
)

// fields has a job over a query.
type fields struct{ q *ecs.Query }

func (f *fields) Update(u *system.Frame) error {
	u.ParallelFor(f.q, f)
	return nil
}

func (*fields) Chunk(*ecs.Chunk) {}

func (p *Plough) Create(s *system.Setup) error {
	p.q = s.Query(ecs.Write[Soil]())
	return nil
}

func (p *Sow) Create(s *system.Setup) error {
	p.q = s.Query(ecs.Write[Seed]())
	return nil
}

func (p *Harvest) Create(s *system.Setup) error {
	p.q = s.Query(ecs.Read[Soil](), ecs.Write[Seed]())
	return nil
}

// This example prints a report with fixed times, which were measured in one run.
func ExampleExplain_report() {
	w := world(system.Of[Plough](), system.Of[Sow](), system.Of[Harvest]())
	e := system.Explain(w)
	e.World, e.Frames, e.Frame = "farm", 60, 1860*time.Microsecond
	times := map[string]system.ReportSystem{
		"Plough":        {Own: 4390, Jobs: 1, Work: 650 * time.Microsecond, Span: 593 * time.Microsecond},
		"Sow":           {Own: 17200, Jobs: 1, Work: 1440 * time.Microsecond, Span: 1060 * time.Microsecond},
		"Harvest":       {Own: 1580, Jobs: 1, Work: 603 * time.Microsecond, Span: 585 * time.Microsecond},
		"Simulation":    {Own: 517},
		"EndSimulation": {Own: 1140, Waited: 1840 * time.Microsecond},
	}
	name := make(map[string]string)
	for i := range e.Order {
		s := &e.Order[i]
		short := s.System[strings.LastIndex(s.System, ".")+1:]
		name[short] = s.System
		t := times[short]
		s.Updates, s.Own, s.Waited, s.Jobs, s.Work, s.Span = 1, t.Own, t.Waited, t.Jobs, t.Work, t.Span
	}
	for i := range e.Order {
		if s := &e.Order[i]; s.System == name["Sow"] {
			s.LoopModes = []profile.LoopMode{
				{Job: name["Sow"], From: 40 * time.Microsecond, To: 80 * time.Microsecond, Alone: true, One: 4100, All: 5730},
				{Job: name["Sow"], From: 320 * time.Microsecond, To: 640 * time.Microsecond, One: 4120, All: 2950},
			}
		}
	}
	e.Critical = []system.ReportPart{
		{System: name["Simulation"], Time: 24400},
		{System: name["Sow"], Jobs: true, Time: times["Sow"].Span},
		{System: name["Harvest"], Jobs: true, Time: times["Harvest"].Span},
	}
	e.Syncs = []system.ReportSync{
		{System: name["EndSimulation"], Count: 1, Waited: 1840 * time.Microsecond, For: []system.ReportPart{{System: name["Harvest"], Time: 1840 * time.Microsecond}}},
		{Count: 1, Waited: 96, For: []system.ReportPart{{System: name["Harvest"], Time: 33}, {System: name["Sow"], Time: 31}, {System: name["Plough"], Time: 31}}},
	}
	fmt.Println(e)
	// Output:
	// world "farm": 60 frames measured, 1.86ms each
	//
	// order                           updates  own     waits   jobs  work    span
	//   system.Initialization         1        0s      0s      0     0s      0s
	//     system.BeginInitialization  1        0s      0s      0     0s      0s
	//     system.EndInitialization    1        0s      0s      0     0s      0s
	//   system.Simulation             1        517ns   0s      0     0s      0s
	//     system.BeginSimulation      1        0s      0s      0     0s      0s
	//     system.FixedStep            1        0s      0s      0     0s      0s
	//       system.BeginFixedStep     1        0s      0s      0     0s      0s
	//       system.EndFixedStep       1        0s      0s      0     0s      0s
	//     system.VariableRate         1        0s      0s      0     0s      0s
	//       system.BeginVariableRate  1        0s      0s      0     0s      0s
	//       system.EndVariableRate    1        0s      0s      0     0s      0s
	//     system_test.Plough          1        4.39µs  0s      1     650µs   593µs
	//     system_test.Sow             1        17.2µs  0s      1     1.44ms  1.06ms
	//     system_test.Harvest         1        1.58µs  0s      1     603µs   585µs
	//     system.LateSimulation       1        0s      0s      0     0s      0s
	//     system.EndSimulation        1        1.14µs  1.84ms  0     0s      0s
	//   system.Presentation           1        0s      0s      0     0s      0s
	//     system.BeginPresentation    1        0s      0s      0     0s      0s
	//     system.EndPresentation      1        0s      0s      0     0s      0s
	//
	// loops that are tried with one worker and with all
	//   system_test.Sow: loops of 40µs to 80µs: one worker, 4.1µs an index; all take 5.73µs
	//   system_test.Sow: loops of 320µs to 640µs: all workers, 2.95µs an index; one takes 4.12µs
	//
	// waits
	//   system_test.Harvest for system_test.Sow: it writes system_test.Seed, which that writes
	//   system_test.Harvest for system_test.Plough: it reads system_test.Soil, which that writes
	//
	// could run at once
	//   system_test.Plough, system_test.Sow
	//
	// critical path, 1.67ms
	//   jobs of system_test.Sow: 1.06ms
	//   jobs of system_test.Harvest: 585µs
	//   and shorter ones: 24.4µs
	//
	// sync points
	//   system.EndSimulation: 1 a frame, 1.84ms for system_test.Harvest (1.84ms)
	//   end of the frame: 96ns for system_test.Harvest (33ns), system_test.Sow (31ns), system_test.Plough (31ns)
	//
	// advice
	//   system_test.Sow names no group and stands in Simulation by default: say where it belongs, with In
}

// The phases of a loop.
func ExampleNewLoop() {
	var names []string
	for _, p := range app.NewLoop().Phases {
		names = append(names, p.Name)
	}
	fmt.Println(strings.Join(names, " · "))
	// Output: Time · Initialization · EarlyUpdate · FixedUpdate · PreUpdate · Update · PreLateUpdate · PostLateUpdate
}
