package spell

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"mass", "mass", 0}, {"", "mass", 4}, {"mass", "", 4}, {"mas", "mass", 1}, {"mass", "maze", 2},
		{"Plaec", "Place", 2}, {"kitten", "sitting", 3}, {"ab", "ba", 2},
	} {
		if got := Distance(c.a, c.b); got != c.want || Distance(c.b, c.a) != c.want {
			t.Errorf("from %q to %q it is %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
