package index

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// A noted is a document of the model, as its file was written.
type noted struct {
	path, id      string // the id as PREFIX-NUMBER
	status        string
	filed         bool // in archived/
	deferred      bool
	waits, blocks []pointer
	parent        *pointer
}

// A pointer is a link of the model: its text, and which documents it may mean.
type pointer struct {
	text  string
	means func(*noted) bool
}

// A linkModel judges documents one by one, with loops over all of them.
type linkModel []*noted

func (d *noted) finished() bool {
	return d.filed || d.status == "closed" || d.status == "cancelled"
}

// file is the document's text.
func (d *noted) file() string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nid: %s\ntitle: Word\nstatus: %s\n", d.id, d.status)
	if d.deferred {
		b.WriteString("deferUntil: 2999-01-01\n")
	}
	list := func(key string, links []pointer) {
		for i, l := range links {
			if i == 0 {
				b.WriteString(key + ":\n")
			}
			fmt.Fprintf(&b, "  - %q\n", l.text)
		}
	}
	list("dependsOn", d.waits)
	list("blocks", d.blocks)
	if d.parent != nil {
		fmt.Fprintf(&b, "wranglerContext:\n  parentTaskId: %q\n", d.parent.text)
	}
	return b.String() + "---\nText.\n"
}

// meant are the documents that a link may mean.
func (m linkModel) meant(p pointer) (found []*noted) {
	for _, d := range m {
		if p.means(d) {
			found = append(found, d)
		}
	}
	return found
}

// leads reports whether one of the links may mean the document.
func (m linkModel) leads(links []pointer, to *noted) bool {
	return slices.ContainsFunc(links, func(p pointer) bool { return p.means(to) })
}

func (m linkModel) parents(d *noted) []*noted {
	if d.parent == nil {
		return nil
	}
	return m.meant(*d.parent)
}

func (m linkModel) ancestors(d *noted) (all []*noted) {
	for open := m.parents(d); len(open) > 0; open = open[1:] {
		if !slices.Contains(all, open[0]) {
			all = append(all, open[0])
			open = append(open, m.parents(open[0])...)
		}
	}
	return all
}

// ownAncestor reports whether the parents of a document, as far as they are sure, lead back
// to it.
func (m linkModel) ownAncestor(d *noted) bool {
	above := m.parents(d)
	for range m {
		if len(above) == 1 && above[0] != d {
			above = m.parents(above[0])
		}
	}
	return len(above) == 1 && above[0] == d
}

func (m linkModel) blockers(d *noted) (all []*noted) {
	for _, b := range m {
		if m.leads(b.blocks, d) {
			all = append(all, b)
		}
	}
	return all
}

// waits reports whether a document waits for something; outside counts only what is not
// below it.
func (m linkModel) waits(d *noted, outside bool) bool {
	below := func(other *noted) bool { return outside && slices.Contains(m.ancestors(other), d) }
	for _, w := range d.waits {
		meant := m.meant(w)
		if len(meant) == 1 && meant[0].finished() {
			continue
		}
		if len(meant) == 0 || slices.ContainsFunc(meant, func(other *noted) bool { return !below(other) }) {
			return true
		}
	}
	return slices.ContainsFunc(m.blockers(d), func(b *noted) bool { return !b.finished() && !below(b) })
}

func (m linkModel) blocked(d *noted) bool {
	return !d.finished() && (m.waits(d, false) ||
		slices.ContainsFunc(m.ancestors(d), func(a *noted) bool { return m.waits(a, true) }))
}

func (m linkModel) children(d *noted) (all, finished int) {
	for _, c := range m {
		if slices.Contains(m.parents(c), d) {
			all++
			if c.finished() {
				finished++
			}
		}
	}
	return all, finished
}

func (m linkModel) ready(d *noted) bool {
	all, finished := m.children(d)
	return d.status == "open" && !d.filed && !d.deferred && all == finished && !m.blocked(d)
}

// arcs are what must come first: arcs[i][j] says that i needs j. Documents have the
// numbers from 0, and from len(m) on stand for what holds back their descendants.
func (m linkModel) arcs(written *noted) (arcs, waits [][]bool) {
	n := len(m)
	for range 2 * n {
		arcs, waits = append(arcs, make([]bool, 2*n)), append(waits, make([]bool, 2*n))
	}
	for i, d := range m {
		for j, other := range m {
			needs := m.leads(d.waits, other) || m.leads(other.blocks, d)
			isChild := slices.Contains(m.parents(other), d)
			isParent := slices.Contains(m.parents(d), other)
			if !d.finished() || d == written {
				arcs[i][j], waits[i][j] = needs || isChild, needs
				arcs[i][n+j] = isParent
			}
			if needs && !slices.Contains(m.ancestors(other), d) {
				arcs[n+i][j], waits[n+i][j] = true, true
			}
			arcs[n+i][n+j] = isParent
		}
	}
	return arcs, waits
}

