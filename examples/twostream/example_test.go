package main

import (
	"flag"
	"os"
)

// Example runs the program as a command line does.
func Example() {
	os.Args = []string{"twostream"}
	flag.CommandLine = flag.NewFlagSet("twostream", flag.ExitOnError) // main defines its flags each time
	main()
	// Output:
	// growth rate 0.3528, exact 0.3536
	// hash 6ada29106053ab14
}
