package arm64

import "github.com/lanewise/lanewise/internal/lanec/asm"

// Stack is a function that calls <symbol>Pieces with its own argument and with memory for lanes in its frame, which is not cleared.
func Stack(symbol string, bytes int) string {
	var t asm.Text
	t.Begin()
	t.Line("\n// func %sStack(c *%sCall)\n//\n// The lanes begin behind the arguments of what is called and where it returns to.", symbol, symbol)
	t.Line("TEXT ·%sStack(SB), 0, $%d-8", symbol, bytes+24)
	t.Ins("NO_LOCAL_POINTERS")
	t.Ins("MOVD c+0(FP), R0")
	t.Ins("MOVD R0, 8(RSP)")
	t.Ins("MOVD $32(RSP), R0")
	t.Ins("MOVD R0, 16(RSP)")
	t.Ins("CALL ·%sPieces(SB)", symbol)
	t.Ins("RET")
	return t.String()
}
