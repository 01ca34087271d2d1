package match

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs"
)

// TestPlay checks that two peers with a bad network compute the same worlds, equal to a world that knows all inputs in time.
func TestPlay(t *testing.T) {
	const ticks = 600
	for seed := range uint64(3) {
		peers, err := Play(ticks, seed, jobs.Default())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for p, own := range peers {
			if want, err := Straight(own.Agreed); own.Hash != want || err != nil {
				t.Errorf("seed %d, player %d: both have %#x before tick %d, want %#x, %v", seed, p, own.Hash, own.Agreed, want, err)
			}
			if own.Agreed < ticks/2 {
				t.Errorf("seed %d, player %d: no hashes are compared after tick %d", seed, p, own.Agreed)
			}
			if st := own.Session.Stats(); st.Rollbacks < 10 || st.Deepest < 5 || own.Lost < 10 {
				t.Errorf("seed %d, player %d: the network was too good: %d packets are lost; %+v", seed, p, own.Lost, st)
			}
			t.Logf("seed %d, player %d: lead %d, %d of %d packets are lost, %+v", seed, p, own.Lead(), own.Lost, own.Sent, own.Session.Stats())
			if err := own.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestStraight checks that the world has the same hash on every machine.
func TestStraight(t *testing.T) {
	if got, err := Straight(320); err != nil || got != 0x5d2df6e48c243c86 {
		t.Errorf("the hash is %#x, want 0x5d2df6e48c243c86, %v", got, err)
	}
}

// TestReload checks that both peers start again when a page is loaded again in the middle of a game, and that packets of the old game do no harm.
func TestReload(t *testing.T) {
	peers := [players]*Peer{NewPeer(0, 1, nil), NewPeer(1, 2, nil)}
	defer func() { _, _ = peers[0].Close(), peers[1].Close() }()
	for now := time.Duration(0); now < 6*time.Second; now += tickTime {
		if now == 180*tickTime {
			if err := peers[1].Close(); err != nil {
				t.Fatal(err)
			}
			if tick := peers[0].Session.Tick(); tick < 100 {
				t.Fatalf("tick %d after 3 s", tick)
			}
			peers[1] = NewPeer(1, 3, nil)
		}
		for p, own := range peers {
			err := own.Frame(now, func(tick uint64) Input { return Robot(p, tick) }, func(b []byte) {
				if err := peers[1-p].Receive(slices.Clone(b)); err != nil {
					t.Error(err)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for p, own := range peers {
		if tick := own.Session.Tick(); tick < 140 || tick > 180 || own.Agreed < 64 {
			t.Errorf("player %d: tick %d 3 s after the new start, the hashes before tick %d are compared", p, tick, own.Agreed)
		}
	}
	if err := peers[0].Receive([]byte("nonsense")); err == nil || !strings.Contains(err.Error(), "a packet of 8 bytes") {
		t.Errorf("a packet that is too short: %v", err)
	}
}
