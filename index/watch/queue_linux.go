package watch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"issues-index/store"
)

// A queue is inotify's. No descriptor of it is used outside of conn, which keeps it from being
// closed, and its number from being another file's, meanwhile.
type queue struct {
	file *os.File
	conn syscall.RawConn
	buf  [64 << 10]byte // an event has 272 bytes at most
}

func newQueue(*store.Workspace) (*queue, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "inotify")
	conn, err := file.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &queue{file: file, conn: conn}, nil
}

// masks are the kinds of events that are watched. A watch that the system has dropped by
// itself, such as one of a file system that was unmounted, is one of a folder that left.
var masks = [...]struct {
	mask   uint32
	events Events
}{
	{unix.IN_CREATE | unix.IN_MOVED_TO, Came},
	{unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF, Left},
	{unix.IN_UNMOUNT | unix.IN_IGNORED, Left},
	{unix.IN_MODIFY, Written},
	{unix.IN_ATTRIB, Altered},
}

// add watches a folder and returns its watch, which is the present one of a folder that has one.
func (q *queue) add(path string) (watch int32, err error) {
	mask := uint32(unix.IN_ONLYDIR)
	for _, m := range masks {
		mask |= m.mask &^ (unix.IN_UNMOUNT | unix.IN_IGNORED) // which come unasked
	}
	err = q.control(func(fd int) error {
		id, err := unix.InotifyAddWatch(fd, path, mask)
		watch = int32(id) //nolint:gosec // the kernel's int
		return err
	})
	return watch, err
}

// remove takes a watch away; the system may have done so before.
func (q *queue) remove(watch int32) {
	_ = q.control(func(fd int) error {
		_, err := unix.InotifyRmWatch(fd, uint32(watch)) //nolint:gosec // the kernel's int
		return err
	})
}

// drain calls handle with all events that are in the queue when it begins, which is proof enough,
// or fails if the system has dropped some. Its callers see to it that there is one at a time.
func (q *queue) drain(_ bool, handle func(heard)) error {
	queued := uint32(0)
	err := q.control(func(fd int) (err error) {
		queued, err = unix.IoctlGetUint32(fd, unix.TIOCINQ)
		return err
	})
	for left := int(queued); err == nil && left > 0; {
		size := 0
		err = q.control(func(fd int) (err error) {
			size, err = unix.Read(fd, q.buf[:])
			return err
		})
		if errors.Is(err, unix.EINTR) {
			err = nil
			continue
		}
		if err == nil {
			left -= size
			err = decode(q.buf[:max(size, 0)], handle)
		}
	}
	if err != nil {
		return fmt.Errorf("read the system's events: %w", err)
	}
	return nil
}

// decode calls handle with the events that one read has returned, which are whole.
func decode(buf []byte, handle func(heard)) error {
	for len(buf) >= unix.SizeofInotifyEvent {
		mask, size := binary.NativeEndian.Uint32(buf[4:]), unix.SizeofInotifyEvent+binary.NativeEndian.Uint32(buf[12:])
		if mask&unix.IN_Q_OVERFLOW != 0 {
			return errDropped
		}
		name, _, _ := bytes.Cut(buf[unix.SizeofInotifyEvent:size], []byte{0})
		e := heard{watch: int32(binary.NativeEndian.Uint32(buf)), name: string(name)} //nolint:gosec // the kernel's int
		for _, m := range masks {
			if mask&m.mask != 0 {
				e.events |= m.events
			}
		}
		handle(e)
		buf = buf[size:]
	}
	return nil
}

// wait calls ready whenever there are events, until that returns true or the queue is closed.
func (q *queue) wait(ready func() bool) error {
	return q.conn.Read(func(uintptr) bool { return ready() })
}

// close ends a wait, and comes after a drain under way.
func (q *queue) close() error { return q.file.Close() }

// control uses the descriptor, which only a closed queue does not have.
func (q *queue) control(use func(fd int) error) (err error) {
	if q.conn.Control(func(fd uintptr) { err = use(int(fd)) }) != nil { //nolint:gosec // a descriptor is an int
		return os.ErrClosed
	}
	return err
}
