package repair

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/agree"
	"issues-index/index/edit"
	"issues-index/index/share"
	"issues-index/index/share/sharetest"
	"issues-index/store"
	"issues-index/store/mirror"
)

// Claims and numbers that were made while the team's engine was away, and that another clone
// has, are problems until somebody has settled them.
func TestWhatOthersHaveMeanwhile(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	mine, theirs := engine.Connect(), engine.Connect()
	ix, theirIx := teamIndex(t, mine), teamIndex(t, theirs)
	w, their := edit.New(ix, edit.LockWait), edit.New(theirIx, edit.LockWait)
	codes := func() string {
		t.Helper()
		report, err := Check(t.Context(), ix, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, f := range append(report.Problems, report.Hints...) {
			if KindOf(f.Problem.Code, ix.Workspace().Layout).Advice == "" {
				t.Errorf("no advice for %s", f.Problem.Code)
			}
			all = append(all, string(f.Problem.Code)+" "+f.ID)
		}
		return strings.Join(all, ", ")
	}
	mine.Cut()
	_, err := w.Claim(t.Context(), edit.DocumentRef{ID: "ISS-1"}, edit.ClaimRequest{Holder: "anna"})
	if _, e := their.Claim(t.Context(), edit.DocumentRef{ID: "ISS-1"}, edit.ClaimRequest{Holder: "ben"}); err == nil {
		err = e
	}
	rain, e := w.Create(t.Context(), store.NewDocument{Title: "Rain"}, false)
	snow, e2 := their.Create(t.Context(), store.NewDocument{Title: "Snow"}, false)
	if err := errors.Join(err, e, e2); err != nil {
		t.Fatal(err)
	}
	published := share.DocumentVersion{Line: mirror.Line{Workspace: "api", Name: mirror.Main}, Path: snow.Path, Origin: share.Origin{Epoch: "a", Rev: 1}, Data: snow.Data}
	if ack := theirs.Publish(t.Context(), []share.DocumentVersion{published})[0]; ack.Err != nil {
		t.Fatal(ack.Err)
	}
	if got := codes(); got != "not-agreed " {
		t.Errorf("without the engine: %s", got)
	}
	mine.Mend()
	if got := codes(); got != "id-conflict "+rain.After.ID+", claim-conflict ISS-000001" {
		t.Errorf("with it: %s", got)
	}
	if _, err := w.Release(t.Context(), edit.DocumentRef{ID: "ISS-1"}, "anna", 0, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Delete(t.Context(), edit.DocumentRef{ID: rain.After.ID}); err != nil {
		t.Fatal(err)
	}
	if got := codes(); got != "" {
		t.Errorf("after both were given up: %s", got)
	}
}

// teamIndex is the index of a new clone with one issue.
func teamIndex(t *testing.T, machine *sharetest.Machine) *index.Index {
	t.Helper()
	return cloneOf(t, machine, agree.Auto, map[string]string{".wrangler/issues/ISS-000001-sun.md": "---\nid: ISS-000001\ntitle: Sun\nstatus: open\n---\n"}).ix
}

// cloneOf is a new clone of a team's workspace that has these files.
func cloneOf(t *testing.T, team share.Team, mode agree.ClaimMode, files map[string]string) *workspace {
	t.Helper()
	root := t.TempDir()
	writeFiles(t, root, files)
	connected := func(context.Context) (share.Team, error) { return team, nil }
	return openIndex(t, root, "", index.Options{Mode: index.ModeVerify, Agreement: func(ws *store.Workspace) *agree.Agreement {
		return agree.In(ws, agree.Options{Team: connected, Workspace: "api", Claims: mode})
	}})
}
