package merge

import (
	"fmt"
	"slices"
	"strings"

	"issues-index/store/frontmatter"
)

// markerSize is how many characters a conflict marker of git has, where git is told no other
// number.
const markerSize = 7

// A piece is a part of the result: a text, or a conflict.
type piece struct {
	text               string // ours where there is a conflict
	conflict           bool
	in                 string // a key of the frontmatter, or Text
	base, ours, theirs string

	// Of a conflict that was read:
	from, to int  // the lines of its markers, from 1
	based    bool // it has the common version
}

// conflict is the piece that asks a person to decide.
func conflict(in, base, ours, theirs string) piece {
	return piece{text: ours, conflict: true, in: in, base: base, ours: ours, theirs: theirs}
}

// render writes the pieces, with markers around conflicts.
func render(pieces []piece, notes []string, labels Labels, endings lineEnds) Merged {
	m := Merged{Notes: notes}
	var out strings.Builder
	marker := func(sign, label string) {
		line := strings.TrimSpace(strings.Repeat(sign, labels.MarkerSize) + " " + label)
		out.WriteString(endings.ended(line))
	}
	for _, p := range pieces {
		if !p.conflict {
			out.WriteString(p.text)
			continue
		}
		m.Conflicts++
		if !slices.Contains(m.Conflicted, p.in) {
			m.Conflicted = append(m.Conflicted, p.in)
		}
		marker("<", labels.Ours)
		out.WriteString(endings.ended(p.ours))
		marker("|", labels.Base)
		out.WriteString(endings.ended(p.base))
		marker("=", "")
		out.WriteString(endings.ended(p.theirs))
		marker(">", labels.Theirs)
	}
	m.Data = []byte(out.String())
	return m
}

// A conflictSide is whose lines are being read.
type conflictSide int

const (
	allSides conflictSide = iota
	ourSide
	baseSide
	theirSide
)

// readConflicts cuts a text at its conflict markers of a size. The error is
// about markers that are not in the order of git's.
func readConflicts(text string, size int) (pieces []piece, labels Labels, err error) {
	var p piece
	side, start, at, number := allSides, 0, 0, 0
	for line := range strings.Lines(text) {
		number++
		before := at
		at += len(line)
		mark, length, label := frontmatter.ConflictMarker(line)
		if length != size {
			continue
		}
		next := conflictSide(strings.IndexByte("><|=", mark))
		lines := text[start:before]
		switch {
		case side == allSides && next == ourSide:
			pieces = append(pieces, piece{text: lines})
			p, labels.Ours = piece{conflict: true, in: Text, from: number}, label
		case side == ourSide && next == baseSide:
			p.text, p.ours, p.based, labels.Base = lines, lines, true, label
		case side == ourSide && next == theirSide:
			p.text, p.ours = lines, lines
		case side == baseSide && next == theirSide:
			p.base = lines
		case side == theirSide && next == allSides:
			p.theirs, p.to, labels.Theirs = lines, number, label
			pieces = append(pieces, p)
		default:
			return nil, labels, fmt.Errorf("line %d: the markers are not those of one conflict after the other", number)
		}
		side, start = next, at
	}
	if side != allSides {
		return nil, labels, fmt.Errorf("the conflict in line %d goes beyond the frontmatter", p.from)
	}
	return append(pieces, piece{text: text[start:]}), labels, nil
}
