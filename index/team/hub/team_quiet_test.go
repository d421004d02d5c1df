package hub_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/store"
	"issues-index/store/mirror"
)

// checkQuiet holds what has to be true once everybody is connected and has nothing more to do.
func (s *simulation) checkQuiet() {
	s.Helper()
	for range 2 { // the second time with what the others have agreed and published since
		for _, m := range s.machines {
			s.eventually(fmt.Sprintf("machine %d publishes", m.number), m.publish)
		}
	}
	s.checkFiles()
	s.checkClaims()
	for _, h := range s.hubs {
		s.eventually(fmt.Sprintf("hub %d has the files of the machines", h.number), func() error { return h.compare(s.published(h)) })
		h.checkIndex()
	}
}

func (m *simMachine) publish() error {
	ctx, end := context.WithTimeout(m.server.ctx, time.Minute)
	defer end()
	if _, err := m.server.publisher.Flush(ctx); err != nil {
		return fmt.Errorf("%w: %+v", err, m.server.publisher.Status())
	}
	return nil
}

// checkFiles holds that the files are what was acknowledged and what was done by hand.
func (s *simulation) checkFiles() {
	for _, m := range s.machines {
		for path, want := range m.kept {
			got, err := os.ReadFile(filepath.Join(m.root, path))
			switch {
			case want == nil && !errors.Is(err, os.ErrNotExist):
				s.Errorf("machine %d: %s was deleted, and is there: %v", m.number, path, err)
			case want != nil && (err != nil || !bytes.Equal(got, want)):
				s.Errorf("machine %d: %s is %q, %v, and was acknowledged as %q", m.number, path, got, err, want)
			}
		}
	}
}

// checkClaims holds that each claim is that of one machine, and that the engine has it.
func (s *simulation) checkClaims() {
	live := map[string]int{} // the machine that has a document, by workspace and id
	for _, m := range s.machines {
		ctx, leases := s.Context(), m.server.ix.Leases()
		all, err := leases.All(ctx)
		ok(s, err)
		for _, one := range all {
			if !one.Live(m.server.ix.Workspace().Now()) || !leases.Counts(one) {
				continue
			}
			key := m.workspace + ":" + one.ID
			if other, held := live[key]; held {
				s.Errorf("%s is held on machine %d and on machine %d by %s", key, other, m.number, one.Holder)
			}
			live[key] = m.number
			var held share.TeamLease
			s.eventually(fmt.Sprintf("machine %d reads a lease", m.number), func() (err error) {
				held, err = m.server.team.Lease(ctx, m.workspace, store.FoldID(one.ID))
				return err
			})
			if held.Holder != one.Holder {
				s.Errorf("machine %d: the engine does not have the claim of %s on %s", m.number, one.Holder, one.ID)
			}
		}
	}
}

// published are the files that a hub has to have: those of the machines, under the lines that
// they say that they publish. Without a main line in each workspace there are none.
func (s *simulation) published(h *simHub) (files map[string]string, err error) {
	files = map[string]string{}
	mains := map[string]bool{}
	for _, m := range s.machines {
		status := m.server.publisher.Status()
		line := mirror.Branch{Workspace: m.workspace, Name: status.Branch}
		if line.Name == mirror.Main {
			mains[m.workspace] = true
		}
		if status.Branch == "" || status.Waiting > 0 || len(status.Problems) > 0 {
			return nil, fmt.Errorf("machine %d publishes: %+v", m.number, status)
		}
		if h.of.Branches != nil && !slices.Contains(h.of.Branches, line.Name) {
			continue
		}
		manifest, err := m.server.ix.Workspace().Manifest().Bytes()
		if err != nil {
			return nil, err
		}
		files[line.Folder()+mirror.ManifestPath] = string(manifest)
		for _, path := range m.documents() {
			data, err := os.ReadFile(filepath.Join(m.root, path))
			if err != nil {
				return nil, err
			}
			files[line.Folder()+path] = string(data)
		}
	}
	if len(mains) < s.size.workspaces {
		return nil, fmt.Errorf("only %v have a main line", slices.Sorted(maps.Keys(mains)))
	}
	return files, nil
}

// compare says how the mirror differs from what it has to be.
func (h *simHub) compare(want map[string]string, err error) error {
	if err != nil {
		return err
	}
	got := mirrored(h, h.dir)
	var differing []string
	for path, text := range want {
		if found, there := got[path]; !there || found != text {
			differing = append(differing, fmt.Sprintf("%s is %q, want %q", path, found, text))
		}
	}
	for path := range got {
		if _, there := want[path]; !there {
			differing = append(differing, path+" has no file")
		}
	}
	if len(differing) == 0 {
		return nil
	}
	slices.Sort(differing)
	return fmt.Errorf("%d of %d files differ: %s; %+v", len(differing), len(want), strings.Join(differing[:min(5, len(differing))], "\n"), h.hub.Status())
}

// checkIndex holds that the hub's index is what one would be that is built from the mirror now.
func (h *simHub) checkIndex() {
	h.Helper()
	ix, release, err := h.current.Acquire(h.Context())
	ok(h, err)
	defer release()
	_, err = ix.Health(h.Context())
	ok(h, err)
	ws := h.open()
	anew := filepath.Join(h.TempDir(), "anew.db")
	fresh, err := index.Open(h.Context(), ws, index.Options{Path: anew, Mode: index.ModeVerify})
	ok(h, err)
	_, err = fresh.Health(h.Context())
	ok(h, err)
	got, want := h.rows(h.indexPath()), h.rows(anew)
	ok(h, fresh.Close(), ws.Close())
	if len(want) == 0 || !slices.Equal(got, want) {
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				h.Fatalf("hub %d: the index has     %s\none built anew has %s", h.number, got[i], want[i])
			}
		}
		h.Fatalf("hub %d: the index has %d rows, one built anew %d", h.number, len(got), len(want))
	}
}

// rows are what an index has of the files.
func (h *simHub) rows(path string) (all []string) {
	h.Helper()
	file, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?mode=ro")
	ok(h, err)
	defer func() { ok(h, file.Close()) }()
	rows, err := file.QueryContext(h.Context(), `SELECT path || ' ' || concat_ws(' ', workspace, line, hex(hash), id, title, status, labels, size,
		(SELECT group_concat(code || ' ' || line || ' ' || message) FROM document_problem p WHERE p.doc = d.doc),
		(SELECT group_concat(concat_ws(' ', key, item, text, number, time)) FROM field f WHERE f.doc = d.doc),
		(SELECT group_concat(concat_ws(' ', item, kind, target, target_fold, name, line)) FROM reference r WHERE r.doc = d.doc),
		(SELECT group_concat(id_fold) FROM former_id f WHERE f.doc = d.doc)) FROM document d ORDER BY path`)
	ok(h, err)
	defer func() { ok(h, rows.Close()) }()
	for rows.Next() {
		var row string
		ok(h, rows.Scan(&row))
		all = append(all, row)
	}
	ok(h, rows.Err())
	return all
}
