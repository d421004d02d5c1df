package index

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"issues-index/index/db"
	"issues-index/store"
)

// circles numbers the groups of nodes that all wait for each other, from 1; a node that is
// in none is left out. These are the strongly connected components, which Tarjan's
// algorithm finds in one pass.
func (g *linkGraph) circles() map[graphNode]int {
	place, low := map[graphNode]int{}, map[graphNode]int{}
	component := map[graphNode]int{}
	components := 0
	var stack []graphNode
	var visit func(n graphNode)
	visit = func(n graphNode) {
		at, number := len(stack), len(place)+1
		place[n], low[n] = number, number
		stack = append(stack, n)
		to := g.from(n)
		for _, next := range to {
			if place[next] == 0 {
				visit(next)
				low[n] = min(low[n], low[next])
			}
			low[n] = min(low[n], place[next])
		}
		if low[n] < number {
			return
		}
		members := stack[at:]
		stack = stack[:at]
		if len(members) > 1 || slices.Contains(to, n) {
			components++
		}
		for _, member := range members {
			if len(members) > 1 || slices.Contains(to, n) {
				component[member] = components
			}
			place[member], low[member] = math.MaxInt, math.MaxInt // of another group than all that come
		}
	}
	for doc := range g.documents {
		if n := (graphNode{doc: doc}); place[n] == 0 {
			visit(n)
		}
	}
	return component
}

const (
	// mostNamed is how many documents of a cycle a problem names: more are no help.
	mostNamed = 10
	// mostSearched is up to how many nodes a group of documents that wait for each other
	// has a way round found for each of them. It takes a look at the group for each one, so
	// that 10,000 documents would take minutes.
	mostSearched = 200
)

// dependencyCycles finds unfinished documents that wait for themselves. Where parents
// alone go round, that is a problem of its own.
func dependencyCycles(ctx context.Context, tx *db.Snapshot) ([]DocumentProblem, error) {
	// Each document on a way round has a link, or the next one has a link back.
	const all = `SELECT group_concat(DISTINCT doc) FROM link JOIN document USING (doc) WHERE NOT finished`
	linked, err := numbers(ctx, tx, all)
	if err != nil {
		return nil, err
	}
	g, err := loadGraph(ctx, tx, linked)
	if err != nil {
		return nil, err
	}
	component := g.circles()
	waiting := map[int]bool{} // the groups that more than parents hold together
	for n, number := range component {
		for _, to := range slices.Concat(g.waits[n.doc], g.blockers[n.doc]) {
			if component[graphNode{doc: to}] == number && slices.Contains(g.from(n), graphNode{doc: to}) {
				waiting[number] = true
			}
		}
	}
	const advice = "remove one of these links"
	return g.problems(component, waiting, problemDependencyCycle, "it waits for itself: ", advice), nil
}

// problems names a way round for each document in some groups.
func (g *linkGraph) problems(
	component map[graphNode]int, groups map[int]bool, code store.ProblemCode, what, advice string,
) (found []DocumentProblem) {
	if len(groups) == 0 {
		return nil
	}
	members := map[int]int{}      // nodes of a group
	example := map[int][]string{} // a way round in a group
	for _, number := range component {
		members[number]++
	}
	for _, doc := range g.sorted() {
		at := graphNode{doc: doc}
		if !groups[component[at]] {
			at.gate = true // it may be in a group of its own, beside one of parents
		}
		group := component[at]
		if !groups[group] {
			continue
		}
		message := what
		if members[group] > mostSearched {
			message = "it is one of many documents in one circle, of which these are some: "
		}
		if example[group] == nil || members[group] <= mostSearched {
			example[group] = g.cycleOf(at, component)
		}
		d := g.documents[doc]
		found = append(found, DocumentProblem{d.path, d.id, store.Problem{
			Code: code, Message: message + cycleText(example[group]) + "; " + advice,
		}})
	}
	return found
}

// cycleOf is a way from a node back to it; nil when it is in no circle.
func (g *linkGraph) cycleOf(n graphNode, component map[graphNode]int) []string {
	for _, to := range g.from(n) {
		if component[n] > 0 && component[to] == component[n] {
			return g.circle(arc{n, to}, component)
		}
	}
	return nil
}

// cycleText writes a cycle on a line.
func cycleText(ids []string) string {
	if len(ids) > mostNamed {
		ids = append(slices.Clone(ids[:mostNamed-1]), "…", ids[len(ids)-1])
	}
	return strings.Join(ids, " → ")
}

// A ProposedLinks is what a document will wait for, and its parent, after a write: ids in
// any spelling. Nil leaves the old ones.
type ProposedLinks struct {
	ID       string // or path
	WaitsFor *[]string
	Parent   *string // "" for none
}

// NewCycle says whether writes would make unfinished documents wait for themselves that do
// not yet, and returns the ids on the way round, the first one again at the end; nil if
// they would not. The documents that are written count as unfinished. Ids that no document
// has are passed over. A writer asks this under the lock. Errors are Get's, for the
// documents that are written.
func (ix *Index) NewCycle(ctx context.Context, proposed []ProposedLinks) (cycle []string, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		cycle, err = ix.engine.newCycle(ctx, tx, proposed)
		return err
	})
	return cycle, err
}

func (e *engine) newCycle(ctx context.Context, tx *db.Snapshot, proposed []ProposedLinks) ([]string, error) {
	docs := make([]int64, len(proposed))
	waits, parents := make([][]int64, len(proposed)), make([][]int64, len(proposed))
	var from []int64
	for i, p := range proposed {
		row, err := e.resolve(ctx, tx, p.ID)
		if err == nil && p.WaitsFor != nil {
			waits[i], err = e.meant(ctx, tx, *p.WaitsFor)
		}
		if err == nil && p.Parent != nil && *p.Parent != "" {
			parents[i], err = e.meant(ctx, tx, []string{*p.Parent})
		}
		if err != nil {
			return nil, err
		}
		docs[i] = row.doc
		from = slices.Concat(from, docs[i:i+1], waits[i], parents[i])
	}
	g, err := loadGraph(ctx, tx, from)
	if err != nil {
		return nil, err
	}
	for _, doc := range docs {
		g.documents[doc].finished = false
	}
	before := map[arc]bool{}
	for _, a := range g.arcs() {
		before[a] = true
	}
	for i, p := range proposed {
		if p.WaitsFor != nil {
			g.waits[docs[i]] = waits[i]
		}
		if p.Parent != nil {
			g.setParents(docs[i], parents[i])
		}
	}
	component := g.circles()
	closing := slices.DeleteFunc(g.arcs(), func(a arc) bool {
		return before[a] || component[a.from] == 0 || component[a.from] != component[a.to]
	})
	if len(closing) == 0 {
		return nil, nil
	}
	own := slices.IndexFunc(closing, func(a arc) bool { return slices.Contains(docs, a.from.doc) })
	return g.circle(closing[max(own, 0)], component), nil
}

// meant are the documents that ids mean: several where they are ambiguous, none where
// they are unknown.
func (e *engine) meant(ctx context.Context, tx *db.Snapshot, ids []string) (docs []int64, err error) {
	for _, id := range ids {
		row, err := e.resolve(ctx, tx, store.LinkedID(id))
		var ambiguous *AmbiguousError
		switch {
		case err == nil:
			docs = append(docs, row.doc)
		case errors.As(err, &ambiguous):
			for _, candidate := range ambiguous.Candidates {
				docs = append(docs, candidate.doc)
			}
		case !refused(err):
			return nil, err
		}
	}
	return docs, nil
}
