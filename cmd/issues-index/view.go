package main

import (
	"fmt"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/store"
)

// viewTable makes a table with the columns that a view asks for.
func viewTable(rows []index.Row, names []string) *table {
	t := &table{}
	for _, name := range names {
		c := column{title: strings.ToUpper(name)}
		switch name {
		case "id":
			c.least = 20
		case "title":
			c.least = 32
		case "status":
			c.colour = statusColour
		case "priority":
			c.colour = priorityColour
		}
		t.columns = append(t.columns, c)
	}
	for _, r := range rows {
		cells := make([]string, len(names))
		for i, name := range names {
			cells[i] = cellOf(r, name)
		}
		t.add(cells...)
	}
	return t
}

// cellOf is one of the fields that views may show.
func cellOf(r index.Row, name string) string {
	switch name {
	case "id":
		return r.ID
	case "title":
		return r.Title
	case "type":
		return r.Type
	case "status":
		return r.Status
	case "priority":
		return r.Priority
	case "labels":
		return strings.Join(r.Labels, ",")
	case "assignee":
		return r.Assignee
	case "project":
		return r.Project
	case "parent":
		return r.Parent
	case "created":
		return dayOf(r.Created)
	case "updated":
		return dayOf(r.Updated)
	case "closed":
		return dayOf(r.Closed)
	}
	return r.Boxes.String()
}

func dayOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// printTree prints each document below its parent where that is listed, too. A parent has
// how many of the listed children are finished, and how many there are.
func (p *program) printTree(page index.Page) error {
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
			if status := page.Rows[child].Status; status == "closed" || status == "cancelled" {
				finished++
			}
		}
		line := strings.Repeat("  ", depth) + s.paint(bold, oneLine(r.ID)) + " " + s.paint(statusColour(r.Status), oneLine(r.Status)) + " " + oneLine(r.Title)
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
	if page.Remaining > 0 {
		fmt.Fprintf(p.errOut, "%d of %d documents; --limit 0 shows all.\n", len(page.Rows), page.Total)
	}
	return nil
}
