// Command flock repeats a flock: birds in a square without borders who turn to where
// those around them fly, with some noise. Beyond some noise there is no flock any more.
//
//	flock run noise=0.5
//	flock sweep -out noise noise=0.0:2.0:0.2 -seeds 10
//	flock table -out noise >result.csv
package main

import "github.com/lanewise/lanewise/study"

func main() { study.Main[*Flock]() }
