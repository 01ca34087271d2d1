// Package raster draws points, lines, triangles and textured triangles into an
// image.RGBA, with depth and with smooth edges, on the workers of a pool.
//
// The words. A list holds primitives in the order in which they are drawn;
// several goroutines fill several lists. A band is some rows of the picture, which
// one worker draws. A pixel has eight samples; the mask of a primitive says which
// of them it covers. A fragment is what a primitive leaves in a pixel: a mask, a
// color, a depth. A cell is what a band knows of a pixel while it draws: the depth
// below which the picture is known already, and the fragments that lie on it.
//
// # Promises
//
// The pixels depend on the lists and on what the image held, and on nothing else:
// not on the number of workers, the CPU or the path of the kernels. Places are
// whole sixteenths of a pixel and every edge is decided in integers, so that of two
// triangles with a common edge exactly one has a sample that lies on it: there is
// no seam between them, and nothing is drawn twice. What is drawn later covers
// what lies at the same depth. Depth is that of a pixel's middle, kept between the
// depths of the primitive's corners; where surfaces run through each other the
// line between them is therefore not smoothed.
//
// Nothing that a list is given brings it down: what has no area, is outside or
// nowhere (NaN, infinite) is left out; what reaches far beyond the picture, or
// behind the eye, is cut. After the first pictures of a size, drawing allocates
// nothing.
//
// # How it works
//
// Draw counts for each list how many of its primitives reach into each band, adds
// the counts up, and copies the primitives, in the order of the lists, to where
// their bands begin: two passes over the lists, in parallel, whose result does not
// depend on which worker did what. Then the bands are drawn in parallel, in one of two ways
// with the same result, which a naive model in the tests has too.
//
// A band in which all is opaque, and each primitive of one color and depth, is
// solid: see solid.go. It is drawn from the front to the back, and each sample has
// the first color that it gets. That is what many small things in the plane are,
// and what is fast: on the kernels' paths that have AVX2 its small triangles, and the
// pixels in the end, are drawn four at a time. See tiny.go.
//
// In every other band a pixel that an opaque primitive covers wholly, and on which
// no fragments lie, takes its color at once; everything else becomes a fragment. In
// the end the fragments of a pixel are added up from the newest to the oldest, each
// by the samples that are left for it; or, where depths are not in the order of
// drawing or colors mix, sample by sample in that order.
package raster
