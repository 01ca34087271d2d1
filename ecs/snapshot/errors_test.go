package snapshot

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Whatever is wrong with a file, the error names the file; what was never in it is not spoken of.
func TestErrorsNameTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "world.snap")
	whole := bytesOf(t, imageOf(t, families(t, 5, 2)), named)
	later := bytes.Clone(whole)
	later[8] = Version + 1
	w := ecs.NewWorld("w")
	for _, one := range []struct {
		content []byte
		as      error
		say     string
	}{
		{nil, ErrCorrupt, "empty"},
		{[]byte("a text, and no snapshot of a world"), ErrCorrupt, "begin as one"},
		{whole[:40], ErrCorrupt, "ends at byte 40"},
		{later, ErrVersion, "knows up to"},
	} {
		must(t, os.WriteFile(path, one.content, 0o600))
		_, opened := Open(path, named)
		for _, err := range []error{opened, Load(w, path, named)} {
			if !errors.Is(err, one.as) || !strings.HasPrefix(err.Error(), "snapshot: "+path+": ") || !strings.Contains(err.Error(), one.say) || strings.Contains(err.Error(), path+": snapshot: ") {
				t.Errorf("%d bytes: %v", len(one.content), err)
			}
		}
	}
	if err := Load(nil, path); !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), "the world is nil") {
		t.Error(err)
	}
	if err := Save(path, nil); !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), "snapshot: the image is nil") {
		t.Error(err)
	}
}

// A component that the program does not know is an error that says what to do, not which function the package has called.
func TestUnknownComponent(t *testing.T) {
	_, err := optionsOf("Load", nil).typeOf("example.org/gone.Nome")
	if !errors.Is(err, ErrSchema) || !errors.Is(err, ecs.ErrArgument) || strings.Contains(err.Error(), "FindComponent") || !strings.Contains(err.Error(), "component example.org/gone.Nome: no component of this name is registered: ") ||
		!strings.Contains(err.Error(), "RegisterComponent") || !strings.Contains(err.Error(), "Renamed") || !strings.Contains(err.Error(), "Drop") {
		t.Error(err)
	}
}
