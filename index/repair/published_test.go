package repair

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/team/publish"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store"
)

// A gatedMachine publishes what a test lets it.
type gatedMachine struct {
	*sharetest.Machine
	taken     error                  // what Take says
	conflicts func(path string) bool // what another machine publishes each time
}

func (m gatedMachine) Take(ctx context.Context, l share.TeamLease, lasts time.Duration) (share.TeamLease, error) {
	if m.taken != nil {
		return share.TeamLease{}, m.taken
	}
	return m.Machine.Take(ctx, l, lasts)
}

func (m gatedMachine) Publish(ctx context.Context, versions []share.DocumentVersion) []share.Ack {
	acks := make([]share.Ack, len(versions))
	for i, v := range versions {
		if m.conflicts != nil && m.conflicts(v.Path) {
			acks[i].Err = &share.VersionConflictError{}
		} else {
			acks[i] = m.Machine.Publish(ctx, versions[i:i+1])[0]
		}
	}
	return acks
}

// What cannot be published is a problem until it can be, whoever tries.
func TestWhatIsNotPublished(t *testing.T) {
	root, machine := t.TempDir(), sharetest.NewEngine(nil).Connect()
	plant := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, ".wrangler/issues", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	plant("ISS-000001-sun.md", "---\nid: ISS-000001\ntitle: Sun\nstatus: open\n---\n")
	plant("ISS-000002-rain.md", "---\nid: ISS-000002\ntitle: Rain\nstatus: open\n---\n")
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	current, err := index.Serve(t.Context(), ws, index.Options{Mode: index.ModeVerify})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := current.Close(); err != nil {
			t.Error(err)
		}
	})
	try := func(team share.Team) error {
		_, err := publish.New(publish.Options{Team: team, Index: current, Workspace: "api"}).Once(t.Context())
		return err
	}
	check := func(codes ...store.ProblemCode) (found string, r *Report) {
		t.Helper()
		ix, release, err := current.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		r, err = Check(t.Context(), ix, time.Now(), codes...)
		if err == nil {
			err = r.AddUnpublished(t.Context(), ix, "api")
		}
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, f := range r.Problems {
			if KindOf(f.Problem.Code, ws.Layout).Advice == "" {
				t.Errorf("no advice for %s", f.Problem.Code)
			}
			all = append(all, string(f.Problem.Code)+" "+f.ID)
		}
		return strings.Join(all, ", "), r
	}
	if found, _ := check(); found != "" {
		t.Errorf("what only waits is a problem: %s", found)
	}
	t.Run("nothing, with credentials that may not", func(t *testing.T) {
		if err := try(gatedMachine{Machine: machine, taken: share.ErrForbidden}); !errors.Is(err, share.ErrForbidden) {
			t.Fatal(err)
		}
		found, r := check()
		if found != "not-published " || r.Documents != 0 || r.Problems[0].Path != publish.Path || !strings.Contains(r.Problems[0].Problem.Message, "credentials") {
			t.Errorf("%s: %+v", found, r)
		}
	})
	t.Run("single documents, each with its reason", func(t *testing.T) {
		plant("ISS-000003-flood.md", "")
		if err := os.Truncate(filepath.Join(root, ".wrangler/issues/ISS-000003-flood.md"), store.MaxFileSize+1); err != nil {
			t.Fatal(err)
		}
		disputed := func(path string) bool { return strings.Contains(path, "rain") }
		if err := try(gatedMachine{Machine: machine, conflicts: disputed}); err != nil {
			t.Fatal(err)
		}
		found, r := check()
		if found != "file-too-large ISS-000003-flood, publish-conflict ISS-000002, not-published ISS-000003-flood" || r.Documents != 2 {
			t.Errorf("%s in %d documents", found, r.Documents)
		}
		if found, r := check(publishConflict); found != "publish-conflict ISS-000002" || r.Documents != 1 {
			t.Errorf("of one kind: %s in %d documents", found, r.Documents)
		}
		if found, _ := check(DuplicateID); found != "" {
			t.Errorf("of another kind: %s", found)
		}
	})
	t.Run("nothing is left when all is published", func(t *testing.T) {
		if err := os.Remove(filepath.Join(root, ".wrangler/issues/ISS-000003-flood.md")); err != nil {
			t.Fatal(err)
		}
		if err := try(machine); err != nil {
			t.Fatal(err)
		}
		if found, _ := check(); found != "" {
			t.Error(found)
		}
	})
}
