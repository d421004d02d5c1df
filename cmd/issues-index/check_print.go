package main

import (
	"fmt"
	"strings"

	"issues-index/index/repair"
	"issues-index/store"
)

// A checkJSON is what check found, and with --fix did, for scripts.
type checkJSON struct {
	Problems  []checkedJSON `json:"problems"`
	Kinds     []kindJSON    `json:"kinds"`
	Documents int           `json:"documents"`
	*fixedJSON
}

// A checkedJSON is a problem and what --fix does about it.
type checkedJSON struct {
	problemJSON
	Mend   string `json:"mend,omitempty"`
	Advice string `json:"advice,omitempty"`
	Why    string `json:"why,omitempty"`
}

// A kindJSON sums the problems of one code up.
type kindJSON struct {
	Code     string `json:"code"`
	Problems int    `json:"problems"`
	Mendable int    `json:"mendable"`
	Rule     string `json:"rule,omitempty"`
	Advice   string `json:"advice"`
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

func (p *program) newCheckJSON(r *repair.Report) checkJSON {
	out := checkJSON{Problems: []checkedJSON{}, Kinds: []kindJSON{}, Documents: r.Documents}
	for _, kind := range kinds(r) {
		sum := kindJSON{Code: string(kind[0].Problem.Code), Problems: len(kind), Mendable: mendable(kind)}
		known := repair.KindOf(kind[0].Problem.Code)
		sum.Rule, sum.Advice = known.Rule, known.Advice
		out.Kinds = append(out.Kinds, sum)
		for _, found := range kind {
			one := checkedJSON{newProblemJSON(found.Problem), found.Mend, found.Advice, found.Why}
			one.Path, one.File, one.ID = found.Path, p.file(found.Path), found.ID
			out.Problems = append(out.Problems, one)
		}
	}
	return out
}

// kinds are the problems of a report, those of one code together.
func kinds(r *repair.Report) (groups [][]repair.Problem) {
	rest := r.Problems
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && rest[n].Problem.Code == rest[0].Problem.Code {
			n++
		}
		groups, rest = append(groups, rest[:n]), rest[n:]
	}
	return groups
}

// mendable counts the problems that --fix mends.
func mendable(problems []repair.Problem) (n int) {
	for _, p := range problems {
		if p.Mend != "" {
			n++
		}
	}
	return n
}

// printReport prints the problems by kind, one line each, in the form
// path:line: that editors know how to follow.
func (p *program) printReport(r *repair.Report) error {
	if p.json {
		return p.printJSON(p.newCheckJSON(r))
	}
	if len(r.Problems) == 0 {
		_, err := fmt.Fprintf(p.out, "No problems in %s.\n", plural(r.Total, "document"))
		return err
	}
	s := p.screen()
	for _, kind := range kinds(r) {
		p.printKind(s, kind)
	}
	fmt.Fprintf(p.out, "%s in %s\n", plural(len(r.Problems), "problem"), plural(r.Documents, "document"))
	if n := mendable(r.Problems); n > 0 {
		fmt.Fprintf(p.out, "issues-index check --fix fixes %d of them, after showing how\n", n)
	}
	return nil
}

func (p *program) printKind(s screen, kind []repair.Problem) {
	known, mended := repair.KindOf(kind[0].Problem.Code), mendable(kind)
	fmt.Fprintf(p.out, "%s %s\n", s.paint(bold, string(kind[0].Problem.Code)), s.paint(dim, fmt.Sprintf("(%d)", len(kind))))
	if mended > 0 {
		p.printAdvice(s, fmt.Sprintf("--fix fixes %d: %s", mended, known.Rule))
	}
	if mended < len(kind) {
		p.printAdvice(s, known.Advice)
	}
	for _, d := range kind {
		place := oneLine(d.Path)
		if d.Problem.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, d.Problem.Line)
		}
		line := fmt.Sprintf("%s: %s: %s", place, s.paint(yellow, string(d.Problem.Code)), oneLine(d.Problem.Message))
		switch {
		case d.Mend != "":
			line += s.paint(green, " [--fix: "+oneLine(d.Mend)+"]")
		case d.Advice != "":
			line += s.paint(dim, " ["+oneLine(d.Advice)+"]")
		case d.Why != "":
			line += s.paint(dim, " [not fixed: "+oneLine(d.Why)+"]")
		}
		fmt.Fprintln(p.out, line)
	}
	fmt.Fprintln(p.out)
}

// printAdvice prints what can be done, as wide as the screen or a page.
func (p *program) printAdvice(s screen, text string) {
	width := 90
	if s.width > 0 {
		width = min(width, s.width)
	}
	for line := range strings.SplitSeq(reflowed(text, max(width-gap, 20)), "\n") {
		fmt.Fprintf(p.out, "%*s%s\n", gap, "", s.paint(dim, line))
	}
}
