package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport lists, for each package, our packages that it may import and the foreign ones
// that it must not. A new package needs a line here.
var mayImport = map[string]struct{ ours, never []string }{
	"migrations":        {never: []string{"database/sql", "modernc.org/sqlite"}},
	"store":             {ours: []string{"store/frontmatter", "store/cachedir", "store/git", "store/pattern", "store/words", "store/orderedjson"}, never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"store/frontmatter": {ours: []string{"store/pattern", "store/words", "store/orderedjson"}, never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"store/session":     {ours: []string{"store", "store/frontmatter", "store/cachedir", "store/git", "store/pattern", "store/words", "store/orderedjson"}, never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"store/storetest":   {ours: []string{"store/cachedir"}, never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"store/git":         {ours: []string{"store/cachedir", "store/pattern", "store/words"}, never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"store/cachedir":    {never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"store/words":       {never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"store/orderedjson": {never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"store/pattern":     {never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"index/fulltext":    {never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"index/db":          {ours: []string{"migrations", "store", "store/cachedir", "store/pattern"}, never: []string{"github.com/mark3labs/mcp-go"}},
	"index/watch":       {ours: []string{"store", "store/cachedir"}, never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"index": {
		ours:  []string{"index/db", "index/fulltext", "index/watch", "store", "store/cachedir", "store/pattern", "store/words", "store/orderedjson"},
		never: []string{"github.com/mark3labs/mcp-go"},
	},
	"index/edit": {
		ours:  []string{"index", "store"},
		never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"},
	},
	"index/repair": {
		ours:  []string{"index", "index/edit", "store", "store/frontmatter", "store/pattern", "store/words", "store/orderedjson"},
		never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"},
	},
	"tools/stdio":  {ours: []string{"store/orderedjson"}, never: []string{"database/sql", "modernc.org/sqlite"}},
	"tools/answer": {ours: []string{"store", "store/words", "store/orderedjson"}, never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"tools/config": {
		ours:  []string{"tools/answer", "store/words", "store/pattern", "store/words", "store/orderedjson"},
		never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"},
	},
	"tools": {
		ours:  []string{"tools/answer", "store/words", "index", "index/edit", "store", "store/cachedir", "store/pattern", "store/words", "store/orderedjson"},
		never: []string{"database/sql", "modernc.org/sqlite"},
	},
	"tools/issues": {
		ours:  []string{"tools", "tools/answer", "index", "index/edit", "store", "store/pattern", "store/words", "store/orderedjson"},
		never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"},
	},
	"tools/session": {
		ours:  []string{"tools", "store", "store/session"},
		never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"},
	},
	"tools/telemetry": {ours: []string{"tools", "store/cachedir"}, never: []string{"github.com/mark3labs/mcp-go"}},
	"tools/dashboard": {
		ours:  []string{"tools", "tools/telemetry", "index"},
		never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"},
	},
	"tools/upstream": {never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"tools/wagtail": {
		ours:  []string{"tools", "tools/answer", "tools/upstream", "tools/wagtail/content", "store", "store/pattern", "store/words", "store/orderedjson"},
		never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"},
	},
	"tools/wagtail/content":     {ours: []string{"store/pattern", "store/words", "store/orderedjson"}, never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"tools/wagtail/wagtailtest": {never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"tools/pdpp": {
		ours:  []string{"tools", "tools/answer", "tools/upstream", "store/pattern", "store/words", "store/orderedjson"},
		never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"},
	},
	"tools/pdpp/pdpptest": {never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"cmd/issues-bench":    {never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"}},
	"tools/toolstest":     {ours: []string{"tools", "tools/answer"}, never: []string{"database/sql", "modernc.org/sqlite"}},
	"cmd/issues-index": {
		ours:  []string{"tools", "tools/stdio", "tools/issues", "tools/session", "tools/config", "tools/telemetry", "tools/dashboard", "store/words", "tools/wagtail", "tools/pdpp", "index", "index/db", "index/repair", "index/edit", "store", "store/session", "store/cachedir", "store/pattern", "store/words", "store/orderedjson"},
		never: []string{"database/sql", "modernc.org/sqlite", "github.com/mark3labs/mcp-go"},
	},
}

// everywhere lists the small packages that every package may import.
var everywhere = []string{"store/words", "store/orderedjson", "store/pattern"}

// repositoryRoot is where go.mod is.
const repositoryRoot = "../.."

const module = "issues-index/"

func TestImportsPointOneWay(t *testing.T) {
	imports := readImports(t)
	if len(imports["store"]) == 0 || len(imports["cmd/issues-index"]) == 0 {
		t.Fatalf("found only %v", slices.Sorted(maps.Keys(imports)))
	}
	for pkg, imported := range imports {
		for _, complaint := range wrongImports(pkg, imported) {
			t.Error(complaint)
		}
	}

	t.Run("a planted arrow upwards is seen", func(t *testing.T) {
		planted := map[string]string{
			"store":            "issues-index/index",
			"index/fulltext":   "issues-index/store",
			"index":            "issues-index/tools/issues",
			"tools/issues":     "modernc.org/sqlite/lib",
			"a/package/unruly": "fmt",
		}
		for pkg, imported := range planted {
			if len(wrongImports(pkg, []string{imported})) == 0 {
				t.Errorf("%s may import %s", pkg, imported)
			}
		}
	})
}

// wrongImports says what is wrong with the imports of one of our packages.
func wrongImports(pkg string, imported []string) (complaints []string) {
	rule, known := mayImport[pkg]
	if !known {
		return []string{pkg + " has no line in mayImport"}
	}
	for _, p := range imported {
		ours, isOurs := strings.CutPrefix(p, module)
		if isOurs && !slices.Contains(rule.ours, ours) && !slices.Contains(everywhere, ours) {
			complaints = append(complaints, pkg+" imports "+p)
		}
		for _, never := range rule.never {
			if p == never || strings.HasPrefix(p, never+"/") {
				complaints = append(complaints, pkg+" imports "+p)
			}
		}
	}
	return complaints
}

// readImports reads the imports of every package, for every build tag alike;
// tests may import what they like.
func readImports(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	err := filepath.WalkDir(repositoryRoot, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && name != "." && name != "..") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(repositoryRoot, file)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(relative))
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports[pkg] = append(imports[pkg], imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return imports
}
