// A second opinion.

//lanewise:inexact compared within a bound
package accept

func opinion(a, b, c float64) float64 { return a*b + c }
