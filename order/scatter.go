package order

// A digitWidth represents the number of bits of a digit as a type. The compiler compiles each loop
// for each width, so that masks and shifts are constants.
type digitWidth interface {
	[narrowDigit]byte | [mediumDigit]byte | [wideDigit]byte
}

// digit returns the digit of a word at a shift.
func digit[D digitWidth, W word](w W, shift uint) W {
	var d D
	return W(uint64(w)>>(shift&63)) & (1<<len(d) - 1)
}

// countAll counts the digits of words; the list holds the shift of each digit. A single loop counts up to
// four adjacent digits.
func countAll[D digitWidth, W word](counts []histogram, words []W, list []uint) {
	var d D
	for k := range list {
		clear(counts[k][:1<<len(d)])
	}
	for len(list) > 0 {
		n := 1
		for n < min(len(list), 4) && list[n-1] == list[n]+uint(len(d)) {
			n++
		}
		switch low := list[n-1]; {
		case n == 4:
			count4[D](counts, words, low)
		case n == 3:
			count3[D](counts, words, low)
		case n == 2 && len(list) == 3 && list[2] == 0: // 32 bits in digits of eleven
			count2AndLowest[D](counts, words, low)
			n = 3
		case n == 2:
			count2[D](counts, words, low)
		default:
			count1[D](&counts[0], words, low)
		}
		counts, list = counts[n:], list[n:]
	}
}

// count4 counts four adjacent digits. shift is the shift of the lowest of them.
func count4[D digitWidth, W word](counts []histogram, words []W, shift uint) {
	var width D
	a, b, c, d := &counts[0], &counts[1], &counts[2], &counts[3]
	for _, w := range words {
		w = W(uint64(w) >> (shift & 63))
		d[w&(1<<len(width)-1)]++
		c[w>>len(width)&(1<<len(width)-1)]++
		b[w>>(2*len(width))&(1<<len(width)-1)]++
		a[w>>(3*len(width))&(1<<len(width)-1)]++
	}
}

func count3[D digitWidth, W word](counts []histogram, words []W, shift uint) {
	var width D
	a, b, c := &counts[0], &counts[1], &counts[2]
	for _, w := range words {
		w = W(uint64(w) >> (shift & 63))
		c[w&(1<<len(width)-1)]++
		b[w>>len(width)&(1<<len(width)-1)]++
		a[w>>(2*len(width))&(1<<len(width)-1)]++
	}
}

func count2[D digitWidth, W word](counts []histogram, words []W, shift uint) {
	var width D
	a, b := &counts[0], &counts[1]
	for _, w := range words {
		w = W(uint64(w) >> (shift & 63))
		b[w&(1<<len(width)-1)]++
		a[w>>len(width)&(1<<len(width)-1)]++
	}
}

// count2AndLowest counts two adjacent digits, and the digit that consists of the lowest bits.
// The last one may overlap the other two.
func count2AndLowest[D digitWidth, W word](counts []histogram, words []W, shift uint) {
	var width D
	a, b, c := &counts[0], &counts[1], &counts[2]
	for _, w := range words {
		c[w&(1<<len(width)-1)]++
		w = W(uint64(w) >> (shift & 63))
		b[w&(1<<len(width)-1)]++
		a[w>>len(width)&(1<<len(width)-1)]++
	}
}

func count1[D digitWidth, W word](counts *histogram, words []W, shift uint) {
	for _, w := range words {
		counts[digit[D](w, shift)]++
	}
}

// scatterWords moves words, four per iteration.
func scatterWords[D digitWidth, W word](dst, src []W, offsets *histogram, shift uint) {
	i := 0
	for ; i < len(src)-3; i += 4 {
		a, b, c, e := src[i], src[i+1], src[i+2], src[i+3]
		k := digit[D](a, shift)
		at := offsets[k]
		offsets[k] = at + 1
		dst[at] = a
		k = digit[D](b, shift)
		at = offsets[k]
		offsets[k] = at + 1
		dst[at] = b
		k = digit[D](c, shift)
		at = offsets[k]
		offsets[k] = at + 1
		dst[at] = c
		k = digit[D](e, shift)
		at = offsets[k]
		offsets[k] = at + 1
		dst[at] = e
	}
	for _, w := range src[i:] {
		p := &offsets[digit[D](w, shift)]
		dst[*p] = w
		*p++
	}
}

// scatterPairs moves words and values.
func scatterPairs[D digitWidth, W word, V any](dst, src []W, to, from []V, offsets *histogram, shift uint) {
	from, to = from[:len(src)], to[:len(dst)]
	for i, w := range src {
		k := digit[D](w, shift)
		at := offsets[k]
		offsets[k] = at + 1
		dst[at], to[at] = w, from[i]
	}
}
