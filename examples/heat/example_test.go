package main

import "os"

// Example runs the program as a command line does.
func Example() {
	os.Args = []string{"heat"}
	main()
	// Output:
	// decay rate 128.3261, exact 128.3049
	// hash fde097d5314b2b8c
}
