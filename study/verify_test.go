package study

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/study/internal/journal"
)

// sshKey returns an Ed25519 key made from a seed, and the line of its file for OpenSSH.
func sshKey(seed byte) (ed25519.PrivateKey, string) {
	key := ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), ed25519.SeedSize)))
	return key, "ssh-ed25519 " + base64.StdEncoding.EncodeToString(sshTexts([]byte("ssh-ed25519"), key.Public().(ed25519.PublicKey))) + " somebody@example.com\n"
}

func sshTexts(parts ...[]byte) (b []byte) {
	for _, p := range parts {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(p))), p...)
	}
	return b
}

// sshSign signs a text as ssh-keygen -Y sign does.
func sshSign(key ed25519.PrivateKey, namespace, hash string, text []byte) []byte {
	digest := sha512.Sum512(text)
	message := append([]byte("SSHSIG"), sshTexts([]byte(namespace), nil, []byte(hash), digest[:])...)
	public := sshTexts([]byte("ssh-ed25519"), key.Public().(ed25519.PublicKey))
	blob := append([]byte("SSHSIG\x00\x00\x00\x01"), sshTexts(public, []byte(namespace), nil, []byte(hash), sshTexts([]byte("ssh-ed25519"), ed25519.Sign(key, message)))...)
	return pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: blob})
}

// TestSignature checks a signature that ssh-keygen made. It also flips every bit of the signature and of the signed text.
func TestSignature(t *testing.T) {
	const signature, public = "testdata/signed.cert.sig", "testdata/signed.pub"
	text, err := os.ReadFile("testdata/signed.cert")
	if err != nil {
		t.Fatal(err)
	}
	fingerprint, err := checkSignature(text, signature, public)
	if err != nil || !strings.HasPrefix(fingerprint, "SHA256:") {
		t.Fatalf("%q, %v", fingerprint, err)
	}
	for i := range text {
		changed := slices.Clone(text)
		changed[i] ^= 1
		if _, err := checkSignature(changed, signature, public); err == nil {
			t.Errorf("byte %d of the text was changed, and the signature is valid", i)
		}
	}
	armored, _ := os.ReadFile(signature)
	block, _ := pem.Decode(armored)
	dir := t.TempDir()
	for i := range block.Bytes {
		changed := slices.Clone(block.Bytes)
		changed[i] ^= 1 << (i % 8)
		name := filepath.Join(dir, "changed")
		if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: changed}), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := checkSignature(text, name, public); err == nil {
			t.Errorf("byte %d of the signature was changed, and it is valid", i)
		}
	}
}

// TestSignatureTool checks that ssh-keygen accepts the signatures that the tests of this package make, because
// checkSignature must accept the signatures that the tool makes, and no others.
func TestSignatureTool(t *testing.T) {
	tool, err := exec.LookPath("ssh-keygen")
	if err != nil {
		t.Skip("there is no ssh-keygen, which Debian has in openssh-client: ", err)
	}
	const text = "a certificate\n"
	dir := t.TempDir()
	key, line := sshKey('a')
	for name, content := range map[string][]byte{"sig": sshSign(key, signatureNamespace, "sha512", []byte(text)), "signers": []byte("somebody@example.com " + line)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for said, valid := range map[string]bool{text: true, text + "\n": false} {
		c := exec.Command(tool, "-Y", "verify", "-f", filepath.Join(dir, "signers"), "-I", "somebody@example.com", "-n", signatureNamespace, "-s", filepath.Join(dir, "sig"))
		c.Stdin = strings.NewReader(said)
		if out, err := c.CombinedOutput(); (err == nil) != valid {
			t.Errorf("ssh-keygen -Y verify of %q: %v\n%s", said, err, out)
		}
	}
}

// TestSample checks that samples have the given size and different runs.
func TestSample(t *testing.T) {
	for _, n := range []int{1, 2, 7, 1000} {
		count := make([]int, n)
		for seed := range uint64(200) {
			k := 1 + int(seed)%n
			runs := sampleOf(n, k, seed)
			if len(runs) != k || !slices.IsSorted(runs) || len(slices.Compact(runs)) != k {
				t.Fatalf("%d of %d runs with seed %d: %v", k, n, seed, runs)
			}
			for _, run := range runs {
				count[run]++
			}
		}
		if slices.Min(count) == 0 && n < 100 {
			t.Errorf("of %d runs, some were never drawn: %v", n, count)
		}
	}
}

// collectFaults keeps the faults that verify prints, and its error.
func (c *collector) collectFaults(args ...string) {
	c.t.Helper()
	var out, errOut bytes.Buffer
	code := programOf[*walk]("Main").main(c.t.Context(), args, Console{Out: &out, Err: &errOut}, strings.NewReader(""), func(int) {})
	if code == 0 {
		c.t.Errorf("%v: exit 0:\n%s", args, out.String())
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "WRONG") {
			c.Say(strings.TrimSpace(line))
		}
	}
	if errOut.Len() > 0 {
		lines := strings.Split(strings.TrimSpace(errOut.String()), "\n")
		c.Say(lines[len(lines)-1])
	}
}

