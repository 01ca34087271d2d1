// Package raster draws points, lines, triangles and textured triangles into an
// image.RGBA, with a depth buffer and anti-aliasing, on the workers of a pool.
//
// # Words
//
// A list holds primitives in the order in which they are drawn. Several
// goroutines may fill several lists. A band is a number of adjacent rows of
// the picture, which one worker draws. A pixel has eight samples. The mask of
// a primitive at a pixel shows which samples the primitive covers. A fragment
// is the contribution of a primitive to a pixel; it consists of a mask, a
// color and a depth. A cell is the state of a pixel during drawing. It holds
// the depth up to which the pixel is already final, and the fragments in
// front of this depth.
//
// # Promises
//
// The pixels depend only on the lists and on the old contents of the image: not
// on the number of workers, the CPU or the path of the kernels.
//
// Positions are whole sixteenths of a pixel and every edge is decided in
// integers. So if two triangles share an edge, exactly one of them covers a
// sample on this edge: there is no seam between them, and no sample is drawn
// twice. If two primitives have equal depth, the later primitive covers the
// earlier primitive. Depth is computed at the middle of a pixel, within the
// depths of the primitive's corners. So if two surfaces intersect, the line
// of intersection is not anti-aliased.
//
// Drawing fails for no input. Primitives without area, outside of the picture,
// or with NaN or infinite positions are skipped. Primitives that extend far
// beyond the picture, or behind the eye, are clipped. After the first pictures
// of a size, drawing does not allocate.
//
// # Design
//
// For each list, Draw counts how many of its primitives touch each band. From
// these counts it computes a part of memory for each band. Then it copies the
// primitives, in the order of the lists, to the parts of their bands. The
// result of these two parallel passes does not depend on the workers. Then
// the bands are drawn in parallel, in one of two ways. Both ways have the
// same result; tests compare it with a simple model.
//
// A band is solid if all its primitives are opaque, with one color and depth
// each: see solid.go. A solid band is drawn from front to back, and each
// sample keeps its first color. Most scenes of many small objects in a plane
// are solid, so the code is optimized for them: on paths with AVX2, it draws
// small triangles and the final pixels four at a time. See tiny.go.
//
// In every other band, a pixel gets its color at once if an opaque primitive
// covers it completely and it has no fragments. In all other cases, the
// primitive adds a fragment to the pixel. At the end, the band adds the
// fragments of a pixel from the newest to the oldest; each fragment gets
// those of its samples that are still free. If the depths are not in the
// order of drawing, or if colors are blended, the band instead adds the
// fragments sample by sample, in the right order.
package raster
