package store

import (
	"slices"
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

// IDNumbers returns the numbers that a document's id, or file name without .md, takes: that
// of its type and, where ids of children begin with that of their parent, those below it.
// The prefix tells the type; a bare number counts for the collection's. It is nil for
// any other name.
func (w *Workspace) IDNumbers(collection, name string) []IDNumber {
	docType, prefix := w.idType(collection, name)
	number, digits, ok := leadingNumber(name[prefix:])
	if !ok || prefix == 0 && digits != legacyDigits && !w.hasBareIDs(collection) {
		return nil
	}
	numbers := []IDNumber{{docType, number}}
	separator := w.Layout.IDs[docType].Separator
	for end := prefix + digits; separator != "" && strings.HasPrefix(name[end:], separator); {
		number, digits, ok = leadingNumber(name[end+len(separator):])
		if !ok {
			break
		}
		numbers = append(numbers, IDNumber{FoldID(name[:end]), number})
		end += len(separator) + digits
	}
	return numbers
}

// FileNumber returns the number that a document takes from a series by the name of its file:
// the last one, as those before are its ancestors'. ok is false where there is none.
func (w *Workspace) FileNumber(p string) (number IDNumber, ok bool) {
	c, ok := w.CollectionOf(p)
	if !ok {
		return IDNumber{}, false
	}
	numbers := w.IDNumbers(c.Type, stem(p))
	if len(numbers) == 0 {
		return IDNumber{}, false
	}
	return numbers[len(numbers)-1], true
}

// hasBareIDs reports whether the ids of a type are nothing but numbers.
func (w *Workspace) hasBareIDs(docType string) bool {
	p, ok := w.Layout.IDs[docType]
	return ok && p.Prefix == ""
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
	if w.Layout.IDs[docType].Separator != "" && parent != "" {
		if t, ok := w.plainID(docType, parent); ok && t == docType {
			return FoldID(parent)
		}
	}
	return docType
}

// plainID returns the type of an id that is of the form of new ones, whatever the zeros in
// it; ok is false for any other one.
func (w *Workspace) plainID(collection, id string) (docType string, ok bool) {
	numbers := w.IDNumbers(collection, id)
	if len(numbers) == 0 {
		return "", false
	}
	docType, prefix := w.idType(collection, id)
	parts := []string{id[prefix:]}
	if separator := w.Layout.IDs[docType].Separator; separator != "" {
		parts = strings.Split(parts[0], separator)
	}
	other := func(part string) bool { return strings.Trim(part, "0123456789") != "" }
	return docType, len(parts) == len(numbers) && !slices.ContainsFunc(parts, other)
}

// HasPlainID reports whether an id is of the form of new ones, or nothing but a number.
func (w *Workspace) HasPlainID(collection, id string) bool {
	if _, ok := w.plainID(collection, id); ok {
		return true
	}
	_, prefix := w.idType(collection, id)
	return prefix > 0 && layout.IsHash(id[prefix:])
}

// BeginsWithID reports whether a file's name begins with an id of the form of new ones.
func (w *Workspace) BeginsWithID(collection, name string) bool {
	if w.IDNumbers(collection, name) != nil {
		return true
	}
	_, prefix := w.idType(collection, name)
	hash, _, _ := strings.Cut(name[prefix:], "-")
	return prefix > 0 && layout.IsHash(hash)
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
