package nats

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/internal/messages"
)

var updateMessages = flag.Bool("lanewise.update", false, "write testdata/messages.golden anew")

var place = regexp.MustCompile(`127\.0\.0\.1:[0-9]{5,}|[0-9a-f]{64}`)

// size matches the length of a record, which varies with the time that the run took.
var size = regexp.MustCompile(`has [0-9]{7} bytes`)

// TestMessages compares the messages about misuse with testdata. It also looks in the source
// for messages that no call reaches.
func TestMessages(t *testing.T) {
	dir := t.TempDir()
	must(t, "sweep", "-plan", "-out", dir, "-seeds", "3", "ticks=9000", "wide=true") // records of 9 MB
	cert, key := certificate(t)
	l := &messages.List{T: t, Edit: func(text string) string {
		text = strings.NewReplacer(filepath.ToSlash(dir), "DIR", cert, "CERT", key, "KEY").Replace(filepath.ToSlash(text))
		return size.ReplaceAllString(place.ReplaceAllString(text, "PLACE"), "has SIZE bytes")
	}}
	// last runs a command that must fail, and records the last line of its output.
	last := func(p *program) {
		t.Helper()
		lines := strings.Split(strings.TrimSpace(p.end(t, 1)), "\n")
		l.Say(lines[len(lines)-1])
	}
	serve := func(env []string, line string) *program {
		return begin(t, self(t), env, append([]string{"serve", "-out", dir, "-progress", "none"}, strings.Fields(line)...)...)
	}
	join := func(env []string, line string) *program {
		return begin(t, self(t), env, append([]string{"join"}, strings.Fields(line)...)...)
	}
	token := []string{tokenVariable + "=secret"}
	last(serve([]string{tokenVariable + "="}, "-addr 0.0.0.0:0"))
	last(serve(nil, "-addr 127.0.0.1"))
	last(serve(nil, "-addr 127.0.0.1:x"))
	last(serve(nil, "-cert "+cert))
	last(serve(nil, "-cert "+key+" -key "+cert))
	last(serve(nil, "-lease 1ms"))
	last(serve(nil, "more"))
	last(join(nil, "-cores 0"))
	last(join(nil, "more"))
	last(join(nil, "-ca missing.pem"))
	last(join(nil, "-at nats://127.0.0.1:1 -patience 300ms"))

	file := filepath.Join(dir, tokenName)
	for _, c := range []struct {
		text string
		mode os.FileMode
	}{{"", 0o600}, {"abc", 0o640}} {
		if err := errors.Join(os.WriteFile(file, []byte(c.text), 0o600), os.Chmod(file, c.mode)); err != nil {
			t.Fatal(err)
		}
		last(serve([]string{tokenVariable + "="}, "-addr 127.0.0.1:0"))
		last(join(nil, "-token "+file))
	}

	p := serve(token, "-addr 127.0.0.1:0 -block 0")
	at := p.hear(t, "join with: join -at ")
	last(serve(token, "-addr "+strings.TrimPrefix(at, "nats://"))) // the log is locked
	last(join(nil, "-at "+at))
	last(join(token, "-at "+at+" -cores 1")) // the records are too long
	_ = p.Process.Signal(os.Interrupt)
	last(p)
	other := t.TempDir()
	must(t, "sweep", "-plan", "-out", other, "-seeds", "3")
	p = begin(t, self(t), nil, "serve", "-out", other, "-addr", "127.0.0.1:0", "-progress", "none", "-block", "0")
	at = p.hear(t, "join with: join -at ")
	w := join([]string{"LANEWISE_STUDY_GATE=" + other + "/gate"}, "-at "+at)
	w.hear(t, "joined")
	_ = w.Process.Signal(os.Interrupt)
	last(w)
	taken := begin(t, self(t), nil, "serve", "-out", dir, "-addr", strings.TrimPrefix(at, "nats://"), "-progress", "none")
	last(taken)

	// Other tests reach these messages.
	for _, m := range []string{"DIR/serve.token is a symbolic link: name the file itself, or remove the link, so that serve makes another one", "DIR/serve.token is no file with a token (drwx------): remove it, so that serve makes one", "DIR/serve.token is another user's: remove it, so that serve makes one that is yours"} { // TestToken
		l.Say(m)
	}
	l.Say(errOther.Error())                                                                       // TestAnotherStudy
	l.Say("join: nothing is heard of serve for 2s: …")                                            // TestGone
	l.Say("runs [3]: it was done twice and ended differently: …")                                 // TestArchs
	l.Say("a result cannot be handed over: nats: no response from")                               // as in TestGone, if the worker waits for that
	l.Compare(*updateMessages, 18, "the server of NATS: %w", "the server of NATS does not start") // refused by its options
}
