package index

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
)

// told waits for words until what they are about is so.
func told(t *testing.T, changed <-chan struct{}, so func() bool) {
	t.Helper()
	const patience = 2 * time.Minute
	for end := time.After(patience); ; {
		select {
		case _, open := <-changed:
			if !open {
				t.Fatal("the subscription has ended")
			}
			if so() {
				return
			}
		case <-end:
			t.Fatal("no word of a change")
		}
	}
}

func TestSubscribersAreToldOfChangesThatNoCallHasAskedFor(t *testing.T) {
	k := newKit(t)
	p := k.add(paper{title: "One"})
	ix, other := k.open(Options{}), k.open(Options{})
	is := func(id, title string) func() bool {
		return func() bool {
			row, err := ix.Get(t.Context(), id)
			if notFound := (*NotFoundError)(nil); err != nil && !errors.As(err, &notFound) {
				t.Fatal(err)
			}
			return row.Title == title
		}
	}
	if _, err := ix.Get(t.Context(), p.id); err != nil {
		t.Fatal(err)
	}
	changed, done := ix.Subscribe()
	defer done()
	again, doneAgain := ix.Subscribe()
	if ix.mode != ModeWatch {
		t.Skip("files cannot be watched here")
	}

	p.title = "Two"
	k.save(p)
	told(t, changed, is(p.id, "Two"))
	q := k.add(paper{id: "ISS-000777", title: "New"})
	told(t, changed, is(q.id, "New"))
	k.move(q, ".wrangler/issues/archived/ISS-000777.md")
	told(t, changed, func() bool {
		row, err := ix.Get(t.Context(), q.id)
		return err == nil && row.Path == q.path
	})
	k.remove(q)
	told(t, changed, is(q.id, ""))

	// Another process indexes the file first.
	p.title = "Three"
	k.save(p)
	if row, err := other.Get(t.Context(), p.id); err != nil || row.Title != "Three" {
		t.Fatal(row, err)
	}
	told(t, changed, is(p.id, "Three"))

	// Who does not listen has one word waiting, whatever has happened.
	if len(again) != 1 {
		t.Errorf("%d words wait", len(again))
	}
	doneAgain()
	<-again
	p.title = "Four"
	k.save(p)
	told(t, changed, is(p.id, "Four"))
	if len(again) != 0 {
		t.Error("a subscription that is done is told")
	}
}

func TestASubscriptionEndsWithItsIndex(t *testing.T) {
	k := newKit(t)
	ix := k.open(Options{})
	changed, done := ix.Subscribe()
	k.close(ix)
	if _, open := <-changed; open {
		t.Error("a closed index has words")
	}
	done()
	if late, _ := ix.Subscribe(); len(late) != 0 {
		t.Error("a closed index takes subscriptions")
	} else if _, open := <-late; open {
		t.Error("a closed index has words")
	}

	t.Run("and with the folder that it is of", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("a folder with open files gets no other name there")
		}
		w := newTree(t, 3)
		c, _ := serve(t, w.root, Options{})
		ix, release, err := c.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		changed, _ := ix.Subscribe()
		if err := errors.Join(os.Rename(w.root, w.root+".old"), os.MkdirAll(w.root+"/.wrangler/issues", 0o755)); err != nil {
			t.Fatal(err)
		}
		now, leave, err := c.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		leave()
		if _, open := <-changed; open || now == ix {
			t.Error("the subscription goes on")
		}
	})
}

func TestCompletionsFindNamesAndTitles(t *testing.T) {
	k := newKit(t)
	k.add(paper{id: "ISS-000001", title: "Sign in", status: "closed"})
	k.add(paper{id: "ISS-000002", title: "Sign 100% out"})
	k.add(paper{id: "SPEC_1", title: "Signs", path: ".wrangler/specifications/SPEC_1.md"})
	k.add(paper{id: "ISS-000004", title: "One", path: ".wrangler/issues/ISS-000004-one.md"})
	k.add(paper{id: "ISS-000004", title: "Other", path: ".wrangler/issues/ISS-000004-other.md"})
	ix := k.open(Options{})
	for _, c := range []struct {
		name string
		ask  Completing
		want []string
		more bool
	}{
		{"the latest first", Completing{Begun: "iss-00000"}, []string{"ISS-000002", "ISS-000001"}, false},
		{"a shared id by its paths", Completing{Begun: ".wrangler/issues/ISS-000004"}, []string{".wrangler/issues/ISS-000004-other.md", ".wrangler/issues/ISS-000004-one.md"}, false},
		{"or by its files' names", Completing{Begun: "ISS-000004", FileNames: true}, []string{"ISS-000004-other.md", "ISS-000004-one.md"}, false},
		{"by the title", Completing{Begun: "sIGN", Titles: true}, []string{"SPEC_1", "ISS-000002", "ISS-000001"}, false},
		{"no more than asked for", Completing{Begun: "", Limit: 2, FileNames: true}, []string{"ISS-000004-other.md", "ISS-000004-one.md"}, true},
		{"only what is wanted", Completing{Begun: "ISS", Wanted: func(r Row) bool { return r.Status == "closed" }}, []string{"ISS-000001"}, false},
		{"no pattern", Completing{Begun: "SPEC_"}, []string{"SPEC_1"}, false},
		{"nor in titles", Completing{Begun: "100%", Titles: true}, []string{"ISS-000002"}, false},
		{"nothing", Completing{Begun: "_"}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, more, err := ix.Complete(t.Context(), c.ask)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, one := range list {
				names = append(names, one.Name)
			}
			if !slices.Equal(names, c.want) || more != c.more {
				t.Errorf("%q, more %v, want %q, more %v", names, more, c.want, c.more)
			}
		})
	}
}

// BenchmarkComplete is the completion of an id in 10,000 documents: where most fit, where a
// few do, and where none does.
func BenchmarkComplete(b *testing.B) {
	k := newKit(b)
	for range 10_000 {
		k.add(paper{})
	}
	ix := k.open(Options{})
	if _, err := ix.Health(b.Context()); err != nil { // waits until it is built
		b.Fatal(err)
	}
	for _, begun := range []string{"ISS", "ISS-00999", "zzz"} {
		b.Run(begun, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := ix.Complete(b.Context(), Completing{Begun: begun, Titles: true, FileNames: true, Limit: 100}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
