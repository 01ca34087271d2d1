package park

import "time"

// Parker is where one goroutine sleeps. A call of Unpark ends the sleep, or the next
// one if none sleeps. It may come too often, and get lost if it comes when the time
// is up: what wakes up looks again.
type Parker interface {
	// Park sleeps until Unpark is called, or for a time if that is not 0.
	Park(limit time.Duration)
	Unpark()

	// Yields says that the waker should give up its processor for a moment:
	// the runtime starts what it has woken there, and nowhere else so soon.
	Yields() bool
}

// chanParker is the portable Parker: a channel of one token.
type chanParker struct {
	token chan struct{}
	timer *time.Timer
}

// NewChan makes a Parker that sleeps as Go's channels do.
func NewChan() Parker { return &chanParker{token: make(chan struct{}, 1)} }

func (b *chanParker) Park(limit time.Duration) {
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

func (b *chanParker) Unpark() {
	select {
	case b.token <- struct{}{}:
	default:
	}
}

func (b *chanParker) Yields() bool { return true }
