package watch

import (
	"errors"
	"fmt"
	"os"
	"path"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/windows"

	"issues-index/store"
	"issues-index/store/cachedir"
)

const (
	// markTimeout is how long the system may take to tell of a mark. It takes about a millisecond.
	// After that the watcher begins anew: the folder may have another one's name now.
	markTimeout = 2 * time.Second

	// maxHeard bounds the events that wait to be drained, as Linux does by default.
	maxHeard = 16384

	// bufferSize is what the system keeps of changes between two reads, in bytes: about 500 changes.
	bufferSize = 64 << 10

	changesAsked = windows.FILE_NOTIFY_CHANGE_FILE_NAME | windows.FILE_NOTIFY_CHANGE_DIR_NAME |
		windows.FILE_NOTIFY_CHANGE_ATTRIBUTES | windows.FILE_NOTIFY_CHANGE_SIZE |
		windows.FILE_NOTIFY_CHANGE_LAST_WRITE | windows.FILE_NOTIFY_CHANGE_SECURITY
)

// A queue has one watch, on the folder that all collections are in, with all below it: handles on
// the folders below would keep other programs from renaming those. One goroutine reads. The proof
// of a drain is a mark: a file that the drain makes, whose record comes after those of all
// changes that were finished before.
type queue struct {
	ws    *store.Workspace
	tree  string // relative to the root
	marks string // the folder of the marks, likewise

	folder        windows.Handle
	changed, stop windows.Handle // events: there is a record to read; nobody wants to read more

	mu      sync.Mutex
	heard   []heard
	mark    string        // that a drain waits for
	arrived chan struct{} // closed when its record has come
	closed  bool
	last    int32 // the number that was given to a folder last

	news  chan struct{} // something was heard
	done  chan struct{} // closed when the reading has ended
	ended error         // why; written before done is closed
}

func newQueue(ws *store.Workspace) (*queue, error) {
	q := &queue{ws: ws, news: make(chan struct{}, 1), done: make(chan struct{})}
	q.tree, q.marks = common(ws)
	var err, err2 error
	q.folder, err = store.OpenShared(ws.Absolute(q.tree), windows.FILE_LIST_DIRECTORY, windows.OPEN_EXISTING,
		windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OVERLAPPED)
	if err != nil {
		return nil, &UnprovenError{err}
	}
	q.changed, err = windows.CreateEvent(nil, 1, 0, nil)
	q.stop, err2 = windows.CreateEvent(nil, 1, 0, nil)
	if err := errors.Join(err, err2); err != nil {
		q.release()
		return nil, err
	}
	started := make(chan struct{})
	go q.run(started)
	<-started
	// Wine tells of what happens in a folder only when that was opened before.
	_, err = os.ReadDir(ws.Absolute(q.marks))
	if err == nil {
		err = q.await()
	}
	if err != nil {
		return nil, &UnprovenError{errors.Join(err, q.close())}
	}
	return q, nil
}

// add gives a folder below the tree a number. The tree's watch is that of all of them.
func (q *queue) add(dir string) (watch int32, err error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return 0, err
	}
	if info.Mode()&(os.ModeSymlink|os.ModeIrregular) != 0 && dir != q.ws.Root { // a link, or what is mounted there
		return 0, errElsewhere
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last++
	return q.last, nil
}

func (*queue) remove(int32) {}

// drain calls handle with all events that were read: with proof, those of all changes that were
// finished when it was called.
func (q *queue) drain(proof bool, handle func(heard)) (err error) {
	if proof {
		err = q.await()
	}
	q.mu.Lock()
	taken := q.heard
	q.heard = nil
	q.mu.Unlock()
	for _, e := range taken {
		handle(e)
	}
	select {
	case <-q.done:
		err = q.ended
	default:
	}
	if err != nil {
		return fmt.Errorf("read the system's events: %w", err)
	}
	return nil
}

// await makes a mark and returns when its record has come.
func (q *queue) await() error {
	arrived, mark := make(chan struct{}), path.Join(q.marks, cachedir.TemporaryName())
	q.mu.Lock()
	q.mark, q.arrived = mark, arrived
	q.mu.Unlock()
	// The system deletes the file with its handle, also when this process is killed.
	file, err := store.OpenShared(q.ws.Absolute(mark), windows.DELETE, windows.CREATE_NEW,
		windows.FILE_FLAG_DELETE_ON_CLOSE|windows.FILE_ATTRIBUTE_TEMPORARY|windows.FILE_ATTRIBUTE_HIDDEN)
	if err == nil {
		err = windows.CloseHandle(file)
	}
	if err != nil {
		return err
	}
	select {
	case <-arrived:
		return nil
	case <-q.done:
		return q.ended
	case <-time.After(markTimeout):
		return fmt.Errorf("the system has told nothing of %s for %s", mark, markTimeout)
	}
}

// wait calls ready whenever there are events, until that returns true or the queue is closed.
func (q *queue) wait(ready func() bool) error {
	for {
		select {
		case <-q.news:
			if ready() {
				return nil
			}
		case <-q.done:
			return q.ended
		}
	}
}

// close ends a wait and the reading.
func (q *queue) close() error {
	q.mu.Lock()
	var err error
	if !q.closed {
		q.closed = true
		err = windows.SetEvent(q.stop)
	}
	q.mu.Unlock()
	<-q.done
	return err
}

// run reads until the queue is closed or the system has dropped events.
func (q *queue) run(started chan<- struct{}) {
	runtime.LockOSThread() // the system ends a read with the thread that began it
	defer runtime.UnlockOSThread()
	began := sync.OnceFunc(func() { close(started) })
	buf := make([]byte, bufferSize)
	for q.ended == nil {
		var size uint32
		if size, q.ended = q.read(buf, began); q.ended == nil {
			q.ended = q.hear(buf[:size])
		}
	}
	began()
	q.mu.Lock()
	q.closed = true
	q.release()
	q.mu.Unlock()
	close(q.done)
}

// read waits for changes and returns the size of their records in bytes, 0 when the system has
// dropped some. It calls began when no later change is missed any more.
func (q *queue) read(buf []byte, began func()) (size uint32, err error) {
	under := windows.Overlapped{HEvent: q.changed}
	err = windows.ReadDirectoryChanges(q.folder, &buf[0], bufferSize, true, changesAsked, nil, &under, 0)
	if err != nil && !errors.Is(err, windows.ERROR_IO_PENDING) {
		return 0, err
	}
	began()
	first, err := windows.WaitForMultipleObjects([]windows.Handle{q.stop, q.changed}, false, windows.INFINITE)
	if err == nil && first == windows.WAIT_OBJECT_0 {
		err = os.ErrClosed
	}
	if err != nil {
		_ = windows.CancelIoEx(q.folder, &under) // the read may have ended
	}
	// Before the buffer is used for anything else.
	err = errors.Join(err, windows.GetOverlappedResult(q.folder, &under, &size, err != nil))
	return size, err
}

func (q *queue) release() {
	for _, h := range []windows.Handle{q.folder, q.changed, q.stop} {
		_ = windows.CloseHandle(h) // or it was never opened
	}
}
