package main

import (
	"flag"
	"os"
)

// Example runs the program as a command line does.
func Example() {
	run()
	// Output:
	// magnetisation 0.9113 ± 0.0010, energy -1.7464 ± 0.0017
	// hash 856a51dbd21225a5
}

// Example_critical runs the program near the critical temperature, where 250 measured sweeps are
// not enough.
func Example_critical() {
	run("-temperature", "2.3")
	// Output:
	// magnetisation 0.52 ± 0.03 ?, energy -1.375 ± 0.007
	// hash 097bd4bcb7e04025
}

func run(args ...string) {
	os.Args = append([]string{"lattice"}, args...)
	flag.CommandLine = flag.NewFlagSet("lattice", flag.ExitOnError) // main defines its flags each time
	main()
}
