package index

import (
	"context"
	"database/sql"
	"slices"
)

// A linkGraph is what some documents wait for, with everything that can be reached from
// them. An ambiguous link leads to all documents that it may mean.
type linkGraph struct {
	documents         map[int64]graphDocument
	waits, blockers   map[int64][]int64 // what a document names, and what names it as blocked
	parents, children map[int64][]int64
	ancestors         map[int64]map[int64]bool // as far as they were asked for
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

// An arc leads from a node to one that it waits for.
type arc struct{ from, to graphNode }

// loadGraph reads the graph around documents, level by level.
func loadGraph(ctx context.Context, tx *sql.Tx, from []int64) (*linkGraph, error) {
	g := &linkGraph{
		documents: map[int64]graphDocument{}, ancestors: map[int64]map[int64]bool{},
		waits: map[int64][]int64{}, blockers: map[int64][]int64{}, parents: map[int64][]int64{}, children: map[int64][]int64{},
	}
	for len(from) > 0 {
		level := jsonNumbers(from)
		next := map[int64]bool{}
		err := g.loadDocuments(ctx, tx, level)
		for _, edges := range []struct {
			into  map[int64][]int64
			query string
		}{
			{g.waits, `SELECT source, meant FROM link_meant WHERE source IN (SELECT value FROM json_each(?)) AND kind = 'waitsFor'`},
			{g.blockers, `SELECT meant, source FROM link_target WHERE meant IN (SELECT value FROM json_each(?)) AND kind = 'blocks'`},
			{g.parents, `SELECT source, meant FROM link_meant WHERE source IN (SELECT value FROM json_each(?)) AND kind = 'parent'`},
			{g.children, `SELECT meant, source FROM link_target WHERE meant IN (SELECT value FROM json_each(?)) AND kind = 'parent'`},
		} {
			if err == nil {
				err = readEdges(ctx, tx, edges.into, next, edges.query, level)
			}
		}
		if err != nil {
			return nil, err
		}
		from = from[:0:0]
		for doc := range next {
			if _, known := g.documents[doc]; !known {
				from = append(from, doc)
			}
		}
	}
	return g, nil
}

func (g *linkGraph) loadDocuments(ctx context.Context, tx *sql.Tx, docs string) error {
	_, err := readAll(ctx, tx, "linked documents", func(scan func(...any) error) (doc int64, err error) {
		var d graphDocument
		err = scan(&doc, &d.id, &d.path, &d.finished)
		g.documents[doc] = d
		return doc, err
	}, `SELECT doc, id, path, finished FROM document WHERE doc IN (SELECT value FROM json_each(?))`, docs)
	return err
}

// readEdges adds pairs of documents to edges, and those that are led to, to next.
func readEdges(ctx context.Context, tx *sql.Tx, edges map[int64][]int64, next map[int64]bool, query, docs string) error {
	_, err := readAll(ctx, tx, "links", func(scan func(...any) error) (to int64, err error) {
		var from int64
		if err = scan(&from, &to); err == nil && !slices.Contains(edges[from], to) {
			edges[from] = append(edges[from], to)
			next[to] = true
		}
		return to, err
	}, query, docs)
	return err
}

// from returns what a node waits for. A finished document waits for nothing, but its
// gate still holds back what is below it.
func (g *linkGraph) from(n graphNode) []graphNode {
	var to []graphNode
	if !n.gate && g.documents[n.doc].finished {
		return nil
	}
	for _, doc := range slices.Concat(g.waits[n.doc], g.blockers[n.doc]) {
		if !n.gate || !g.above(doc)[n.doc] {
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

// above returns the ancestors of a document.
func (g *linkGraph) above(doc int64) map[int64]bool {
	if known := g.ancestors[doc]; known != nil {
		return known
	}
	all := map[int64]bool{}
	for open := slices.Clone(g.parents[doc]); len(open) > 0; {
		parent := open[0]
		if open = open[1:]; !all[parent] {
			all[parent] = true
			open = append(open, g.parents[parent]...)
		}
	}
	g.ancestors[doc] = all
	return all
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
	clear(g.ancestors)
}

// waitsFor reports whether an arc is there since one document waits for another.
func (g *linkGraph) waitsFor(a arc) bool {
	return !a.to.gate && (slices.Contains(g.waits[a.from.doc], a.to.doc) || slices.Contains(g.blockers[a.from.doc], a.to.doc))
}

// path finds the shortest way from one node to another, both included; nil when there is
// none.
func (g *linkGraph) path(from, to graphNode) []graphNode {
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
			if _, seen := before[n]; !seen {
				before[n] = open[0]
				open = append(open, n)
			}
		}
	}
	return nil
}

// circle finds the shortest way round through an arc, as the ids of its documents from
// the arc's first on, which comes again at the end; nil when there is none.
func (g *linkGraph) circle(a arc) []string {
	way := g.path(a.to, a.from)
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
