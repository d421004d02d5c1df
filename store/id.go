package store

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"issues-index/store/layout"
)

const (
	// legacyDigits is how many digits an id or file name has that is nothing
	// but a number, like 000036-title.md. Names that begin with a year or a
	// date have another count.
	legacyDigits = 6
	// maxIDNumber is the highest number that counts, and that is given out. A document with a
	// higher one is read as any other, and does not push later ids away.
	maxIDNumber = 999_999
)

// NewID is the id of a type with a number, as new documents get it.
func (w *Workspace) NewID(docType string, number int) string {
	return w.Layout.IDs[docType].Format(number)
}

// An IDNumber is a number that an id takes from a series: from that of a type, which is the
// type's name, or from that of the children of one document, which is its id in the form
// of FoldID.
type IDNumber struct {
	Series string
	Number int
}

// parseID reads the id that a name begins with, if the id has the form of new ids: the type that
// its prefix tells, its numbers, none of a hash, and where it ends, 0 for any other name. A bare
// number counts for the collection's type.
func (w *Workspace) parseID(collection, name string) (docType string, numbers []IDNumber, end int) {
	docType, prefix := w.idType(collection, name)
	ids, known := w.Layout.IDs[docType]
	number, digits, ok := leadingNumber(name[prefix:])
	if !ok || prefix == 0 && digits != legacyDigits && !(known && ids.Prefix == "") {
		if hash, _, _ := strings.Cut(name[prefix:], "-"); prefix > 0 && layout.IsHash(hash) {
			end = prefix + len(hash)
		}
		return docType, nil, end
	}
	numbers, end = []IDNumber{{docType, number}}, prefix+digits
	for ids.Separator != "" && strings.HasPrefix(name[end:], ids.Separator) {
		number, digits, ok = leadingNumber(name[end+len(ids.Separator):])
		if !ok {
			break
		}
		numbers = append(numbers, IDNumber{FoldID(name[:end]), number})
		end += len(ids.Separator) + digits
	}
	return docType, numbers, end
}

// IDNumbers returns the numbers that a document's id, or file name without .md, takes: that
// of its type and, where ids of children begin with that of their parent, those below it. It is
// nil for any other name.
func (w *Workspace) IDNumbers(collection, name string) []IDNumber {
	_, numbers, _ := w.parseID(collection, name)
	return numbers
}

// idType returns the type that the prefix of an id tells, and the length of that. The
// longest one counts, and without one the collection.
func (w *Workspace) idType(collection, name string) (docType string, length int) {
	docType = collection
	for t, p := range w.Layout.IDs {
		if n := len(p.Prefix); n > length && len(name) > n && strings.EqualFold(name[:n], p.Prefix) {
			docType, length = t, n
		}
	}
	return docType, length
}

// IsHashID reports whether an id ends in a hash behind a prefix, as the ids of a workspace
// with the hash scheme do.
func IsHashID(id string) bool {
	i := strings.LastIndexByte(id, '-')
	return i > 0 && layout.IsHash(id[i+1:])
}

// IDSeries returns the series that the id of a new document takes its number from: that of
// its parent's children where ids are made so and the parent's id is such a one, else that
// of its type.
func (w *Workspace) IDSeries(docType, parent string) string {
	t, numbers, end := w.parseID(docType, parent)
	if w.Layout.IDs[docType].Separator != "" && t == docType && numbers != nil && end == len(parent) {
		return FoldID(parent)
	}
	return docType
}

// HasPlainID reports whether an id is of the form of new ones, or nothing but a number.
func (w *Workspace) HasPlainID(collection, id string) bool {
	return id != "" && w.endOfID(collection, id) == len(id)
}

// BeginsWithID reports whether a file's name begins with an id of the form of new ones.
func (w *Workspace) BeginsWithID(collection, name string) bool {
	return w.endOfID(collection, name) > 0
}

func (w *Workspace) endOfID(collection, name string) int {
	_, _, end := w.parseID(collection, name)
	return end
}

// newID is the id with a number of a series, which is parent's if it is not docType's.
func (w *Workspace) newID(docType, series, parent string, number int) string {
	if series == docType {
		return w.NewID(docType, number)
	}
	return w.Layout.IDs[docType].Child(parent, number)
}

// leadingNumber reads the digits that s begins with, unless a letter follows.
func leadingNumber(s string) (number, digits int, ok bool) {
	for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
		digits++
	}
	if next, _ := utf8.DecodeRuneInString(s[digits:]); unicode.IsLetter(next) {
		return 0, 0, false
	}
	number, err := strconv.Atoi(s[:digits])
	return number, digits, err == nil && number <= maxIDNumber
}
