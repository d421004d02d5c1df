package index

import (
	"context"
	"slices"

	"issues-index/index/db"
	"issues-index/store"
)

// A linkGraph is what some documents wait for, with all that they must wait for before.
// An ambiguous link leads to all documents that it may mean.
type linkGraph struct {
	documents         map[int64]graphDocument
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
// for its own children is in no circle, and one that waits for what waits for a child is.
type graphNode struct {
	doc  int64
	gate bool
}

// mostAncestors is how many of the documents above one count, the nearest first, as in the
// views of migrations/links.sql. A chain of thousands would otherwise cost each of its
// documents a way to the top.
const mostAncestors = 20

// An arc leads from a node to one that it waits for.
type arc struct{ from, to graphNode }

// Links of a kind as pairs of documents: those of some documents, and those that lead to them.
const (
	linksOf   = `SELECT source, meant FROM link_meant WHERE source IN (SELECT value FROM json_each(?)) AND kind = ?`
	linksBack = `SELECT meant, source FROM link_target WHERE meant IN (SELECT value FROM json_each(?)) AND kind = ?`
)

// loadGraph reads the graph from documents on, level by level. It ends at finished
// documents, which wait for nothing, unless they are among those that it begins with or
// above one that it read.
func loadGraph(ctx context.Context, tx *db.Snapshot, begin []int64) (*linkGraph, error) {
	g := &linkGraph{
		documents: map[int64]graphDocument{},
		waits:     map[int64][]int64{}, blockers: map[int64][]int64{},
		parents: map[int64][]int64{}, children: map[int64][]int64{},
	}
	if err := g.loadDocuments(ctx, tx, begin); err != nil {
		return nil, err
	}
	read := map[graphNode]bool{}
	var level []graphNode
	reach := func(docs []int64, gate bool) {
		for _, doc := range docs {
			if n := (graphNode{doc, gate}); !read[n] {
				read[n] = true
				level = append(level, n)
			}
		}
	}
	reach(begin, false)
	for len(level) > 0 {
		nodes := level
		level = nil
		waits, err := g.loadEdges(ctx, tx, g.waits, linksOf, store.WaitsFor, nodes)
		if err != nil {
			return nil, err
		}
		blockers, err := g.loadEdges(ctx, tx, g.blockers, linksBack, store.Blocks, nodes)
		if err != nil {
			return nil, err
		}
		parents, err := g.loadEdges(ctx, tx, g.parents, linksOf, store.Parent, nodes)
		if err != nil {
			return nil, err
		}
		nodes = slices.DeleteFunc(nodes, func(n graphNode) bool { return n.gate })
		children, err := g.loadEdges(ctx, tx, g.children, linksBack, store.Parent, nodes)
		if err != nil {
			return nil, err
		}
		ahead := slices.Concat(waits, blockers, children)
		if err := g.loadDocuments(ctx, tx, slices.Concat(ahead, parents)); err != nil {
			return nil, err
		}
		reach(slices.DeleteFunc(ahead, func(doc int64) bool { return g.documents[doc].finished }), false)
		reach(parents, true)
	}
	return g, nil
}

// loadDocuments reads the documents that are not yet known.
func (g *linkGraph) loadDocuments(ctx context.Context, tx *db.Snapshot, docs []int64) error {
	docs = slices.DeleteFunc(slices.Clone(docs), func(doc int64) bool {
		_, known := g.documents[doc]
		return known
	})
	_, err := readAll(ctx, tx, "linked documents", func(scan func(...any) error) (doc int64, err error) {
		var d graphDocument
		err = scan(&doc, &d.id, &d.path, &d.finished)
		g.documents[doc] = d
		return doc, err
	}, `SELECT doc, id, path, finished FROM document WHERE doc IN (SELECT value FROM json_each(?))`, jsonNumbers(docs))
	return err
}

// loadEdges adds the pairs of documents that a query reads for nodes, and returns those that
// they lead to.
func (g *linkGraph) loadEdges(
	ctx context.Context, tx *db.Snapshot, edges map[int64][]int64, query string, kind store.LinkKind, nodes []graphNode,
) ([]int64, error) {
	docs := make([]int64, len(nodes))
	for i, n := range nodes {
		docs[i] = n.doc
	}
	return readAll(ctx, tx, "links", func(scan func(...any) error) (to int64, err error) {
		var from int64
		if err = scan(&from, &to); err == nil && !slices.Contains(edges[from], to) {
			edges[from] = append(edges[from], to)
		}
		return to, err
	}, query, jsonNumbers(docs), string(kind))
}

// from returns what a node waits for. A finished document waits for nothing, but its
// gate still holds back what is below it.
func (g *linkGraph) from(n graphNode) []graphNode {
	var to []graphNode
	if !n.gate && g.documents[n.doc].finished {
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
func (g *linkGraph) arcs() []arc {
	var all []arc
	for _, doc := range g.sorted() {
		for _, n := range []graphNode{{doc: doc}, {doc, true}} {
			for _, to := range g.from(n) {
				all = append(all, arc{n, to})
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

// waitsFor reports whether an arc is there since one document waits for another.
func (g *linkGraph) waitsFor(a arc) bool {
	return !a.to.gate && slices.Contains(slices.Concat(g.waits[a.from.doc], g.blockers[a.from.doc]), a.to.doc)
}

// path finds the shortest way between two nodes of a component, both included; nil when
// there is none. No such way leaves the component, so that only that is searched.
func (g *linkGraph) path(from, to graphNode, component map[graphNode]int) []graphNode {
	before := map[graphNode]graphNode{from: from}
	for open := []graphNode{from}; len(open) > 0; open = open[1:] {
		if open[0] == to {
			way := []graphNode{to}
			for at := to; at != from; {
				at = before[at]
				way = append(way, at)
			}
			slices.Reverse(way)
			return way
		}
		for _, n := range g.from(open[0]) {
			if _, seen := before[n]; !seen && component[n] == component[to] {
				before[n] = open[0]
				open = append(open, n)
			}
		}
	}
	return nil
}

// circle finds the shortest way round through an arc within a component, as the ids of its
// documents from the arc's first on, which comes again at the end; nil when there is none.
func (g *linkGraph) circle(a arc, component map[graphNode]int) []string {
	way := g.path(a.to, a.from, component)
	if way == nil {
		return nil
	}
	ids := []string{g.documents[a.from.doc].id}
	for _, n := range way {
		ids = append(ids, g.documents[n.doc].id)
	}
	return ids
}

// sorted are the documents in the order of their paths.
func (g *linkGraph) sorted() []int64 {
	docs := make([]int64, 0, len(g.documents))
	for doc := range g.documents {
		docs = append(docs, doc)
	}
	slices.SortFunc(docs, func(a, b int64) int {
		if g.documents[a].path < g.documents[b].path {
			return -1
		}
		return 1
	})
	return docs
}
