// Hello names nothing of this repository: the other programs are compared with it.
package main

import "fmt"

func main() { fmt.Println("hello") }
