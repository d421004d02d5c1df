package store

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"time"

	"issues-index/store/pattern"
)

// versionLength is the number of characters of a version: 50 bits, so that two texts of one
// document do not meet by chance.
const versionLength = 10

// VersionBytes is how many bytes of a SHA-256 decide a version.
const VersionBytes = 7

var versionEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// VersionOf is the version of a document whose file's bytes have a SHA-256 that begins with
// sum: its first 10 characters in base32, in lower case. It takes VersionBytes bytes or more.
func VersionOf(sum []byte) string {
	return strings.ToLower(versionEncoding.EncodeToString(sum[:VersionBytes])[:versionLength])
}

// versionForm is a version in any letter case.
var versionForm = pattern.Lazy(`^[a-zA-Z2-7]{10}$`)

// A VersionError says that a document is no longer what its caller has read.
type VersionError struct {
	Path, ID       string
	Given, Current string
	// Changed is when the file was last written.
	Changed time.Time
	// Fields are what differs between the two versions, with text for the body; empty when
	// that is not known.
	Fields []string
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s has changed since version %s: it is %s now", e.ID, e.Given, e.Current)
}

// CheckVersion compares the document with the version that a caller has read; "" fits every
// document. Its errors are *VersionError, and *ValueError for what is no version.
func (d *Document) CheckVersion(given string) error {
	given = strings.TrimSpace(given)
	switch {
	case given == "" || strings.EqualFold(given, d.Version):
		return nil
	case !versionForm().MatchString(given):
		return &ValueError{
			Field: "ifVersion", Value: given, Reason: "is not a version, which has 10 letters and digits",
			Advice: "give the version that the document had when you read it, or leave it out",
		}
	}
	return &VersionError{Path: d.Path, ID: d.ID, Given: strings.ToLower(given), Current: d.Version, Changed: d.written}
}

// versionOfFile is the version of a file's bytes.
func versionOfFile(data []byte) string {
	sum := sha256.Sum256(data)
	return VersionOf(sum[:])
}
