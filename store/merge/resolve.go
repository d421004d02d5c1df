package merge

import (
	"fmt"
	"strings"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// An UnresolvedError says why conflict markers have to stay.
type UnresolvedError struct {
	Lines  []string // where the conflicts in the frontmatter are, as 4-9; nil when they cannot be told apart
	Reason string
}

func (e *UnresolvedError) Error() string {
	if len(e.Lines) == 0 {
		return e.Reason
	}
	return "lines " + strings.Join(e.Lines, ", ") + ": " + e.Reason
}

// A conflictSide is whose lines are being read.
type conflictSide int

const (
	allSides conflictSide = iota
	ourSide
	baseSide
	theirSide
)

// A conflicted is a frontmatter with conflict markers, taken apart.
type conflicted struct {
	base, ours, theirs strings.Builder
	labels             Labels
	lines              []string
	end                int // offset of what follows the closing fence

	side  conflictSide
	begun int      // the line of the marker that opened the conflict
	sizes [4]int   // of the sides of the conflict, in bytes
	based bool     // the conflict has the common version
	keeps []string // the reasons why a conflict has to stay
	plain bool     // a conflict was without the common version
}

// Resolve merges the two sides of the conflicts that git has left in a document's
// frontmatter, as Documents merges them, with or without the common version between the
// markers. Without it the labels of both are kept, and a status must not differ. The text
// below is left as it is, with any markers in it. Where the frontmatter
// would keep one marker, all stay: *UnresolvedError.
func Resolve(workspace *layout.Layout, data []byte) (Merged, error) {
	c, err := takeConflictApart(string(data))
	if err != nil {
		return Merged{}, err
	}
	if len(c.keeps) > 0 {
		return Merged{}, &UnresolvedError{c.lines, c.keeps[0]}
	}
	if c.plain && parse([]byte(c.ours.String())).Status != parse([]byte(c.theirs.String())).Status {
		return Merged{}, &UnresolvedError{c.lines, "the two sides have another status, and without the common version nobody can say which is newer"}
	}
	m := Documents(workspace, []byte(c.base.String()), []byte(c.ours.String()), []byte(c.theirs.String()), c.labels)
	if m.Conflicts > 0 {
		return Merged{}, &UnresolvedError{c.lines, "both sides changed " + strings.Join(m.Conflicted, " and ") + " in different ways"}
	}
	if !frontmatterIsWhole(m.Data) {
		return Merged{}, &UnresolvedError{c.lines, "the two sides make no readable frontmatter together"}
	}
	m.Data = append(m.Data, data[c.end:]...)
	return m, nil
}

// frontmatterIsWhole reports whether a document can be read and edited.
func frontmatterIsWhole(data []byte) bool { return frontmatter.Editable(parse(data).Problems) == nil }

// takeConflictApart reads the frontmatter up to its closing fence.
func takeConflictApart(text string) (*conflicted, error) {
	c := &conflicted{}
	line := 0
	for l := range strings.Lines(text) {
		line++
		bare := strings.TrimRight(l, "\r\n")
		c.end += len(l)
		if line == 1 {
			if strings.TrimRight(strings.TrimPrefix(bare, frontmatter.BOM), " \t") != "---" {
				return nil, &UnresolvedError{nil, "the conflict goes beyond the frontmatter"}
			}
			c.write(l)
			continue
		}
		if fence := strings.TrimRight(bare, " \t"); fence == "---" || fence == "..." {
			if c.side != allSides {
				return nil, &UnresolvedError{nil, fmt.Sprintf("the conflict in line %d goes beyond the frontmatter", c.begun)}
			}
			c.write(l)
			if len(c.lines) == 0 {
				return nil, &UnresolvedError{nil, "there is no conflict in the frontmatter"}
			}
			return c, nil
		}
		switch marked, err := c.marker(bare, line); {
		case err != nil:
			return nil, err
		case !marked:
			c.write(l)
		}
	}
	return nil, &UnresolvedError{nil, "the frontmatter has no end"}
}

// marker reads a line that is a marker; marked is false for any other.
func (c *conflicted) marker(line string, number int) (marked bool, err error) {
	mark, label, _ := strings.Cut(line, " ")
	var from, to conflictSide
	switch mark {
	case "<<<<<<<":
		from, to, c.labels.Ours = allSides, ourSide, label
		c.begun, c.sizes, c.based = number, [4]int{}, false
	case "|||||||":
		from, to, c.labels.Base, c.based = ourSide, baseSide, label, true
	case "=======":
		if from, to = ourSide, theirSide; c.side == baseSide {
			from = baseSide
		}
	case ">>>>>>>":
		from, to, c.labels.Theirs = theirSide, allSides, label
		c.lines = append(c.lines, fmt.Sprintf("%d-%d", c.begun, number))
		c.plain = c.plain || !c.based
		if !c.based && (c.sizes[ourSide] == 0 || c.sizes[theirSide] == 0) {
			c.keeps = append(c.keeps, "one side has nothing there, and without the common version nobody can say whether the other has added it")
		}
	default:
		return false, nil
	}
	if c.side != from {
		return true, &UnresolvedError{nil, fmt.Sprintf("line %d: the markers are not those of one conflict after the other", number)}
	}
	c.side = to
	return true, nil
}

// write gives a line to the sides that have it.
func (c *conflicted) write(line string) {
	c.sizes[c.side] += len(line)
	if c.side == allSides || c.side == ourSide {
		c.ours.WriteString(line)
	}
	if c.side == allSides || c.side == baseSide {
		c.base.WriteString(line)
	}
	if c.side == allSides || c.side == theirSide {
		c.theirs.WriteString(line)
	}
}
