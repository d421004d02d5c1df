package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"issues-index/index"
	"issues-index/store/layout"
	"issues-index/tools/layered"
)

const (
	// mostNodes is how many waiting documents the graph shows, and mostArrows how many lead to each.
	mostNodes  = 150
	mostArrows = 30
	// mostLinks is how many links the graph of one document follows in each direction.
	mostLinks = 150
)

// A graphPage shows what waits for what.
type graphPage struct {
	Under string // the id of the document below which the documents are, "" for all
	At    string // the handle of the document that the graph is about, "" for all that wait

	Zoom            string // one of zooms
	Smaller, Larger string // addresses, "" for none

	Total, Shown int  // documents that wait, without At
	More         bool // with At: links were left out
	Graph        drawnGraph
	Waiting      []waitingRow
}

// A waitingRow says the same as a node and its arrows, for those who do not see them.
type waitingRow struct {
	graphNode
	For  []graphNode
	More int // of what it waits for
}

// A graphNode is a document in a graph, or an id that leads to no document or to several.
type graphNode struct {
	index.Row
	Mark     string                // the symbol of its status
	State    index.DependencyState // of what is no document, else ""
	finished bool
}

// A linkGraph collects documents and what they wait for.
type linkGraph struct {
	layout *layout.Layout
	nodes  []graphNode
	edges  []layered.Edge
	known  map[string]int // nodes, by handle; by state and id where there is no document
	drawn  map[layered.Edge]bool
}

func (g *linkGraph) add(key string, n graphNode) int {
	at, found := g.known[key]
	if !found {
		at = len(g.nodes)
		g.known[key], g.nodes = at, append(g.nodes, n)
	}
	return at
}

func (g *linkGraph) addRow(row index.Row) int {
	return g.add(row.Handle(), graphNode{
		Row: row, Mark: statusMark(g.layout, row.Status, false), finished: g.layout.Finished(row.Status),
	})
}

// addMissing adds an id that leads to no document or to several.
func (g *linkGraph) addMissing(id string, state index.DependencyState) int {
	return g.add(string(state)+" "+id, graphNode{Row: index.Row{ID: id}, Mark: "i-warn", State: state})
}

func (g *linkGraph) wait(waiter, of int) {
	if e := (layered.Edge{From: of, To: waiter}); !g.drawn[e] {
		g.drawn[e], g.edges = true, append(g.edges, e)
	}
	if !g.nodes[of].finished {
		g.nodes[waiter].Mark = statusMark(g.layout, g.nodes[waiter].Status, true)
	}
}

// graph draws the unfinished documents that wait, and what they wait for; or one document with
// all that it waits for and all that waits for it.
func graph(r *pageRequest) (pageContent, error) {
	asked := r.URL.Query()
	page := graphPage{Under: strings.TrimSpace(asked.Get("under")), At: strings.TrimSpace(asked.Get("at"))}
	g := linkGraph{layout: r.ix.Workspace().Layout, known: map[string]int{}, drawn: map[layered.Edge]bool{}}
	more := map[int]int{}
	var err error
	if page.At == "" {
		more, err = g.addWaiting(r, &page)
	} else {
		err = g.addLinked(r, &page)
	}
	if err != nil {
		return pageContent{}, err
	}
	page.Graph = g.draw(page.At)
	page.size(asked.Get("zoom"))
	waits := make([][]graphNode, len(g.nodes))
	for _, e := range g.edges {
		waits[e.To] = append(waits[e.To], g.nodes[e.From])
	}
	for n, waitsFor := range waits {
		if len(waitsFor) > 0 {
			page.Waiting = append(page.Waiting, waitingRow{g.nodes[n], waitsFor, more[n]})
		}
	}
	return pageContent{Template: "graph", Title: "Graph", Here: "/graph", Data: page}, nil
}

// addWaiting adds the most urgent documents that wait, and what they wait for. It returns how
// much of that is left out, by the node.
func (g *linkGraph) addWaiting(r *pageRequest, page *graphPage) (more map[int]int, err error) {
	f := r.filter("sort priority desc")
	f.Blocked, f.Under = true, page.Under
	found, err := r.ix.Find(r.Context(), index.Query{Filter: f, Waits: true, Limit: mostNodes})
	if err != nil {
		return nil, err
	}
	page.Total, page.Shown, more = found.Total, len(found.Rows), map[int]int{}
	for _, row := range found.Rows {
		more[g.addRow(row)] = max(len(row.WaitsFor)-mostArrows, 0)
	}
	var others []string
	for _, row := range found.Rows {
		for _, id := range row.WaitsFor[:min(len(row.WaitsFor), mostArrows)] {
			if _, found := g.known[id]; !found && !strings.Contains(id, " ") {
				others = append(others, id)
			}
		}
	}
	looked, err := r.ix.GetBatch(r.Context(), others)
	if err != nil {
		return nil, err
	}
	for _, one := range looked {
		if one.Err == nil {
			g.addRow(one.Row)
		}
	}
	for waiter, row := range found.Rows {
		for _, id := range row.WaitsFor[:min(len(row.WaitsFor), mostArrows)] {
			of, found := g.known[id]
			if state, written, missing := strings.Cut(id, " "); missing {
				of = g.addMissing(written, index.DependencyState(state))
			} else if !found { // deleted meanwhile
				of = g.addMissing(id, index.DependencyUnknown)
			}
			g.wait(waiter, of)
		}
	}
	return more, nil
}

// addLinked adds the document that the page is about, what it waits for, and what waits for it.
func (g *linkGraph) addLinked(r *pageRequest, page *graphPage) error {
	for _, up := range []bool{true, false} {
		start, found, more, err := r.ix.Dependencies(r.Context(), page.At, up, !up, mostLinks)
		if err != nil {
			return err
		}
		g.addRow(start.Row)
		page.At, page.More = start.Row.Handle(), page.More || more
		node := func(d index.LinkedDocument) int {
			if d.Row.Path == "" {
				return g.addMissing(d.ID, d.State)
			}
			return g.addRow(d.Row)
		}
		for _, d := range found {
			g.wait(node(d.Waiter), node(d.Of))
		}
	}
	return nil
}

// zooms are the sizes in which a graph is shown, in percent. The first one is as wide as the page
// at most.
var zooms = []string{"fit", "50", "75", "100", "125", "150", "200"}

// size sets in which size a graph is drawn, and which sizes are next to it.
func (p *graphPage) size(asked string) {
	at := slices.Index(zooms, asked)
	if at < 0 {
		at = slices.Index(zooms, "100")
	}
	p.Zoom = zooms[at]
	if at > 0 {
		p.Smaller = p.To(p.At, zooms[at-1])
	}
	if at+1 < len(zooms) {
		p.Larger = p.To(p.At, zooms[at+1])
	}
}

// Scaled is a length of the drawing in its size.
func (p graphPage) Scaled(length int) int {
	if percent, err := strconv.Atoi(p.Zoom); err == nil {
		return length * percent / 100
	}
	return length
}

// To is the address of the graph about one document, or about all, in a size.
func (p graphPage) To(at, zoom string) string {
	q := url.Values{"zoom": {zoom}}
	if at != "" {
		q.Set("at", at)
	} else if p.Under != "" {
		q.Set("under", p.Under)
	}
	return "/graph?" + q.Encode()
}
