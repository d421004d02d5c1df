package index

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"issues-index/store/pattern"
)

// beside is a place for servers like this one alone: others, with whom they
// cannot share, have the index open.
func (p *place) beside(suffix string) (*place, error) {
	return newPlace(p.path + suffix)
}

// besideSuffix is what follows the path of an index in those that were made beside
// it: of each foreignError a suffix.
var besideSuffix = pattern.Lazy(`^(\.v[0-9]+|\.[0-9a-f]{16}|\.[0-9a-f]{8})+$`)

// removeBeside deletes the indexes beside one that this process alone has open.
// They were made while others had it, whose servers now find it free; one that is
// still in use stays. The empty files of their locks stay, too: a lock on a file
// that has been deleted keeps nobody out.
func (ix *Index) removeBeside(p *place) {
	seals, err := filepath.Glob(globQuote(p.path) + ".*.seal") // what has none is not ours
	for _, seal := range seals {
		path := seal[:len(seal)-len(".seal")]
		if besideSuffix().MatchString(path[len(p.path):]) {
			err = errors.Join(err, removeUnused(path))
		}
	}
	if err != nil { // no harm in it but its size
		ix.log.Warn("delete an index that nobody uses", "error", err)
	}
}

// forgottenAfter is how long an index in the user's cache folder is kept that nobody
// has opened: its workspace has moved, or is no more.
const forgottenAfter = 30 * 24 * time.Hour

// removeForgotten deletes the indexes of other workspaces that nobody has opened for
// long. A seal is written whenever an index is closed.
func (ix *Index) removeForgotten(p *place) {
	seals, err := filepath.Glob(filepath.Join(globQuote(filepath.Dir(p.path)), "*.db*.seal"))
	for _, seal := range seals {
		info, statErr := os.Stat(seal)
		if statErr == nil && seal != sealPath(p.path) && ix.now().Sub(info.ModTime()) > forgottenAfter {
			err = errors.Join(err, removeUnused(seal[:len(seal)-len(".seal")]))
		}
	}
	if err != nil { // no harm in it but its size
		ix.log.Warn("delete an index that nobody uses", "error", err)
	}
}

// removeUnused deletes an index unless a process has it open or is about to.
func removeUnused(path string) error {
	p, err := newPlace(path)
	if err != nil {
		return err
	}
	mine, err := p.turn.TryLock()
	if mine {
		var alone bool
		if alone, err = p.enter(); alone {
			err = errors.Join(removeDatabase(path), os.Remove(sealPath(path)))
		}
	}
	return errors.Join(err, p.leave())
}