// collectChanged keeps the faults that verify finds while a file has other bytes.
func (c *collector) collectChanged(name string, change func(text string) string, args ...string) {
	c.t.Helper()
	old, err := os.ReadFile(name)
	if err != nil {
		c.t.Fatal(err)
	}
	text := change(string(old))
	if text == string(old) {
		c.t.Errorf("%s: nothing was changed for %v", name, args)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
	c.collectFaults(args...)
	if err := os.WriteFile(name, old, 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// replaceOnce returns a function that replaces a text once.
func replaceOnce(old, to string) func(string) string {
	return func(text string) string { return strings.Replace(text, old, to, 1) }
}

// collectVerify causes and collects the messages of certify and verify.
func (c *collector) collectVerify() {
	dir := filepath.Join(c.dir, "verified")
	cert, csv := filepath.Join(dir, certificateName), filepath.Join(dir, "result.csv")
	c.main("sweep", "-plan", "-out", dir, "people=2", "pace=1,2,3", "ticks=4")
	c.collectFaults("certify", "-out", dir)
	c.collectFaults("certify", "-out", c.dir+"/nothing")
	c.main("resume", "-out", dir, "-cores", "1")
	c.main("certify", "-out", dir)
	var out bytes.Buffer
	programOf[*walk]("Main").main(c.t.Context(), []string{"table", "-out", dir}, Console{Out: &out, Err: &out}, nil, nil)
	if err := os.WriteFile(csv, out.Bytes(), 0o644); err != nil {
		c.t.Fatal(err)
	}
	verify := func(args ...string) []string { return append([]string{"verify", "-out", dir}, args...) }
	for _, args := range [][]string{
		{"-cores", "-1"}, {"-runs", "1", "-sample", "1%"}, {"-runs", "7"}, {"-runs", "2:1"}, {"-sample", "0.5"}, {"-ticks", "5:4"},
		{"-key", "testdata/signed.pub"}, {"-key", "testdata/signed.cert"}, {c.dir + "/none.csv"},
	} {
		c.collectFaults(verify(args...)...)
	}
	c.certificateMessages(dir, cert, verify)
	c.signatureMessages(cert, verify)
	c.tableMessages(csv, verify)
	c.logMessages(filepath.Join(dir, "worker-0-of-1.log"), verify)
	c.modelMessages()
}

func (c *collector) certificateMessages(dir, cert string, verify func(...string) []string) {
	c.collectChanged(cert, func(text string) string { return "x" + text }, verify()...)
	c.collectChanged(cert, replaceOnce(`"certificate":1`, `"certificate":2`), verify()...)
	c.collectChanged(cert, replaceOnce(`"toolchain":"`, `"toolchain":"x`), verify()...)
	c.collectChanged(cert, replaceOnce(`"ticks":4`, `"ticks":5`), verify()...)
	c.collectChanged(cert, replaceOnce(`"run":1,`, `"run":1 ,`), verify()...)
	c.collectChanged(cert, func(text string) string { return text[:len(text)-2] }, verify()...)
	c.collectChanged(cert, func(text string) string { return text + "\n" }, verify()...)
	edit := func(change func(*certificate)) func(string) string {
		return func(string) string {
			text, err := os.ReadFile(cert)
			if err != nil {
				c.t.Fatal(err)
			}
			x, err := parseCertificate(cert, text)
			if err != nil {
				c.t.Fatal(err)
			}
			change(x)
			var b bytes.Buffer
			if err := x.write(&b); err != nil {
				c.t.Fatal(err)
			}
			return b.String()
		}
	}
	run := func(n int, change func(r *certifiedRun)) func(string) string {
		return edit(func(x *certificate) {
			r := x.runs[n]
			change(&r)
			x.runs[n] = r
		})
	}
	c.collectChanged(cert, edit(func(x *certificate) { x.head.Runs = 2 }), verify()...)
	c.collectChanged(cert, edit(func(x *certificate) { x.head.ID = "of another" }), verify()...)
	c.collectChanged(cert, edit(func(x *certificate) { x.head.Study = []byte(strings.Replace(string(x.head.Study), "walk", "talk", 1)) }), verify()...)
	for _, change := range []func(r *certifiedRun){
		func(r *certifiedRun) { r.State = "nan" },
		func(r *certifiedRun) { r.Ticks = 5 },
		func(r *certifiedRun) { r.Hash++ },
		func(r *certifiedRun) { r.Marks[0].Hash++ },
		func(r *certifiedRun) { r.Marks[2].Hash++ },
		func(r *certifiedRun) { r.Marks[0].Tick++ },
		func(r *certifiedRun) { r.Rows["result"] = "" },
		func(r *certifiedRun) { delete(r.Rows, "result") },
	} {
		c.collectChanged(cert, run(1, change), verify("-runs", "1", "-cores", "0")...)
	}
	c.collectChanged(cert, run(1, func(r *certifiedRun) { r.Marks[1].Hash++ }), verify("-runs", "1", "-ticks", "0:2")...)
	c.collectChanged(cert, run(1, func(r *certifiedRun) { r.Ticks = 2 }), verify("-runs", "1", "-ticks", "0:2")...)
	for _, change := range []func(r *certifiedRun){
		func(r *certifiedRun) { r.Seed++ },
		func(r *certifiedRun) { r.State = "well" },
		func(r *certifiedRun) { r.State = "late" },
		func(r *certifiedRun) { r.Rows["other"] = "" },
	} {
		c.collectChanged(cert, run(1, change), verify("-runs", "none")...)
	}
	for _, change := range []func(h *certificateHead){
		func(h *certificateHead) { h.Runs = -1 },
		func(h *certificateHead) { h.Tables["result"][0].Name = "" },
		func(h *certificateHead) { h.Tables["other"] = h.Tables["result"] },
		func(h *certificateHead) { h.Tables["result"][0].Unit += "x" },
		func(h *certificateHead) { h.Tables["where"] = h.Tables["where"][:1] },
	} {
		c.collectChanged(cert, edit(func(x *certificate) { change(&x.head) }), verify("-runs", "none")...)
	}
	_, _, err := certifiedLine(journal.Entry{Run: 1, State: uint8(Late), Hash: 1}, []byte("{}\n\n"))
	c.Err(err)
	c.collectFaults("verify", "-out", dir+"/none", "-cert", cert, "-ticks", "2:2", "-runs", "0")
	exe, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	setup := run(1, func(r *certifiedRun) { r.Marks[0].Hash++ })
	c.collectChanged(cert, setup, verify("-runs", "1", "-cores", "0", "-against", exe)...)
	c.t.Setenv("LANEWISE_STUDY_TEST", "other")
	c.collectChanged(cert, setup, verify("-runs", "1", "-cores", "0", "-against", exe)...)
	c.t.Setenv("LANEWISE_STUDY_TEST", "walk")
	var h hashHex
	c.Err(h.UnmarshalText([]byte("12")))
}

func (c *collector) signatureMessages(cert string, verify func(...string) []string) {
	key, line := sshKey('a')
	public, signature := filepath.Join(c.dir, "key.pub"), cert+".sig"
	defer func() { _ = os.Remove(signature) }()
	text, err := os.ReadFile(cert)
	if err != nil {
		c.t.Fatal(err)
	}
	put := func(name string, b []byte) {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			c.t.Fatal(err)
		}
	}
	put(public, []byte(line))
	other, _ := sshKey('b')
	rsa := sshTexts([]byte("ssh-ed25519"), key.Public().(ed25519.PublicKey))
	for _, b := range [][]byte{
		[]byte("no signature"),
		pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: []byte("SSHSIG\x00\x00\x00\x01\x00")}),
		sshSign(other, signatureNamespace, "sha512", text),
		sshSign(key, "file", "sha512", text),
		sshSign(key, signatureNamespace, "md5", text),
		sshSign(key, signatureNamespace, "sha512", text[1:]),
		pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: append([]byte("SSHSIG\x00\x00\x00\x01"), sshTexts(rsa, []byte(signatureNamespace), nil, []byte("sha512"), sshTexts([]byte("ssh-rsa"), nil))...)}),
	} {
		put(signature, b)
		c.collectFaults(verify("-runs", "none", "-key", public)...)
	}
	put(signature, sshSign(key, signatureNamespace, "sha512", text))
	if said, code := c.main(verify("-runs", "none", "-key", public)...); code != 0 {
		c.t.Errorf("a signed certificate: exit %d: %s", code, said)
	}
}

