package layout

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/pattern"
)

// A Naming says how documents are named: what their ids look like, and their files.
type Naming struct {
	IDs      map[string]IDPattern // by type, each has one
	FileName FileName
	IDScheme string // SchemeNumber or SchemeHash
}

// An IDPattern is how the ids of a type are made: TASK-{n:3}[.{n}] gives TASK-001, and
// TASK-001.1 for the first document below that one.
type IDPattern struct {
	Prefix string // "" where an id is nothing but a number
	Digits int    // of the number at least
	// Separator stands between the id of the parent and the number of the child, which
	// has ChildDigits at least. It is "" where the id of a child says nothing of its parent.
	Separator   string
	ChildDigits int
}

// Format is the id with a number.
func (p IDPattern) Format(number int) string {
	return fmt.Sprintf("%s%0*d", p.Prefix, p.Digits, number)
}

// Child is the id of the child with a number.
func (p IDPattern) Child(parent string, number int) string {
	return fmt.Sprintf("%s%s%0*d", parent, p.Separator, p.ChildDigits, number)
}

func (p IDPattern) String() string {
	text := p.Prefix + placeholder(p.Digits)
	if p.Separator != "" {
		text += "[" + p.Separator + placeholder(p.ChildDigits) + "]"
	}
	return text
}

func placeholder(digits int) string {
	if digits == 1 {
		return "{n}"
	}
	return "{n:" + strconv.Itoa(digits) + "}"
}

// A FileName is how the files of new documents are named, without the ending.
type FileName struct {
	LowerID   bool   // the id is in lower case there
	Separator string // between id and title, of blanks and hyphens
	Title     string // TitleSlug, TitleText, or "" where names are nothing but the id
}

// How a title stands in a file's name.
const (
	TitleSlug = "slug"  // lower case, ASCII letters and digits, hyphens for the rest
	TitleText = "title" // as it is, hyphens for blanks, without what file systems or shells mind
)

func (f FileName) String() string {
	text := "{id}"
	if f.LowerID {
		text = "{id:lower}"
	}
	if f.Title != "" {
		text += f.Separator + "{" + f.Title + "}"
	}
	return text
}

// defaultNaming is that of a workspace that configures none.
var defaultNaming = Naming{
	IDs: map[string]IDPattern{
		"issue":         {Prefix: "ISS-", Digits: 6},
		"specification": {Prefix: "SPEC-", Digits: 6},
		"idea":          {Prefix: "IDEA-", Digits: 6},
	},
	FileName: FileName{Separator: "-", Title: TitleSlug},
	IDScheme: SchemeNumber,
}

const (
	allowedIDPattern = "the pattern of the issues' ids, like TASK-{n}, TASK-{n:3} for three digits or TASK-{n}[.{n}] " +
		"for children like TASK-1.2 (with a point or _), or a block of issue, specification and idea with a pattern each"
	allowedFileName = "{id} or {id:lower}, alone or followed by blanks or hyphens and {slug} or {title}"
)

var (
	idPattern = pattern.Lazy(`^([A-Za-z](?:[A-Za-z0-9_-]{0,18}[A-Za-z_-])?)?\{n(?::([1-9]))?\}` +
		`(?:\[([._])\{n(?::([1-9]))?\}\])?$`)
	fileName = pattern.Lazy(`^\{id(:lower)?\}(?:([ -]{1,5})\{(slug|title)\})?$`)
)

// ids reads the pattern of the issues, or a block of types with a pattern each.
func (d *decoder) ids() {
	patterns := map[string]string{"issue": d.node.Value}
	if d.node.Kind == yaml.MappingNode {
		patterns = nil
	}
	if patterns == nil && !d.decode(&patterns) || !known(d, patterns, Types...) {
		return
	}
	ids := maps.Clone(defaultNaming.IDs)
	for docType, text := range patterns {
		if !d.text(d.property.Name, text, allowedIDPattern, idPattern().MatchString) {
			continue
		}
		m := idPattern().FindStringSubmatch(text)
		p := IDPattern{Prefix: m[1], Digits: digits(m[2]), Separator: m[3]}
		if p.Separator != "" {
			p.ChildDigits = digits(m[4])
		}
		ids[docType] = p
	}
	for i, docType := range Types {
		for _, other := range Types[:i] {
			if strings.EqualFold(ids[docType].Prefix, ids[other].Prefix) {
				d.problem("", "the ids of %s and %s begin alike: give them different patterns", other, docType)
			}
		}
	}
	d.layout.IDs = ids
}

// digits reads how many digits a number has at least.
func digits(text string) int {
	if text == "" {
		return 1
	}
	return int(text[0] - '0')
}

// fileName reads the pattern of files' names.
func (d *decoder) fileName() {
	var text string
	if d.oneText(&text, fileName().MatchString) {
		m := fileName().FindStringSubmatch(text)
		d.layout.FileName = FileName{LowerID: m[1] != "", Separator: m[2], Title: m[3]}
	}
}

// MarshalText writes a pattern as it is read.
func (f FileName) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// MarshalText writes a pattern as it is read.
func (p IDPattern) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
