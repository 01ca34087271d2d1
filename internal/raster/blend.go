package raster

// mixColors returns the color that results if one color is drawn over another
// color.
func mixColors(under, over uint32, blend Blend) uint32 {
	keep := uint32(255)
	if blend == Over {
		keep -= over >> 24
	}
	// Compute two channels at once, with sixteen bits for each, because this is
	// enough for an exact ⌊x·k/255 + ½⌋.
	even := under&0xff00ff*keep + 0x800080
	odd := under>>8&0xff00ff*keep + 0x800080
	even = (even + even>>8&0xff00ff) >> 8 & 0xff00ff
	odd = (odd + odd>>8&0xff00ff) >> 8 & 0xff00ff
	return limitChannels(even+over&0xff00ff) | limitChannels(odd+over>>8&0xff00ff)<<8
}

// limitChannels limits two channels to 255.
func limitChannels(two uint32) uint32 {
	over := two >> 8 & 0x10001
	return (two | (over<<8 - over)) & 0xff00ff
}

// multiplyColors multiplies two colors, channel by channel.
func multiplyColors(a, b uint32) (c uint32) {
	for shift := 0; shift < 32; shift += 8 {
		p := (a>>shift&255)*(b>>shift&255) + 128
		c |= (p + p>>8) >> 8 << shift
	}
	return c
}
