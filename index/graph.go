package index

import (
	"context"
	"maps"
	"slices"
	"strings"

	"issues-index/index/db"
	"issues-index/store"
)

// A linkGraph is what some documents wait for, with all that they must wait for before.
// An ambiguous link leads to all documents that it may mean.
type linkGraph struct {
	documents         map[int64]*graphDocument
	waits, blockers   map[int64][]int64 // what a document names, and what names it as blocked
	parents, children map[int64][]int64
}

type graphDocument struct {
	id, path string
	finished bool
}

// A graphNode is one of two that each document has. A document waits for what it names, for
// its children, and for the gates of its parents; a gate waits for what its document
// names outside of its own descendants, and for the gates above. So a parent that waits
// for its own children is in no circle, while a parent that waits
// for what waits for a child is in a circle.
type graphNode struct {
	doc  int64
	gate bool
}

// mostAncestors is how many of the documents above one count, the nearest first, as in the
// views of migrations/links.sql. A chain of thousands would otherwise cost each of its
// documents a way to the top.
const mostAncestors = 20

// An arc leads from a node to a node that it waits for.
type arc struct{ from, to graphNode }

// graphFrom selects the documents that can be reached from some, and then their links. The
// way ends at finished documents, which wait for nothing, unless they are among those that it
// begins with or above a document on it.
const graphFrom = `WITH RECURSIVE node (doc, gate) AS (
		SELECT value, false FROM json_each(?1)
		UNION
		SELECT d.doc, false FROM node CROSS JOIN document d ON d.doc IN (
			SELECT meant FROM link_meant WHERE source = node.doc AND kind = 'waitsFor'
			UNION ALL
			SELECT source FROM link_target WHERE meant = node.doc 
				AND (kind = 'blocks' OR kind = 'parent' AND NOT node.gate))
		WHERE NOT d.finished
		UNION
		SELECT d.doc, true FROM node CROSS JOIN document d ON d.doc IN (
			SELECT meant FROM link_meant WHERE source = node.doc AND kind = 'parent')
	)
	SELECT doc, id, path, finished, '', 0 FROM document WHERE doc IN (SELECT doc FROM node)
	UNION ALL
	SELECT m.source, '', '', false, m.kind, m.meant
	FROM (SELECT DISTINCT doc FROM node) n CROSS JOIN link_meant m ON m.source = n.doc`

// loadGraph reads the graph from documents on.
func loadGraph(ctx context.Context, tx *db.Snapshot, begin []int64) (*linkGraph, error) {
	g := &linkGraph{
		documents: map[int64]*graphDocument{},
		waits:     map[int64][]int64{}, blockers: map[int64][]int64{},
		parents: map[int64][]int64{}, children: map[int64][]int64{},
	}
	type graphRow struct {
		Doc      int64
		ID, Path string
		Finished bool
		Kind     store.LinkKind
		To       int64
	}
	rows, err := readRows[graphRow](ctx, tx, "links", graphFrom, jsonNumbers(begin))
	for _, r := range rows {
		switch r.Kind {
		case "":
			g.documents[r.Doc] = &graphDocument{r.ID, r.Path, r.Finished}
		case store.WaitsFor:
			g.waits[r.Doc] = append(g.waits[r.Doc], r.To)
		case store.Blocks:
			g.blockers[r.To] = append(g.blockers[r.To], r.Doc)
		case store.Parent:
			g.setParents(r.Doc, append(g.parents[r.Doc], r.To))
		}
	}
	return g, err
}

// from returns what a node waits for. A finished document waits for nothing, but its
// gate still holds back what is below it.
func (g *linkGraph) from(n graphNode) []graphNode {
	var to []graphNode
	if d := g.documents[n.doc]; d == nil || d.finished && !n.gate {
		return nil
	}
	for _, doc := range slices.Concat(g.waits[n.doc], g.blockers[n.doc]) {
		if !n.gate || !g.isBelow(doc, n.doc) {
			to = append(to, graphNode{doc: doc})
		}
	}
	if !n.gate {
		for _, doc := range g.children[n.doc] {
			to = append(to, graphNode{doc: doc})
		}
	}
	for _, doc := range g.parents[n.doc] {
		to = append(to, graphNode{doc, true})
	}
	return to
}

// isBelow reports whether a document is among the nearest ancestors of another.
func (g *linkGraph) isBelow(doc, ancestor int64) bool {
	nearest := slices.Clone(g.parents[doc])
	for i := 0; i < min(len(nearest), mostAncestors); i++ {
		if nearest[i] == ancestor {
			return true
		}
		for _, parent := range g.parents[nearest[i]] {
			if !slices.Contains(nearest, parent) {
				nearest = append(nearest, parent)
			}
		}
	}
	return false
}

// arcs lists all arcs, in the order of the documents' paths.
func (g *linkGraph) arcs() (all []arc) {
	for _, doc := range g.sorted() {
		for _, gate := range []bool{false, true} {
			from := graphNode{doc, gate}
			for _, to := range g.from(from) {
				all = append(all, arc{from, to})
			}
		}
	}
	return all
}

// setParents gives a document other parents.
func (g *linkGraph) setParents(doc int64, parents []int64) {
	for _, old := range g.parents[doc] {
		g.children[old] = slices.DeleteFunc(g.children[old], func(child int64) bool { return child == doc })
	}
	for _, parent := range parents {
		g.children[parent] = append(g.children[parent], doc)
	}
	g.parents[doc] = parents
}

// circle finds the shortest way round through an arc within a component, as the ids of its
// documents from the arc's first on, which comes again at the end. No such way leaves the
// component, so that only that is searched.
func (g *linkGraph) circle(a arc, component map[graphNode]int) []string {
	before := map[graphNode]graphNode{a.to: a.from}
	for open := []graphNode{a.to}; len(open) > 0; open = open[1:] {
		for _, n := range g.from(open[0]) {
			if _, seen := before[n]; !seen && component[n] == component[a.from] {
				before[n] = open[0]
				open = append(open, n)
			}
		}
	}
	ids := []string{g.documents[a.from.doc].id}
	for at := before[a.from]; ; at = before[at] {
		ids = append(ids, g.documents[at.doc].id)
		if at == a.from {
			slices.Reverse(ids)
			return ids
		}
	}
}

// sorted are the documents in the order of their paths.
func (g *linkGraph) sorted() []int64 {
	return slices.SortedFunc(maps.Keys(g.documents), func(a, b int64) int {
		return strings.Compare(g.documents[a].path, g.documents[b].path)
	})
}
