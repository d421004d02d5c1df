package index

import (
	"errors"
	"io/fs"

	"github.com/fsnotify/fsnotify"

	"issues-index/store"
)

// maxOwn bounds the changes of this process that the watcher has yet to tell of.
const maxOwn = 256

// ownChanges are the files that this process has changed and indexed, and how
// they looked then; the zero Stat for one that is gone. The watcher tells of
// them like of any others', and need not be listened to.
type ownChanges map[string]store.Stat

// note keeps what was indexed.
func (own *ownChanges) note(batch []*candidate) {
	if *own == nil || len(*own)+len(batch) > maxOwn {
		*own = make(ownChanges)
	}
	for _, c := range batch {
		stat := store.Stat{}
		if c.now != nil {
			stat = c.now.file.Stat
		}
		(*own)[c.path] = stat
	}
}

// drop takes from the files that the watcher has collected those of which it
// tells no more than what is indexed: that a file came into the place, and it is
// that file, or that it left, and there is none. Whatever else happened to a file
// shows in other events: its times may be too coarse to tell two changes apart.
func (own ownChanges) drop(ws *store.Workspace, files map[string]fsnotify.Op) {
	for path, told := range files {
		indexed, ok := own[path]
		if !ok {
			continue
		}
		delete(own, path)
		stat, err := ws.Stat(path)
		came := told == fsnotify.Create && err == nil && stat == indexed
		left := told&^(fsnotify.Remove|fsnotify.Rename) == 0 && errors.Is(err, fs.ErrNotExist) && indexed == store.Stat{}
		if came || left {
			delete(files, path)
		}
	}
}
