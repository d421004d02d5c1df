//go:build linux || darwin

package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What a repository puts in the place of a session's file is a problem of the
// session. A FIFO without a writer would hold whoever opens it for ever.
func TestSessionFilesThatAreNotRegularAreProblems(t *testing.T) {
	const irregular = " cannot be read: it is not a regular file"
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte(`{"status":"running"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for kind, c := range map[string]struct {
		make    func(p string) error
		problem string
	}{
		"a FIFO":                    {func(p string) error { return unix.Mkfifo(p, 0o644) }, irregular},
		"a folder":                  {func(p string) error { return os.Mkdir(p, 0o755) }, irregular},
		"a link to a device":        {func(p string) error { return os.Symlink(os.DevNull, p) }, " leads out of the workspace"},
		"a link out":                {func(p string) error { return os.Symlink(outside, p) }, " leads out of the workspace"},
		"a link that leads nowhere": {func(p string) error { return os.Symlink("nowhere", p) }, " is missing"},
		"a link to a FIFO": {func(p string) error {
			if err := unix.Mkfifo(p+".fifo", 0o644); err != nil {
				return err
			}
			return os.Symlink(filepath.Base(p)+".fifo", p)
		}, irregular},
	} {
		for _, name := range []string{contextFile, checkpointFile, auditFile} {
			t.Run(kind+" as "+name, func(t *testing.T) {
				w := audited(t, `{"phase":"init"}`+"\n")
				writeFiles(t, w.Root, map[string]string{sessionFile(foreignID, checkpointFile): "{}"})
				p := filepath.Join(w.Root, filepath.FromSlash(sessionFile(foreignID, name)))
				if err := os.Remove(p); err != nil {
					t.Fatal(err)
				}
				if err := c.make(p); err != nil {
					t.Skip("it cannot be made here:", err)
				}
				noAudit := name == auditFile && c.problem == " is missing" // a session need not have one
				s, _, err := w.Find(t.Context(), foreignID)
				if err != nil || slices.Contains(s.Problems, name+c.problem) == noAudit {
					t.Errorf("problems %q, %v", s.Problems, err)
				}
				all, err := w.All(t.Context())
				if err != nil || len(all) != 1 || (len(all[0].Problems) > 0) != (name == contextFile) {
					t.Errorf("%v, %v", all, err)
				}
				problems, err := w.Problems(t.Context(), foreignID)
				if err != nil || slices.Contains(problems, name+c.problem) != (name != contextFile && !noAudit) {
					t.Errorf("problems %q, %v", problems, err)
				}
				_, err = w.RecordPhase(t.Context(), foreignID, "plan", "started", nil)
				if (err == nil) != (name == checkpointFile) {
					t.Errorf("a change: %v", err)
				}
				_, _, err = w.SaveCheckpoint(t.Context(), foreignID, Checkpoint{LastAction: "x"})
				if name != checkpointFile && err == nil {
					t.Error("a checkpoint was saved")
				}
				if data, err := os.ReadFile(outside); err != nil || strings.Contains(string(data), "x") {
					t.Errorf("outside is %q, %v", data, err)
				}
			})
		}
	}
}
