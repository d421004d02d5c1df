package db

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"issues-index/store"
)

// fingerprintSuffix follows the index's name in that of its fingerprint: the size,
// times and inode that the index file had after our own last checkpoint. Nothing else
// writes to the file, so an index that looks otherwise at the next start has been cut,
// overwritten or damaged, and is rebuilt. The content itself has no checksums: this is
// what notices a flipped byte that SQLite would serve. It also proves that a file which
// was overwritten was an index of ours.
const fingerprintSuffix = ".seal"

// maxFingerprint bounds how much of a fingerprint is read, in bytes. Ours have about 130.
const maxFingerprint = 1 << 10

var errFingerprint = errors.New("the index file is not as it was left")

func (l *Location) fingerprintName() string { return l.files.Name + fingerprintSuffix }

func (l *Location) stat() (store.Stat, error) {
	info, err := l.files.Dir.Stat(l.files.Name)
	if err != nil {
		return store.Stat{}, fmt.Errorf("look at the index: %w", err)
	}
	return store.StatAt(l.files.Dir.Path(), l.files.Name, info), nil
}

// WriteFingerprint writes the fingerprint of the index file as it is now.
func (l *Location) WriteFingerprint() error {
	s, err := l.stat()
	if err != nil {
		return err
	}
	text, err := json.Marshal(s)
	if err == nil {
		err = l.files.Dir.Replace(l.fingerprintName(), text)
	}
	if err != nil {
		return fmt.Errorf("write the index's fingerprint: %w", err)
	}
	return nil
}

// readFingerprint returns how the index file looked.
func (l *Location) readFingerprint() (s store.Stat, err error) {
	text, err := l.files.Dir.Read(l.fingerprintName(), maxFingerprint)
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		err = decoder.Decode(&s)
	}
	if err != nil {
		return store.Stat{}, fmt.Errorf("%w: %w", errFingerprint, err)
	}
	return s, nil
}

// wasOurs reports whether a file is the one of the fingerprint, whatever is in it now.
// Since it may be deleted then, its device must be the same, too: inodes of two devices
// have the same numbers.
func (l *Location) wasOurs(info fs.FileInfo) bool {
	then, err := l.readFingerprint()
	now := store.StatAt(l.files.Dir.Path(), info.Name(), info)
	return err == nil && now.Inode != 0 && now.Inode == then.Inode && now.Device == then.Device
}

// CheckFingerprint returns an error unless the index file is as it was left. While it is
// open, changes are in the write-ahead log only, so that this holds then, too.
func (l *Location) CheckFingerprint() error {
	then, err := l.readFingerprint()
	if err != nil {
		return err
	}
	now, err := l.stat()
	if err != nil {
		return err
	}
	if !SameFile(now, then) {
		return errFingerprint
	}
	return nil
}

// SameFile reports whether two looks at a file saw one state of it. The number of its
// device is left out: containers, and some file systems, have another one after each
// start.
func SameFile(a, b store.Stat) bool {
	return a.Size == b.Size && a.Mtime == b.Mtime && a.Ctime == b.Ctime && a.Inode == b.Inode
}

// restoreFingerprint writes the fingerprint of an index that was looked at and left to
// others: closing it has moved into it what a killed process had left in its log.
func (l *Location) restoreFingerprint(alone bool) error {
	if !alone || l.CheckFingerprint() == nil {
		return nil
	}
	return l.WriteFingerprint()
}
