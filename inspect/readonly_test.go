package inspect

import "testing"

// TestReadOnly checks that ReadOnly forbids changes, whether Allow comes before or after it in the
// options, and that the page shows this. Reading still works.
func TestReadOnly(t *testing.T) {
	for _, opts := range [][]Option{{ReadOnly(), Allow(Control | Edit)}, {Allow(Control | Edit), ReadOnly()}} {
		s := newStage(t, 10, opts...)
		for _, c := range changing {
			s.wantError(403, "the program does not allow that", "POST", c[0], c[1:]...)
		}
		if w := get[Worlds](s, "/api/worlds"); w.Control || w.Edit {
			t.Errorf("the page offers changes: %+v", w)
		}
		if e := get[Entities](s, "/api/entities", "q", "Health"); e.Count == 0 {
			t.Error("nothing can be read")
		}
		s.end()
	}
}
