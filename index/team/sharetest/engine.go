// Package sharetest has an engine in memory, for tests of what stands on package share, and
// the tests that every implementation passes. It knows nothing of NATS or of files. The engine passes
// the tests, too, and nothing outlives the process.
package sharetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// An Engine is a team's engine in memory. The machines that connect to it can be cut off one
// by one.
type Engine struct {
	now    func() time.Time
	packer share.Packer

	mu        sync.Mutex
	born      time.Time
	last      uint64
	newest    map[document]share.DocumentVersion
	malformed map[document]uint64 // positions of messages that are no versions
	leases    map[leaseKey]heldLease
	numbers   map[series]int
	presences map[mirror.Branch]share.Presence
	owners    map[mirror.Branch][]*owner
	moved     chan struct{} // closed and replaced with every publication
}

type (
	document struct {
		line mirror.Branch
		path string
	}
	leaseKey  struct{ workspace, key string }
	series    struct{ workspace, name string }
	heldLease struct {
		share.TeamLease
		ends time.Time
	}
	owner struct {
		machine *Machine
		answer  func(ctx context.Context, request []byte) []byte
		ctx     context.Context
	}
)

// NewEngine returns an engine without documents, by a clock; nil is time.Now.
func NewEngine(now func() time.Time) *Engine {
	if now == nil {
		now = time.Now
	}
	return &Engine{
		now: now, born: now(), newest: map[document]share.DocumentVersion{}, malformed: map[document]uint64{}, leases: map[leaseKey]heldLease{}, numbers: map[series]int{},
		presences: map[mirror.Branch]share.Presence{}, owners: map[mirror.Branch][]*owner{}, moved: make(chan struct{}),
	}
}

// A Machine is a connection to an Engine.
type Machine struct {
	engine *Engine

	mu     sync.Mutex
	state  share.ConnectionState
	away   chan struct{} // closed while the engine is away
	closed bool
	again  map[chan struct{}]bool
}

var _ share.Team = (*Machine)(nil)

// Connect returns the connection of one machine.
func (e *Engine) Connect() *Machine {
	return &Machine{
		engine: e, state: share.ConnectionState{Connected: true, Since: e.now(), Server: "memory"},
		away: make(chan struct{}), again: map[chan struct{}]bool{},
	}
}

// Cut has the machine no longer reach the engine.
func (m *Machine) Cut() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state.Connected {
		m.state = share.ConnectionState{Since: m.engine.now(), Reason: "it was cut off"}
		close(m.away)
	}
}

// Mend ends what Cut began.
func (m *Machine) Mend() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state.Connected || m.closed {
		return
	}
	m.state = share.ConnectionState{Connected: true, Since: m.engine.now(), Server: "memory"}
	m.away = make(chan struct{})
	for c := range m.again {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Connection implements share.Team.
func (m *Machine) Connection() share.ConnectionState {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state
}

// Reconnected implements share.Team.
func (m *Machine) Reconnected() (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.again[c] = true
	return c, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.again, c)
	}
}

// Close implements share.Team.
func (m *Machine) Close() error {
	m.Cut()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// reach locks the engine if it can be reached.
func (m *Machine) reach(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !m.Connection().Connected {
		return share.ErrUnreached
	}
	m.engine.mu.Lock()
	return nil
}

func (m *Machine) lost() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.away
}

// Publish implements share.Team.
func (m *Machine) Publish(ctx context.Context, versions []share.DocumentVersion) []share.Ack {
	acks := make([]share.Ack, len(versions))
	for i, v := range versions {
		acks[i].Position, acks[i].Err = m.publish(ctx, v)
	}
	return acks
}

func (m *Machine) publish(ctx context.Context, v share.DocumentVersion) (uint64, error) {
	if err := m.reach(ctx); err != nil {
		return 0, err
	}
	e := m.engine
	defer e.mu.Unlock()
	if len(v.Data) > share.MaxPacked {
		if packed, err := e.packer.Pack(v.Data); err != nil || len(packed) > share.MaxPacked || len(v.Data) > share.MaxDocument {
			return 0, errors.Join(share.ErrTooLarge, err)
		}
	}
	at := document{v.Branch, v.Path}
	stands, published := e.newest[at]
	switch {
	case e.malformed[at] != 0 && e.malformed[at] == v.Replaces:
		delete(e.malformed, at)
	case e.malformed[at] != 0:
		return 0, &share.VersionConflictError{Stands: share.DocumentVersion{Branch: v.Branch, Path: v.Path, Position: e.malformed[at]}}
	case published && stands.Origin == v.Origin:
		return stands.Position, nil
	case published && stands.Position != v.Replaces, !published && v.Replaces != 0:
		conflict := &share.VersionConflictError{}
		if published {
			conflict.Stands = stands
		}
		return 0, conflict
	}
	e.last++
	v.Position, v.Data = e.last, slices.Clone(v.Data)
	if v.Gone {
		v.Data, v.Hash = nil, share.Hash{}
	} else {
		v.Hash = share.HashOf(v.Data)
	}
	e.newest[at] = v
	close(e.moved)
	e.moved = make(chan struct{})
	return v.Position, nil
}

