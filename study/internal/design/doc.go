// Package design finds the parameters of a model, and defines the rule that gives each run of a
// study its parameters and its seed.
//
//	params, err := design.Params(reflect.TypeFor[Epidemic]())
//	axis, err := design.ParseAxis(params, "beta=0.1:0.4:0.05")
//	d := design.Design{Kind: design.Grid, Axes: []design.Axis{axis}, Replicates: 20}
//	err = d.Bind(params)
//	values, seed := d.At(nil, 17) // those of run 17
//
// # Words
//
// A point is one choice of all parameters; an axis is the list of values of one
// parameter. Each point is repeated. Replicate j has the same seed at every
// point, so that points differ by their parameters and not by chance (common
// random numbers). The replicates of a point have consecutive run numbers: run = point ×
// replicates + replicate.
//
// # Design
//
// A design is a rule and not a list, because a study may have 2^31-1 runs. The
// parameters and the seed of run i depend only on the design and on i. The computation
// takes constant time and memory, and the text of the values is the same on every CPU.
//
// Values are decimal text throughout, so that a grid from 0.1 in steps of 0.1
// contains 0.3 and not 0.30000000000000004.
package design
