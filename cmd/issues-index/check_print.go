package main

import (
	"fmt"
	"strings"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index/repair"
	"issues-index/store"
	"issues-index/store/words"
)

// A checkJSON holds what check found, and what --fix did, for scripts.
type checkJSON struct {
	Problems  []checkedJSON `json:"problems"`
	Kinds     []kindJSON    `json:"kinds"`
	Hints     []problemJSON `json:"hints"` // they do not set the exit code
	Documents int           `json:"documents"`
	Before    int           `json:"before,omitempty"` // problems that --since leaves out
	*fixedJSON
}

// A checkedJSON is a problem and what --fix does about it.
type checkedJSON struct {
	problemJSON
	Fix string `json:"mend,omitempty"`
	Why string `json:"why,omitempty"`
}

// A kindJSON sums up the problems of one code.
type kindJSON struct {
	Code     string `json:"code"`
	Problems int    `json:"problems"`
	Fixable  int    `json:"mendable"`
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

// A problemJSON is a problem for scripts.
type problemJSON struct {
	Path    string `json:"path,omitempty"`
	File    string `json:"file,omitempty"`
	ID      string `json:"id,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
}

func newProblemJSON(p store.Problem) problemJSON {
	return problemJSON{Code: string(p.Code), Message: p.Message, Line: p.Line}
}

// foundJSON describes a problem and the document that has it.
func (p *program) foundJSON(found repair.Finding) problemJSON {
	one := newProblemJSON(found.Problem)
	one.Path, one.File, one.ID = found.Path, p.file(found.Path), found.ID
	return one
}

func (p *program) newCheckJSON(r *repair.Report) checkJSON {
	out := checkJSON{Problems: []checkedJSON{}, Kinds: []kindJSON{}, Hints: []problemJSON{}, Documents: r.Documents, Before: r.Before}
	for _, kind := range kinds(r.Problems) {
		sum := kindJSON{Code: string(kind[0].Problem.Code), Problems: len(kind), Fixable: fixable(kind)}
		known := repair.KindOf(kind[0].Problem.Code, p.workspaceLayout())
		sum.Rule, sum.Advice = known.Rule, known.Advice
		out.Kinds = append(out.Kinds, sum)
		for _, found := range kind {
			out.Problems = append(out.Problems, checkedJSON{p.foundJSON(found), found.Fix, found.Why})
		}
	}
	for _, hint := range r.Hints {
		out.Hints = append(out.Hints, p.foundJSON(hint))
	}
	return out
}

// kinds groups the problems of a report by their code.
func kinds(rest []repair.Finding) (groups [][]repair.Finding) {
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && rest[n].Problem.Code == rest[0].Problem.Code {
			n++
		}
		groups, rest = append(groups, rest[:n]), rest[n:]
	}
	return groups
}

// fixable counts the problems that --fix fixes.
func fixable(problems []repair.Finding) (n int) {
	for _, p := range problems {
		if p.Fix != "" {
			n++
		}
	}
	return n
}

// printReport prints the problems by kind, one line each. Editors can follow the form
// path:line: that a line begins with.
func (p *program) printReport(r *repair.Report) error {
	if p.json {
		return p.printJSON(p.newCheckJSON(r))
	}
	s := p.screen()
	if len(r.Problems) == 0 {
		p.printHints(s, r.Hints)
		none := "No problems"
		if len(r.Codes) > 0 {
			none += " of " + verb(len(r.Codes), "this kind", "these kinds")
		}
		_, err := fmt.Fprintf(p.out, "%s in %s%s.\n", none, words.Count(r.Total, "document"), sinceThen(r))
		return err
	}
	for _, kind := range kinds(r.Problems) {
		p.printKind(s, kind, len(kind))
	}
	p.printHints(s, r.Hints)
	fmt.Fprintf(p.out, "%s in %s%s\n", words.Count(len(r.Problems), "problem"), words.Count(r.Documents, "document"), sinceThen(r))
	if n := fixable(r.Problems); n > 0 {
		fmt.Fprintf(p.out, "issues-index check --fix fixes %d of them, after showing how\n", n)
	}
	return nil
}

// sinceThen says how many problems are left out because they were there before.
func sinceThen(r *repair.Report) string {
	if r.Before == 0 {
		return ""
	}
	return fmt.Sprintf(", besides %d that %s there before", r.Before, verb(r.Before, "was", "were"))
}

// printKind prints problems of one code, the first of so many.
func (p *program) printKind(s terminal.Screen, kind []repair.Finding, all int) {
	known, fixed := repair.KindOf(kind[0].Problem.Code, p.workspaceLayout()), fixable(kind)
	fmt.Fprintf(p.out, "%s %s\n", s.Paint(terminal.Bold, string(kind[0].Problem.Code)), s.Paint(terminal.Dim, fmt.Sprintf("(%d)", all)))
	if fixed > 0 {
		p.printAdvice(s, fmt.Sprintf("--fix fixes %d: %s", fixed, known.Rule))
	}
	if fixed < len(kind) {
		p.printAdvice(s, known.Advice)
	}
	for _, d := range kind {
		place := terminal.OneLine(d.Path)
		if d.Problem.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, d.Problem.Line)
		}
		line := fmt.Sprintf("%s: %s: %s", place, s.Paint(terminal.Yellow, string(d.Problem.Code)), terminal.OneLine(d.Problem.Message))
		switch {
		case d.Fix != "":
			line += s.Paint(terminal.Green, " [--fix: "+terminal.OneLine(d.Fix)+"]")
		case d.Why != "":
			line += s.Paint(terminal.Dim, " [not fixed: "+terminal.OneLine(d.Why)+"]")
		}
		fmt.Fprintln(p.out, line)
	}
	if left := all - len(kind); left > 0 {
		fmt.Fprintf(p.out, "and %d more\n", left)
	}
	fmt.Fprintln(p.out)
}

// printHints prints hints by kind: to a person the first ones, so that they do not bury problems.
func (p *program) printHints(s terminal.Screen, hints []repair.Finding) {
	most := p.atMost(5)
	for _, kind := range kinds(hints) {
		p.printKind(s, kind[:min(len(kind), most)], len(kind))
	}
}

// printAdvice prints what can be done, in lines that fit the screen.
func (p *program) printAdvice(s terminal.Screen, text string) {
	width := 90
	if s.Width > 0 {
		width = min(width, s.Width)
	}
	for line := range strings.SplitSeq(terminal.Reflowed(text, max(width-terminal.Gap, 20)), "\n") {
		fmt.Fprintf(p.out, "%*s%s\n", terminal.Gap, "", s.Paint(terminal.Dim, line))
	}
}

// printNothingToFix prints the problems that only a person can fix, if any.
func (p *program) printNothingToFix(r *repair.Report) error {
	if p.json {
		out := p.newCheckJSON(r)
		out.fixedJSON = newFixedJSON(nil, nil)
		return p.printJSON(out)
	}
	err := p.printReport(r)
	if err == nil && len(r.Problems) > 0 {
		_, err = fmt.Fprintln(p.out, "None of them can be fixed without guessing.")
	}
	return err
}

// printChanges shows each change: where a file moves, and the lines that go and come.
func (p *program) printChanges(r *repair.Report) error {
	p.printFileChanges(r.Changes)
	_, err := fmt.Fprintf(p.out, "\n%s, which %s %d of %s\n", words.Count(len(r.Changes), "change"), verb(len(r.Changes), "fixes", "fix"),
		fixable(r.Problems), words.Count(len(r.Problems), "problem"))
	return err
}

func (p *program) printFileChanges(changes []repair.FileChange) {
	s := p.screen()
	for _, c := range changes {
		switch {
		case c.Deletes():
			fmt.Fprintf(p.out, "%s %s\n", s.Paint(terminal.Bold, "delete"), terminal.OneLine(c.From))
		case c.Moves():
			fmt.Fprintf(p.out, "%s %s → %s\n", s.Paint(terminal.Bold, "move"), terminal.OneLine(c.From), terminal.OneLine(c.To))
		default:
			fmt.Fprintf(p.out, "%s %s\n", s.Paint(terminal.Bold, "edit"), terminal.OneLine(c.From))
		}
		if c.Why != "" {
			fmt.Fprintln(p.out, s.Paint(terminal.Dim, "  "+terminal.OneLine(c.Why)))
		}
		if c.Deletes() {
			continue
		}
		removed, added := c.Lines()
		for _, line := range removed {
			fmt.Fprintln(p.out, s.Paint(terminal.Red, "  - "+terminal.OneLine(line)))
		}
		for _, line := range added {
			fmt.Fprintln(p.out, s.Paint(terminal.Green, "  + "+terminal.OneLine(line)))
		}
	}
}

// verb returns the form of a verb that goes with a number of things.
func verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// printMade says how many changes were made, and why the others were not.
func (p *program) printMade(changes []repair.FileChange, errs []error) {
	made := 0
	for i, err := range errs {
		if err == nil {
			made++
			continue
		}
		fmt.Fprintf(p.out, "not changed: %s: %s\n", terminal.OneLine(changes[i].From), terminal.OneLine(changeReason(err)))
	}
	fmt.Fprintf(p.out, "Made %d of %s.\n", made, words.Count(len(changes), "change"))
}

// printLeft says which problems are left after the changes.
func (p *program) printLeft(left *repair.Report, changes []repair.FileChange, errs []error) error {
	if p.json {
		out := p.newCheckJSON(left)
		out.fixedJSON = newFixedJSON(changes, errs)
		return p.printJSON(out)
	}
	if len(left.Problems) == 0 {
		_, err := fmt.Fprintln(p.out, "No problems are left.")
		return err
	}
	_, err := fmt.Fprintf(p.out, "%s left that cannot be fixed without you; issues-index check says what to do about each.\n",
		words.Count(len(left.Problems), "problem")+" "+verb(len(left.Problems), "is", "are"))
	return err
}
