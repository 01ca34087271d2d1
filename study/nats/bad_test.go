package nats

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/lanewise/lanewise/study"
	"github.com/lanewise/lanewise/study/internal/journal"
)

// badRecords returns complete records with the right checksum that no run of a study of 8 runs can
// produce.
func badRecords(t *testing.T) (list [][]byte) {
	t.Helper()
	for _, c := range []struct {
		run     int
		state   study.State
		payload string
	}{
		{8, study.OK, "{}\n\n"}, {1 << 30, study.OK, "{}\n\n"}, {0, 0, "{}\n\n"},
		{1, study.OK, "no line"}, {1, study.OK, "{\n\n"}, {2, study.OK, `{"tables":[{"name":"result","rows":1,"bytes":99}]}` + "\n\n"},
		{2, study.OK, `{"tables":[{"name":"result","rows":1,"bytes":-1}]}` + "\n\n"}, {3, study.OK, `{"tables":[{"name":"result","rows":1000000000000,"bytes":0}]}` + "\n\n"},
		// If such a record were accepted as the first record of a run, no table could be made.
		{0, study.OK, "{}\n\n"}, {0, study.OK, `{"tables":[{"name":"result","columns":[{"name":"evil","kind":"i"}],"rows":0,"bytes":0}]}` + "\n\n"},
		{0, study.OK, `{"tables":[{"name":"\u001b]0;owned\u0007\u001b[2J","rows":1,"bytes":99}]}` + "\n\n"},
	} {
		b, err := journal.Append(nil, journal.Entry{Kind: journal.Ended, Run: c.run, State: uint8(c.state), Body: 7}, []byte(c.payload))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	return append(list, []byte("nonsense"), nil)
}

// TestBadRecords checks that invalid records are reported and left out, on every subject, and also if
// a coordinator finds them when it starts.
func TestBadRecords(t *testing.T) {
	dir, alone := plan(t, "-seeds", "8")
	serve := func() (*program, string) {
		p := begin(t, self(t), nil, "serve", "-out", dir, "-addr", "127.0.0.1:0", "-block", "0", "-progress", "lines")
		return p, p.hear(t, "join with: join -at ")
	}
	send := func(at, kind string) int {
		t.Helper()
		nc, err := nats.Connect(at, tokenOption(t, "test"))
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		id := ""
		for end := time.Now().Add(time.Minute); id == "" && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			for name := range js.StreamNames(t.Context()).Name() {
				if rest, ok := strings.CutPrefix(name, resultsStream+"-"); ok {
					id = rest
				}
			}
		}
		list := badRecords(t)
		for i, b := range list {
			if _, err := js.Publish(t.Context(), fmt.Sprintf("%s.%s.%d", kind, id, 1000+i), b); err != nil {
				t.Fatal(err)
			}
		}
		kv, err := js.KeyValue(t.Context(), kvBucket)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kv.PutString(t.Context(), archKeys+"a.b", ""); err != nil { // not a kind of CPU
			t.Fatal(err)
		}
		return len(list)
	}
	p, at := serve()
	n := send(at, "results") + send(at, "again")
	for range n {
		if said := p.hear(t, "is left out"); strings.ContainsAny(said, "\x1b\x07") {
			t.Errorf("a terminal would obey %q", said)
		}
	}
	send(at, "results")
	_ = p.Process.Kill() // perhaps before it has read all of them
	p.end(t, -1)
	p, at = serve()
	begin(t, self(t), nil, "join", "-at", at, "-cores", "2").end(t, 0)
	p.end(t, 0)
	compareTables(t, dir, alone)
}

