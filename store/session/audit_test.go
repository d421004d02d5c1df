package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"issues-index/store"
)

// audited is a workspace with one session that has the given audit file.
func audited(t *testing.T, audit string) Sessions {
	t.Helper()
	return newWorkspace(t, map[string]string{
		sessionFile(foreignID, contextFile): foreign,
		sessionFile(foreignID, auditFile):   audit,
	})
}

// auditEntryOf is an entry of so many bytes, without a line end.
func auditEntryOf(phase string, length int) string {
	head, tail := `{"phase":"`+phase+`","x":"`, `"}`
	return head + strings.Repeat("x", length-len(head)-len(tail)) + tail
}

func phasesOf(entries []AuditEntry) (phases []string) {
	for _, e := range entries {
		phases = append(phases, e.Phase)
	}
	return phases
}

// wantAudit compares the phases of the entries, the lines skipped, and the
// session's problems.
func wantAudit(t *testing.T, w Sessions, phases []string, skipped int, problems ...string) {
	t.Helper()
	entries, gotSkipped, err := w.Audit(t.Context(), foreignID)
	if got := phasesOf(entries); err != nil || !slices.Equal(got, phases) || gotSkipped != skipped {
		t.Errorf("%d entries %.100q, %d skipped, %v; want %d entries %.100q, %d skipped", len(got), got, gotSkipped, err, len(phases), phases, skipped)
	}
	s, _, err := w.Find(t.Context(), foreignID)
	if err != nil || !slices.Equal(s.Problems, problems) {
		t.Errorf("problems %q, %v; want %q", s.Problems, err, problems)
	}
	if got, err := w.Problems(t.Context(), foreignID); err != nil || !slices.Equal(got, problems) {
		t.Errorf("the list has the problems %q, %v; want %q", got, err, problems)
	}
}

func TestAuditSkipsTornLines(t *testing.T) {
	wantAudit(t, audited(t, "{\"phase\":\"a\"}\n{\"phase\n\n{\"phase\":\"b\"}"), []string{"a", "b"}, 1,
		"audit.jsonl has lines that are no JSON object: 1")
}

func TestAuditReadsTheLastMiBOfALargerFile(t *testing.T) {
	const unread = "audit.jsonl is larger than 1 MiB: only its last 1 MiB is read"
	entry := auditEntryOf("x", 1023) + "\n"
	first := func(phase string) string { return auditEntryOf(phase, 1023) + "\n" }
	all := strings.Repeat(entry, maxAuditSize/len(entry)-1)
	in := slices.Repeat([]string{"x"}, maxAuditSize/len(entry)-1)
	t.Run("all of a file of 1 MiB", func(t *testing.T) {
		wantAudit(t, audited(t, first("first")+all), append([]string{"first"}, in...), 0)
	})
	t.Run("not the line before", func(t *testing.T) {
		wantAudit(t, audited(t, first("before")+first("first")+all), append([]string{"first"}, in...), 0, unread)
	})
	t.Run("not the line that begins before, of which nothing is wrong", func(t *testing.T) {
		wantAudit(t, audited(t, first("cut")+all+"{}\n"), append(slices.Clone(in), ""), 0, unread)
	})
	t.Run("a line that is longer than all that is read", func(t *testing.T) {
		wantAudit(t, audited(t, strings.Repeat("y", maxAuditSize+1)), nil, 0, unread)
	})
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestSessionGetReadsBoundedAudits is not parallel to others: the bytes are
// counted of the whole process.
func TestSessionGetReadsBoundedAudits(t *testing.T) {
	for name, write := range map[string]func(f *os.File) error{
		"one line of 300 MB": func(f *os.File) error { return f.Truncate(300 << 20) },
		"a million entries": func(f *os.File) error {
			_, err := f.WriteString(strings.Repeat("{\"phase\":\"x\"}\n", 1<<20))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := audited(t, "")
			f, err := os.Create(filepath.Join(w.Root, sessionFile(foreignID, auditFile)))
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(write(f), f.Close()); err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{"", foreignID} {
				bytes := allocated(func() {
					if s, _, err := w.Find(t.Context(), id); err != nil || len(s.Problems) == 0 {
						t.Errorf("%v, %v", s, err)
					}
				})
				if bytes > 16<<20 {
					t.Errorf("Find %q allocates %d bytes", id, bytes)
				}
			}
		})
	}
}

