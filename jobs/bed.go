package jobs

import "time"

// bed is where the holder of a seat sleeps. A call of rouse ends the sleep, or
// the next one if nobody sleeps. It may come too often, and get lost if it comes
// when the time is up: whoever wakes up looks again.
type bed interface {
	// sleep sleeps until rouse is called, or for a time if that is not 0.
	sleep(limit time.Duration)
	rouse()

	// yields says that the waker should give up its processor for a moment:
	// the runtime starts whom it has woken there, and nowhere else so soon.
	yields() bool
}

// chanBed is the portable bed: a channel of one token.
type chanBed struct {
	token chan struct{}
	timer *time.Timer
}

func newChanBed() bed { return &chanBed{token: make(chan struct{}, 1)} }

func (b *chanBed) sleep(limit time.Duration) {
	if limit == 0 {
		<-b.token
		return
	}
	if b.timer == nil {
		b.timer = time.NewTimer(limit)
	} else {
		b.timer.Reset(limit)
	}
	select {
	case <-b.token:
		b.timer.Stop()
	case <-b.timer.C:
	}
}

func (b *chanBed) rouse() {
	select {
	case b.token <- struct{}{}:
	default:
	}
}

func (b *chanBed) yields() bool { return true }