func selected(of share.BranchSelection, l mirror.Branch) bool {
	return (len(of.Workspaces) == 0 || slices.Contains(of.Workspaces, l.Workspace)) && (of.Branches == nil || slices.Contains(of.Branches, l.Name))
}

// after returns the selected versions after a position, in order.
func (e *Engine) after(position uint64, of share.BranchSelection) []share.DocumentVersion {
	var found []share.DocumentVersion
	for _, v := range e.newest {
		if v.Position > position && selected(of, v.Branch) {
			found = append(found, v)
		}
	}
	slices.SortFunc(found, func(a, b share.DocumentVersion) int { return cmp.Compare(a.Position, b.Position) })
	return found
}

// Heads implements share.Team.
func (m *Machine) Heads(ctx context.Context, of share.BranchSelection) iter.Seq2[share.DocumentVersion, error] {
	return func(yield func(share.DocumentVersion, error) bool) {
		if err := m.reach(ctx); err != nil {
			yield(share.DocumentVersion{}, err)
			return
		}
		all, malformed := m.engine.after(0, of), m.engine.malformedAfter(0, of)
		m.engine.mu.Unlock()
		for _, e := range malformed {
			of.Refuse(e)
		}
		for _, v := range all {
			if v.Data = nil; !yield(v, nil) {
				return
			}
		}
	}
}

// mostAtOnce is how many versions Follow yields together.
const mostAtOnce = 500

// Follow implements share.Team.
func (m *Machine) Follow(ctx context.Context, after uint64, of share.BranchSelection) iter.Seq2[[]share.DocumentVersion, error] {
	return func(yield func([]share.DocumentVersion, error) bool) {
		for {
			if err := m.reach(ctx); err != nil {
				yield(nil, err)
				return
			}
			found, moved, last := m.engine.after(after, of), m.engine.moved, m.engine.last
			wrong := m.engine.malformedAfter(after, of)
			m.engine.mu.Unlock()
			for _, e := range wrong {
				of.Refuse(e)
			}
			for len(found) > 0 {
				n, bytes := 0, 0
				for n < min(len(found), mostAtOnce) && (n == 0 || bytes+len(found[n].Data) <= share.MaxBatchBytes) {
					bytes += len(found[n].Data)
					n++
				}
				if !yield(found[:n], nil) {
					return
				}
				found = found[n:]
			}
			after = last
			if !yield(nil, nil) {
				return
			}
			select {
			case <-moved:
			case <-m.lost():
			case <-ctx.Done():
			}
		}
	}
}

// LogState implements share.Team.
func (m *Machine) LogState(ctx context.Context) (share.LogState, error) {
	if err := m.reach(ctx); err != nil {
		return share.LogState{}, err
	}
	defer m.engine.mu.Unlock()
	return share.LogState{Last: m.engine.last, Born: m.engine.born}, nil
}

// Restore takes the log back to an older position, as a restored backup does.
func (e *Engine) Restore(position uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.DeleteFunc(e.newest, func(_ document, v share.DocumentVersion) bool { return v.Position > position })
	e.last = position
}

// Take implements share.Team.
func (m *Machine) Take(ctx context.Context, l share.TeamLease, lasts time.Duration) (share.TeamLease, error) {
	if err := m.reach(ctx); err != nil {
		return share.TeamLease{}, err
	}
	defer m.engine.mu.Unlock()
	key := leaseKey{l.Workspace, l.Key}
	if held, ok := m.engine.standing(key); ok && held.Nonce != l.Nonce {
		return share.TeamLease{}, &share.HeldError{Lease: held.TeamLease}
	}
	return m.engine.hold(key, l, lasts), nil
}

