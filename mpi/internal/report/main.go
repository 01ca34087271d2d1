// Command report measures the cost of a tick of the flock on 1 to 16 ranks.
// The numbers of rows, ghosts and bytes do not depend on the number of cores.
// The CPU time of the forces does not depend on the number of cores either. The command
// starts mpirun, and prints a table.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	each := flag.Int("rows", 20_000, "of a rank")
	ticks := flag.Int("ticks", 20, "of each run")
	most := flag.Int("ranks", 16, "at most")
	mpirun := flag.String("mpirun", "mpirun.openmpi --allow-run-as-root --oversubscribe", "and its options")
	flag.Parse()
	if err := report(*each, *ticks, *most, strings.Fields(*mpirun)); err != nil {
		log.Fatal(err)
	}
}

func report(each, ticks, most int, mpirun []string) error {
	dir, err := os.MkdirTemp("", "report")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	check := filepath.Join(dir, "check")
	if out, err := exec.Command("go", "build", "-o", check, "./internal/check").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	fmt.Println("| ranks | bricks | rows moved | ghosts | messages | bytes | forces, ms | migrate, ms | halo, ms | order, ms | waiting besides, ms |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for n := 1; n <= most; n *= 2 {
		side := math.Sqrt(float64(n*each) / 10)
		args := append(mpirun[1:len(mpirun):len(mpirun)], "-n", fmt.Sprint(n), check, "-case", "flock", "-stats", "-ticks", fmt.Sprint(ticks), "-rows", fmt.Sprint(n*each), "-size", fmt.Sprint(side))
		out, err := exec.Command(mpirun[0], args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
			if row, ok := strings.CutPrefix(s.Text(), "tick "); ok {
				fmt.Println(row)
			}
		}
	}
	return nil
}
