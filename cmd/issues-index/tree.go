package main

import (
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/store"
)

// printTree prints each document below its parent where that is listed, too. A parent has
// how many of the listed children are finished, and how many there are.
func (p *program) printTree(page index.Page) {
	listed := map[string]int{} // by folded id, a row
	for i, r := range page.Rows {
		listed[store.FoldID(r.ID)] = i
	}
	children := map[int][]int{}
	var roots []int
	for i, r := range page.Rows {
		if parent, ok := listed[store.FoldID(store.LinkedID(r.Parent))]; ok && r.Parent != "" && parent != i {
			children[parent] = append(children[parent], i)
			continue
		}
		roots = append(roots, i)
	}
	s, shown := p.screen(), make([]bool, len(page.Rows))
	var branch func(i, depth int)
	branch = func(i, depth int) {
		if shown[i] { // parents that go round
			return
		}
		shown[i] = true
		r, finished := page.Rows[i], 0
		for _, child := range children[i] {
			if finishedStatus(p.workspaceLayout(), page.Rows[child].Status) {
				finished++
			}
		}
		line := strings.Repeat("  ", depth) + s.paint(bold, oneLine(r.ID)) + " " + s.paint(statusColour(p.workspaceLayout(), r.Status), oneLine(r.Status)) + " " + oneLine(r.Title)
		if n := len(children[i]); n > 0 {
			line += fmt.Sprintf(" %d/%d", finished, n)
		}
		fmt.Fprintln(p.out, line)
		for _, child := range children[i] {
			branch(child, depth+1)
		}
	}
	for _, i := range roots {
		branch(i, 0)
	}
	for i := range page.Rows { // those on a circle of parents have no root
		branch(i, 0)
	}
}
