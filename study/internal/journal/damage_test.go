package journal

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// sample returns a log of some runs and the set of its entries.
func sample(t *testing.T) (log []byte, truth map[string]bool) {
	t.Helper()
	b, truth := logHeader("0123"), map[string]bool{}
	add := func(e Entry, payload ...[]byte) {
		var err error
		if b, err = Append(b, e, payload...); err != nil {
			t.Fatal(err)
		}
	}
	for run := range 5 {
		add(Entry{Kind: Began, Run: run, Attempt: 1})
		if run == 2 {
			add(Entry{Kind: Failed, Run: run, Attempt: 1}, []byte("exit status 9\n"))
		}
		body := bytes.Repeat([]byte(fmt.Sprintf("%d\nR 1 ", run)), 3*run)
		add(Entry{Kind: Ended, Run: run, State: uint8(1 + run%6), Hash: uint64(run) << 60, Body: Checksum(body)}, []byte("{}\n"), body, []byte("\n"))
	}
	for _, s := range scanEntries(t, b) {
		truth[s] = true
	}
	if len(truth) != 11 {
		t.Fatalf("%d entries, want 11", len(truth))
	}
	return b, truth
}

// scanEntries lists the entries of a log.
func scanEntries(t *testing.T, b []byte) (found []string) {
	t.Helper()
	end, err := Scan(bytes.NewReader(b), 0, func(e Entry, at int64, payload []byte) error {
		found = append(found, fmt.Sprintf("%c %d %d %d %x %x %q", e.Kind, e.Run, e.Attempt, e.State, e.Hash, e.Body, payload))
		return nil
	})
	if err != nil || end > int64(len(b)) {
		t.Fatalf("end %d of %d, %v", end, len(b), err)
	}
	return found
}

// TestCut cuts a log at every byte. The entries before the cut must remain, and the log
// must have no other entries.
//
// Conformance: 502
func TestCut(t *testing.T) {
	log, truth := sample(t)
	whole := scanEntries(t, log)
	for cut := range log {
		found := scanEntries(t, log[:cut])
		if !slices.Equal(found, whole[:len(found)]) {
			t.Fatalf("cut at %d: %q", cut, found)
		}
		for i := range found {
			if !truth[found[i]] {
				t.Fatalf("cut at %d: %q was never written", cut, found[i])
			}
		}
	}
}

// TestFlip changes every bit of a log. Only the entry with the bit may be lost.
//
// Conformance: 503
func TestFlip(t *testing.T) {
	log, truth := sample(t)
	head := len(logHeader("0123"))
	for i := range log {
		for bit := range 8 {
			log[i] ^= 1 << bit
			found := scanEntries(t, log)
			for _, s := range found {
				if !truth[s] {
					t.Fatalf("bit %d of byte %d: %q was never written", bit, i, s)
				}
			}
			want := len(truth) - 1
			if i < head-1 {
				want = len(truth)
			}
			// If the end of a line is damaged, the next entry is lost too.
			if len(found) < want-1 {
				t.Fatalf("bit %d of byte %d: %d entries are left of %d", bit, i, len(found), len(truth))
			}
			log[i] ^= 1 << bit
		}
	}
}
