package main

import (
	"flag"
	"os"
)

// Example runs the program as a command line does.
func Example() {
	os.Args = []string{"lj", "-cells", "5", "-steps", "300"}
	flag.CommandLine = flag.NewFlagSet("lj", flag.ExitOnError) // main defines its flags each time
	main()
	// Output:
	// step     0  temperature 1.4448  pressure -5.0156  potential -6.33281  total -4.16560
	// step   100  temperature 0.7478  pressure  0.3704  potential -5.28735  total -4.16569
	// step   200  temperature 0.7686  pressure  0.2347  potential -5.31852  total -4.16554
	// step   300  temperature 0.7502  pressure  0.3959  potential -5.29093  total -4.16565
	// hash e4eae5297a72c5c9
}
