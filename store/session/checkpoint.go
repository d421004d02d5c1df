package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// SaveCheckpoint replaces a session's checkpoint, and fills in its session, id, phase and time.
// Variables is a JSON object or empty. When nothing differs from the last checkpoint, that one
// stays. Errors are RecordPhase's.
func (w Sessions) SaveCheckpoint(ctx context.Context, id string, c Checkpoint) (Session, Checkpoint, error) {
	if _, err := givenObject("variables", c.Variables); err != nil {
		return Session{}, Checkpoint{}, err
	}
	if c.Variables = bytes.TrimSpace(c.Variables); len(c.Variables) == 0 || string(c.Variables) == "null" {
		c.Variables = json.RawMessage("{}")
	}
	s, err := w.changeSession(ctx, id, func(s *Session, now time.Time) (written change, err error) {
		last, file, _ := w.readCheckpoint(id) // a checkpoint that cannot be read is replaced
		c.SessionID, c.CurrentPhase, c.CreatedAt = id, s.CurrentPhase, now
		c.CheckpointID = fmt.Sprintf("chk-%d-%08x", now.UnixMilli(), rand.Uint32())
		// The session is written last: an older session was not told of the checkpoint.
		same := last != nil && last.same(c) && !s.UpdatedAt.Before(last.CreatedAt)
		if same {
			c = *last
		} else {
			for _, m := range c.members() {
				file.put(m.name, m.field)
			}
			written.checkpoint, s.UpdatedAt = file.file(), now
		}
		if slices.Equal(s.TasksCompleted, c.TasksCompleted) && slices.Equal(s.TasksPending, c.TasksPending) {
			if same {
				return change{}, nil
			}
		} else {
			s.TasksCompleted, s.TasksPending, s.UpdatedAt = c.TasksCompleted, c.TasksPending, now
		}
		var details fileObject
		details.put("checkpoint_id", c.CheckpointID)
		details.put("tasks_completed", len(c.TasksCompleted))
		details.put("tasks_pending", len(c.TasksPending))
		written.line, err = auditLine("checkpointId", "checkpoint", "complete", c.CreatedAt, details)
		return written, err
	})
	if err != nil {
		return Session{}, Checkpoint{}, err
	}
	return s, c, nil
}

// same reports whether the caller's part of two checkpoints is equal.
func (c Checkpoint) same(other Checkpoint) bool {
	return c.CheckpointID != "" && c.CurrentPhase == other.CurrentPhase &&
		c.LastAction == other.LastAction && c.ResumeInstructions == other.ResumeInstructions &&
		slices.Equal(c.TasksCompleted, other.TasksCompleted) && slices.Equal(c.TasksPending, other.TasksPending) &&
		sameJSON(c.Variables, other.Variables)
}