// reach is which node can be reached from which, in one step or more.
func reach(arcs [][]bool) [][]bool {
	all := make([][]bool, len(arcs))
	for i := range arcs {
		all[i] = slices.Clone(arcs[i])
	}
	for k := range all {
		for i := range all {
			for j := range all {
				all[i][j] = all[i][j] || all[i][k] && all[k][j]
			}
		}
	}
	return all
}

// inCycle reports which documents wait for themselves, and not as parents alone.
func (m linkModel) inCycle() map[string]bool {
	arcs, waits := m.arcs(nil)
	reached := reach(arcs)
	found := map[string]bool{}
	for i, d := range m {
		for u := range arcs {
			for v := range arcs {
				for _, own := range []int{i, len(m) + i} {
					if waits[u][v] && (u == own || reached[own][u]) && (v == own || reached[v][own]) {
						found[d.path] = true
					}
				}
			}
		}
	}
	return found
}

// closes reports whether a change of one document brings a new arc that is in a cycle.
func closes(before, after linkModel, was, is *noted) bool {
	old, _ := before.arcs(was)
	arcs, _ := after.arcs(is)
	reached := reach(arcs)
	for u := range arcs {
		for v := range arcs {
			if arcs[u][v] && !old[u][v] && (u == v || reached[v][u]) {
				return true
			}
		}
	}
	return false
}

var modelIDs = []string{"ISS-1", "ISS-2", "ISS-3", "ISS-4", "ISS-5", "ISS-6", "ISS-7", "SPEC-1", "SPEC-8"}

// drawPointer draws a link in one of the spellings that there are.
func drawPointer(t *rapid.T, m linkModel) pointer {
	id := rapid.SampledFrom(modelIDs).Draw(t, "id")
	hasID := func(d *noted) bool { return d.id == id }
	prefix, number, _ := strings.Cut(id, "-")
	switch rapid.IntRange(0, 11).Draw(t, "spelling") {
	case 0:
		return pointer{prefix + "-00000" + number, hasID}
	case 1:
		return pointer{strings.ToLower(id), hasID}
	case 2:
		return pointer{"[[" + id + "|the one]]", hasID}
	case 3:
		return pointer{"#" + number, func(d *noted) bool { return strings.HasSuffix(d.id, "-"+number) }}
	case 4:
		return pointer{"ISS-99", func(*noted) bool { return false }}
	case 5:
		return pointer{"other:" + id, func(*noted) bool { return false }}
	case 6, 7:
		to := rapid.SampledFrom(m).Draw(t, "file")
		name := to.path[strings.LastIndex(to.path, "/")+1:]
		return pointer{"[it](../" + name + "#part)", func(d *noted) bool { return strings.HasSuffix(d.path, "/"+name) }}
	}
	return pointer{id, hasID}
}

// drawLinks gives a document other links.
func drawLinks(t *rapid.T, m linkModel, d *noted) {
	d.waits, d.blocks, d.parent = nil, nil, nil
	for range rapid.SampledFrom([]int{0, 0, 1, 1, 2}).Draw(t, "waits") {
		d.waits = append(d.waits, drawPointer(t, m))
	}
	if rapid.IntRange(0, 5).Draw(t, "blocks") == 0 {
		d.blocks = append(d.blocks, drawPointer(t, m))
	}
	if rapid.IntRange(0, 2).Draw(t, "child") == 0 {
		parent := drawPointer(t, m)
		d.parent = &parent
	}
}

// drawModel draws up to ten documents, some of which share an id.
func drawModel(t *rapid.T) linkModel {
	var m linkModel
	for i := range rapid.IntRange(1, 10).Draw(t, "documents") {
		id := modelIDs[i%len(modelIDs)]
		if rapid.IntRange(0, 9).Draw(t, "duplicate") == 0 {
			id = rapid.SampledFrom(modelIDs).Draw(t, "same")
		}
		d := &noted{
			id:       id,
			status:   rapid.SampledFrom([]string{"open", "open", "open", "in_progress", "closed", "cancelled", "someday"}).Draw(t, "status"),
			filed:    rapid.IntRange(0, 9).Draw(t, "filed") == 0,
			deferred: rapid.IntRange(0, 9).Draw(t, "deferred") == 0,
		}
		folder := ".wrangler/issues/"
		if d.filed {
			folder += "archived/"
		}
		d.path = fmt.Sprintf("%s%s-file-%c.md", folder, id, 'a'+i)
		m = append(m, d)
	}
	for _, d := range m {
		drawLinks(t, m, d)
	}
	return m
}
