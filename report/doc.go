// Package report computes statistics of a study's tables and draws pictures of
// them. A program that imports it with a blank import has the flag -plot:
//
//	epidemic table -out first -plot >first.html
//
// The result is a self-contained page of HTML: it needs no script, no font and
// no network. For each column of numbers, the page has statistics over the replicates of
// each point of the design: the number of replicates, their mean, a confidence interval of
// the mean, and quantiles. The page also has pictures in SVG, whose texts can be selected:
//
//   - the means along each parameter that was varied, with a curve for each value of a second
//     parameter if it has at most 8 values
//   - box plots, if one parameter was varied and the points have 3 to 20 replicates
//   - a heat map of the means over each pair of parameters
//   - a histogram, if no parameter was varied
//   - with the flag -fit h, the fitted power of h ([FitPower]) and its residuals
//
// The flag -columns selects columns, and -log selects logarithmic axes. A note below a picture counts the points that are not
// on its axes.
//
// A page is smaller than 1 MB. If a table has too many columns for this, the page lists fewer points, and
// leaves out pictures and then columns. Notes count what is left out.
//
// Numbers on the page are rounded. To compare bits, use the table itself.
//
// # Statistics
//
// Package gonum computes the statistics; see [Summary]. Rows whose value is not finite are
// left out, and the page shows the number of such rows. In a table with several rows for
// each run, the tick is treated as a parameter.
//
// A mean has an interval only if the rows of each point are replicates. They are not if they
// differ in a parameter, or if one run has several rows at a point.
//
// A parameter with more than 24 values, for example random ones, is divided
// into 12 bins of equal width.
//
// # Design
//
// An axis is a parameter that was varied, or the tick. A point is one value on each axis.
// The package keeps all numbers until the table ends, and then computes the statistics in
// the order of points. So the page does not depend on the order in which the runs have
// ended. A picture shows only numbers that are on the page.
//
// The file points.go assigns the rows of a table to points of the design, and summary.go
// computes the statistics of a point. The file picture.go draws with the elements of svg.go, and page.go writes. A new
// statistic is a field of [Summary] and a column in page.go. The package draws the pictures itself, because a page of 10⁵ rows
// must remain smaller than 1 MB, and because the axes must accept all finite numbers.
package report
