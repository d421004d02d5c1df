package db

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"issues-index/migrations"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/pattern"
)

// An incompatibleError says that a file is no index of this version, of these collections
// or of this layout. Servers that differ so much cannot share one.
type incompatibleError struct {
	reason string
	suffix string // of the path where servers like this one share an index
	// folders says that it is an index of this version, but of other folders.
	folders bool
	// layout says that it is an index of this version and of these folders, but of another
	// layout of their documents.
	layout bool
}

func (e *incompatibleError) Error() string { return e.reason }

// identify reads what a file is; an *incompatibleError says that it is another's. It
// changes nothing.
func identify(ctx context.Context, db *sql.DB, covers coverage) error {
	var application, version int
	if err := db.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&application); err != nil {
		return fmt.Errorf("read the index's header: %w", err)
	}
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return fmt.Errorf("read the index's version: %w", err)
	}
	if application != migrations.ApplicationID || version != migrations.Version {
		return &incompatibleError{
			reason: fmt.Sprintf("the file has application id %#x and schema version %d, not %#x and %d",
				application, version, migrations.ApplicationID, migrations.Version),
			suffix: fmt.Sprintf(".v%d", migrations.Version),
		}
	}
	var covered coverage
	var schema string
	if err := db.QueryRowContext(ctx, `SELECT collections, layout, schema FROM state`).Scan(&covered.collections, &covered.layout, &schema); err != nil {
		return fmt.Errorf("read the index's state: %w", err)
	}
	own, err := migrations.Digest()
	if err != nil {
		return err
	}
	if schema != own {
		return &incompatibleError{
			reason: fmt.Sprintf("its tables are those of another build of version %d", migrations.Version),
			suffix: "." + own,
		}
	}
	if covered != covers && covers.extends(covered) {
		return nil
	}
	if covered.collections != covers.collections {
		sum := sha256.Sum256([]byte(covers.collections))
		return &incompatibleError{reason: "it covers other folders: " + folderNames(covered.collections), suffix: "." + hex.EncodeToString(sum[:4]), folders: true}
	}
	if covered.layout != covers.layout {
		sum := sha256.Sum256([]byte(covers.layout))
		return &incompatibleError{reason: "the layout of its documents is another", suffix: "." + hex.EncodeToString(sum[:8]), layout: true}
	}
	return nil
}

// folderNames reads the folders of a coverage for a person.
func folderNames(collections string) string {
	var all []store.Collection
	if err := json.Unmarshal([]byte(collections), &all); err != nil {
		return "none that can be read"
	}
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Dir
	}
	return strings.Join(names, ", ")
}

// checkCompatible is an *incompatibleError when the index is of servers that differ
// from this one, and is left to them.
func (o *Opener) checkCompatible(ctx context.Context, l *Location, alone bool) error {
	if alone && l.CheckFingerprint() != nil {
		return nil //nolint:nilerr // it is damaged, so it is nobody's
	}
	db, err := o.openFile(ctx, l)
	var other *incompatibleError
	if errors.As(err, &other) && o.leaves(l, other, alone) {
		return errors.Join(err, l.restoreFingerprint(alone))
	}
	if err != nil {
		return nil //nolint:nilerr // it will be built anew
	}
	return db.closePools()
}

// leaves reports whether an index is left to its servers: while they use it, and, if
// only its folders differ, as long as they use it now and then, for example from a shell
// with other settings. Else each would build it again for itself, in turn.
func (o *Opener) leaves(l *Location, other *incompatibleError, alone bool) bool {
	return !alone || other.folders && o.usedLately(l.files.Dir, l.fingerprintName())
}

// stuckSuffix is of the index that servers use while a process that hangs, or was
// stopped, keeps the other one from being opened.
const stuckSuffix = ".stuck"

// alternative is the suffix of the index to use beside one that could not be opened,
// "" for none. tell logs that it is used.
func (o *Opener) alternative(err error, rebuild bool) (suffix string, tell func(path string)) {
	var foreign *cachedir.ForeignError
	var other *incompatibleError
	var stuck *LockedError
	switch {
	case errors.As(err, &foreign):
		return besideSuffix, func(path string) { o.warn(path, foreign) }
	case errors.As(err, &other):
		return other.suffix, func(path string) {
			o.Log.Info("using an index of our own", "path", path, "reason", other.reason)
		}
	case errors.As(err, &stuck) && !rebuild: // a rebuild is asked of the other one
		return stuckSuffix, func(path string) { o.warn(path, stuck) }
	}
	return "", nil
}

// alternativeSuffix is what follows the name of an index in those that were made beside
// it: besideSuffix, stuckSuffix, or the suffixes of incompatible ones, the last of which may
// be that of other folders. leftoverSuffix follows it in the files of a rebuild that was
// killed.
var (
	leftoverSuffix    = pattern.Lazy(`^\.new-[0-9a-f]{8}(-wal|-shm|-journal)?$`)
	alternativeSuffix = pattern.Lazy(`^(\.own|\.stuck|\.v[0-9]+|\.[0-9a-f]{16}|\.[0-9a-f]{8})+$`)
	foldersSuffix     = pattern.Lazy(`\.[0-9a-f]{8}$`)
)

// unusedAfter is how long an index of other folders, or of another workspace in the
// user's cache folder, is kept after its last use.
const unusedAfter = 30 * 24 * time.Hour

// usedLately reports whether an index was used lately, by its fingerprint, which is
// written whenever the index is closed.
func (o *Opener) usedLately(dir *cachedir.Dir, fingerprint string) bool {
	info, err := dir.Stat(fingerprint)
	return err == nil && o.Now().Sub(info.ModTime()) <= unusedAfter
}

// removeUnused deletes what rebuilds that were killed have left behind, and indexes in the
// folder of one that this process alone has open: those beside it, which were made while
// others used it, and in the user's cache folder those of other workspaces that nobody has
// used for long. An index in use stays, and so
// does one of other folders that was used lately. The empty files of the locks stay,
// too: a lock on a deleted file keeps nobody out.
func (o *Opener) removeUnused(l *Location) {
	names, err := l.files.Dir.Names("")
	for _, fingerprint := range names {
		if rest, ok := strings.CutPrefix(fingerprint, l.files.Name); ok && leftoverSuffix().MatchString(rest) {
			err = errors.Join(err, l.files.Dir.Discard(fingerprint))
			continue
		}
		name, ok := strings.CutSuffix(fingerprint, fingerprintSuffix) // what has none is not ours
		if !ok || name == l.files.Name {
			continue
		}
		suffix, beside := strings.CutPrefix(name, l.files.Name)
		beside = beside && alternativeSuffix().MatchString(suffix)
		ofOthers := foldersSuffix().MatchString(name) || !beside
		if !beside && !(l.common && strings.Contains(name, ".db")) || ofOthers && o.usedLately(l.files.Dir, fingerprint) {
			continue
		}
		err = errors.Join(err, l.removeSibling(name))
	}
	if err != nil { // no harm in it but its size
		o.Log.Warn("delete files that nobody uses", "error", err)
	}
}

// removeSibling deletes another index in the folder unless a process has it open or
// is about to.
func (l *Location) removeSibling(name string) error {
	unused, err := l.sibling(name)
	if err != nil {
		return err
	}
	mine, err := unused.opening.TryLock()
	if mine {
		var alone bool
		if alone, err = unused.Enter(); alone {
			if err = unused.remove(); err == nil {
				err = unused.files.Dir.Discard(unused.fingerprintName())
			}
		}
	}
	return errors.Join(err, unused.Close())
}
