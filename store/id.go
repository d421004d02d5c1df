package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
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
	// MaxNumberGap is how far above the next lower known number, or above 0, a
	// number may lie. One that lies further away is an outlier: a slip, or a
	// stranger's, that must not push all later ids away.
	MaxNumberGap = 1_000_000
	// lastNumber is the last number that is given out. Those above are all
	// outliers: a few of them would leave no room for new documents.
	lastNumber = maxIDNumber - MaxNumberGap
)

// NewID is the id of a type with a number, as new documents get it.
func NewID(docType string, number int) string {
	return fmt.Sprintf("%s-%06d", idPrefixes[docType], number)
}

// HighestNumber returns the highest number of a type's ids that is no outlier, or
// base if none is above it. base is known to be no outlier; 0 will do. numbers are
// the others that are known, in any order.
func HighestNumber(base int, numbers []int) int {
	below := base
	for _, n := range slices.Sorted(slices.Values(numbers)) {
		if n <= below || n > lastNumber {
			continue
		}
		if n-below <= MaxNumberGap {
			base = n
		}
		below = n
	}
	return base
}

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

// slugLength is the longest slug in bytes, the same in other programs that write
// such workspaces.
const slugLength = 50

// Slug is a title as part of a file name: lower case, letters and digits of any script,
// runs of spaces, `_` and `-` as one `-`, everything else left out. Its Unicode form is
// NFC, so that a name is the same on every system, and no letter of it is cut.
func Slug(title string) string {
	var b strings.Builder
	gap, letter := false, false
	for _, r := range strings.ToLower(title) {
		mark := letter && unicode.IsMark(r)
		switch {
		case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector): // it cannot be seen
		case unicode.IsLetter(r), unicode.IsDigit(r), mark:
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap, letter = false, true
			b.WriteRune(r)
		case r == '-' || r == '_' || unicode.IsSpace(r):
			gap, letter = true, false
		}
	}
	s := cutToBytes(norm.NFC.String(b.String()), slugLength)
	if s == "" {
		return "issue"
	}
	return s
}

// cutToBytes returns the beginning of s of at most n bytes, which ends between a letter
// with its marks and the next one.
func cutToBytes(s string, n int) string {
	end := 0
	for rest, state := s, -1; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if end+len(cluster) > n {
			break
		}
		end += len(cluster)
	}
	return s[:end]
}