func (c *collector) tableMessages(csv string, verify func(...string) []string) {
	args := verify("-runs", "none", csv)
	for _, change := range []func(string) string{
		replaceOnce("distance", "length"),
		replaceOnce("\n1,", "\n7,"),
		replaceOnce("\n1,", "\nx,"),
		replaceOnce(",ok,", ",error,"),
		replaceOnce("\n1,", "\n\"1\","),
		replaceOnce("\n1,", "\n\"1,"),
		replaceOnce("\n1,", "\n,1,"),
		func(text string) string { return text + text[strings.LastIndexByte(text[:len(text)-1], '\n')+1:] },
		func(text string) string {
			lines := strings.SplitAfter(text, "\n")
			return lines[0] + lines[1] + lines[2] + lines[1] + lines[3]
		},
		func(text string) string { return text[:strings.LastIndexByte(text[:len(text)-1], '\n')+1] },
		replaceOnce("4\n", "5\n"),
		func(string) string { return "" },
	} {
		c.collectChanged(csv, change, args...)
	}
}

func (c *collector) logMessages(log string, verify func(...string) []string) {
	args := verify("-runs", "none")
	c.collectChanged(log, replaceOnce("\nR 1", "\nr 1"), args...)
	forge := func(run int, change func([]byte)) func(string) string {
		return func(text string) string { return string(forgeRecord(c.t, []byte(text), run, change)) }
	}
	c.collectChanged(log, forge(1, func(body []byte) { body[8] ^= 1 }), args...)
	// The lines of beginnings are damaged too, because a run may begin before or after the record of the run before it, and
	// each beginning between two damaged records makes one gap more.
	c.collectChanged(log, strings.NewReplacer(`"tables"`, `"tublus"`, "\nB ", "\nb ").Replace, args...)
}

