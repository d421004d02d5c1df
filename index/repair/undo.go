package repair

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
)

// A Record is what takes changes back: their lines and places as they were.
type Record struct {
	// Note says to whom opens the file what it is.
	Note  string      `json:"note"`
	Made  time.Time   `json:"made"`
	Fixes []store.Fix `json:"fixes"`
}

const recordNote = "What issues-index check --fix changed in this workspace; issues-index check --undo with this file takes it back."

// An Outcome is what became of one change: done, or the error that kept it from
// being made.
type Outcome struct {
	Fix store.Fix
	Err error
	// Done is false without an error for what was as wanted before.
	Done bool
}

// Done is what Apply did.
type Done struct {
	// Record is the path of the record, relative to the workspace. It is there
	// before the first change is.
	Record   string
	Outcomes []Outcome
	// Behind is why the index does not show the changes yet, nil when it does.
	Behind error
}

// Apply makes the changes, each for itself.
func Apply(ctx context.Context, ix *index.Index, fixes []Fix, now time.Time) (Done, error) {
	record := Record{Note: recordNote, Made: now.UTC()}
	for _, f := range fixes {
		record.Fixes = append(record.Fixes, f.Fix)
	}
	data, err := json.MarshalIndent(record, "", " ")
	if err != nil {
		return Done{}, fmt.Errorf("write down what will be changed: %w", err)
	}
	var done Done
	name := "undo-" + record.Made.Format("20060102T150405.000Z") + ".json"
	if done.Record, err = ix.Workspace().Keep(ctx, name, append(data, '\n')); err != nil {
		return Done{}, fmt.Errorf("write down what will be changed: %w", err)
	}
	errs, behind := edit.New(ix, edit.LockWait).Fix(ctx, record.Fixes)
	done.Behind = behind
	for i, f := range record.Fixes {
		done.Outcomes = append(done.Outcomes, Outcome{f, errs[i], errs[i] == nil})
	}
	return done, nil
}

// ReadRecord reads a record of Apply.
func ReadRecord(data []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return Record{}, fmt.Errorf("read the record: %w", err)
	}
	if len(r.Fixes) == 0 {
		return Record{}, errors.New("read the record: it has no changes")
	}
	for i, f := range r.Fixes {
		if f.From == "" || f.To == "" || f.Was == "" || f.Is == "" {
			return Record{}, fmt.Errorf("read the record: change %d is not whole", i+1)
		}
	}
	return r, nil
}

// Undo takes the changes of a record back, the last one first, each for itself.
// What was not made, or is taken back already, stays; what has been changed
// since is a *store.ConflictError.
func Undo(ctx context.Context, ix *index.Index, r Record) (outcomes []Outcome, behind error) {
	var back []store.Fix
	for _, f := range slices.Backward(r.Fixes) {
		o := Outcome{Fix: f.Undo()}
		o.Fix, o.Done, o.Err = reverse(ix.Workspace(), f)
		if o.Done {
			back = append(back, o.Fix)
		}
		outcomes = append(outcomes, o)
	}
	errs, behind := edit.New(ix, edit.LockWait).Fix(ctx, back)
	next := 0
	for i := range outcomes {
		if outcomes[i].Done {
			outcomes[i].Err, outcomes[i].Done = errs[next], errs[next] == nil
			next++
		}
	}
	return outcomes, behind
}

// reverse chooses what takes a change back, given what is on disk.
func reverse(ws *store.Workspace, f store.Fix) (back store.Fix, needed bool, err error) {
	back = f.Undo()
	from, err := hashAt(ws, f.From)
	if err != nil {
		return back, false, err
	}
	to := from
	if f.Moves() {
		if to, err = hashAt(ws, f.To); err != nil {
			return back, false, err
		}
	}
	switch {
	case to == f.Is && (from == "" || !f.Moves()):
		return back, true, nil
	case from == f.Was && (to == "" || !f.Moves()):
		return back, false, nil
	case f.Moves() && to == f.Was && from == "":
		// The program was stopped between the move and the new bytes.
		return store.Fix{From: f.To, To: f.From, Was: f.Was, Is: f.Was}, true, nil
	case from != "" && f.Moves():
		return back, false, &store.ConflictError{Path: f.From, Reason: "is there again, and in the way"}
	case to == "":
		return back, false, &store.ConflictError{Path: f.To, Reason: "is no longer there"}
	}
	return back, false, &store.ConflictError{Path: f.To, Reason: "has been changed since"}
}

// hashAt is the hash of the document at a path, "" when there is none.
func hashAt(ws *store.Workspace, p string) (string, error) {
	if _, ok := ws.CollectionOf(p); !ok {
		return "", &store.PathError{Path: p, Reason: "is no document of this workspace"}
	}
	data, _, err := ws.Read(p)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return store.HashOf(data), nil
}
