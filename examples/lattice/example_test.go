package main

import (
	"flag"
	"os"
)

// Example runs the program as a command line does.
func Example() {
	os.Args = []string{"lattice"}
	flag.CommandLine = flag.NewFlagSet("lattice", flag.ExitOnError) // main defines its flags each time
	main()
	// Output:
	// magnetisation 0.91135, energy -1.74645
	// hash 856a51dbd21225a5
}
