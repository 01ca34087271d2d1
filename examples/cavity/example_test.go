package main

import (
	"flag"
	"os"
)

// Example runs the program as a command line does, on a small grid.
func Example() {
	os.Args = []string{"cavity", "-cells", "32", "-steps", "6000"}
	flag.CommandLine = flag.NewFlagSet("cavity", flag.ExitOnError) // main defines its flags each time
	main()
	// Output:
	// height   speed    Ghia
	// 0.9766   0.8433   0.8412
	// 0.9531   0.6899   0.6872
	// 0.8516   0.2400   0.2315
	// 0.7344   0.0042   0.0033
	// 0.6172  -0.1323  -0.1364
	// 0.5000  -0.1965  -0.2058
	// 0.4531  -0.2007  -0.2109
	// 0.2813  -0.1479  -0.1566
	// 0.1719  -0.0959  -0.1015
	// 0.1016  -0.0607  -0.0643
	// 0.0547  -0.0348  -0.0372
	// hash d547e252cc836443
}
