package system_test

import (
	"fmt"
	"path"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/system/explain"
)

// An explanation in two parts: what needs the owner is short.
func ExampleBeginSnapshot() {
	w := world(system.Of[Steer](), system.Of[Drive]())
	s := system.BeginSnapshot(w) // here and now, between two frames
	for !s.Continue(func() bool { return false }) {
	} // or in pieces, for as long as there is time
	told := make(chan *explain.Report)
	go func() { told <- s.Explain() }() // whenever there is time
	for _, wait := range (<-told).Waits {
		fmt.Println(wait)
	}
	// Output: system_test.Drive for system_test.Steer: it reads system_test.Velocity, which that writes
}

// Frames and what their systems took, as a tool sees them.
func ExampleOnBorder() {
	w := world(system.Of[Steer](), system.Of[Drive]())
	stop := system.Record(w, 1) // the times of all frames
	remove := system.OnBorder(w, func(b *system.Border) {
		fmt.Println("frame", b.Frame, b.End >= b.Start, len(b.Errs))
	})
	frames(w, 2)
	remove()
	list, _ := system.Roots(w)
	for _, root := range list[:2] {
		samples := root.AppendSamples(nil, 0)
		fmt.Println(path.Base(root.Name()), len(samples), samples[1].Updates)
	}
	stop()
	// Output:
	// frame 1 true 0
	// frame 2 true 0
	// system.Initialization 2 1
	// system.Simulation 2 1
}
