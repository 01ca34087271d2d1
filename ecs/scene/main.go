package scene

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/lanewise/lanewise/internal/printable"
)

const usage = `usage: %[1]s check FILE...       say what is wrong with texts of scenes
       %[1]s bake  FILE...       write FILE.baked beside each text, if it is not that of the text
       %[1]s fmt   [-d] FILE...  put texts in their one form; -d only says which are not
       %[1]s schema              write a JSON schema for editors
`

// Main is a command that checks, bakes and formats scenes. The parameter args holds the arguments
// after the command's name. Messages begin with that name. The result is the exit code: 0 for
// success, 1 for a fault in a scene, 2 for wrong arguments. Main reads a text with the components
// of the program. Therefore a project builds its own command, which imports the packages that
// contain the project's components:
//
//	func main() { os.Exit(scene.Main("scenes", os.Args[1:], os.Stdout, os.Stderr)) }
func Main(name string, args []string, stdout, stderr io.Writer) int {
	stderr = printable.Writer(stderr) // an error may contain a name or value from an untrusted text
	wrong := func() int {
		fmt.Fprintf(stderr, usage, name)
		return 2
	}
	if len(args) == 0 {
		return wrong()
	}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	only := flags.Bool("d", false, "")
	if err := flags.Parse(args[1:]); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return wrong()
	}
	var each func(path string) error
	switch args[0] {
	case "schema":
		if flags.NArg() > 0 {
			return wrong()
		}
		if _, err := stdout.Write(Schema()); err != nil {
			fmt.Fprintf(stderr, "%s: %v\n", name, err)
			return 1
		}
		return 0
	case "check":
		each = checkFile
	case "bake":
		each = func(path string) error { return bakeAndReport(path, stdout) }
	case "fmt":
		each = func(path string) error { return formatFile(path, *only, stdout) }
	}
	if each == nil || flags.NArg() == 0 || *only && args[0] != "fmt" {
		return wrong()
	}
	code := 0
	for _, path := range flags.Args() {
		if err := each(path); err != nil {
			fmt.Fprintln(stderr, err)
			code = 1
		}
	}
	return code
}

// checkFile returns the faults of a text.
func checkFile(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return errorf("%w", err)
	}
	d, err := Parse(path, text)
	if err != nil {
		return err
	}
	_, err = d.Bake()
	return err
}

// bakeAndReport bakes a text and prints whether it has written the file.
func bakeAndReport(path string, stdout io.Writer) error {
	b, anew, err := BakeFile(path)
	if err != nil {
		return err
	}
	what := "is current"
	if anew {
		what = "is written"
	}
	_, err = fmt.Fprintf(stdout, "%s%s %s: %d entities, of these %d in prefabs\n", path, Suffix, what, b.namedCount, b.prefabCount)
	return err
}

// formatFile formats a text in place. If only is set, it instead returns an error if the text is
// not formatted. It refuses a pipe before it reads anything, because it could not write the text
// back.
func formatFile(path string, only bool, stdout io.Writer) error {
	if !only {
		if err := requireRegular(os.Stat(path)); err != nil {
			return errorf("%w", err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return errorf("%w", err)
	}
	to, err := Format(path, text)
	switch {
	case err != nil:
		return err
	case bytes.Equal(to, text):
		return nil
	case only:
		return fmt.Errorf("%s: it is not in its one form", path)
	}
	if err := replaceFile(path, path, func(out io.Writer) error { _, err := out.Write(to); return err }); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, path)
	return err
}
