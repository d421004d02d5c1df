package main

import (
	"fmt"
	"strings"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index/repair"
	"issues-index/store/words"
)

// A checkJSON holds what check found, and what --fix did, for scripts.
type checkJSON struct {
	Problems  []problemJSON `json:"problems"`
	Kinds     []kindJSON    `json:"kinds"`
	Hints     []problemJSON `json:"hints"` // they do not set the exit code
	Documents int           `json:"documents"`
	Before    int           `json:"before,omitempty"` // problems that --since leaves out
	*fixedJSON
}

// A problemJSON is a problem for scripts, and what --fix does about it.
type problemJSON struct {
	Path    string `json:"path,omitempty"`
	File    string `json:"file,omitempty"`
	ID      string `json:"id,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Fix     string `json:"fix,omitempty"`
	Why     string `json:"why,omitempty"`
}

// A kindJSON sums up the problems of one code.
type kindJSON struct {
	Code     string `json:"code"`
	Problems int    `json:"problems"`
	Fixable  int    `json:"fixable"`
	Rule     string `json:"rule,omitempty"`
	Advice   string `json:"advice"`
}

// A fixedJSON lists the changes of --fix.
type fixedJSON struct {
	Changes []fileChangeJSON `json:"fixes"`
	Applied bool             `json:"applied"` // false when the changes were only shown
}

type fileChangeJSON struct {
	Path    string   `json:"path"`
	To      string   `json:"to,omitempty"`
	Deleted bool     `json:"deleted,omitempty"`
	Why     string   `json:"why,omitempty"`
	Codes   []string `json:"codes,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Added   []string `json:"added,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// newFixedJSON describes changes; errs has an error or nil for each, and is nil when none
// was made.
func newFixedJSON(changes []repair.FileChange, errs []error) *fixedJSON {
	out := &fixedJSON{Changes: []fileChangeJSON{}, Applied: errs != nil}
	for i, c := range changes {
		one := fileChangeJSON{Path: c.From, Deleted: c.Deletes(), Why: c.Why}
		if c.Moves() {
			one.To = c.To
		}
		for _, code := range c.Codes {
			one.Codes = append(one.Codes, string(code))
		}
		one.Removed, one.Added = c.Lines()
		if len(errs) > i && errs[i] != nil {
			one.Error = changeReason(errs[i])
		}
		out.Changes = append(out.Changes, one)
	}
	return out
}

func (p *program) newProblemsJSON(found []repair.Finding) []problemJSON {
	list := make([]problemJSON, len(found))
	for i, f := range found {
		list[i] = problemJSON{
			f.Path, p.file(f.Path), f.ID, string(f.Problem.Code), f.Problem.Message, f.Problem.Line, f.Fix, f.Why,
		}
	}
	return list
}

func fixable(found []repair.Finding) (n int) {
	for _, f := range found {
		if f.Fix != "" {
			n++
		}
	}
	return n
}

// printReport prints the problems by kind, one line each, and for scripts what --fix did. Editors can
// follow the form path:line: that a line begins with.
func (p *program) printReport(r *repair.Report, fixed *fixedJSON) error {
	groups := repair.GroupsOf(r.Problems, p.workspaceLayout())
	out := checkJSON{p.newProblemsJSON(r.Problems), []kindJSON{}, p.newProblemsJSON(r.Hints), r.Documents, r.Before, fixed}
	for _, g := range groups {
		out.Kinds = append(out.Kinds, kindJSON{string(g.Code), len(g.Found), g.Fixable, g.Rule, g.Advice})
	}
	return p.print(out, func(page *terminal.Page) {
		for _, g := range groups {
			layGroup(page, g, len(g.Found))
		}
		for _, g := range repair.GroupsOf(r.Hints, p.workspaceLayout()) {
			layGroup(page, g, p.atMost(5)) // so that hints do not bury problems
		}
		since := ""
		if r.Before > 0 {
			since = fmt.Sprintf(", besides %d that %s there before", r.Before, verb(r.Before, "was", "were"))
		}
		if len(r.Problems) == 0 {
			none := "No problems"
			if len(r.Codes) > 0 {
				none += " of " + verb(len(r.Codes), "this kind", "these kinds")
			}
			page.Line("%s in %s%s.", none, words.Count(r.Total, "document"), since)
			return
		}
		page.Line("%s in %s%s", words.Count(len(r.Problems), "problem"), words.Count(r.Documents, "document"), since)
		switch n := fixable(r.Problems); {
		case n > 0:
			page.Line("issues-index check --fix fixes %d of them, after showing how", n)
		case fixed != nil:
			page.Line("None of them can be fixed without guessing.")
		}
	})
}

// layGroup lays out problems of one code, at most so many.
func layGroup(page *terminal.Page, g repair.ProblemGroup, most int) {
	code := string(g.Code)
	page.Line("%s %s", page.Bold(code), page.Dim(fmt.Sprintf("(%d)", len(g.Found))))
	if g.Fixable > 0 {
		layAdvice(page, fmt.Sprintf("--fix fixes %d: %s", g.Fixable, g.Rule))
	}
	if g.Fixable < len(g.Found) {
		layAdvice(page, g.Advice)
	}
	for _, f := range g.Found[:min(len(g.Found), most)] {
		place := f.Path
		if f.Problem.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, f.Problem.Line)
		}
		var end terminal.Styled
		switch {
		case f.Fix != "":
			end = page.In(terminal.Green, " [--fix: "+f.Fix+"]")
		case f.Why != "":
			end = page.Dim(" [not fixed: " + f.Why + "]")
		}
		page.Line("%s: %s: %s%s", place, page.In(terminal.Yellow, code), f.Problem.Message, end)
	}
	if left := len(g.Found) - most; left > 0 {
		page.Line("and %d more", left)
	}
	page.Line("")
}

