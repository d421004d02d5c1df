package index

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"issues-index/store/cachedir"
	"issues-index/store/pattern"
)

// stuckSuffix is of the index that servers use while a process that hangs, or was
// stopped, keeps the other one from being opened.
const stuckSuffix = ".stuck"

// besides is the suffix of the index to use beside one that could not be opened for a
// reason, "" for none. tell logs that it is used.
func (ix *Index) besides(err error, force bool) (suffix string, tell func(path string)) {
	var foreign *foreignError
	var stuck *LockedError
	switch {
	case errors.As(err, &foreign):
		return foreign.suffix, func(path string) {
			ix.log.Info("using an index of our own", "path", path, "reason", foreign.reason)
		}
	case errors.As(err, &stuck) && !force: // who asks for a rebuild asks for that of the other one
		return stuckSuffix, func(path string) { ix.warnPlace(path, stuck) }
	}
	return "", nil
}

// beside is a place for servers like this one alone: others, with whom they
// cannot share, have the index open.
func (p *place) beside(suffix string) (*place, error) {
	return p.sibling(p.db.Name + suffix)
}

// leaves reports whether an index is left to those whose it is: while they use it, and
// if it is of other folders, as that of a shell with other settings, as long as they
// use it now and then. Else each would build it again for itself, in turn.
func (ix *Index) leaves(p *place, foreign *foreignError, alone bool) bool {
	return !alone || foreign.folders && ix.remembered(p.db.Dir, p.sealName())
}

// sealAgain seals an index that was looked at and left to others: closing it has moved
// into it what a killed process had left in its log.
func (p *place) sealAgain(alone bool) error {
	if !alone || p.checkSealed() == nil {
		return nil
	}
	return p.writeSeal()
}

// remembered reports whether an index was used lately, by its seal, which is written
// whenever one is closed.
func (ix *Index) remembered(dir *cachedir.Dir, seal string) bool {
	info, err := dir.Stat(seal)
	return err == nil && ix.now().Sub(info.ModTime()) <= forgottenAfter
}

// sibling is the place of another index in the same folder.
func (p *place) sibling(name string) (*place, error) {
	dir, err := p.db.Dir.Sub(".")
	if err != nil {
		return nil, fmt.Errorf("place the index: %w", err)
	}
	return newPlace(dir, name)
}

// besideSuffix is what follows the path of an index in those that were made beside
// it: stuckSuffix, or of each foreignError a suffix, the last of which is that of other
// folders.
var (
	besideSuffix  = pattern.Lazy(`^(\.stuck|\.v[0-9]+|\.[0-9a-f]{16}|\.[0-9a-f]{8})+$`)
	foldersSuffix = pattern.Lazy(`\.[0-9a-f]{8}$`)
)

// removeBeside deletes the indexes beside one that this process alone has open.
// They were made while others had it, whose servers now find it free; one that is
// still in use stays, and so does one of other folders that was used lately. The empty
// files of their locks stay, too: a lock on a file that has been deleted keeps nobody
// out.
func (ix *Index) removeBeside(p *place) {
	names, err := p.db.Dir.Names(p.db.Name + ".")
	for _, seal := range names {
		name, sealed := strings.CutSuffix(seal, sealSuffix) // what has none is not ours
		if !sealed || !besideSuffix().MatchString(strings.TrimPrefix(name, p.db.Name)) {
			continue
		}
		if !foldersSuffix().MatchString(name) || !ix.remembered(p.db.Dir, seal) {
			err = errors.Join(err, p.removeUnused(name))
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
// long.
func (ix *Index) removeForgotten(p *place) {
	names, err := p.db.Dir.Names("")
	for _, seal := range names {
		name, sealed := strings.CutSuffix(seal, sealSuffix)
		if !sealed || !strings.Contains(name, ".db") || name == p.db.Name {
			continue
		}
		if !ix.remembered(p.db.Dir, seal) {
			err = errors.Join(err, p.removeUnused(name))
		}
	}
	if err != nil { // no harm in it but its size
		ix.log.Warn("delete an index that nobody uses", "error", err)
	}
}

// removeUnused deletes another index in the folder unless a process has it open or
// is about to.
func (p *place) removeUnused(name string) error {
	unused, err := p.sibling(name)
	if err != nil {
		return err
	}
	mine, err := unused.turn.TryLock()
	if mine {
		var alone bool
		if alone, err = unused.enter(); alone {
			if err = unused.remove(); err == nil {
				err = unused.db.Dir.Remove(unused.sealName(), isSeal)
			}
		}
	}
	return errors.Join(err, unused.leave())
}
