//go:build !linux

package watch

// A queue is what the system tells of changes; this one tells of none.
type queue struct{}

func newQueue() (*queue, error) { return nil, ErrUnordered }

func (*queue) add(string) (int32, error) { return 0, ErrUnordered }

func (*queue) remove(int32) {}

func (*queue) drain(func(heard)) error { return ErrUnordered }

func (*queue) wait(func() bool) error { return ErrUnordered }

func (*queue) close() error { return nil }
