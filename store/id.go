package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// idPrefixes are what the ids of each type begin with.
var idPrefixes = map[string]string{TypeIssue: "ISS", TypeSpecification: "SPEC", TypeIdea: "IDEA"}

const (
	// legacyDigits is how many digits an id or file name has that is nothing
	// but a number, like 000036-title.md. Names that begin with a year or a
	// date have another count.
	legacyDigits = 6
	// maxIDNumber bounds the numbers that count. A file with a larger one does
	// not push all later ids beyond what anyone can read.
	maxIDNumber = 999_999_999
)

// idsFile holds the highest number given out for each prefix. The lock orders
// its writers, so that processes whose indexes have not seen each other's newest
// documents yet do not choose the same id.
const idsFile = "ids"

// IDNumber returns which type's ids a document's id, or file name without .md,
// takes a number from, and that number. The prefix tells the type; a bare number
// counts for the collection's. ok is false for any other name.
func IDNumber(collection, name string) (typ string, number int, ok bool) {
	for _, t := range Types {
		prefix := idPrefixes[t] + "-"
		if len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
			number, _, ok = leadingNumber(name[len(prefix):])
			return t, number, ok
		}
	}
	number, digits, ok := leadingNumber(name)
	return collection, number, ok && digits == legacyDigits
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

// allocate chooses the next id of a type and remembers it. walk says to look at
// every document of the workspace rather than trust floor.
func (m *mutation) allocate(ctx context.Context, typ string, floor func(string) (int, error), walk bool) (string, error) {
	if _, err := m.given(); err != nil {
		return "", err
	}
	s := m.w.ids
	if floor != nil {
		number, err := floor(typ)
		if err != nil {
			return "", fmt.Errorf("find the highest id: %w", err)
		}
		s.see(typ, number)
	}
	if floor == nil || walk {
		if err := s.lookAround(ctx, m.w); err != nil {
			return "", err
		}
	}
	s.lookIntoWorktrees(m.w)
	number := s.highest[typ] + 1
	if number > maxIDNumber {
		return "", fmt.Errorf("number a new document: all numbers of %s- are used up", idPrefixes[typ])
	}
	if err := m.remember(typ, number); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s-%06d", idPrefixes[typ], number), nil
}

// retire keeps the number of a document that is being deleted from being given
// out again.
func (m *mutation) retire(doc *Document) error {
	given, err := m.given()
	if err != nil {
		return err
	}
	for _, name := range []string{doc.ID, stem(doc.Path)} {
		typ, number, ok := IDNumber(doc.Collection, name)
		if ok && number > given[typ] {
			given[typ] = number
			err = errors.Join(err, m.remember(typ, number))
		}
	}
	return err
}

// given reads the highest numbers given out, and keeps them in mind.
func (m *mutation) given() (map[string]int, error) {
	p, err := m.cacheFile(idsFile)
	if err != nil {
		return nil, err
	}
	data, _, err := m.disk.read(p)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, diskError("read", p, err)
	}
	m.givenSize = len(data)
	return m.w.ids.seeGiven(data), nil
}

// remember writes down that a number is taken, before it is used. The file keeps
// its length, and is written in place, which is half the work of replacing it: a
// number only grows, so that one of which only the first digits are written is
// the old one or larger than the new one, and both will do.
func (m *mutation) remember(typ string, number int) error {
	s := m.w.ids
	s.see(typ, number)
	p, err := m.cacheFile(idsFile)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, t := range Types {
		fmt.Fprintf(&text, "%s %0*d\n", idPrefixes[t], len(strconv.Itoa(maxIDNumber)), s.highest[t])
	}
	if text.Len() == m.givenSize {
		return diskError("write", p, m.disk.overwrite(p, []byte(text.String())))
	}
	m.givenSize = text.Len()
	return diskError("write", p, m.put(p, text.String()))
}

func (m *mutation) cacheFile(name string) (string, error) {
	dir, err := m.w.resolve(cacheDir)
	return path.Join(dir, name), diskError("find", cacheDir, err)
}
