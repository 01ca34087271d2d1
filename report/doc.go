// Package report makes statistics and pictures of the tables of a study. A
// blank import gives its program the flag -plot:
//
//	epidemic table -out first -plot >first.html
//
// The result is a self-contained page of HTML: it needs no script, no font and
// no network. For each column of numbers it has statistics over the replicates
// of each point of the design: their number, mean, a confidence interval of the
// mean, and quantiles. It also has pictures in SVG: means with their intervals
// along each parameter that was varied, and heat maps of the means over each
// two parameters.
//
// Numbers on the page are rounded. To compare bits use the table itself.
//
// # Statistics
//
// They are those of gonum: see [Summary]. Rows whose value is not finite are
// left out, and counted. In a table with several rows for each run, the tick is
// treated as a parameter.
//
// A parameter with more than 24 values, for example random ones, is divided
// into 12 bins of equal width.
//
// # Design
//
// An axis is a parameter that was varied, or the tick; a point is one value on
// each axis. All numbers are kept until the table ends, and statistics are made
// in the order of points. So the page does not depend on the order in which
// runs have ended. A picture shows only numbers that are on the page.
//
// points.go assigns the rows of a table to points of the design, summary.go
// makes statistics of a point, picture.go draws and page.go writes. A new
// statistic is a field of [Summary] and a column in page.go.
package report