// modelMessages causes and collects the messages about models that are not reproducible, and about saved runs.
func (c *collector) modelMessages() {
	dir := filepath.Join(c.dir, "unequal")
	c.main("sweep", "-out", dir, "people=2", "ticks=6", "trap=uneven,crowd", "-cores", "1")
	c.main("certify", "-out", dir)
	c.collectFaults("verify", "-out", dir, "-cores", "0", "-workers", "2")
	dir = filepath.Join(c.dir, "saved")
	c.main("sweep", "-plan", "-out", dir, "people=2", "ticks=9", "trap=none,error,panic")
	s := &Study{program: programOf[*walk]("Main"), errOut: io.Discard}
	if err := s.load(dir); err != nil {
		c.t.Fatal(err)
	}
	save := func(run int, change func(head *saved, world []byte) []byte) {
		head := saved{ID: s.id, Run: run, Tick: 7}
		world := change(&head, []byte("0 0\n0 0\n"))
		line, _ := json.Marshal(head)
		b := append(append(line, '\n'), world...)
		b = fmt.Appendf(b, "\n%08x", journal.Checksum(b))
		if err := os.WriteFile(saveName(dir, run), b, 0o644); err != nil {
			c.t.Fatal(err)
		}
		c.collectFaults("verify", "-out", dir)
		_ = os.Remove(saveName(dir, run))
	}
	save(0, func(_ *saved, world []byte) []byte { return world })
	save(0, func(_ *saved, world []byte) []byte { return world[:3] })
	save(1, func(_ *saved, world []byte) []byte { return world })
	save(2, func(_ *saved, world []byte) []byte { return world })
	save(0, func(h *saved, world []byte) []byte { h.ID = "another"; return world })
	save(0, func(h *saved, world []byte) []byte { h.Marks = []mark{{0, 1}}; return world })
}

