package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"issues-index/store/cachedir"
)

// SessionPhase records that a phase has started, is complete or has failed.
// metadata, an object or nil, goes to the audit file.
func (w *Workspace) SessionPhase(ctx context.Context, id, phase, status string, metadata json.RawMessage) (Session, error) {
	if strings.TrimSpace(phase) == "" {
		return Session{}, &ValueError{Field: "phase", Value: phase, Reason: "is empty"}
	}
	if utf8.RuneCountInString(phase) > MaxPhase {
		return Session{}, &ValueError{Field: "phase", Value: phase, Reason: fmt.Sprintf("has more than %d characters", MaxPhase)}
	}
	if err := checkChoice("status", status, PhaseStatuses); err != nil {
		return Session{}, err
	}
	details, err := givenObject("metadata", metadata)
	if err != nil {
		return Session{}, err
	}
	return w.changeSession(ctx, id, func(m *mutation, s Session, o object) error {
		now := w.now()
		line, err := auditLine("metadata", phase, status, now, details)
		if err != nil {
			return err
		}
		o.setText("currentPhase", phase)
		if status == "complete" && !slices.Contains(s.PhasesCompleted, phase) {
			o.setList("phasesCompleted", append(s.PhasesCompleted, phase))
		}
		return m.inOrder(
			func() error { return m.saveContext(id, o, now) },
			func() error { return m.appendAudit(id, line) },
		)
	})
}

// CompleteSession ends a session, and returns how long it took. prURL,
// prNumber and summary may be empty; the summary goes to the audit file. A
// session that has ended so already stays as it is.
func (w *Workspace) CompleteSession(ctx context.Context, id, status, prURL string, prNumber int, summary string) (Session, time.Duration, error) {
	if err := checkChoice("status", status, SessionEnds); err != nil {
		return Session{}, 0, err
	}
	if prNumber < 0 {
		return Session{}, 0, &ValueError{Field: "prNumber", Value: fmt.Sprint(prNumber), Reason: "is negative"}
	}
	var took time.Duration
	s, err := w.changeSession(ctx, id, func(m *mutation, s Session, o object) error {
		var steps []func() error
		end := s.CompletedAt
		if s.Status != status || end.IsZero() || prURL != "" && s.PRURL != prURL || prNumber != 0 && s.PRNumber != prNumber {
			end = w.now().UTC().Truncate(time.Millisecond)
			o.setText("status", status)
			o.setText("currentPhase", "complete")
			o.setTime("completedAt", end)
			if prURL != "" {
				o.setText("prUrl", prURL)
			}
			if prNumber != 0 {
				o.setNumber("prNumber", int64(prNumber))
			}
			steps = append(steps, func() error { return m.saveContext(id, o, end) })
		}
		if !s.StartedAt.IsZero() {
			took = end.Sub(s.StartedAt)
		}
		outcome := "complete"
		if status == "failed" {
			outcome = "failed"
		}
		var details object
		details.setText("session_id", id)
		details.setNumber("duration_ms", took.Milliseconds())
		details.setNumber("tasks_completed", int64(len(s.TasksCompleted)))
		if prURL != "" {
			details.setText("pr_url", prURL)
		}
		if summary != "" {
			details.setText("summary", summary)
		}
		field := "summary"
		if len(prURL) > len(summary) {
			field = "prUrl"
		}
		line, err := auditLine(field, "complete", outcome, end, details)
		if err != nil {
			return err
		}
		steps = append(steps, func() error { return m.auditOnce(ctx, id, end.Format(fullTime), "complete", line) })
		return m.inOrder(steps...)
	})
	return s, took, err
}

// changeSession changes a session under the lock. One whose context.json cannot
// be read in full is refused: to write it would lose what could not be read.
func (w *Workspace) changeSession(ctx context.Context, id string, change func(m *mutation, s Session, o object) error) (after Session, err error) {
	if err := w.checkSession(id); err != nil {
		return Session{}, err
	}
	err = w.mutate(ctx, func(m *mutation) error {
		if err := w.checkSession(id); err != nil {
			return err
		}
		m.sweepSession(id)
		s, o := w.readSession(id)
		if len(s.Problems) > 0 {
			return &ConflictError{path.Join(sessionsDir, id), "cannot be changed: " + s.Problems[0]}
		}
		if err := change(m, s, o); err != nil {
			return err
		}
		after, _ = w.readSession(id)
		return nil
	})
	return after, err
}

// inOrder takes steps each of which is durable. After the first, the change is
// on disk in part.
func (m *mutation) inOrder(steps ...func() error) error {
	for i, step := range steps {
		if err := step(); err != nil {
			var refused *DiskError
			if i > 0 && errors.As(err, &refused) {
				refused.Unsettled = true
			}
			return err
		}
	}
	return nil
}

func (m *mutation) saveContext(id string, o object, now time.Time) error {
	o.setTime("updatedAt", now)
	return m.save(id, contextFile, o)
}

// reasonLink refuses a session's file that leads to another file of the workspace: a
// stranger's session would have that overwritten.
const reasonLink = "is a symbolic link, and a session's files must be its own"

// save puts one of a session's files in place, and sees that it can be read.
func (m *mutation) save(id, name string, o object) error {
	p, data := sessionFile(id, name), o.render()
	if len(data) > MaxFileSize {
		return &ValueError{Field: name, Reason: "would be larger than 16 MiB"}
	}
	at, err := m.placeOf(p)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case at.linked() && (err == nil || missing):
		err = &ConflictError{p, reasonLink}
	case missing:
		err = m.saveNew(at.target, p, data)
	case err == nil:
		err = m.replace(at, p, data)
	}
	if err != nil {
		return err
	}
	written, _, err := m.disk.read(p)
	if err != nil {
		return unsettled("read", p, err)
	}
	if !bytes.Equal(written, data) {
		return &ConflictError{p, "was written, and then at once changed by another program"}
	}
	return nil
}

func (m *mutation) saveNew(target, p string, data []byte) error {
	temporary, err := m.stage(path.Dir(target), data, nil)
	if err != nil {
		return diskError("write", p, err)
	}
	if err := m.swap(temporary, target, p); err != nil {
		return err
	}
	return m.settle(p, path.Dir(target))
}

// auditOnce adds an entry that the same call made before may have added already,
// or not, when it was killed half way. mark is what tells it from others of its
// phase.
func (m *mutation) auditOnce(ctx context.Context, id, mark, phase string, line []byte) error {
	found := false
	_, err := m.w.scanAudit(ctx, id, func(entry []byte) {
		if !found && bytes.Contains(entry, []byte(mark)) {
			o, err := parseObject(entry)
			r := reading{object: o}
			found = err == nil && r.text("phase") == phase
		}
	})
	if err != nil || found {
		return err
	}
	return m.appendAudit(id, line)
}

// sweepSession removes the temporary files that writers who died have left.
func (m *mutation) sweepSession(id string) {
	dir, err := m.w.resolve(path.Join(sessionsDir, id))
	if err != nil {
		return
	}
	names, _ := m.disk.names(dir) // what cannot be listed is left
	for _, name := range names {
		if cachedir.IsTemporary(name) {
			_ = m.disk.remove(path.Join(dir, name)) // no harm in it but its size
		}
	}
}
