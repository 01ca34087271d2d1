package nats

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// tokenVariable is the name of the environment variable that holds the token.
// There is no flag for the token, because all users of a machine can list the
// flags of a process.
const tokenVariable = "STUDY_TOKEN"

// maxPayload is the largest size of a record. This size is the limit that the server sets
// for a message.
const maxPayload = 8 << 20

// serverOptions holds the address of the server, and the settings that decide which workers may connect.
type serverOptions struct {
	addr, cert, key, token string
}

// loopback reports whether only users of this machine can reach the server.
func (l *serverOptions) loopback() (bool, error) {
	host, _, err := net.SplitHostPort(l.addr)
	if err != nil {
		return false, fmt.Errorf("-addr %s: say host:port, as in 127.0.0.1:4222: %w", l.addr, err)
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback(), nil
}

// checkOptions checks the settings and converts them to the server's options.
func (l *serverOptions) checkOptions(dir string) (*server.Options, error) {
	loopback, err := l.loopback()
	if err != nil {
		return nil, err
	}
	host, text, _ := net.SplitHostPort(l.addr)
	port, err := strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return nil, fmt.Errorf("-addr %s: %s is no port", l.addr, text)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if !loopback && (l.token == "" || l.cert == "") {
		return nil, fmt.Errorf("-addr %s is open to others: set %s, and give a certificate by -cert and -key", l.addr, tokenVariable)
	}
	o := &server.Options{
		Host: host, Port: port, JetStream: true, StoreDir: filepath.Join(dir, "jetstream"), NoSigs: true, NoLog: true,
		MaxPayload: maxPayload, ServerName: "study",
	}
	_, public, err := keyOf(l.token)
	if err != nil {
		return nil, err
	}
	o.Nkeys = []*server.NkeyUser{{Nkey: public}}
	if (l.cert == "") != (l.key == "") {
		return nil, errors.New("-cert and -key go together")
	}
	if l.cert != "" {
		pair, err := tls.LoadX509KeyPair(l.cert, l.key)
		if err != nil {
			return nil, fmt.Errorf("-cert and -key: %w", err)
		}
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
		o.TLSTimeout = 5
	}
	return o, nil
}

// start starts the server and connects to it. The results include the address that workers
// should use.
func (l *serverOptions) start(dir string) (s *server.Server, nc *nats.Conn, addr string, err error) {
	o, err := l.checkOptions(dir)
	if err != nil {
		return nil, nil, "", err
	}
	// Try the port here first: if another program uses the port, the server
	// would retry without end.
	if probe, err := net.Listen("tcp", net.JoinHostPort(o.Host, strconv.Itoa(max(o.Port, 0)))); err != nil {
		return nil, nil, "", fmt.Errorf("-addr %s cannot be listened on: %w", l.addr, err)
	} else if err := probe.Close(); err != nil {
		return nil, nil, "", err
	}
	if s, err = server.NewServer(o); err != nil { //lanewise:inexact a server has no numbers of a world
		return nil, nil, "", fmt.Errorf("the server of NATS: %w", err)
	}
	s.Start() //lanewise:inexact a server has no numbers of a world
	if !s.ReadyForConnections(30 * time.Second) {
		s.Shutdown() //lanewise:inexact a server has no numbers of a world
		return nil, nil, "", fmt.Errorf("the server of NATS does not start: is %s free, and can %s be written?", l.addr, o.StoreDir)
	}
	own, err := signIn(l.token)
	if err == nil {
		nc, err = nats.Connect("", nats.InProcessServer(s), own)
	}
	if err != nil {
		s.Shutdown() //lanewise:inexact a server has no numbers of a world
		return nil, nil, "", fmt.Errorf("the server of NATS: %w", err)
	}
	scheme := "nats://"
	if o.TLSConfig != nil {
		scheme = "tls://"
	}
	return s, nc, scheme + s.Addr().String(), nil
}
