package main

import (
	"flag"
	"os"
)

// Example runs the program as a command line does.
func Example() {
	os.Args = []string{"heat"}
	flag.CommandLine = flag.NewFlagSet("heat", flag.ExitOnError) // main defines its flags each time
	main()
	// Output:
	// decay rate 128.3261, exact 128.3049
	// hash fde097d5314b2b8c
}
