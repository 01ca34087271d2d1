package raster

// samples is the number of samples of a pixel. whole is the mask of all samples.
const (
	samples = 8
	whole   = 1<<samples - 1
)

// sampleX and sampleY are the positions of the samples in sixteenths of a
// pixel. Sample i is in column 2i+1. To get its row, reverse the three bits
// of i, and apply the same formula. So no two samples share a column or a
// row, and if a pixel is divided into 2×4 or 4×2 parts, each part contains
// one sample.
var sampleX, sampleY = func() (x, y [samples]int64) {
	for i := range int64(samples) {
		x[i], y[i] = 2*i+1, 2*(i&1<<2|i&2|i&4>>2)+1
	}
	return x, y
}()

// last is the column and the row of the last sample.
const last = 2*samples - 1

// Two words hold one number of sixteen bits for each sample of a pixel. The
// k-th number of word 1-j is the number of sample 2k+j.
const (
	ones  = 0x0001_0001_0001_0001
	signs = ones << 15
)

// In a wide mask, the bit of sample 2k+1 is bit 16k+15, which is the sign of a
// 16-bit number, and the bit of sample 2k is bit 16k+14. All other bits of the
// word are free for the sums of colors.
const (
	wideWhole = signs | signs>>1
	fold      = 1<<48 | 1<<34 | 1<<20 | 1<<6 // multiplier that moves bit 16k+j to 48+2k+j
)

// narrowMask converts a wide mask to a mask.
func narrowMask(wide uint64) uint8 { return uint8(wide >> 14 * fold >> 48) }

// wide maps a mask to the wide mask.
var wide = func() (w [whole + 1]uint64) {
	for m := range w {
		for i := range samples {
			w[m] |= uint64(m>>i&1) << (16*(i/2) + 14 + i%2)
		}
	}
	return w
}()

// wordX and wordY are the positions of the samples in words.
var wordX, wordY = func() (x, y [2]uint64) {
	for i := range samples {
		x[1-i%2] |= uint64(sampleX[i]) << (16 * (i / 2))
		y[1-i%2] |= uint64(sampleY[i]) << (16 * (i / 2))
	}
	return x, y
}()
