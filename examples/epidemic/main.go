// Command epidemic repeats an epidemic in a town: people on a grid who are susceptible,
// infected or recovered, and catch it from their neighbours.
//
//	epidemic params
//	epidemic run beta=0.3
//	epidemic sweep -out first beta=0.1:0.4:0.05 -seeds 20
//	epidemic table -out first >result.csv
//	epidemic table -out first day >days.csv
package main

import "github.com/lanewise/lanewise/study"

func main() { study.Main[*Epidemic]() }
