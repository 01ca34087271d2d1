package transform

import (
	"iter"
	"slices"

	"github.com/lanewise/lanewise/ecs/transform/internal/trees"
	"github.com/lanewise/lanewise/kernels"
)

// stage is a list of blocks of segments. Workers may run several blocks at the same time. One
// worker computes the segments of a block in order. A stage consists of one level with many rows,
// or of several levels. If a stage has several levels, a block contains some or all of the trees.
type stage[T kernels.Float] struct {
	plan        *plan[T]
	blockBounds []int32 // block i consists of the segments from blockBounds[i] up to blockBounds[i+1]
}

const (
	// If a level has fewer rows than parallelLevelRows, one worker computes it, because waking a second
	// worker would cost more time than it saves.
	parallelLevelRows = 512
	// blockRows is the approximate number of rows in a block.
	blockRows = 256
	// A hierarchy with at most maxTreeDividedRows rows is divided by trees and not by levels.
	// With levels, workers would wait for each other after each level, and that would take more
	// time than the cutting of segments.
	maxTreeDividedRows = 16384
	// If each worker has blocksPerWorker blocks, a slow worker does not delay the others much.
	blocksPerWorker = 4
	// The overhead of a segment costs as much as segmentCostRows rows.
	segmentCostRows = 12
)

// makeStages builds the stages from the segments of all chunks, and sorts the segments by block.
func (p *plan[T]) makeStages(workers int) {
	p.collectSegments()
	p.stages, p.blockBounds, p.unsorted = p.stages[:0], p.blockBounds[:0], p.unsorted[:0]
	lo := 0
	if countRows(p.segments) <= maxTreeDividedRows && p.addTreeStage(p.segments, workers) {
		lo = len(p.segments)
	}
	for lo < len(p.segments) {
		hi, rows := p.levelEnd(lo)
		if rows >= parallelLevelRows {
			p.addLevelStage(p.segments[lo:hi])
		} else {
			for next, rows := p.levelEnd(hi); next > hi && rows < parallelLevelRows; next, rows = p.levelEnd(next) {
				hi = next
			}
			if !p.addTreeStage(p.segments[lo:hi], workers) {
				p.addSerialStage(p.segments[lo:hi])
			}
		}
		lo = hi
	}
	p.segments, p.unsorted = p.unsorted, p.segments
}

// collectSegments lists the segments of all chunks, sorted by level. Segments of one level are
// sorted by chunk.
func (p *plan[T]) collectSegments() {
	p.levelCounts = p.levelCounts[:0]
	for i := range p.Chunks {
		for _, s := range p.Chunks[i].Segments {
			for int(s.Level) > len(p.levelCounts) {
				p.levelCounts = append(p.levelCounts, 0)
			}
			p.levelCounts[s.Level-1]++
		}
	}
	next, at := p.levelCounts, int32(0) // convert the counts to the index of the first segment of each level
	for i, n := range next {
		next[i] = at
		at += n
	}
	p.segments = resizeDiscarding(p.segments, int(at))
	for i := range p.Chunks {
		for _, s := range p.Chunks[i].Segments {
			p.segments[next[s.Level-1]] = s
			next[s.Level-1]++
		}
	}
}

// levelEnd returns the end of the level that begins with segment lo, and the level's number of
// rows.
func (p *plan[T]) levelEnd(lo int) (hi, rows int) {
	for hi = lo; hi < len(p.segments) && p.segments[hi].Level == p.segments[lo].Level; hi++ {
		rows += p.segments[hi].Len()
	}
	return hi, rows
}

func countRows(segments []trees.Segment) (n int) {
	for i := range segments {
		n += segments[i].Len()
	}
	return n
}

// addStage adds a stage whose block bounds begin at the given index.
func (p *plan[T]) addStage(first int) {
	p.stages = append(p.stages, stage[T]{p, p.blockBounds[first:]})
}

// addSerialStage adds a stage with one block.
func (p *plan[T]) addSerialStage(segments []trees.Segment) {
	first := len(p.blockBounds)
	p.blockBounds = append(p.blockBounds, int32(len(p.unsorted)), int32(len(p.unsorted)+len(segments)))
	p.unsorted = append(p.unsorted, segments...)
	p.addStage(first)
}

// addLevelStage adds a stage with the segments of one level.
func (p *plan[T]) addLevelStage(segments []trees.Segment) {
	first, rows := len(p.blockBounds), 0
	for _, s := range segments {
		if rows == 0 {
			p.blockBounds = append(p.blockBounds, int32(len(p.unsorted)))
		}
		p.unsorted = append(p.unsorted, s)
		if rows += s.Len(); rows >= blockRows {
			rows = 0
		}
	}
	p.blockBounds = append(p.blockBounds, int32(len(p.unsorted)))
	p.addStage(first)
}

