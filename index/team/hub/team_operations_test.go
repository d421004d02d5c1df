package hub_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
)

// step is one operation of a machine, before which its connection may change.
func (m *simMachine) step() {
	if m.server == nil {
		return // it is a failure by now
	}
	switch {
	case m.wires.cut && m.choose.IntN(25) == 0:
		m.mend()
	case !m.wires.cut && m.choose.IntN(m.size.cutOneIn) == 0:
		m.cut()
	}
	operation := m.chooseOperation()
	if m.choose.IntN(m.size.killOneIn) == 0 {
		m.killDuring(operation)
		return
	}
	operation(m.server.ctx)
}

// chooseOperation chooses what to do, and to which document.
func (m *simMachine) chooseOperation() func(ctx context.Context) {
	paths := m.documents()
	holder, what := m.holder(m.choose.IntN(2)), m.choose.IntN(100)
	if len(paths) < m.size.documents/2 || what < 12 && len(paths) < 3*m.size.documents {
		return func(ctx context.Context) { m.create(ctx, holder) }
	}
	path := paths[m.choose.IntN(len(paths))]
	id := idAt(path)
	if what < 24 {
		return func(context.Context) { m.byHand(path, id, what) }
	}
	switch {
	case what < 44:
		return func(ctx context.Context) { m.update(ctx, path, id, holder) }
	case what < 58:
		return func(ctx context.Context) { m.claim(ctx, path, id, holder) }
	case what < 72:
		return func(ctx context.Context) { m.next(ctx, holder) }
	}
	if claimed := m.claimed(); claimed != "" && what < 92 {
		id = claimed
	}
	holder = m.claims[id]
	switch {
	case what < 84 && holder != "":
		return m.ending(path, id, func(ctx context.Context) (edit.Applied, error) {
			done, err := m.server.writer.Release(ctx, edit.DocumentRef{ID: id}, holder, 0, "")
			return done.Applied, err
		})
	case what < 92:
		return m.ending(path, id, func(ctx context.Context) (edit.Applied, error) {
			return m.server.writer.Complete(ctx, edit.DocumentRef{ID: id}, "Done.")
		})
	case what < 96:
		return m.ending(path, id, func(ctx context.Context) (edit.Applied, error) {
			return m.server.writer.Update(ctx, edit.DocumentRef{ID: id}, func(*store.Document) (store.Fields, error) {
				open, nobody := "open", ""
				return store.Fields{Status: &open, Assignee: &nobody}, nil
			})
		})
	}
	return func(ctx context.Context) { m.remove(ctx, id) }
}

// claimed is one of the documents that were claimed here, "" for none.
func (m *simMachine) claimed() string {
	least := ""
	for id := range m.claims { // the order of a map is not that of the seed
		if least == "" || id < least {
			least = id
		}
	}
	return least
}

// refused reports whether a change was refused as it may be, and what is not known after it:
// whether the change of a server that was killed was made.
func (m *simMachine) refused(ctx context.Context, what string, err error) bool {
	var claim *edit.ClaimError
	var unagreed *edit.UnagreedClaimError
	var missing *index.NotFoundError
	switch {
	case err == nil:
		return false
	case errors.As(err, &claim):
		if claim.Elsewhere {
			m.met.add(func(n *meetingCounts) { n.refused++ })
		}
	case errors.As(err, &unagreed):
		m.met.add(func(n *meetingCounts) { n.unagreed++ })
	case errors.As(err, &missing): // it was renamed, or deleted by hand
	case ctx.Err() == nil:
		m.Errorf("machine %d: %s: %v", m.number, what, err)
	}
	return true
}

// unknown forgets what the file of a document has to be, after a change of which that is not
// known, and what all files have to be when nobody knows of which document it was.
func (m *simMachine) unknown(ctx context.Context, id string) {
	if ctx.Err() == nil {
		return
	}
	for path := range m.kept {
		if id == "" || idAt(path) == id {
			delete(m.kept, path)
		}
	}
}

// acknowledged keeps what a change says that it has written.
func (m *simMachine) acknowledged(done edit.Applied) {
	if done.After == nil {
		return
	}
	if done.OldPath != "" && done.OldPath != done.After.Path {
		m.kept[done.OldPath] = nil
	}
	if done.Changed {
		m.kept[done.After.Path] = done.Data
	}
	if done.Behind != nil {
		m.Errorf("machine %d: %s was written, and the index is behind: %v", m.number, done.After.Path, done.Behind)
	}
}

func agreedBy(note string) bool { return !strings.Contains(note, "not agreed with the team") }

