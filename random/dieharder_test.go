package random

import (
	"encoding/binary"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var dieharder = flag.Bool("random.dieharder", false, "give the streams of words to dieharder -a, an hour each")

// TestDieharder gives the first words of rows and of neighbouring ids to dieharder.
func TestDieharder(t *testing.T) {
	if !*dieharder {
		t.Skip("takes hours, and Debian's dieharder: make random-quality")
	}
	for _, s := range streams()[:2] {
		t.Run(s.name, func(t *testing.T) { askDieharder(t, s) })
	}
}

// askDieharder gives the words of s to dieharder until it has enough.
func askDieharder(t *testing.T, s stream) {
	t.Helper()
	cmd := exec.Command("dieharder", "-a", "-g", "200")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() { // until it closes the pipe
		words, bytes := make([]uint32, 1<<12), []byte(nil)
		for at := uint64(0); ; at += uint64(len(words)) {
			s.fill(words, at)
			bytes = bytes[:0]
			for _, w := range words {
				bytes = binary.NativeEndian.AppendUint32(bytes, w)
			}
			if _, err := in.Write(bytes); err != nil {
				return
			}
		}
	}()
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "FAILED") {
		t.Error("dieharder finds the words not random")
	}
}
