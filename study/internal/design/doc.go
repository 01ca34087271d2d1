// Package design says which runs a study has: what parameters a model takes, and
// what each run gets for them.
//
// A design is a rule and not a list. The parameters and the seed of run i are a
// function of the design and i alone, in constant time and memory, with the same
// text on every CPU. Values are decimal text from beginning to end, so that a grid
// from 0.1 by steps of 0.1 contains 0.3 and not 0.30000000000000004.
//
// The words. A point is one choice of all parameters; an axis is what one of them goes
// through. Points are repeated: replicate j has the same seed at every point, so
// that points differ by their parameters and not by luck (common random numbers).
// Replicates of a point are neighbours: run = point × replicates + replicate.
package design
