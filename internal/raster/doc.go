// Package raster draws points, lines, triangles and textured triangles into an
// image.RGBA, with a depth buffer and anti-aliasing, on the workers of a pool.
//
// # Words
//
// A list holds primitives in the order in which they are drawn. Several
// goroutines may fill several lists. A band is some rows of the picture, drawn
// by one worker. A pixel has eight samples; the mask of a primitive tells which
// samples the primitive covers. A fragment is the contribution of a primitive
// to a pixel: a mask, a color, a depth. A cell is the state of a pixel during
// drawing: the depth at which the picture is already final, and the fragments
// in front of it.
//
// # Promises
//
// The pixels depend only on the lists and on the old contents of the image: not
// on the number of workers, the CPU or the path of the kernels.
//
// Positions are whole sixteenths of a pixel and every edge is decided in
// integers. So if two triangles share an edge, exactly one of them covers a
// sample on this edge: there is no seam between them, and no sample is drawn
// twice. At equal depth, the later primitive covers the earlier one. Depth is
// computed at the middle of a pixel, within the depths of the primitive's
// corners. So where surfaces intersect, the line between them is not
// anti-aliased.
//
// Drawing fails for no input. Primitives without area, outside of the picture,
// or with NaN or infinite positions are skipped. Primitives that extend far
// beyond the picture, or behind the eye, are clipped. After the first pictures
// of a size, drawing does not allocate.
//
// # Design
//
// For each list, Draw counts how many of its primitives touch each band. It
// sums up the counts, and then copies the primitives, in the order of the
// lists, to the part of their bands. These two parallel passes have a result
// that does not depend on the workers. Then the bands are drawn in parallel, in
// one of two ways. Both ways have the same result; tests compare it with a
// simple model.
//
// A band is solid if all its primitives are opaque, with one color and depth
// each: see solid.go. It is drawn from front to back, and each sample keeps its
// first color. Most scenes of many small objects in a plane are solid, so the
// code is optimized for them: on paths with AVX2, it draws small triangles and
// the final pixels four at a time. See tiny.go.
//
// In every other band, a pixel gets its color at once if an opaque primitive
// covers it completely and it has no fragments; everything else becomes a
// fragment. At the end the fragments of a pixel are added from the newest to
// the oldest, each for its samples that are still free. If depths are not in
// the order of drawing, or if colors mix, the band adds the fragments sample by
// sample in the right order.
package raster
