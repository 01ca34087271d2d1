//go:build !purego && !race

#include "textflag.h"

// func storeRelease(p *atomic.Uintptr, v uintptr)
//
//	AX  p
//	CX  v
TEXT ·storeRelease(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ v+8(FP), CX
	MOVQ CX, (AX)
	RET
