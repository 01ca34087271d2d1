// The model has no study in pages: see model/study.go.

//go:build !js

// Command epidemic runs an epidemic in a town many times. The people live on a grid. A person
// is susceptible, infected or recovered, and infected people can infect their neighbours.
//
//	epidemic params
//	epidemic run beta=0.3
//	epidemic sweep -out first beta=0.1:0.4:0.05 -seeds 20
//	epidemic table -out first >result.csv
//	epidemic table -out first day >days.csv
//	epidemic certify -out first
//	epidemic verify -out first -sample 10% result.csv
//	epidemic draw town.png side=447 beta=0.25 days=250
package main

import (
	"log"
	"os"

	"github.com/lanewise/lanewise/examples/epidemic/model"
	"github.com/lanewise/lanewise/study"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "draw" {
		if err := draw(os.Args[2], os.Args[3:]...); err != nil {
			log.Fatal(err)
		}
		return
	}
	study.Main[*model.Epidemic]()
}
