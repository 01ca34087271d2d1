//go:build !purego

#include "textflag.h"

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET

// func pause(n uint32)
//
//	R0  rounds left
TEXT ·pause(SB), NOSPLIT, $0-4
	MOVWU n+0(FP), R0

loop:
	ISB   $15
	SUBSW $1, R0, R0
	BNE   loop
	RET
