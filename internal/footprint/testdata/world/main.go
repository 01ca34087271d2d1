// World makes a world.
package main

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
)

func main() { fmt.Println(ecs.NewWorld("footprint").Len()) }