// rolling is a model without a world. The sum of a run is wrong in the runs that the variable loaded chooses.
type rolling struct {
	Rolls int `default:"9"`

	sum int
}

var loaded bool

// Roll is a row of the table roll.
type Roll struct{ Eyes int }

// Rolled is the result.
type Rolled struct{ Sum int }

func (m *rolling) Setup(*Run) (*ecs.World, error) { return nil, nil }

func (m *rolling) Step(r *Run) (bool, error) {
	eyes := 1 + int(6*r.Unit(0, 1))
	if loaded && r.Tick == 5 {
		eyes = 7
	}
	m.sum += eyes
	Emit(r, Roll{eyes})
	return r.Tick+1 < m.Rolls, nil
}

func (m *rolling) Result(*Run) Rolled { return Rolled{m.sum} }

// TestVerifyWithoutWorld verifies a study of a model that has no world.
func TestVerifyWithoutWorld(t *testing.T) {
	dir := t.TempDir()
	command := func(args ...string) (string, int) {
		var b bytes.Buffer
		both := sharedWriter{to: &b} // other processes write there, too
		code := programOf[*rolling]("Main").main(t.Context(), args, Console{Out: &both, Err: &both}, strings.NewReader(""), func(int) {})
		return b.String(), code
	}
	command("sweep", "-plan", "-out", dir, "-seeds", "3")
	s := &Study{program: programOf[*rolling]("Main"), errOut: io.Discard}
	if err := s.Open(dir, "test"); err != nil {
		t.Fatal(err)
	}
	for run := range 3 {
		o, err := s.do(t.Context(), run, nil, orders{})
		if err != nil {
			t.Fatal(err)
		}
		record, err := o.record()
		if err == nil {
			_, err = s.Keep(record)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	command("certify", "-out", dir)
	if out, code := command("verify", "-out", dir, "-cores", "0"); code != 0 {
		t.Fatalf("exit %d:\n%s", code, out)
	}
	loaded = true
	defer func() { loaded = false }()
	out, code := command("verify", "-out", dir, "-cores", "0", "-runs", "1", "-against", "old")
	const want = "WRONG run 1: the same after 4 ticks, and different after 8: the hash is "
	if code == 0 || !strings.Contains(out, want) || !strings.Contains(out, ": table roll, tick 5: eyes is ") || !strings.Contains(out, "compared with old: "+errNoWorld.Error()) {
		t.Errorf("exit %d:\n%s", code, out)
	}
}
