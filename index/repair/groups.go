package repair

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// A ProblemGroup is the problems of one code.
type ProblemGroup struct {
	ProblemKind
	Found   []Finding
	Fixable int // how many of them Fix ends
}

// GroupsOf groups findings that are in the order of a Report by their code.
func GroupsOf(found []Finding, l *layout.Layout) (groups []ProblemGroup) {
	for _, f := range found {
		if n := len(groups); n == 0 || groups[n-1].Code != f.Problem.Code {
			groups = append(groups, ProblemGroup{ProblemKind: KindOf(f.Problem.Code, l)})
			groups[n].Code = f.Problem.Code // also of an unknown kind
		}
		g := &groups[len(groups)-1]
		if g.Found = append(g.Found, f); f.Fix != "" {
			g.Fixable++
		}
	}
	return groups
}

// titles are what kinds are called whose codes are no plain words.
var titles = map[store.ProblemCode]string{
	frontmatter.ProblemInvalidYAML:  "Frontmatter that is not YAML",
	frontmatter.ProblemNotUTF8:      "Text that is not UTF-8",
	frontmatter.ProblemNUL:          "Files with NUL bytes",
	frontmatter.ProblemIDFilename:   "Id and file name disagree",
	frontmatter.ProblemStatusFolder: "Status and folder disagree",
	DuplicateID:                     "One id of several documents",
	problemViews:                    "Mistakes in the views",
	"case-twin":                     "File names that some systems take for one",
	"dangling-parent":               "Unknown parent",
	"parent-cycle":                  "Documents that are their own ancestors",
	"dependency-cycle":              "Documents that wait for each other",
	"dangling-dependency":           "Waiting for an unknown document",
	"ambiguous-dependency":          "Waiting for one of several documents",
	"broken-link":                   "Links that lead nowhere",
}

// Title is what the kind is called on a page.
func (k ProblemKind) Title() string {
	code := string(k.Code)
	return cmp.Or(titles[k.Code], strings.ToUpper(code[:1])+strings.ReplaceAll(code[1:], "-", " "))
}

// Repairs returns the command that mends some problems of the kind, "" where none does.
func (k ProblemKind) Repairs() string {
	if k.Rule == "" && k.Code != DuplicateID {
		return ""
	}
	return "issues-index check --fix " + string(k.Code)
}

// Known lists the problems that the index and the file of views tell, and its broken links, in the
// order of Check, which reads every file and the commits besides. No changes are chosen.
func Known(ctx context.Context, ix *index.Index) ([]Finding, error) {
	problems, err := ix.Problems(ctx)
	if err != nil {
		return nil, err
	}
	links, err := ix.BrokenLinks(ctx)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	for _, p := range slices.Concat(problems, links) {
		r.Problems = append(r.Problems, Finding{DocumentProblem: p})
	}
	others, err := wrongViews(ctx, ix)
	r.Problems = append(r.Problems, others...)
	r.sort()
	return r.Problems, err
}
