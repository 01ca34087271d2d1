package main

import (
	"flag"
	"os"
)

// Example runs the program as a command line does.
func Example() {
	os.Args = []string{"lorenz"}
	flag.CommandLine = flag.NewFlagSet("lorenz", flag.ExitOnError) // main defines its flags each time
	main()
	// Output:
	// 5457 of 20000 at rest
	// hash e0d1c9b408855e0d
}
