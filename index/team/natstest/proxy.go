package natstest

import (
	"context"
	"net"
	"sync"
	"testing"
)

// A Proxy is a wire between a machine and a node. It can be cut without either side being told.
type Proxy struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	cut   chan struct{} // closed while the wire carries
	conns []net.Conn
}

// NewProxy returns a wire to an address. It ends with the test.
func NewProxy(t testing.TB, to string) *Proxy {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, to: to, cut: make(chan struct{})}
	close(p.cut)
	var running sync.WaitGroup
	running.Go(func() { p.accept(&running) })
	t.Cleanup(func() {
		_ = l.Close()
		p.Mend()
		p.Reset()
		running.Wait()
	})
	return p
}

// URL is where the machine connects to.
func (p *Proxy) URL() string { return "nats://" + p.listener.Addr().String() }

// Cut has the wire carry nothing any more.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = make(chan struct{})
}

// Mend has it carry what was sent, and go on.
func (p *Proxy) Mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.cut:
	default:
		close(p.cut)
	}
}

// Reset ends all connections.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	p.conns = nil
}

func (p *Proxy) carries() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cut
}

func (p *Proxy) accept(running *sync.WaitGroup) {
	var dialer net.Dialer
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		far, err := dialer.DialContext(context.Background(), "tcp", p.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, near, far)
		p.mu.Unlock()
		running.Go(func() { p.carry(near, far) })
		running.Go(func() { p.carry(far, near) })
	}
}

func (p *Proxy) carry(from, to net.Conn) {
	defer func() { _ = to.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		<-p.carries()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
