package store

import (
	"os"
	"path/filepath"
	"testing"
)

// One mutation may change several files: each is compared with what was read of it, and a file
// that only this program writes with none.
func TestAMutationComparesEachFileWithItself(t *testing.T) {
	const note = SessionsDir + "/note.json"
	w := newWorkspace(t, map[string]string{aPath: openIssue, note: "old"})
	err := w.Mutate(t.Context(), func(m *Mutation) error {
		for _, text := range []string{"one", "another"} {
			_, err := m.Update(aPath, func(*Document) (Fields, error) { return Fields{Append: text}, nil })
			if err != nil {
				return err
			}
			if err := m.WriteFile(note, []byte(text)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(w.Root, note)); err != nil || string(got) != "another" {
		t.Errorf("%q, %v", got, err)
	}
}
