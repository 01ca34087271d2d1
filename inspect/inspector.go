package inspect

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"log/slog"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// DefaultShare is the share of a frame's time that requests may take, unless
// [Share] sets another. MinBudget is the time that requests may always take in
// a frame, even if it is more than their share, so that requests are answered
// in short frames too.
const (
	DefaultShare = 0.01
	MinBudget    = 30 * time.Microsecond
)

// Inspector shows worlds. It is an http.Handler: mount it with http.StripPrefix
// in a mux, or let [Serve] start a server. For GOOS=js it is none: see
// [Inspector.Answer]. Several goroutines may call its
// methods at the same time. Close it when it is no longer needed.
type Inspector struct {
	views // the part that owners of worlds use

	allow        Permission
	readOnly     bool // no action is permitted
	token        string
	hosts        []string
	tables       []tableForm
	logger       *slog.Logger // for slow frames; nil for none
	routes       map[string]route
	requestSlots chan struct{} // a slot for each request that is being answered
}

// Option is a setting of a new inspector.
type Option func(*Inspector)

// Permission is an action that a page may do in addition to reading.
type Permission uint8

// The permissions.
const (
	Control Permission = 1 << iota // pause, step, slow down
	Edit                           // change, spawn and destroy entities, switch systems on and off, go back to an earlier frame, undo this
)

// Allow permits actions in addition to reading: Control, Edit, or Control|Edit.
func Allow(what Permission) Option { return func(i *Inspector) { i.allow |= what } }

// ReadOnly forbids all actions, whatever [Allow] permits and in whatever order
// the options are. For example, a server adds it to options that the flags of a
// developer have set.
func ReadOnly() Option { return func(i *Inspector) { i.readOnly = true } }

// Only limits the inspector to the given worlds. Without this option, the
// inspector shows all worlds with systems, including worlds that are created
// later.
func Only(ws ...*ecs.World) Option { return func(i *Inspector) { i.only = append(i.only, ws...) } }

// Token sets the secret that requests must contain. Without this option, or if
// the secret is empty, the inspector creates a random secret of 144 bits.
func Token(secret string) Option { return func(i *Inspector) { i.token = secret } }

// Hosts adds host names under which the page may be opened, in addition to
// those of the loopback. With at least one name, [Serve] accepts addresses
// outside of the loopback too. Then everyone who can reach such an address and
// knows the token can read everything.
func Hosts(names ...string) Option {
	return func(i *Inspector) { i.hosts = append(i.hosts, names...) }
}

// Share sets the share of a frame's time by which requests may delay a frame,
// for example 0.01. The inspector divides longer work over several frames. A
// frame's time begins at the end of the frame before, so the time of a paced
// frame includes its sleep. During the sleep, the inspector can work without
// delaying a frame. Share panics unless x is above 0 and at most 1.
func Share(x float64) Option {
	if !(x > 0 && x <= 1) {
		panic(fmt.Sprintf("inspect: Share: x is %v, must be above 0 and at most 1", x))
	}
	return func(i *Inspector) { i.share = x }
}

// Budget sets the longest time for which the inspector works without a break,
// at the end of a frame and in the sleep of a paced loop. It replaces [Share].
// For example, a test that wants a complete answer from a single frame sets a
// second. Budget panics unless d is above 0.
func Budget(d time.Duration) Option {
	if d <= 0 {
		panic(fmt.Sprintf("inspect: Budget: d is %v, must be above 0", d))
	}
	return func(i *Inspector) { i.budget = d }
}

// Tables serves tables to clients with the token:
//
//	/table/Position,Velocity.EXT               the entities that have both
//	/table/Position,?Velocity.EXT              those that have a Position, and their Velocity if they have one
//	/table/Position,-Frozen.EXT                those that have a Position and nothing Frozen
//	/table/Position,Velocity.EXT?frame=one     all rows from one frame
//
// Ext is the file extension that selects the format, and kind is its media
// type. Package arrow provides one: inspect.Tables("arrow", arrow.MediaType,
// arrow.Take). In each frame, the inspector copies as many rows as the
// [Share] allows. So the rows of a large table come from several frames. With
// frame=one, the world does not run until all rows are copied, which takes as
// long as a copy of that memory.
func Tables(ext, kind string, take TakeTable) Option {
	return func(i *Inspector) { i.tables = append(i.tables, tableForm{ext, kind, take}) }
}

