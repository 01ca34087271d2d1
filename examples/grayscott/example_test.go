package main

import (
	"flag"
	"os"
)

// Example runs the program as a command line does, on a small plane.
func Example() {
	os.Args = []string{"grayscott", "-cells", "64", "-steps", "1000"}
	flag.CommandLine = flag.NewFlagSet("grayscott", flag.ExitOnError) // main defines its flags each time
	main()
	// Output:
	// mean U 0.6885, mean V 0.1465
	// hash df91b2edfe8d714c
}
