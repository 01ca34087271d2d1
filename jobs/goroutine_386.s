//go:build !purego

#include "textflag.h"

// func goroutine() uintptr
//
//	CX  where the thread keeps its own
//	AX  address of the running goroutine
TEXT ·goroutine(SB), NOSPLIT, $0-4
	MOVL TLS, CX
	MOVL 0(CX)(TLS*1), AX
	MOVL AX, ret+0(FP)
	RET
