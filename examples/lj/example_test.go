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
	// step     0  temperature 1.4448  potential -6.33281  total -4.16560
	// step   100  temperature 0.7478  potential -5.28735  total -4.16569
	// step   200  temperature 0.7686  potential -5.31852  total -4.16554
	// step   300  temperature 0.7502  potential -5.29093  total -4.16565
	// hash 530d821a15b17f08
}
