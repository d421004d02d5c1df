package db

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"issues-index/migrations"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/pattern"
)

// An otherError says that an index is of another schema or of other folders. It is left to its
// servers while a process has it open, and for some time after its last change: else each would
// build it again for itself, in turn.
type otherError struct {
	reason string
	kept   time.Duration
}

func (e *otherError) Error() string { return e.reason }

// identify reads the generation of an index; an *otherError says that the index is not
// of this schema and of these folders. A layout that has changed is a change for all servers: an
// index of another one is built again. It changes nothing.
func identify(ctx context.Context, db *sql.DB, covers coverage) (generation string, err error) {
	var application, version int
	err = db.QueryRowContext(ctx, `SELECT application_id, user_version FROM pragma_application_id, pragma_user_version`).
		Scan(&application, &version)
	if err != nil {
		return "", fmt.Errorf("read the index's version: %w", err)
	}
	if application != migrations.ApplicationID || version != migrations.Version {
		other := &otherError{reason: fmt.Sprintf("it has the schema %d of the application %#x, not %d of %#x",
			version, application, migrations.Version, migrations.ApplicationID)}
		switch {
		case version > migrations.Version:
			other.kept = math.MaxInt64
		case version > 0 && version < migrations.FirstYielding:
			other.kept = ancientUnusedAfter
		}
		return "", other
	}
	var covered coverage
	var schema string
	err = db.QueryRowContext(ctx, `SELECT generation, collections, layout, schema FROM state`).
		Scan(&generation, &covered.collections, &covered.layout, &schema)
	if err != nil {
		return "", fmt.Errorf("read the index's state: %w", err)
	}
	switch {
	case schema != migrations.Digest():
		err = &otherError{reason: fmt.Sprintf("its tables are those of another build of schema %d", version)}
	case covered == covers || covers.extends(covered):
	case covered.collections != covers.collections:
		err = &otherError{reason: "it covers other folders: " + folderNames(covered.collections), kept: unusedAfter}
	default:
		err = errors.New("the layout of its documents is another")
	}
	return generation, err
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

// besideName is the name of the index that is used beside a file of others: the same for
// all servers of one schema and of the same folders.
func besideName(name string, covers coverage) string {
	sum := sha256.Sum256([]byte(migrations.Digest() + covers.collections))
	ending := filepath.Ext(name)
	return strings.TrimSuffix(name, ending) + "-" + hex.EncodeToString(sum[:4]) + ending
}

// unusedAfter is how long an index of others is kept after its last change.
const unusedAfter = 30 * 24 * time.Hour

// ancientUnusedAfter is the same for an index of a program that does not leave newer ones alone. It is
// short: people look for the index at its name, and find that of the older program until then.
const ancientUnusedAfter = 24 * time.Hour

// unchangedFor reports whether there is an index that has not changed for so long.
func (o *Opener) unchangedFor(period time.Duration, dir *cachedir.Dir, name string) bool {
	info, err := dir.Stat(name)
	return err == nil && o.Now().Sub(info.ModTime()) > period
}

// leftoverSuffix follows the name of an index in the files of a build that was killed.
var leftoverSuffix = pattern.Lazy(`^\.new-[0-9a-f]{8}(-wal|-shm|-journal)?$`)

// besideSuffix is in the names of the indexes beside one, besides its own: a digest in front of
// the ending, or behind it what older programs wrote there.
var besideSuffix = pattern.Lazy(`^(-[0-9a-f]{8}|(\.own|\.stuck|\.v[0-9]+|\.[0-9a-f]{8}|\.[0-9a-f]{16})+)$`)

// isBeside reports whether a name is one of an index beside another one.
func isBeside(name, other string) bool {
	ending := filepath.Ext(other)
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(other, ending))
	return ok && besideSuffix().MatchString(strings.Replace(rest, ending, "", 1))
}

// removeUnused deletes what builds that were killed have left behind, the index that was
// used beside this one, and the others beside it, or in the user's cache folder those of
// other workspaces, that have not changed for long. An index in use stays. The empty files
// of the locks stay, too: a lock on a deleted file keeps no process out.
func (o *Opener) removeUnused(l *Location) {
	names, err := l.files.Dir.Names("")
	own := l.files.Name
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, own); ok && leftoverSuffix().MatchString(rest) {
			err = errors.Join(err, l.files.Dir.Discard(name))
			continue
		}
		index, locked := strings.CutSuffix(name, ".lock") // every index has one
		related := l.common && strings.Contains(index, ".db") || isBeside(index, own)
		if _, missing := l.files.Dir.Stat(index); missing != nil || !locked || !related || index == own {
			continue
		}
		if index == besideName(own, o.covers) || o.unchangedFor(unusedAfter, l.files.Dir, index) {
			err = errors.Join(err, l.removeSibling(index))
		}
	}
	if err != nil { // no harm in it but its size
		o.Log.Warn("delete files that are not used", "error", err)
	}
}

// removeSibling deletes another index in the folder unless a process has it open or
// is about to. A file that is no index stays.
func (l *Location) removeSibling(name string) error {
	dir, err := l.files.Dir.Sub(".")
	if err != nil {
		return err
	}
	unused, err := NewLocation(dir, name)
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	mine, err := unused.opening.TryLock()
	if mine {
		var alone bool
		if alone, err = unused.Enter(); alone && unused.files.Check() == nil {
			err = unused.files.Discard()
		}
	}
	return errors.Join(err, unused.Close())
}
