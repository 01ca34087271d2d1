package random

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

var dieharder = flag.Bool("random.dieharder", false, "give the streams of words to every test of dieharder, an hour each")

// batteries holds the tests that dieharder -a runs, in its order. Each entry has the number of the
// test, as dieharder -l shows it, and the range of tuple sizes with which the test runs (only 0 if
// the test has no such parameter).
var batteries = []struct {
	name       string
	id         int
	first, end int
}{
	{"birthdays", 0, 0, 1}, {"operm5", 1, 0, 1}, {"rank32", 2, 0, 1}, {"rank6x8", 3, 0, 1}, {"bitstream", 4, 0, 1},
	{"opso", 5, 0, 1}, {"oqso", 6, 0, 1}, {"dna", 7, 0, 1}, {"ones-stream", 8, 0, 1}, {"ones-bytes", 9, 0, 1},
	{"parking", 10, 0, 1}, {"circle", 11, 0, 1}, {"sphere", 12, 0, 1}, {"squeeze", 13, 0, 1}, {"sums", 14, 0, 1},
	{"runs", 15, 0, 1}, {"craps", 16, 0, 1}, {"gcd", 17, 0, 1},
	{"sts-monobit", 100, 0, 1}, {"sts-runs", 101, 0, 1}, {"sts-serial", 102, 0, 1},
	{"bits", 200, 1, 13}, {"distance", 201, 2, 6}, {"permutations", 202, 2, 6}, {"lagged-sum", 203, 0, 33},
	{"kolmogorov", 204, 0, 1}, {"bytes", 205, 0, 1}, {"dct", 206, 0, 1}, {"fill-tree", 207, 0, 1},
	{"fill-tree2", 208, 0, 1}, {"monobit2", 209, 0, 1},
}

// TestDieharder feeds the first words of rows and of neighbouring ids to the tests of dieharder -a.
// Each test begins at the start of the words, so a stopped run can be continued: -run
// TestDieharder/ids/lagged-sum.
func TestDieharder(t *testing.T) {
	if !*dieharder {
		t.Skip("takes hours, and Debian's dieharder: make random-quality")
	}
	for _, s := range streams()[:2] {
		t.Run(s.name, func(t *testing.T) {
			for _, b := range batteries {
				for n := b.first; n < b.end; n++ {
					t.Run(fmt.Sprintf("%s-%d", b.name, n), func(t *testing.T) { askDieharder(t, s, b.id, n) })
				}
			}
		})
	}
}

// askDieharder runs the test of dieharder with the number id and the tuple size n, and feeds it
// words of s until it has enough.
func askDieharder(t *testing.T, s stream, id, n int) {
	t.Helper()
	args := []string{"-g", "200", "-Y", "1", "-d", strconv.Itoa(id)} // -Y 1: a weak result gets more words until it passes or fails
	if id >= 200 && id < 204 {
		args = append(args, "-n", strconv.Itoa(n))
	}
	cmd := exec.Command("dieharder", args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() { // writes until dieharder closes the pipe
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
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	verdicts := 0
	for rows := bufio.NewScanner(strings.NewReader(string(out))); rows.Scan(); {
		if strings.Contains(rows.Text(), "PASSED") || strings.Contains(rows.Text(), "WEAK") || strings.Contains(rows.Text(), "FAILED") {
			verdicts++
			t.Log(rows.Text())
		}
	}
	if verdicts == 0 {
		t.Errorf("dieharder gave no verdict:\n%s", out)
	}
	if strings.Contains(string(out), "FAILED") {
		t.Error("dieharder finds the words not random")
	}
}
