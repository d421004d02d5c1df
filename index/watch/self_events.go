package watch

import (
	"errors"
	"io/fs"

	"issues-index/store"
)

// maxSelfEvents bounds the changes of this process whose events are still to come.
const maxSelfEvents = 256

// SelfEvents are the files that this process has changed and indexed, each as it was
// indexed; the zero Stat for a file that is gone. Their events need no second look.
type SelfEvents map[string]store.Stat

// Note adds a file as it was indexed.
func (s *SelfEvents) Note(path string, indexed store.Stat) {
	if *s == nil || len(*s) >= maxSelfEvents {
		*s = SelfEvents{}
	}
	(*s)[path] = indexed
}

// Drop removes the files from c whose events say no more than what is indexed: that
// a file came, and it is the indexed one, or that it left, and there is none. Any
// other change of a file causes other events: its times may be too coarse to tell two
// changes apart.
func (s SelfEvents) Drop(ws *store.Workspace, c Changes) {
	for path, events := range c.Files {
		indexed, ok := s[path]
		if !ok {
			continue
		}
		delete(s, path)
		stat, err := ws.Stat(path)
		came := events == Came && err == nil && stat == indexed
		left := events == Left && errors.Is(err, fs.ErrNotExist) && indexed == store.Stat{}
		if came || left {
			delete(c.Files, path)
		}
	}
}
