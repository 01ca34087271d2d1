package catalogue

import (
	"bytes"
	"embed"
	"fmt"
)

//go:embed builtin/planets.csv builtin/moons.csv
var builtin embed.FS

// Planets returns the built-in Sun and planets. The built-in table has the same
// format as files.
func Planets() []Body { return mustRead("builtin/planets.csv") }

// Moons returns the built-in large moons.
func Moons() []Body { return mustRead("builtin/moons.csv") }

func mustRead(file string) []Body {
	text, err := builtin.ReadFile(file)
	if err != nil {
		panic(fmt.Sprintf("catalogue: %s: %v", file, err))
	}
	bodies, err := ReadTable(file, bytes.NewReader(text), func(e *LineError) error { return e })
	if err != nil {
		panic(fmt.Sprintf("catalogue: %v", err)) // a test reads both
	}
	return bodies
}
