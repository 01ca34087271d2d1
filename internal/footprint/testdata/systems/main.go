// Systems makes a world with the default groups.
package main

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs/system"
)

func main() {
	w, err := system.NewWorld("footprint")
	fmt.Println(w.Len(), err)
}
