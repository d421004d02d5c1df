package nats_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/index/team/nats"
	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
)

// An authority signs the certificates of a cluster's servers.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// newAuthority makes an authority in a folder of its own, which has its certificate in ca.pem.
func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "team"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a.cert, a.key = template, newPrivateKey(t)
	a.cert = a.sign(t, "ca", template, a.key)
	return a
}

func newPrivateKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign writes a certificate and its key into name.pem and name.key.
func (a *authority) sign(t *testing.T, name string, template *x509.Certificate, key *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	signed, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{".pem": {Type: "CERTIFICATE", Bytes: signed}, ".key": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(a.dir, name+file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(signed)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// A node shows its certificate to clients, and to the other nodes when it connects to them.
func (a *authority) signNode(t *testing.T, name string) {
	t.Helper()
	a.sign(t, name, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, newPrivateKey(t))
}

func TestThreeNodesWithCertificates(t *testing.T) {
	own, foreign := newAuthority(t), newAuthority(t)
	cluster := natstest.New(t, 3)
	for _, node := range cluster.Plan.Nodes {
		own.signNode(t, node.Name)
	}
	cluster.Plan.CertFile, cluster.Plan.KeyFile, cluster.Plan.CAFile = filepath.Join(own.dir, "%s.pem"), filepath.Join(own.dir, "%s.key"), filepath.Join(own.dir, "ca.pem")
	cluster.Launch()

	machine := cluster.Connect(natstest.API)
	if ack := machine.Publish(t.Context(), []share.DocumentVersion{version("a.md", 1, "text")})[0]; ack.Err != nil {
		t.Errorf("%+v", ack)
	}
	for name, file := range map[string]string{"another authority": filepath.Join(foreign.dir, "ca.pem"), "the system's authorities": ""} {
		o := cluster.Options(natstest.API)
		o.CAFile = file
		wrong, err := nats.Connect(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		until(t, "the reason with "+name, func() bool { return strings.Contains(wrong.Connection().Reason, "certificate") })
		if ack := wrong.Publish(t.Context(), []share.DocumentVersion{version("b.md", 2, "text")})[0]; !errors.Is(ack.Err, share.ErrAway) || !strings.Contains(ack.Err.Error(), "certificate") {
			t.Errorf("with %s: %+v", name, ack)
		}
		if err := wrong.Close(); err != nil {
			t.Error(err)
		}
	}
	o := cluster.Options(natstest.API)
	o.CAFile = filepath.Join(own.dir, "absent.pem")
	if _, err := nats.Connect(t.Context(), o); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a file that is not there: %v", err)
	}
}
