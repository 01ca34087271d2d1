package system

import (
	"reflect"
	"sync"
)

// Logger receives the messages about the systems of a world. A *slog.Logger is a Logger. The
// arguments are pairs of a key and a value, as those of log/slog. The methods must be safe for
// concurrent use.
type Logger interface {
	Debug(msg string, args ...any)
	Warn(msg string, args ...any)
}

// WithLogger sends warnings about the world's systems to l. If l is nil, or a nil pointer or
// function, warnings are discarded.
// Without this option, warnings go to slog.Default, which writes to standard error. For GOOS=js, they
// go to standard error, which is the console of a browser, because a program with log/slog is 0.1 MB
// larger there after compression. Without this option, each text is logged only once for all worlds.
// Five mistakes cause warnings: a system never updates because its group is missing; an order cannot
// be satisfied; a method is never called (for example OnUpdate); a method has a value receiver; a
// type was registered after the world was created. [Warnings] returns the warnings of the world,
// whatever the logger is.
func WithLogger(l Logger) Option {
	switch {
	case isNil(l):
		l = discard{}
	case !reflect.ValueOf(l).Comparable():
		l = &struct{ Logger }{l} // because late warnings are collected for each logger
	}
	return func(p *plan) { p.logger = l }
}

// discard is a logger that discards all messages.
type discard struct{}

func (discard) Debug(string, ...any) {}
func (discard) Warn(string, ...any)  {}

// loggedTexts holds the texts that were already logged to the default logger. Each text is logged only
// once, even if several worlds have the same mistake.
var loggedTexts sync.Map

// warn logs a text to l, or to the default logger if l is nil.
func warn(l Logger, text string, args ...any) {
	if l != nil {
		l.Warn(text, args...)
		return
	}
	if _, again := loggedTexts.LoadOrStore(text, true); !again {
		defaultLogger().Warn(text, args...)
	}
}
