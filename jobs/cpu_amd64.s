//go:build !purego

#include "textflag.h"

// func goroutine() uintptr
//
//	AX  address of the running goroutine
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// func pause(n uint32)
//
//	AX  rounds left
TEXT ·pause(SB), NOSPLIT, $0-4
	MOVL n+0(FP), AX

loop:
	PAUSE
	SUBL $1, AX
	JNZ  loop
	RET