func TestAnAuditLineIsWrittenOnlyIfItCanBeRead(t *testing.T) {
	w := specified(t)
	ctx := t.Context()
	s := start(t, w)
	overhead := len(`{"phase":"plan","timestamp":"2026-03-01T12:00:00.000Z","status":"started","x":""}`)
	metadata := func(length int) json.RawMessage {
		return json.RawMessage(`{ "x" : "` + strings.Repeat("x", length-overhead) + `" }`)
	}
	refused := func(t *testing.T, field string, change func() error) {
		t.Helper()
		before := tree(t, w.Root)
		err := change()
		var value *store.ValueError
		if !errors.As(err, &value) || value.Field != field || !strings.Contains(value.Reason, "over the limit of 65536") {
			t.Errorf("%v", err)
		}
		if !maps.Equal(tree(t, w.Root), before) {
			t.Error("something was written")
		}
	}
	t.Run("metadata that makes it too long is refused", func(t *testing.T) {
		refused(t, "metadata", func() error {
			_, err := w.RecordPhase(ctx, s.ID, "plan", "started", metadata(maxAuditLine+1))
			return err
		})
	})
	t.Run("so is a summary, before the session ends", func(t *testing.T) {
		refused(t, "summary", func() error {
			_, _, err := w.Complete(ctx, s.ID, "completed", "https://example.org/1", 0, strings.Repeat("x", maxAuditLine))
			return err
		})
	})
	t.Run("so is an address", func(t *testing.T) {
		refused(t, "prUrl", func() error {
			_, _, err := w.Complete(ctx, s.ID, "completed", strings.Repeat("x", maxAuditLine), 0, "Done.")
			return err
		})
	})
	t.Run("the longest one is written and read", func(t *testing.T) {
		if _, err := w.RecordPhase(ctx, s.ID, "plan", "started", metadata(maxAuditLine)); err != nil {
			t.Fatal(err)
		}
		entries, skipped, err := w.Audit(ctx, s.ID)
		if err != nil || skipped != 0 || len(entries) != 2 || len(entries[1].Rest) != maxAuditLine {
			t.Errorf("%d entries, %d skipped, %v", len(entries), skipped, err)
		}
	})
}

func TestTheNewestSessionsAreReturned(t *testing.T) {
	files := map[string]string{}
	for i := range 20 {
		id := fmt.Sprintf("s%02d", (i*7)%20)
		status := []string{"completed", "paused", "running", "failed"}[i%4]
		files[sessionFile(id, contextFile)] = fmt.Sprintf(`{"id":%q,"status":%q,"startedAt":"2026-01-01T00:00:%02dZ"}`, id, status, i)
	}
	w := newWorkspace(t, files)
	all, err := w.All(t.Context())
	if err != nil || len(all) != 20 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	for i, s := range all {
		if want := fmt.Sprintf("s%02d", ((19-i)*7)%20); s.ID != want {
			t.Errorf("session %d is %s, want %s", i, s.ID, want)
		}
	}
	ids := func(list []Session) (ids []string) {
		for _, s := range list {
			ids = append(ids, s.ID)
		}
		return ids
	}
	for _, limit := range []int{1, 3, 19, 20, 21} {
		some, err := w.Newest(t.Context(), limit)
		if want := all[:min(limit, 20)]; err != nil || !slices.Equal(ids(some), ids(want)) {
			t.Errorf("the newest %d are %v, %v", limit, ids(some), err)
		}
	}
	if s, _, err := w.Find(t.Context(), ""); err != nil || s.ID != all[1].ID {
		t.Errorf("to resume is %s, %v; want %s, since %s has failed", s.ID, err, all[1].ID, all[0].ID)
	}
}
