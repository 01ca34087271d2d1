package nats

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// tokenName is the file in a study's directory with the token that serve makes if it is given none.
const tokenName = "serve.token"

// tokenOf returns the token of a study's directory, and the name of its file. It makes one if there is none: the loopback is open to
// every user of a machine, and who joins writes results. An earlier token is used again, so that workers that wait find the next serve.
func tokenOf(dir string) (token, name string, err error) {
	name = filepath.Join(dir, tokenName)
	if token, err = readToken(name); !errors.Is(err, fs.ErrNotExist) {
		return token, name, err
	}
	b := make([]byte, 16)
	_, _ = rand.Read(b)                          // it never fails
	f, err := os.CreateTemp(dir, tokenName+".*") // for its owner alone
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

// readToken reads a token from a file that is its owner's alone.
func readToken(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return "", fmt.Errorf("%s can be used by others (%v): remove it, so that serve makes another one, or chmod 600", name, mode)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(b))
	if token == "" {
		return "", fmt.Errorf("%s has no token: remove it, so that serve makes another one", name)
	}
	return token, nil
}
