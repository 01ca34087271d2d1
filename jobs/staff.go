package jobs

import "sync/atomic"

// staff finds a worker's seat by its goroutine.
type staff struct {
	mask  uintptr
	seats []staffEntry
}

type staffEntry struct {
	goroutine atomic.Uintptr
	seat      atomic.Pointer[seat]
}

func newStaff(workers int) staff {
	size := 4
	for size < 4*workers {
		size *= 2
	}
	return staff{mask: uintptr(size - 1), seats: make([]staffEntry, size)}
}

// retired marks an entry whose goroutine has ended.
const retired = 1

// home is where the search for a goroutine begins.
func (st *staff) home(g uintptr) uintptr { return (g >> 6) * 0x9e3779b1 & st.mask }

func (st *staff) find(g uintptr) *seat {
	i := st.home(g)
	for range st.seats {
		e := &st.seats[i]
		switch e.goroutine.Load() {
		case g:
			return e.seat.Load()
		case 0:
			return nil
		}
		i = (i + 1) & st.mask
	}
	return nil
}

// add enters a worker; the pool's lock is held.
func (st *staff) add(g uintptr, s *seat) {
	for i := st.home(g); ; i = (i + 1) & st.mask {
		e := &st.seats[i]
		if old := e.goroutine.Load(); old == 0 || old == retired {
			e.seat.Store(s)
			e.goroutine.Store(g)
			return
		}
	}
}

// remove takes a worker out; the pool's lock is held.
func (st *staff) remove(g uintptr) {
	for i := range st.seats {
		if e := &st.seats[i]; e.goroutine.Load() == g {
			e.goroutine.Store(retired)
		}
	}
}
