package jobs

import "testing"

func TestSpreads(t *testing.T) {
	limit(t)
	p := New(Workers(3))
	defer p.Close()
	const name = "a job that is spread"
	stats := statsByName.getOrCreate(name, func(s string) string { return s })
	stats.tuners.Store(nil)
	if list := p.Spreads(name); list != nil || p.Spreads("no such job") != nil {
		t.Errorf("nothing was tried, and there is %v", list)
	}
	stats.cost.Store(100 << 8)
	for _, c := range []struct {
		one, all int64
		alone    bool
		trying   bool
		want     string
	}{
		{0, 80, false, true, "loops of 2.5µs to 5µs: all workers, on trial, 80ns an index"},
		{0, 60, false, false, "loops of 2.5µs to 5µs: all workers, 60ns an index; one was not tried, since that is plainly less"},
		{100, 125, true, false, "loops of 2.5µs to 5µs: one worker, 100ns an index; all take 125ns"},
		{12345, 12000, false, false, "loops of 2.5µs to 5µs: all workers, 12µs an index; one takes 12.3µs"},
		{0, 99, true, true, "loops of 2.5µs to 5µs: one worker, on trial"},
	} {
		tr := stats.tunerFor(3, minTunable, false)
		stats.tunerFor(2, minTunable, false).meanCost[inParallel].Store(1 << 20) // of other pools
		tr.meanCost[inSerial].Store(c.one << 8)
		tr.meanCost[inParallel].Store(c.all << 8)
		tr.trying = c.trying
		tr.mode.Store(uint32(inParallel))
		if c.alone {
			tr.mode.Store(uint32(inSerial))
		}
		list := p.Spreads(name)
		if len(list) != 1 || list[0].String() != c.want || list[0].Job != name {
			t.Errorf("%v, want %q", list, c.want)
		}
	}
	stats.tunerFor(3, 2*minTunable, true).meanCost[inSerial].Store(7 << 8)
	list := p.Spreads(name)
	if want := "loops of 5µs to 10µs after a pause: all workers, on trial"; len(list) != 2 || !list[1].Pause || list[1].String() != want {
		t.Errorf("%v, want %q", list, want)
	}
}
