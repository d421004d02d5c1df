package main

import (
	"context"
	"fmt"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/store"
	"issues-index/store/words"
)

// A documentTree has the documents of a page below their parents, where these are listed, too.
type documentTree struct {
	rows     []index.Row
	children map[int][]int // by row
	roots    []int
}

func newDocumentTree(ctx context.Context, ix *index.Index, rows []index.Row) (documentTree, error) {
	t := documentTree{rows: rows, children: map[int][]int{}}
	listed, at := map[string]int{}, map[string]int{} // rows, by folded id and by path
	for i, r := range rows {
		listed[store.FoldID(r.ID)], at[r.Path] = i, i
	}
	var other []string // parents that are written in another way, such as a number alone
	for _, r := range rows {
		id := store.LinkedID(r.Parent)
		if _, known := listed[store.FoldID(id)]; !known && id != "" {
			listed[store.FoldID(id)] = -1
			other = append(other, id)
		}
	}
	if len(other) > 0 {
		found, err := ix.GetBatch(ctx, other)
		if err != nil {
			return t, err
		}
		for i, l := range found {
			if row, ok := at[l.Row.Path]; ok && l.Err == nil {
				listed[store.FoldID(other[i])] = row
			}
		}
	}
	for i, r := range rows {
		if id := store.LinkedID(r.Parent); id != "" {
			if parent := listed[store.FoldID(id)]; parent >= 0 && parent != i {
				t.children[parent] = append(t.children[parent], i)
				continue
			}
		}
		t.roots = append(t.roots, i)
	}
	return t, nil
}

// each calls show for every document once, in the order of the tree. root counts the
// documents that stand below no other, from 1.
func (t documentTree) each(show func(row, depth, root int)) (roots int) {
	shown := make([]bool, len(t.rows))
	var branch func(i, depth int)
	branch = func(i, depth int) {
		if shown[i] { // parents that go round
			return
		}
		shown[i] = true
		if depth == 0 {
			roots++
		}
		show(i, depth, roots)
		for _, child := range t.children[i] {
			branch(child, depth+1)
		}
	}
	for _, i := range t.roots {
		branch(i, 0)
	}
	for i := range t.rows { // those on a circle of parents have no root
		branch(i, 0)
	}
	return roots
}

// printTree prints each document below its parent where that is listed, too. A parent has
// how many of the listed children are finished, and how many there are. limit is how many
// documents without a parent are shown: what is below one is never cut.
func (p *program) printTree(ctx context.Context, ix *index.Index, rows []index.Row, limit int) error {
	t, err := newDocumentTree(ctx, ix, rows)
	if err != nil {
		return err
	}
	roots, l := 0, p.workspaceLayout()
	err = p.print(nil, func(page *terminal.Page) {
		roots = t.each(func(i, depth, root int) {
			if root > limit {
				return
			}
			r, finished, progress := t.rows[i], 0, ""
			for _, child := range t.children[i] {
				if finishedStatus(l, t.rows[child].Status) {
					finished++
				}
			}
			if n := len(t.children[i]); n > 0 {
				progress = fmt.Sprintf(" %d/%d", finished, n)
			}
			page.Line("%s%s %s %s%s", indent(depth), page.Bold(r.ID),
				page.In(statusColour(l, r.Status), r.Status), r.Title, progress)
		})
	})
	if roots > limit {
		p.tell("%d of %s; --limit 0 shows all", limit, words.Count(roots, "tree"))
	}
	return err
}
