package nats

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// tokenName is the name of the file in a study's directory that holds the token. The
// command serve writes this file if STUDY_TOKEN is not set.
const tokenName = "serve.token"

// tokenOf returns the token of a study's directory and the name of its file. If
// there is no token, tokenOf creates one, because every user of the machine can
// reach the loopback, and a worker that joins writes results. If there is a
// token, tokenOf returns it again, so that waiting workers can join the next
// serve. Using a token again is safe, because workers never send the token; see signIn.
func tokenOf(dir string) (token, name string, err error) {
	name = filepath.Join(dir, tokenName)
	if token, err = readToken(name); !errors.Is(err, fs.ErrNotExist) {
		return token, name, err
	}
	b := make([]byte, 16)
	_, _ = rand.Read(b)                          // it never fails
	f, err := os.CreateTemp(dir, tokenName+".*") // readable for its owner only
	if err != nil {
		return "", "", err
	}
	_, err = f.WriteString(hex.EncodeToString(b) + "\n")
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return "", "", errors.Join(err, os.Remove(f.Name()))
	}
	token, err = readToken(name)
	return token, name, err
}

// readToken reads a token from a file that only its owner can read. It does all checks on
// the open file, because another user could replace the file between two checks. It does
// not follow a symbolic link.
func readToken(name string) (token string, err error) {
	f, err := os.OpenFile(name, os.O_RDONLY|openPrivate, 0)
	if err != nil {
		if info, failed := os.Lstat(name); failed == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "", fmt.Errorf("%s is a symbolic link: name the file itself, or remove the link, so that serve makes another one", name)
		}
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	switch mode := info.Mode(); {
	case err != nil:
		return "", err
	case !mode.IsRegular():
		return "", fmt.Errorf("%s is no file with a token (%v): remove it, so that serve makes one", name, mode)
	case runtime.GOOS != "windows" && mode.Perm()&0o077 != 0:
		return "", fmt.Errorf("%s can be used by others (%v): remove it, so that serve makes another one, or chmod 600", name, mode)
	case !isOwn(info):
		return "", fmt.Errorf("%s is another user's: remove it, so that serve makes one that is yours", name)
	}
	b, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return "", err
	}
	if token = strings.TrimSpace(string(b)); token == "" {
		return "", fmt.Errorf("%s has no token: remove it, so that serve makes another one", name)
	}
	return token, nil
}

// keyOf derives the signing key from a token.
func keyOf(token string) (key nkeys.KeyPair, public string, err error) {
	seed := sha256.Sum256([]byte("lanewise study token\n" + token))
	if key, err = nkeys.FromRawSeed(nkeys.PrefixByteUser, seed[:]); err != nil {
		return nil, "", err
	}
	public, err = key.PublicKey()
	return key, public, err
}

// signIn makes a client sign the server's challenge with the key of a token.
// The token itself is not sent. A program may listen on the port of serve,
// before serve starts or after it ends. Such a program receives only a signature, which is
// useless for another challenge.
func signIn(token string) (nats.Option, error) {
	key, public, err := keyOf(token)
	if err != nil {
		return nil, err
	}
	return nats.Nkey(public, key.Sign), nil
}
