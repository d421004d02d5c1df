package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"issues-index/store/layout"
)

// sharedDocuments is how many documents all writers change.
const sharedDocuments = 5

// An acknowledgement is one mutation that a writer was told had succeeded.
type acknowledgement struct {
	Writer, Seq int
	Op          string // create, delete, count, append, status
	Document    string // id
	Path        string
}

// A modelWriter does operations of a seeded kind, and acknowledges each.
type modelWriter struct {
	w      *Workspace
	number int
	random *rand.Rand
	own    map[string]string // paths of its own documents, by id
	ack    func(acknowledgement)
}

func newModelWriter(w *Workspace, number int, seed uint64, ack func(acknowledgement)) *modelWriter {
	return &modelWriter{w: w, number: number, random: rand.New(rand.NewPCG(seed, uint64(number))), own: map[string]string{}, ack: ack}
}

func (m *modelWriter) run(operations int) error {
	for seq := 1; seq <= operations; seq++ {
		if err := m.operation(seq); err != nil {
			return fmt.Errorf("writer %d, operation %d: %w", m.number, seq, err)
		}
	}
	return nil
}

func (m *modelWriter) operation(seq int) error {
	ack := acknowledgement{Writer: m.number, Seq: seq, Document: fmt.Sprintf("ISS-%06d", 1+m.random.IntN(sharedDocuments))}
	var err error
	switch n := m.random.IntN(100); {
	case n < 30:
		ack.Op = "create"
		var done Written
		// The floor is as old as an index can be that has seen no other writer.
		done, err = m.w.Create(context.Background(), NewDocument{Title: fmt.Sprintf("Writer %d's %d", m.number, seq), Description: "x"}, floor(sharedDocuments))
		if err == nil {
			ack.Document, ack.Path = done.After.ID, done.Path
			m.own[ack.Document] = ack.Path
		}
	case n < 40 && len(m.own) > 0:
		ack.Op = "delete"
		for ack.Document, ack.Path = range m.own {
			break
		}
		_, err = m.w.Delete(context.Background(), ack.Path, nil)
		delete(m.own, ack.Document)
	case n < 70:
		ack.Op = "count"
		err = m.change(ack.Document, func(doc *Document) (Fields, error) {
			total, err := countOf(doc, "total")
			if err != nil {
				return Fields{}, err
			}
			return Fields{Context: map[string]json.RawMessage{
				"total":                           json.RawMessage(strconv.Itoa(total + 1)),
				fmt.Sprintf("writer%d", m.number): json.RawMessage(strconv.Itoa(seq)),
			}}, nil
		})
	case n < 85:
		ack.Op = "append"
		err = m.change(ack.Document, func(*Document) (Fields, error) {
			return Fields{Append: fmt.Sprintf("line %d.%d", m.number, seq)}, nil
		})
	default:
		ack.Op = "status"
		err = m.change(ack.Document, func(doc *Document) (Fields, error) {
			if layout.Default().Finished(doc.Status) {
				return Fields{Status: new("open")}, nil
			}
			return Fields{Status: new("closed")}, nil
		})
	}
	if err == nil {
		m.ack(ack)
	}
	return err
}

// change updates a shared document, which others move meanwhile.
func (m *modelWriter) change(id string, change func(*Document) (Fields, error)) error {
	for {
		for _, dir := range []string{".wrangler/issues/", ".wrangler/issues/archived/"} {
			_, err := m.w.Update(context.Background(), dir+id+"-shared.md", change)
			if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
}

func countOf(doc *Document, key string) (int, error) {
	n, ok := contextParts(doc)[key]
	if !ok {
		return 0, nil
	}
	return strconv.Atoi(string(n))
}

// modelWorkspace holds the shared documents.
func modelWorkspace(t *testing.T) *Workspace {
	t.Helper()
	files := map[string]string{}
	for i := 1; i <= sharedDocuments; i++ {
		files[fmt.Sprintf(".wrangler/issues/ISS-%06d-shared.md", i)] = fmt.Sprintf("---\nid: ISS-%06d\ntitle: Shared\nstatus: open\n---\nBody\n", i)
	}
	return newWorkspace(t, files)
}

// checkModel holds the workspace against everything that was acknowledged.
func checkModel(t *testing.T, w *Workspace, acks []acknowledgement) {
	t.Helper()
	own := map[string]string{} // paths of the documents that must be there, by id
	deleted := map[string]bool{}
	counts, last, lines := map[string]int{}, map[string]int{}, map[string][]string{}
	toggles := map[string]int{}
	created := map[string]bool{}
	for _, a := range acks {
		switch a.Op {
		case "create":
			if created[a.Document] {
				t.Errorf("%s was given out twice", a.Document)
			}
			created[a.Document] = true
			own[a.Document] = a.Path
		case "delete":
			deleted[a.Document] = true
		case "count":
			counts[a.Document]++
			key := fmt.Sprintf("%s writer%d", a.Document, a.Writer)
			last[key] = max(last[key], a.Seq)
		case "append":
			lines[a.Document] = append(lines[a.Document], fmt.Sprintf("line %d.%d", a.Writer, a.Seq))
		case "status":
			toggles[a.Document]++
		}
	}
	for id := range deleted {
		delete(own, id)
	}
	seen := map[string]bool{}
	for _, f := range list(t, w).Files {
		doc, _, err := w.Load(f.Path)
		if err != nil || len(doc.Problems) > 0 {
			t.Errorf("%s: %v, %v", f.Path, err, doc)
			continue
		}
		if seen[doc.ID] {
			t.Errorf("%s is there twice", doc.ID)
		}
		seen[doc.ID] = true
		if p, ok := own[doc.ID]; ok {
			if p != doc.Path {
				t.Errorf("%s is at %s, not at %s", doc.ID, doc.Path, p)
			}
			delete(own, doc.ID)
			continue
		}
		if doc.Title != "Shared" {
			t.Errorf("%s was not acknowledged", doc.Path)
			continue
		}
		if total, err := countOf(doc, "total"); err != nil || total != counts[doc.ID] {
			t.Errorf("%s counts %d of %d updates, %v", doc.ID, total, counts[doc.ID], err)
		}
		for key := range contextParts(doc) {
			if n, err := countOf(doc, key); key != "total" && (err != nil || n != last[doc.ID+" "+key]) {
				t.Errorf("%s has %s %d, last acknowledged was %d", doc.ID, key, n, last[doc.ID+" "+key])
			}
		}
		for _, line := range lines[doc.ID] {
			if n := strings.Count(doc.Body, line+"\n"); n != 1 {
				t.Errorf("%s has %q %d times", doc.ID, line, n)
			}
		}
		if n := strings.Count(doc.Body, "line "); n != len(lines[doc.ID]) {
			t.Errorf("%s has %d lines, %d were acknowledged", doc.ID, n, len(lines[doc.ID]))
		}
		if layout.Default().Finished(doc.Status) != (toggles[doc.ID]%2 == 1) {
			t.Errorf("%s is %s after %d changes of its status", doc.ID, doc.Status, toggles[doc.ID])
		}
	}
	for id, p := range own {
		t.Errorf("%s was acknowledged and is not at %s", id, p)
	}
	if len(seen) < sharedDocuments {
		t.Errorf("%d documents in all", len(seen))
	}
	if stray := temporaries(tree(t, w.Root)); len(stray) > 0 {
		t.Error(stray)
	}
}