// TestToken checks serve without STUDY_TOKEN. In this case serve must write a token file that only
// its owner can read, must refuse clients without the token, and must use the same token at the next
// start.
func TestToken(t *testing.T) {
	dir, alone := plan(t, "-seeds", "8")
	none := []string{tokenVariable + "="}
	name := filepath.Join(dir, tokenName)
	serve := func() (*program, string) {
		p := begin(t, self(t), none, "serve", "-out", dir, "-addr", "127.0.0.1:0", "-block", "0", "-progress", "none")
		at, file, ok := strings.Cut(p.hear(t, "join with: join -at "), " -token ")
		if !ok || file != name {
			t.Fatalf("join with %q, %q, want the file %s", at, file, name)
		}
		return p, at
	}
	p, at := serve()
	first, err := os.ReadFile(name)
	if err != nil || len(strings.TrimSpace(string(first))) != 32 {
		t.Fatalf("the token is %q: %v", first, err)
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("%v: %v", info, err)
	}
	for _, env := range [][]string{none, {tokenVariable + "=guess"}} {
		if said := begin(t, self(t), env, "join", "-at", at, "-patience", "5s").end(t, 1); !strings.Contains(said, "give -token with the file that serve has said") {
			t.Errorf("%v: %s", env, said)
		}
		if nc, err := nats.Connect(at, tokenOption(t, strings.TrimPrefix(env[0], tokenVariable+"="))); err == nil {
			t.Error("a client without the token is let in")
			nc.Close()
		}
	}
	_ = p.Process.Kill()
	p.end(t, -1)
	p, at = serve()
	if next, _ := os.ReadFile(name); string(next) != string(first) {
		t.Errorf("the next token is %q, the first was %q", next, first)
	}
	begin(t, self(t), none, "join", "-at", at, "-token", name).end(t, 0)
	p.end(t, 0)
	compareTables(t, dir, alone)
	if runtime.GOOS == "windows" {
		return
	}
	for what, make := range map[string]func() error{
		"is a symbolic link": func() error { return errors.Join(os.Rename(name, name+".real"), os.Symlink(name+".real", name)) },
		"is no file with":    func() error { return os.Mkdir(name, 0o700) },
		"is another user's":  func() error { return errors.Join(os.WriteFile(name, first, 0o600), os.Chown(name, 4321, 4321)) }, // only for root
	} {
		if err := errors.Join(os.RemoveAll(name), os.WriteFile(name, first, 0o600)); err != nil {
			t.Fatal(err)
		}
		if what == "is no file with" {
			_ = os.Remove(name)
		}
		if err := make(); err != nil {
			if !errors.Is(err, os.ErrPermission) {
				t.Fatal(err)
			}
			continue
		}
		if token, err := readToken(name); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q, %v, want %q", token, err, what)
		}
	}
	if err := errors.Join(os.RemoveAll(name), os.WriteFile(name, first, 0o600)); err != nil {
		t.Fatal(err)
	}
	// A file that other users can read is refused, and a file without a token is refused too.
	for _, c := range []struct {
		mode os.FileMode
		text string
		want string
	}{{0o640, "abc", "can be used by others"}, {0o600, " \n", "has no token"}} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(c.text), c.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, c.mode); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"serve", "-out", dir, "-addr", "127.0.0.1:0"}, {"join", "-at", at, "-token", name}} {
			if said := begin(t, self(t), none, args...).end(t, 1); !strings.Contains(said, c.want) {
				t.Errorf("%s: %s, want %q", args[0], said, c.want)
			}
		}
	}
}

// tokenOption authenticates with a token.
func tokenOption(t *testing.T, token string) nats.Option {
	t.Helper()
	o, err := signIn(token)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestStranger starts another program in the place of serve. This other program must not learn the
// token, neither from the file nor from the variable. The messages that it receives must not let it
// join.
func TestStranger(t *testing.T) {
	dir, _ := plan(t, "-seeds", "8")
	none := []string{tokenVariable + "="}
	p := begin(t, self(t), none, "serve", "-out", dir, "-addr", "127.0.0.1:0", "-block", "0", "-progress", "none")
	at, name, _ := strings.Cut(p.hear(t, "join with: join -at "), " -token ")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(text))
	for _, c := range []struct {
		env  []string
		more string // appended to the greeting
		args []string
	}{{none, `,"nonce":"abcdefghijk"`, []string{"-token", name}}, {none, "", []string{"-token", name}}, {[]string{tokenVariable + "=" + token}, `,"nonce":"abcdefghijk"`, nil}} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		heard := make(chan string, 1)
		go func() {
			conn, err := l.Accept()
			if err != nil {
				heard <- ""
				return
			}
			defer conn.Close()
			_, _ = fmt.Fprintf(conn, `INFO {"server_id":"x","version":"2.11.0","proto":1,"auth_required":true,"max_payload":1048576,"headers":true%s}`+"\r\n", c.more)
			line, _ := bufio.NewReader(conn).ReadString('\n')
			heard <- line
		}()
		j := begin(t, self(t), c.env, append([]string{"join", "-at", "nats://" + l.Addr().String(), "-patience", "1s"}, c.args...)...)
		line := <-heard
		l.Close()
		j.end(t, 1)
		if strings.Contains(line, token) || strings.Contains(line, "auth_token") || (c.more != "") != strings.Contains(line, `"nkey"`) {
			t.Errorf("%q: the stranger hears %q", c.args, line)
		}
		if c.more == "" {
			continue
		}
		var said struct{ Nkey, Sig string }
		if err := json.Unmarshal([]byte(strings.TrimPrefix(strings.TrimSpace(line), "CONNECT ")), &said); err != nil {
			t.Fatal(err)
		}
		again := nats.Nkey(said.Nkey, func([]byte) ([]byte, error) { return base64.RawURLEncoding.DecodeString(said.Sig) })
		if nc, err := nats.Connect(at, again); err == nil {
			t.Error("the stranger is let in by what it has heard")
			nc.Close()
		}
	}
}
