package order

// of returns the digit of a word. A mask that the compiler sees spares a check.
func of[W word](w W, shift uint, mask uint64) uint64 {
	return uint64(w) >> (shift & 63) & mask & (mostCounted - 1)
}

// countAll counts the digits of words, up to four in one go.
func countAll[W word](counts []places, words []W, list []digit) {
	for k, d := range list {
		clear(counts[k][:1<<d.bits])
	}
	for len(list) >= 4 {
		count4(counts, words, list)
		counts, list = counts[4:], list[4:]
	}
	switch len(list) {
	case 3:
		count3(counts, words, list)
	case 2:
		count2(counts, words, list)
	case 1:
		count1(&counts[0], words, list[0])
	}
}

func count4[W word](counts []places, words []W, list []digit) {
	a, b, c, d := &counts[0], &counts[1], &counts[2], &counts[3]
	i, j, k, l := list[0].shift, list[1].shift, list[2].shift, list[3].shift
	mask := list[0].mask // all are as wide
	for _, w := range words {
		a[of(w, i, mask)]++
		b[of(w, j, mask)]++
		c[of(w, k, mask)]++
		d[of(w, l, mask)]++
	}
}

func count3[W word](counts []places, words []W, list []digit) {
	a, b, c := &counts[0], &counts[1], &counts[2]
	i, j, k, mask := list[0].shift, list[1].shift, list[2].shift, list[0].mask
	for _, w := range words {
		a[of(w, i, mask)]++
		b[of(w, j, mask)]++
		c[of(w, k, mask)]++
	}
}

func count2[W word](counts []places, words []W, list []digit) {
	a, b := &counts[0], &counts[1]
	i, j, mask := list[0].shift, list[1].shift, list[0].mask
	for _, w := range words {
		a[of(w, i, mask)]++
		b[of(w, j, mask)]++
	}
}

func count1[W word](counts *places, words []W, d digit) {
	for _, w := range words {
		counts[of(w, d.shift, d.mask)]++
	}
}

// scatterWords moves words, four a turn.
func scatterWords[W word](dst, src []W, places *places, d digit) {
	shift, mask := d.shift, d.mask
	i := 0
	for ; i < len(src)-3; i += 4 {
		a, b, c, e := src[i], src[i+1], src[i+2], src[i+3]
		k := of(a, shift, mask)
		at := places[k]
		places[k] = at + 1
		dst[at] = a
		k = of(b, shift, mask)
		at = places[k]
		places[k] = at + 1
		dst[at] = b
		k = of(c, shift, mask)
		at = places[k]
		places[k] = at + 1
		dst[at] = c
		k = of(e, shift, mask)
		at = places[k]
		places[k] = at + 1
		dst[at] = e
	}
	for ; i < len(src); i++ {
		p := &places[of(src[i], shift, mask)]
		dst[*p] = src[i]
		*p++
	}
}

// scatterPairs moves words and values, two a turn.
func scatterPairs[W word, V any](dst, src []W, to, from []V, places *places, d digit) {
	shift, mask := d.shift, d.mask
	from, to = from[:len(src)], to[:len(dst)]
	i := 0
	for ; i < len(src)-1; i += 2 {
		a, b := src[i], src[i+1]
		k := of(a, shift, mask)
		at := places[k]
		places[k] = at + 1
		dst[at], to[at] = a, from[i]
		k = of(b, shift, mask)
		at = places[k]
		places[k] = at + 1
		dst[at], to[at] = b, from[i+1]
	}
	if i < len(src) {
		at := places[of(src[i], shift, mask)]
		dst[at], to[at] = src[i], from[i]
	}
}
