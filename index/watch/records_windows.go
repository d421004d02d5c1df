package watch

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"

	"issues-index/store"
	"issues-index/store/cachedir"
)

// actions are what a record says has happened.
var actions = map[uint32]Events{
	windows.FILE_ACTION_ADDED: Came, windows.FILE_ACTION_RENAMED_NEW_NAME: Came,
	windows.FILE_ACTION_REMOVED: Left, windows.FILE_ACTION_RENAMED_OLD_NAME: Left,
	windows.FILE_ACTION_MODIFIED: Written | Altered,
}

// hear notes the records of one read.
func (q *queue) hear(records []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(records) == 0 || len(q.heard) > maxHeard {
		return errDropped
	}
	for next := uint32(1); next > 0; records = records[next:] {
		record := (*windows.FileNotifyInformation)(unsafe.Pointer(&records[0])) //nolint:gosec // as the system writes it
		name := windows.UTF16ToString(unsafe.Slice(&record.FileName, record.FileNameLength/2))
		q.note(path.Join(q.tree, filepath.ToSlash(name)), actions[record.Action])
		next = record.NextEntryOffset
	}
	return nil
}

// note notes what has happened to a name. The caller holds mu.
func (q *queue) note(name string, events Events) {
	switch {
	case strings.EqualFold(name, q.mark): // which the disk may spell otherwise
		if q.arrived != nil {
			close(q.arrived)
			q.arrived = nil
		}
		return
	case cachedir.IsTemporary(path.Base(name)), strings.HasPrefix(name, store.CacheDir+"/"):
		return // the program's own
	case mayBeShort(name):
		name = "" // all folders have to be looked at
	default:
		name = q.spelled(name)
	}
	q.heard = append(q.heard, heard{watch: everywhere, name: name, events: events})
	select {
	case q.news <- struct{}{}:
	default:
	}
}

// mayBeShort reports whether a name may have the second, short name of a file or folder in it, as
// NOTES~1.MD: where a program used that, the system may tell of the change by it.
func mayBeShort(name string) bool {
	_, number, _ := strings.Cut(name, "~")
	return number != "" && number[0] >= '0' && number[0] <= '9'
}

// spelled returns a name with its collection's folder as the workspace spells it: the system
// spells names as the disk does, and makes no difference between cases.
func (q *queue) spelled(name string) string {
	for _, c := range q.ws.Collections {
		n := len(c.Dir)
		if len(name) > n && name[n] == '/' && strings.EqualFold(name[:n], c.Dir) {
			return c.Dir + name[n:]
		}
	}
	return name
}

// common returns the nearest folder above all collections, and above the folder of the cache where
// there is one, which then takes the marks.
func common(ws *store.Workspace) (tree, marks string) {
	isFolder := func(dir string) bool {
		info, err := os.Stat(ws.Absolute(dir))
		return err == nil && info.IsDir()
	}
	if isFolder(store.CacheDir) {
		marks, tree = store.CacheDir, store.CacheDir
	}
	for _, c := range ws.Collections {
		if tree == "" {
			tree = c.Dir
		}
		for tree != "." && tree != c.Dir && !strings.HasPrefix(c.Dir, tree+"/") {
			tree = path.Dir(tree)
		}
	}
	for tree != "." && !isFolder(tree) {
		tree = path.Dir(tree)
	}
	if marks == "" {
		marks = tree
	}
	return tree, marks
}
