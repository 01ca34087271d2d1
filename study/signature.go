package study

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"
)

// signatureNamespace is the namespace of signatures of certificates. OpenSSH includes the namespace
// in the signed data, so that a signature for another purpose is not valid for a certificate.
const signatureNamespace = "lanewise-study"

// checkSignature checks the signature that `ssh-keygen -Y sign` wrote for a file, with the Ed25519
// key in a file of OpenSSH. It returns the fingerprint of the key.
func checkSignature(text []byte, signature, key string) (fingerprint string, err error) {
	public, err := readPublicKey(key)
	if err != nil {
		return "", err
	}
	armored, err := os.ReadFile(signature)
	if err != nil {
		return "", fmt.Errorf("%w: sign the certificate with ssh-keygen -Y sign -n %s -f KEY %s", err, signatureNamespace, strings.TrimSuffix(signature, ".sig"))
	}
	sum := sha256.Sum256(public)
	fingerprint = "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
	block, _ := pem.Decode(armored)
	if block == nil || block.Type != "SSH SIGNATURE" || !bytes.HasPrefix(block.Bytes, []byte("SSHSIG\x00\x00\x00\x01")) {
		return "", fmt.Errorf("%s is not a signature of ssh-keygen -Y sign", signature)
	}
	w := wire{rest: block.Bytes[len("SSHSIG\x00\x00\x00\x01"):]}
	by, namespace, reserved, hash, blob := w.text(), w.text(), w.text(), w.text(), w.text()
	in := wire{rest: blob}
	kind, signed := in.text(), in.text()
	switch {
	case w.bad || in.bad || len(w.rest)+len(in.rest) > 0:
		return "", fmt.Errorf("%s is damaged: sign the certificate again", signature)
	case !bytes.Equal(by, public):
		return "", fmt.Errorf("%s is a signature by another key than that of %s", signature, key)
	case string(namespace) != signatureNamespace:
		return "", fmt.Errorf("%s is a signature for %q: sign with -n %s", signature, namespace, signatureNamespace)
	case string(kind) != "ssh-ed25519" || len(signed) != ed25519.SignatureSize:
		return "", fmt.Errorf("%s is a signature of kind %q: sign with a key of ssh-keygen -t ed25519", signature, kind)
	}
	var digest []byte
	switch string(hash) {
	case "sha512":
		d := sha512.Sum512(text)
		digest = d[:]
	case "sha256":
		d := sha256.Sum256(text)
		digest = d[:]
	default:
		return "", fmt.Errorf("%s hashes by %q: sign with sha512", signature, hash)
	}
	message := []byte("SSHSIG")
	for _, part := range [][]byte{namespace, reserved, hash, digest} {
		message = append(binary.BigEndian.AppendUint32(message, uint32(len(part))), part...)
	}
	in = wire{rest: public}
	_, point := in.text(), in.text()
	if !ed25519.Verify(point, message, signed) {
		return "", fmt.Errorf("%s is not the signature of this certificate: one of the two files was changed", signature)
	}
	return fingerprint, nil
}

// readPublicKey reads a file that contains a public key as ssh-keygen writes it: its kind, the key, a comment.
func readPublicKey(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	bad := fmt.Errorf("%s is not a public key of OpenSSH of kind ssh-ed25519: ssh-keygen -t ed25519 makes one, in a file that ends in .pub", name)
	words := strings.Fields(string(text))
	if len(words) < 2 || words[0] != "ssh-ed25519" {
		return nil, bad
	}
	b, err := base64.StdEncoding.DecodeString(words[1])
	w := wire{rest: b}
	if kind, point := w.text(), w.text(); err != nil || w.bad || len(w.rest) > 0 || string(kind) != words[0] || len(point) != ed25519.PublicKeySize {
		return nil, errors.Join(bad, err)
	}
	return b, nil
}

// wire reads the texts of OpenSSH's format: a length of 4 bytes, then the bytes.
type wire struct {
	rest []byte
	bad  bool
}

func (w *wire) text() []byte {
	if len(w.rest) < 4 || uint64(binary.BigEndian.Uint32(w.rest)) > uint64(len(w.rest)-4) {
		w.bad, w.rest = true, nil
		return nil
	}
	n := 4 + int(binary.BigEndian.Uint32(w.rest))
	b := w.rest[4:n]
	w.rest = w.rest[n:]
	return b
}
