package main

import (
	"bytes"
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/store/storetest"
)

// contents are the hashes of all documents of a workspace, by their paths.
func contents(t *testing.T, root string) map[string][sha256.Size]byte {
	t.Helper()
	all := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(filepath.Join(root, ".wrangler"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		data, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, root)] = sha256.Sum256(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func differences(a, b map[string][sha256.Size]byte) (paths []string) {
	for path, hash := range a {
		if other, ok := b[path]; !ok || other != hash {
			paths = append(paths, path)
		}
	}
	for path := range b {
		if _, ok := a[path]; !ok {
			paths = append(paths, path)
		}
	}
	return paths
}

func TestCommand(t *testing.T) {
	if !storetest.Long() {
		t.Skip("builds the program: see -long")
	}
	t.Parallel()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"--sizes", "100", "--rounds", "1", "--starts", "1"}, &out,
		io.Discard); err != nil {
		t.Fatal(err)
	}
	names := []string{"rebuild, ms", "index, MB", "start to initialize, ms", "start to first list, ms",
		"tools/list, bytes", "list of 20 rows, bytes"}
	for _, call := range new(corpus).calls() {
		names = append(names, call.name+", ms")
	}
	for _, name := range names {
		if !strings.Contains(out.String(), "\n| "+name+" | ") || strings.Contains(out.String(), "\n| "+name+" | 0.000") {
			t.Errorf("%s is not measured", name)
		}
	}
}

func TestTwoProgramsAreMeasuredInTurn(t *testing.T) {
	if !storetest.Long() {
		t.Skip("builds the program: see -long")
	}
	t.Parallel()
	program, err := buildProgram(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = run(t.Context(), []string{
		"--beside", program, "--sizes", "100", "--rounds", "2", "--starts", "1", "--rebuilds", "1",
	}, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{"rebuild", "start to initialize", "start to first list", "list in a shell, 20 rows",
		"a bare durable replacement"}, besideRows...) {
		if !strings.Contains(out.String(), "\n| "+name+", ms | ") {
			t.Errorf("%s is not measured", name)
		}
	}
}

func TestTableHasAColumnForEachSize(t *testing.T) {
	t.Parallel()
	var small, large sizeResult
	for i, r := range []*sizeResult{&small, &large} {
		*r = sizeResult{Documents: []int{100, 10_000}[i], CorpusBytes: 500_000, Figures: map[string]float64{}}
		r.addTimes("get, first", []time.Duration{3 * time.Millisecond, 2 * time.Millisecond})
		r.add("index, MB", 1234.4)
	}
	var text strings.Builder
	if err := writeTable(&text, 2, []sizeResult{small, large}); err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(text.String(), "\n\n")
	const want = `| documents | 100, 0.5 MB | 10,000, 0.5 MB |
|---|---|---|
| get, first, ms | 2.0 (3.0) | 2.0 (3.0) |
| index, MB | 1,234 | 1,234 |
`
	if table != want {
		t.Errorf("got\n%s", table)
	}
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	const documents = 3000
	made, err := generate(t.TempDir(), documents, true)
	if err != nil {
		t.Fatal(err)
	}

	t.Run("is the same every time", func(t *testing.T) {
		again, err := generate(t.TempDir(), documents, true)
		if err != nil {
			t.Fatal(err)
		}
		if changed := differences(contents(t, made.root), contents(t, again.root)); len(changed) > 0 {
			t.Errorf("%d documents differ, %s among them", len(changed), changed[0])
		}
	})

	t.Run("has the sizes and the words that it says", func(t *testing.T) {
		var sizes []int
		with := map[string]int{}
		for path := range contents(t, made.root) {
			data, err := os.ReadFile(filepath.Join(made.root, path))
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, len(data))
			for _, text := range []string{rareWordOf1, phraseOf5, apartOf20, "\nstatus: open\n", "\nproject: 移行計画\n",
				" index ", "検索"} {
				if bytes.Contains(data, []byte(text)) {
					with[text]++
				}
			}
		}
		if len(sizes) != documents {
			t.Fatalf("%d files", len(sizes))
		}
		slices.Sort(sizes)
		if median := sizes[len(sizes)/2]; median < 2700 || median > 3500 {
			t.Errorf("the median file has %d bytes", median)
		}
		if with[rareWordOf1] != 1 || with[phraseOf5] != 5 || with[apartOf20] != 20 {
			t.Errorf("the known words are in %v", with)
		}
		for text, part := range map[string][2]int{"\nstatus: open\n": {25, 40}, "\nproject: 移行計画\n": {4, 9},
			" index ": {35, 80}, "検索": {1, 15}} {
			if percent := 100 * with[text] / documents; percent < part[0] || percent > part[1] {
				t.Errorf("%q is in %d %% of the documents", text, percent)
			}
		}
	})
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, refused := range [][]string{{"--sizes", "ten"}, {"--sizes", "100,"}, {"--sizes", "10"}, {"--rounds", "0"},
		{"--starts", "0"}, {"--rebuilds", "0"}, {"100"}, {"--fast"}} {
		if _, err := readOptions(refused, io.Discard); err == nil {
			t.Errorf("%q is not refused", refused)
		}
	}
	o, err := readOptions([]string{"--sizes", "100, 1000"}, io.Discard)
	if err != nil || !slices.Equal(o.sizes, []int{100, 1000}) {
		t.Errorf("%v: %+v", err, o)
	}
}
