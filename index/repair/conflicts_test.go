package repair

import "testing"

func TestConflictsInTheFrontmatterAreMerged(t *testing.T) {
	const (
		stamps   = "<<<<<<< HEAD\nupdatedAt: '2026-01-02T00:00:00.000Z'\n=======\nupdatedAt: '2026-01-03T00:00:00.000Z'\n>>>>>>> topic\n"
		titles   = "---\nid: ISS-000002\n<<<<<<< HEAD\ntitle: One\n=======\ntitle: Two\n>>>>>>> topic\n---\n"
		resolved = ".wrangler/issues/ISS-000001.md"
		left     = ".wrangler/issues/ISS-000002.md"
	)
	files := map[string]string{resolved: "---\nid: ISS-000001\n" + stamps + "---\nText\n", left: titles}
	b := newWorkspace(t, "", files)
	r := b.check()
	if len(r.Changes) != 1 {
		t.Fatalf("%+v", r.Changes)
	}
	for _, p := range r.Problems {
		if want := "lines 3-7: both sides changed title in different ways"; p.Path == left && p.Why != want {
			t.Errorf("%q, want %q", p.Why, want)
		}
	}
	b.fix(r)
	files[resolved] = "---\nid: ISS-000001\nupdatedAt: '2026-01-03T00:00:00.000Z'\n---\nText\n"
	sameFiles(t, b.files(), files)
	if again := b.check(); len(again.Changes) > 0 || len(again.Problems) != 1 {
		t.Errorf("%+v", again)
	}
}
