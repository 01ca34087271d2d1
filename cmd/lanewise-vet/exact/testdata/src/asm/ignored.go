//go:build ignore

package main

func Plain(x []float64) float64

func main() {}