// layAdvice lays out what can be done, in lines that fit the screen.
func layAdvice(page *terminal.Page, text string) {
	width := 90
	if page.Width > 0 {
		width = min(width, page.Width)
	}
	for line := range strings.SplitSeq(terminal.Reflowed(text, max(width-terminal.Gap, 20)), "\n") {
		page.Line("%*s%s", terminal.Gap, "", page.Dim(line))
	}
}

// layChanges lays out each change, and how many problems they fix.
func layChanges(page *terminal.Page, r *repair.Report) {
	layFileChanges(page, r.Changes)
	page.Line("\n%s, which %s %d of %s", words.Count(len(r.Changes), "change"), verb(len(r.Changes), "fixes", "fix"),
		fixable(r.Problems), words.Count(len(r.Problems), "problem"))
}

// layFileChanges lays out where each file moves, and the lines that go and come.
func layFileChanges(page *terminal.Page, changes []repair.FileChange) {
	for _, c := range changes {
		what, from := "edit", c.From
		switch {
		case c.Deletes():
			what = "delete"
		case c.Moves():
			what, from = "move", from+" → "+c.To
		}
		page.Line("%s %s", page.Bold(what), from)
		if c.Why != "" {
			page.Line("%s", page.Dim("  "+c.Why))
		}
		if c.Deletes() {
			continue
		}
		removed, added := c.Lines()
		for _, line := range removed {
			page.Line("%s", page.In(terminal.Red, "  - "+line))
		}
		for _, line := range added {
			page.Line("%s", page.In(terminal.Green, "  + "+line))
		}
	}
}

// layMade says how many changes were made, why the others were not, and which problems are left.
func layMade(page *terminal.Page, changes []repair.FileChange, errs []error, left *repair.Report) {
	made := 0
	for i, err := range errs {
		if err == nil {
			made++
			continue
		}
		page.Line("not changed: %s: %s", changes[i].From, changeReason(err))
	}
	page.Line("Made %d of %s.", made, words.Count(len(changes), "change"))
	if n := len(left.Problems); n > 0 {
		page.Line("%s %s left that cannot be fixed without you; issues-index check says what to do about each.",
			words.Count(n, "problem"), verb(n, "is", "are"))
	} else {
		page.Line("No problems are left.")
	}
}

// verb returns the form of a verb that goes with a number of things.
func verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