// addTreeStage adds a stage with the segments of several levels. Each block contains some of the
// trees that begin in the first level, with all nodes below them, so that no block waits for another.
// It reports whether it has added the stage. addTreeStage returns false if one tree has most of the
// rows. addTreeStage also returns false if the rows of many trees are mixed, because segments are cut
// where another tree begins.
//
// The segments are sorted by level, and the sort by block preserves that order within a block. So a
// row comes after its parent, which is in the same block or in an earlier stage.
func (p *plan[T]) addTreeStage(segments []trees.Segment, workers int) bool {
	rows := countRows(segments)
	blocks := min(blocksPerWorker*workers, rows/blockRows)
	if workers < 2 || blocks < 2 || segments[0].Level == segments[len(segments)-1].Level {
		return false
	}
	each := rows / blocks
	if p.assignBlocks(segments, each, blocks) > 2*each {
		return false
	}
	p.levelCounts = resizeDiscarding(p.levelCounts, blocks+1)
	clear(p.levelCounts)
	n := 0
	for _, block := range p.blockPieces(segments) {
		p.levelCounts[block+1]++
		n++
	}
	if segmentCostRows*(n-len(segments)) > (rows+segmentCostRows*len(segments))/4 {
		return false
	}
	first, next := len(p.blockBounds), int32(len(p.unsorted))
	for i, n := range p.levelCounts { // convert the counts to the index of the first segment of each block
		next += n
		p.levelCounts[i] = next
		p.blockBounds = append(p.blockBounds, next)
	}
	p.unsorted = slices.Grow(p.unsorted, n)[:next]
	for s, block := range p.blockPieces(segments) {
		p.unsorted[p.levelCounts[block]] = s
		p.levelCounts[block]++
	}
	p.addStage(first)
	return true
}

// assignBlocks assigns a block to every row of the segments, and stores the block's number in
// placeBlocks. Each block gets about as many rows as the parameter each says. A row below the
// first level gets the block of its parent. It returns the number of rows of the largest block.
//
// In a first pass, it counts the rows below each row. The pass visits the levels from the last to the
// first, so that the count of a row is complete before the pass adds it to the count of the parent. In a second pass, it
// visits the levels from the first to the last, so that a parent has its block before its
// children. Only rows of the first level have parents outside of the segments, and these
// parents are not read. The block numbers of the first level never decrease from one row to the
// next, so a segment is cut only where the next block begins.
func (p *plan[T]) assignBlocks(segments []trees.Segment, each, blocks int) (largest int) {
	top := segments[0].Level
	p.placeBlocks = resizeDiscarding(p.placeBlocks, p.Places())
	note := p.placeBlocks // at first the number of rows in the tree below and including this row, then its block
	for _, s := range segments {
		for at := range p.placesOf(&s) {
			note[at] = 1
		}
	}
	for _, s := range slices.Backward(segments) {
		if s.Level > top {
			for at := range p.placesOf(&s) {
				note[p.ParentPlace[at]] += note[at]
			}
		}
	}
	done, block, from := 0, 0, 0
	for _, s := range segments {
		slack := -each / 8 // a block may end at the end of a segment if that is near enough
		for at := range p.placesOf(&s) {
			if s.Level > top {
				note[at] = note[p.ParentPlace[at]]
				continue
			}
			if block < blocks-1 && done >= (block+1)*each+slack {
				block, from = min(max(block+1, done/each), blocks-1), done
			}
			slack = each / 8
			done += int(note[at])
			largest = max(largest, done-from)
			note[at] = int32(block)
		}
	}
	return largest
}

// placesOf yields the places of the rows of a segment.
func (p *plan[T]) placesOf(s *trees.Segment) iter.Seq[int] {
	first := p.Place(s.Chunk, 0)
	return func(yield func(int) bool) {
		for row := s.Lo; row < s.Hi && yield(first+int(row)); row++ {
		}
	}
}

// blockPieces yields the segments, cut where another block begins. It also yields the block of each
// piece.
func (p *plan[T]) blockPieces(segments []trees.Segment) iter.Seq2[trees.Segment, int32] {
	return func(yield func(trees.Segment, int32) bool) {
		for _, s := range segments {
			blocks := p.placeBlocks[p.Place(s.Chunk, 0):]
			for lo, end := s.Lo, s.Hi; lo < end; lo = s.Hi {
				s.Lo, s.Hi = lo, lo+1
				for s.Hi < end && blocks[s.Hi] == blocks[lo] {
					s.Hi++
				}
				if !yield(s, blocks[lo]) {
					return
				}
			}
		}
	}
}