// SlowFrames keeps a recording for each frame that took longer than budget:
// the last second before the end of the frame, as a timeline of systems and
// jobs, and as Go's execution trace for go tool trace, with the names of
// systems and jobs. A budget of 0 means three times the median of the last
// frames. This option measures every frame, even without requests, and costs a
// few percent of the time. A process can have only one flight recorder. If
// another flight recorder is active, there is no trace, and the page says so.
func SlowFrames(budget time.Duration) Option {
	return func(i *Inspector) { i.box = &blackBox{budget: max(budget, 0)} }
}

// History keeps an image of each world at the end of every n-th frame, so that a page can show the
// entities as they were in an earlier frame, find the first frame in which a condition holds, and, with
// [Edit], continue from there. When the rows in the images of a world use more than the given number of
// bytes, the oldest images are dropped; the last image stays. Images that the program itself takes
// count toward this limit too. Two images share each chunk that did not change between them. So an
// image costs the time and the memory of a copy of the changed chunks, and the frame waits for it. If n
// is 0, images are so rare that they take at most one percent of the time. With History, the inspector
// also records without requests. History panics if n is less than 0 or bytes is less than 1.
//
//	inspect.History(0, 256<<20)
func History(n, bytes int) Option {
	if n < 0 || bytes < 1 {
		panic(fmt.Sprintf("inspect: History: every %d frames, %d bytes: want 0 frames and 1 byte at least", n, bytes))
	}
	return func(i *Inspector) { i.keptEvery, i.keptBytes = n, bytes }
}

// Log logs slow frames that [SlowFrames] finds, at level Warn. The line of a
// frame contains its world, its number, its length, the limit, and the system
// that took most of the time. So a server that no browser looks at keeps a
// trace of slow frames. Log writes at most one line in two seconds. The
// attribute missed of a line is the number of slow frames since the previous
// line that have no line. If there are such frames after the last line,
// [Inspector.Close] logs their number. The inspector calls the handler of l on
// a goroutine of its own, or in Close. So a slow handler delays no frame. The
// handler may send requests to the inspector. It must not panic, because
// nothing recovers a panic on that goroutine. Without SlowFrames, Log has no
// effect. If l is nil, Log uses slog.Default.
func Log(l *slog.Logger) Option {
	if l == nil {
		l = slog.Default()
	}
	return func(i *Inspector) { i.logger = l }
}

// New returns an inspector of all worlds, or of the worlds of [Only].
func New(opts ...Option) *Inspector {
	i := &Inspector{requestSlots: make(chan struct{}, maxRequests)}
	i.share, i.pools = DefaultShare, map[*jobs.Pool]int{}
	for at, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("inspect: New: option %d is nil", at))
		}
		o(i)
	}
	if i.readOnly {
		i.allow = 0
	}
	if i.token == "" {
		var b [18]byte
		_, _ = rand.Read(b[:]) // documented never to fail
		i.token = base64.RawURLEncoding.EncodeToString(b[:])
	}
	i.routes = i.makeRoutes()
	if i.box != nil {
		i.box.logger = i.logger
		i.box.begin()
	}
	if i.alwaysRecords() {
		i.renewLease()
	}
	return i
}

// Close ends the inspector. Paused worlds continue to run. Each world frees
// its recordings at the end of its next frame. The inspector refuses later
// requests.
func (i *Inspector) Close() error {
	if i.closed.Swap(true) {
		return nil
	}
	i.wakeOwners()
	if i.box != nil {
		i.box.end()
	}
	return nil
}
