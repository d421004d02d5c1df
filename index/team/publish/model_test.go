package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/index"
	"issues-index/index/sqlfile"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/mirror"
)

// Whatever happens to files, process, connection, engine and notes: when the next process has
// published, the engine has what the files have, and nothing was published that stood there.
func TestEngineComesToHaveWhatTheFilesHave(t *testing.T) {
	modelChecks(t)
	rapid.Check(t, func(r *rapid.T) {
		root, err := os.MkdirTemp("", "publish")
		if err != nil {
			r.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(root) }()
		time := newClock()
		engine := sharetest.NewEngine(time.Now)
		s := newSite(r, root, engine, time.Now, index.ModeVerify)
		defer s.end()
		made := 0
		text := func() string { made++; return document(fmt.Sprint("About ", made)) }
		name := func(label string) string { return fmt.Sprintf("ISS-%06d.md", rapid.IntRange(1, 12).Draw(r, label)) }
		existing := func(label string) string {
			all := slices.Sorted(maps.Keys(s.files()))
			if len(all) == 0 {
				r.Skip()
			}
			return filepath.Base(rapid.SampledFrom(all).Draw(r, label))
		}
		r.Repeat(map[string]func(*rapid.T){
			"write":  func(*rapid.T) { s.write(name("document"), text()) },
			"remove": func(*rapid.T) { s.remove(existing("document")) },
			"rename": func(*rapid.T) {
				s.must(os.Rename(filepath.Join(root, issues, existing("from")), filepath.Join(root, issues, name("to"))))
			},
			"publish": func(*rapid.T) {
				if err := s.publish(); err != nil && !errors.Is(err, share.ErrAway) {
					r.Fatal(err)
				}
			},
			"be killed": func(r *rapid.T) {
				s.wire.killAt = rapid.IntRange(1, 5).Draw(r, "operations")
				s.wire.partly = rapid.IntRange(0, 5).Draw(r, "versions")
				if err := s.publishUntilKilled(); err != nil && !errors.Is(err, share.ErrAway) {
					r.Fatal(err)
				}
				s.wire.killAt = 0
			},
			"cut":  func(*rapid.T) { s.machine.Cut() },
			"mend": func(*rapid.T) { s.machine.Mend() },
			"restore the engine": func(r *rapid.T) {
				state, err := engine.Connect().LogState(context.Background())
				s.must(err)
				engine.Restore(rapid.Uint64Range(0, state.Last).Draw(r, "position"))
			},
			"forget": func(*rapid.T) {
				for _, suffix := range append([]string{""}, cachedir.Suffixes...) {
					_ = os.Remove(filepath.Join(root, store.CacheDir, databaseName+suffix))
				}
			},
			"another machine publishes, too": func(r *rapid.T) {
				v := share.DocumentVersion{Branch: mirror.Branch{Workspace: "api", Name: mirror.Main}, Path: issues + name("document"), Data: []byte(text()), Origin: share.Origin{Epoch: "other", Rev: uint64(made)}}
				for h, err := range engine.Connect().Heads(context.Background(), share.BranchSelection{}) {
					if s.must(err); h.Path == v.Path {
						v.Replaces = h.Position
					}
				}
				if acks := engine.Connect().Publish(context.Background(), []share.DocumentVersion{v}); acks[0].Err != nil {
					r.Fatal(acks[0].Err)
				}
			},
			"time passes": func(*rapid.T) { time.pass(leaseLasts * 2 / 3) },
			"compare":     func(*rapid.T) { compareAll(s) },
		})
		s.machine.Mend()
		compareAll(s)
		s.must(s.publish())
		expect(r, "at the end", standing(r, engine, mirror.Main), s.files())
		if status := s.Status(); status.Waiting != 0 || len(status.Problems) != 0 || status.LastError != "" {
			r.Errorf("%+v", status)
		}
		s.wire.published()
		s.must(s.publish())
		if again := s.wire.published(); len(again) > 0 {
			r.Errorf("published again: %v", again)
		}
	})
}

// The work of a change is the same in a small workspace and in a larger one.
func TestWorkOfAChange(t *testing.T) {
	work := func(documents int) (statements []string) {
		s := newSiteIn(t, sharetest.NewEngine(nil), nil, index.ModeVerify)
		for i := range documents {
			s.write(fmt.Sprintf("ISS-%06d.md", i), document(fmt.Sprint("About ", i)))
		}
		s.must(s.publish())
		s.write("ISS-000007.md", document("Changed"))
		s.write("ISS-900000.md", document("New"))
		s.wire.published()
		s.must(s.loop.publish(sqlfile.WithObserver(t.Context(), func(query string) {
			if strings.Contains(query, "hash, NULL) FROM document") {
				statements = append(statements, query)
			}
		})))
		if got := s.wire.published(); !slices.Equal(got, []string{"api ISS-000007.md", "api ISS-900000.md"}) || s.wire.heads != 1 {
			t.Errorf("%v, and the engine was asked %d times for all that it has", got, s.wire.heads)
		}
		return statements
	}
	few, many := work(10), work(120)
	if !slices.Equal(few, many) || len(few) != 1 {
		t.Errorf("%q, and %q", few, many)
	}
}

// compareAll is what happens hourly, and after the engine was away.
func compareAll(s *site) {
	if s.loop != nil {
		s.loop.reconcileAt = farPast
	}
}

// What changes is published without another look at all that the engine has.
func TestChangesAreFoundByTheIndex(t *testing.T) {
	modelChecks(t)
	rapid.Check(t, func(r *rapid.T) {
		root, err := os.MkdirTemp("", "publish")
		if err != nil {
			r.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(root) }()
		engine := sharetest.NewEngine(nil)
		s := newSite(r, root, engine, nil, index.ModeVerify)
		defer s.end()
		s.must(s.publish())
		made := 0
		for range rapid.IntRange(1, 6).Draw(r, "rounds") {
			for range rapid.IntRange(1, 8).Draw(r, "changes") {
				made++
				name := fmt.Sprintf("ISS-%06d.md", rapid.IntRange(1, 20).Draw(r, "document"))
				path := filepath.Join(root, issues, name)
				_, missing := os.Stat(path)
				switch what := rapid.SampledFrom([]string{"write", "write", "rename", "remove", "swell"}).Draw(r, "what"); {
				case what == "write" || missing != nil:
					_ = os.Remove(path)
					s.write(name, document(fmt.Sprint("About ", made)))
				case what == "rename":
					s.must(os.Rename(path, filepath.Join(root, issues, fmt.Sprintf("ISS-%06d.md", made+1000))))
				case what == "remove":
					s.remove(name)
				case what == "swell": // too large to be read: what was published before stays
					s.must(os.Truncate(path, store.MaxFileSize+1))
				}
			}
			s.must(s.publish())
			want := s.files()
			got := standing(r, engine, mirror.Main)
			for path, text := range want {
				if len(text) > store.MaxFileSize {
					delete(want, path)
					delete(got, path)
				}
			}
			expect(r, "after the round", got, want)
		}
		if s.wire.heads != 1 {
			r.Errorf("the engine was asked %d times for all that it has", s.wire.heads)
		}
	})
}
