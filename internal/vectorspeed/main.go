// Vectorspeed prints a line with the speeds of a few kernels on the fastest path of this build beside plain Go. make wasm runs it under
// node, with the vectors of Go 1.27.
package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/lanewise/lanewise/kernels"
)

const rows = 1024

func main() {
	text, err := speeds(40, 100, 10*time.Millisecond)
	if err != nil {
		panic(err)
	}
	fmt.Println(text)
}

// speeds measures each kernel in rounds, each of which makes so many calls on both paths. The other load of a machine disturbs some
// rounds, and an engine compiles a function well only after some calls, in another thread. So the program waits between two rounds, and the
// fastest one counts.
func speeds(rounds, calls int, wait time.Duration) (string, error) {
	paths := kernels.Paths()
	path := paths[len(paths)-1]
	defer func(was string) { _ = kernels.Use(was) }(kernels.Path()) // it was in use, so there is no error
	var found []string
	for _, k := range measured() {
		least := map[string]time.Duration{}
		for range rounds {
			time.Sleep(wait)
			for _, p := range []string{paths[0], path} {
				if err := kernels.Use(p); err != nil {
					return "", err
				}
				start := time.Now()
				for range calls {
					k.run()
				}
				if d := time.Since(start); least[p] == 0 || d < least[p] {
					least[p] = d
				}
			}
		}
		found = append(found, fmt.Sprintf("%s %.1f", k.name, float64(least[paths[0]])/float64(max(1, least[path]))))
	}
	return fmt.Sprintf("speed of path %s, as a multiple of plain Go: %s", path, strings.Join(found, ", ")), nil
}

// A kernel is a kernel with its operands.
type kernel struct {
	name string
	run  func()
}

// measured returns kernels of several families.
func measured() []kernel {
	lane := func() []float32 {
		x := make([]float32, rows)
		for i := range x {
			x[i] = float32(i%37)/37 - 0.5
		}
		return x
	}
	vectors := func() *kernels.Vec3s[float32] { return &kernels.Vec3s[float32]{X: lane(), Y: lane(), Z: lane()} }
	x, y, z, v := lane(), lane(), lane(), vectors()
	q := &kernels.Quats[float32]{X: lane(), Y: lane(), Z: lane(), W: lane()}
	m := kernels.Mat3x4s[float32]{
		XX: lane(), XY: lane(), XZ: lane(), YX: lane(), YY: lane(), YZ: lane(),
		ZX: lane(), ZY: lane(), ZZ: lane(), TX: lane(), TY: lane(), TZ: lane(),
	}
	pos, scale, moved := vectors(), vectors(), vectors()
	return []kernel{
		{"AddScaled", func() { kernels.AddScaled(z, x, y, 0.5) }},
		{"Rotate", func() { moved.Rotate(q, v) }},
		{"Compose", func() { m.Compose(pos, q, scale) }},
		{"Exp", func() { kernels.Exp(z, x) }},
		{"Sincos", func() { kernels.Sincos(y, z, x) }},
		{"Sum", func() { kernels.Sum(x) }},
	}
}