// Renew implements share.Team.
func (m *Machine) Renew(ctx context.Context, l share.TeamLease, lasts time.Duration) (share.TeamLease, error) {
	if err := m.reach(ctx); err != nil {
		return share.TeamLease{}, err
	}
	defer m.engine.mu.Unlock()
	key := leaseKey{l.Workspace, l.Key}
	// As at the real engine, the nonce is looked at only where another fence stands.
	if held, ok := m.engine.standing(key); !ok || held.Fence != l.Fence && held.Nonce != l.Nonce {
		return share.TeamLease{}, share.ErrLost
	}
	return m.engine.hold(key, l, lasts), nil
}

// Release implements share.Team.
func (m *Machine) Release(ctx context.Context, l share.TeamLease) error {
	if err := m.reach(ctx); err != nil {
		return err
	}
	defer m.engine.mu.Unlock()
	key := leaseKey{l.Workspace, l.Key}
	if held, ok := m.engine.standing(key); ok && held.Nonce == l.Nonce {
		delete(m.engine.leases, key)
	}
	return nil
}

func (e *Engine) standing(key leaseKey) (heldLease, bool) {
	held, ok := e.leases[key]
	return held, ok && e.now().Before(held.ends)
}

func (e *Engine) hold(key leaseKey, l share.TeamLease, lasts time.Duration) share.TeamLease {
	e.last++ // leases are counted with the versions, so that fences only grow
	l.Fence = e.last
	l.Until = e.now().Add(lasts)
	e.leases[key] = heldLease{l, l.Until}
	return l
}

// Lease implements share.Team.
func (m *Machine) Lease(ctx context.Context, workspace, key string) (share.TeamLease, error) {
	if err := m.reach(ctx); err != nil {
		return share.TeamLease{}, err
	}
	defer m.engine.mu.Unlock()
	if held, ok := m.engine.standing(leaseKey{workspace, key}); ok {
		return held.TeamLease, nil
	}
	return share.TeamLease{}, nil
}

// NextNumber implements share.Team.
func (m *Machine) NextNumber(ctx context.Context, workspace, name string, atLeast int) (int, error) {
	if err := m.reach(ctx); err != nil {
		return 0, err
	}
	defer m.engine.mu.Unlock()
	s := series{workspace, name}
	m.engine.numbers[s] = max(m.engine.numbers[s]+1, atLeast)
	return m.engine.numbers[s], nil
}

// ServeCalls implements share.Team.
func (m *Machine) ServeCalls(ctx context.Context, line mirror.Branch, answer func(ctx context.Context, request []byte) []byte) error {
	o := &owner{machine: m, answer: answer, ctx: ctx}
	m.engine.mu.Lock()
	m.engine.owners[line] = append(m.engine.owners[line], o)
	m.engine.mu.Unlock()
	<-ctx.Done()
	m.engine.mu.Lock()
	defer m.engine.mu.Unlock()
	m.engine.owners[line] = slices.DeleteFunc(m.engine.owners[line], func(other *owner) bool { return other == o })
	return nil
}

// Call implements share.Team.
func (m *Machine) Call(ctx context.Context, line mirror.Branch, request []byte) ([]byte, error) {
	if err := m.reach(ctx); err != nil {
		return nil, err
	}
	owners := m.engine.owners[line]
	i := slices.IndexFunc(owners, func(o *owner) bool { return o.machine.Connection().Connected })
	if i < 0 {
		m.engine.mu.Unlock()
		return nil, fmt.Errorf("%w: %s", share.ErrNoOwner, line)
	}
	o := owners[i]
	m.engine.mu.Unlock()
	return o.answer(o.ctx, request), nil
}

// presenceLasts is how long a presence counts.
const presenceLasts = time.Minute

// Announce implements share.Team.
func (m *Machine) Announce(ctx context.Context, p share.Presence) error {
	if err := m.reach(ctx); err != nil {
		return err
	}
	defer m.engine.mu.Unlock()
	p.At = m.engine.now()
	m.engine.presences[p.Branch] = p
	return nil
}

// Presences implements share.Team.
func (m *Machine) Presences(ctx context.Context) ([]share.Presence, error) {
	if err := m.reach(ctx); err != nil {
		return nil, err
	}
	defer m.engine.mu.Unlock()
	var found []share.Presence
	for _, p := range m.engine.presences {
		if m.engine.now().Sub(p.At) < presenceLasts {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b share.Presence) int { return cmp.Compare(a.Branch.String(), b.Branch.String()) })
	return found, nil
}