func (m *simMachine) create(ctx context.Context, holder string) {
	m.writes++
	title := fmt.Sprintf("Written %d on machine %d", m.writes, m.number)
	done, err := m.server.writer.Create(edit.As(ctx, holder), store.NewDocument{Title: title}, false)
	if m.refused(ctx, "create", err) {
		return
	}
	if !bytes.Contains(done.Data, []byte(title)) {
		m.Errorf("machine %d: %q was acknowledged, and %q written", m.number, title, done.Data)
	}
	m.acknowledged(done)
	if !agreedBy(done.Note) {
		m.met.add(func(n *meetingCounts) { n.offlineNumbers++ })
		return
	}
	m.met.add(func(n *meetingCounts) { n.numbers++ })
	if err := m.referee.numbered(m.workspace, done.After.ID, m.number); err != nil {
		m.Error(err)
	}
}

func (m *simMachine) update(ctx context.Context, path, id, holder string) {
	m.writes++
	text := fmt.Sprintf("Text %d of machine %d.", m.writes, m.number)
	done, err := m.server.writer.Update(edit.As(ctx, holder), edit.DocumentRef{ID: id}, func(*store.Document) (store.Fields, error) {
		return store.Fields{Append: text}, nil
	})
	if m.refused(ctx, "update "+path, err) {
		m.unknown(ctx, id)
		return
	}
	if !bytes.Contains(done.Data, []byte(text)) {
		m.Errorf("machine %d: %q was acknowledged, and %q written", m.number, text, done.Data)
	}
	m.acknowledged(done)
}

func (m *simMachine) claim(ctx context.Context, path, id, holder string) {
	done, err := m.server.writer.Claim(ctx, edit.DocumentRef{ID: id}, edit.ClaimRequest{Holder: holder})
	if m.refused(ctx, "claim "+path, err) {
		m.unknown(ctx, id)
		return
	}
	m.nowClaimed(done)
}

func (m *simMachine) next(ctx context.Context, holder string) {
	done, err := m.server.writer.Next(ctx, index.Filter{}, edit.ClaimRequest{Holder: holder})
	if m.refused(ctx, "claim the next one", err) {
		m.unknown(ctx, "")
		return
	}
	if done.Found {
		m.nowClaimed(done.Claimed)
	}
}

// nowClaimed keeps who has claimed a document, and tells the referee.
func (m *simMachine) nowClaimed(done edit.Claimed) {
	m.acknowledged(done.Applied)
	m.claims[done.Lease.ID] = done.Lease.Holder
	m.met.add(func(n *meetingCounts) { n.agreed++ })
	if err := m.referee.claimed(m.workspace, done.Lease.ID, agreedClaim{m.number, done.Lease.Holder}); err != nil {
		m.Error(err)
	}
}

// ending is a change that may end the claim on a document.
func (m *simMachine) ending(path, id string, change func(ctx context.Context) (edit.Applied, error)) func(ctx context.Context) {
	return func(ctx context.Context) {
		m.ends(id)
		done, err := change(ctx)
		if m.refused(ctx, "end the work on "+path, err) {
			m.unknown(ctx, id)
			return
		}
		m.acknowledged(done)
	}
}

// ends says that the claim on a document may be over from now on.
func (m *simMachine) ends(id string) {
	m.referee.mayEnd(m.workspace, id, m.number)
	delete(m.claims, id)
}

func (m *simMachine) remove(ctx context.Context, id string) {
	m.ends(id)
	gone, err := m.server.writer.Delete(ctx, edit.DocumentRef{ID: id})
	if m.refused(ctx, "delete "+id, err) {
		m.unknown(ctx, id)
		return
	}
	m.kept[gone.Path] = nil
}

// byHand changes a file as a person does, who knows nothing of claims.
func (m *simMachine) byHand(path, id string, what int) {
	m.ends(id)
	m.writes++
	data, err := os.ReadFile(filepath.Join(m.root, path))
	switch {
	case what%4 == 0 && err == nil:
		err = os.Remove(filepath.Join(m.root, path))
		m.kept[path] = nil
	case what%4 == 1 && err == nil && isNumbered(id):
		to := fmt.Sprintf("%s/%s-by-hand-%d.md", filepath.ToSlash(filepath.Dir(path)), id, m.writes)
		err = os.Rename(filepath.Join(m.root, path), filepath.Join(m.root, to))
		m.kept[path], m.kept[to] = nil, data
	case what%4 == 2 && err == nil:
		m.put(fmt.Sprintf("%s/note-%d.md", documentsDir, m.writes), fmt.Appendf(nil, "# Note %d of machine %d\n", m.writes, m.number))
	case err == nil:
		m.put(path, fmt.Appendf(data, "\nBy hand %d.\n", m.writes))
	}
	if err != nil {
		m.Errorf("machine %d by hand: %v", m.number, err)
	}
}
