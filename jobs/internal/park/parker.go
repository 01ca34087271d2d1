package park

import "time"

// Parker lets one goroutine sleep until another goroutine wakes it. A call of Unpark ends the
// sleep, or the next sleep if the goroutine is awake. A call too many does no harm. A call at the
// moment when the time is up may be lost; this does no harm either, because a goroutine that wakes
// up looks for work again.
type Parker interface {
	// Park sleeps until Unpark is called, or for a limit that is not 0.
	Park(limit time.Duration)
	Unpark()

	// Yields reports whether the waker should give up its processor for a moment. If it does, the
	// runtime starts the woken goroutine on this processor, and no other processor would start it
	// as soon.
	Yields() bool
}

// chanParker is the portable Parker: a channel of one token.
type chanParker struct {
	token chan struct{}
	timer *time.Timer
}

// NewChan returns a Parker that sleeps on a Go channel.
func NewChan() Parker { return &chanParker{token: make(chan struct{}, 1)} }

func (p *chanParker) Park(limit time.Duration) {
	if limit == 0 {
		<-p.token
		return
	}
	if p.timer == nil {
		p.timer = time.NewTimer(limit)
	} else {
		p.timer.Reset(limit)
	}
	select {
	case <-p.token:
		p.timer.Stop()
	case <-p.timer.C:
	}
}

func (p *chanParker) Unpark() {
	select {
	case p.token <- struct{}{}:
	default:
	}
}

func (p *chanParker) Yields() bool { return true }
