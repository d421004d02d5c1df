package store

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"issues-index/store/layout"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// FileName is the name of the file of a new document with this id and title, without its folder:
// ISS-000042-rain-at-night.md.
func (w *Workspace) FileName(id, title string) string {
	name, f := w.FileID(id), w.Layout.FileName
	switch f.Title {
	case layout.TitleSlug:
		name += f.Separator + Slug(title)
	case layout.TitleText:
		name += f.Separator + titleName(title)
	}
	return name + ".md"
}

// FileID is the id as the names of new files have it.
func (w *Workspace) FileID(id string) string {
	if w.Layout.FileName.LowerID {
		return strings.ToLower(id)
	}
	return id
}

// slugLength is the longest slug in bytes, the same in other programs that write
// such workspaces.
const slugLength = 50

// Slug is a title as part of a file name: lower case, letters and digits of any script, runs of
// spaces, `_` and `-` as one `-`, everything else left out. It is NFC, so that a name is the same
// on every system, at most 50 bytes (slugLength) without a cut letter, and "issue" where nothing is
// left.
func Slug(title string) string {
	return hyphenated(strings.ToLower(title), slugLength, func(r rune) bool {
		return r == '-' || r == '_' || unicode.IsSpace(r)
	}, func(r rune, begun bool) bool {
		return (unicode.IsLetter(r) || unicode.IsDigit(r) || begun && unicode.IsMark(r)) &&
			!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) // it cannot be seen
	})
}

// untitled stands for a title of which nothing is left in a file's name.
const untitled = "issue"

// titleLength is the longest title in a file's name, in bytes.
const titleLength = 100

// titleName is a title as part of a file name with its own letters: hyphens for blanks and
// for what file systems refuse, and without what a shell would mind.
func titleName(title string) string {
	return hyphenated(title, titleLength, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`-<>:"/\|?*`, r)
	}, func(r rune, _ bool) bool {
		return !strings.ContainsRune(`'(),!@#$%^&+=[]{};`, r) && unicode.IsPrint(r) && r != utf8.RuneError
	})
}

// hyphenated is a title of at most so many bytes: the letters that it keeps, and one hyphen for the
// gaps between two of them. begun is true behind a letter that is kept.
func hyphenated(title string, most int, isGap func(rune) bool, isKept func(r rune, begun bool) bool) string {
	var b strings.Builder
	gap := false
	for _, r := range title {
		begun := b.Len() > 0
		switch {
		case isGap(r):
			gap = true
		case isKept(r, begun && !gap):
			if gap && begun {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		}
	}
	return cmp.Or(cutToBytes(norm.NFC.String(b.String()), most), untitled)
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
