package amd64

import "github.com/lanewise/lanewise/internal/lanec/asm"

// Stack is a function that calls <symbol>Pieces with its own argument and with memory for lanes in its frame, which is not cleared.
func Stack(symbol string, bytes int) string {
	var t asm.Text
	t.Begin()
	t.Line("\n// func %sStack(c *%sCall)\n//\n// The lanes begin behind the arguments of what is called.", symbol, symbol)
	t.Line("TEXT ·%sStack(SB), 0, $%d-8", symbol, bytes+16)
	t.Ins("NO_LOCAL_POINTERS")
	t.Ins("MOVQ c+0(FP), AX")
	t.Ins("MOVQ AX, 0(SP)")
	t.Ins("LEAQ 16(SP), AX")
	t.Ins("MOVQ AX, 8(SP)")
	t.Ins("CALL ·%sPieces(SB)", symbol)
	t.Ins("RET")
	return t.String()
}
