// Package report makes statistics and pictures of a study. A blank import gives its program
//
//	epidemic table -out first -plot >first.html
//
// A page of HTML that needs nothing else: no script, no font, no network. For each column of
// numbers it has, over the replicates of each point of the design, their number, mean, an interval
// for the mean, and quantiles; and pictures in SVG, of means with their intervals along each parameter that
// was varied, and of the means over each two parameters as a heat map.
//
// Numbers on the page are rounded. What is compared by bits is the table itself.
//
// # Statistics
//
// They are those of gonum: see [Summary]. Rows whose value is not finite are left out, and counted.
// Of a table with several rows a run, the tick takes part as if it were a parameter.
//
// A parameter with more than 24 values, as samples have, is put into 12 bins of equal width.
//
// # What holds
//
// An axis is a parameter that was varied, or the tick; a point is one value on each. All numbers are kept until the table ends, and only then statistics are made, in the order
// of points: the page does not depend on the order in which runs have ended. A picture shows numbers that are on the page.
//
// # Where things are
//
// points.go takes the rows of a table to points of the design, summary.go makes statistics of a point, picture.go draws and
// page.go writes. A new statistic is a field of [Summary] and a column in page.go.
package report
