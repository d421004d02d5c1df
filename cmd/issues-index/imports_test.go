package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"issues-index/store"
)

// mayImport lists, for each package, our packages that it may import besides those of
// everywhere. A new package needs a line here.
var mayImport = map[string][]string{
	"migrations":        {},
	"store/words":       {},
	"store/userfile":    {"store/cachedir"},
	"store/orderedjson": {},
	"store/pattern":     {},
	"store/cachedir":    {},
	"store/foreign":     {"store", "store/frontmatter", "store/layout", "store/yamlfile"},
	"store/git":         {"store/cachedir"},
	"store/yamlfile":    {},
	"store/follow":      {},
	"store/layout":      {"store/yamlfile"},
	"store/frontmatter": {"store/layout", "store/yamlfile"},
	"store/markdown":    {"store/frontmatter"},
	"store":             {"store/frontmatter", "store/markdown", "store/cachedir", "store/git", "store/layout", "store/yamlfile", "store/follow", "store/mirror"},
	"store/merge":       {"store/frontmatter", "store/markdown", "store/layout", "store/git"},
	"store/mergedriver": {"store", "store/frontmatter", "store/cachedir", "store/git", "store/layout", "store/merge", "store/userfile"},
	"store/mirror":      {"store/layout"},
	"store/history":     {"store", "store/frontmatter", "store/markdown", "store/git"},
	"store/session":     {"store", "store/frontmatter", "store/cachedir", "store/git"},
	"store/storetest":   {"store/cachedir"},
	"store/undo":        {"store", "store/cachedir"},

	"index/team/share":     {"store/mirror"},
	"index/team/nats":      {"index/team/share", "store/mirror"},
	"index/team/natstest":  {"index/team/nats"},
	"index/team/sharetest": {"index/team/share", "store/mirror"},
	"index/team/hub":       {"index", "index/team/share", "store/mirror", "store/cachedir"},

	"index/search":       {},
	"index/where":        {"index/search"},
	"index/sqlfile":      {"store/cachedir"},
	"index/claims":       {"index/team/share", "index/sqlfile", "store", "store/layout", "store/cachedir"},
	"index/db":           {"index/sqlfile", "migrations", "store", "store/cachedir"},
	"index/watch":        {"store", "store/cachedir"},
	"index":              {"index/claims", "index/db", "index/search", "index/watch", "index/where", "store", "store/layout", "store/mirror", "store/frontmatter", "store/markdown", "store/cachedir"},
	"index/team/publish": {"index", "index/claims", "index/team/share", "index/sqlfile", "store", "store/cachedir", "store/git", "store/mirror"},
	"index/edit":         {"index", "index/claims", "index/team/share", "store", "store/frontmatter", "store/layout", "store/markdown", "store/merge", "store/undo"},
	"index/workspaces":   {"index", "store", "store/cachedir", "store/git"},
	"index/views":        {"index/where", "store", "store/yamlfile"},
	"index/documents":    {"index", "index/edit", "index/views", "index/where", "store", "store/history", "store/layout", "store/markdown", "store/undo"},
	"index/repair":       {"index", "index/claims", "index/edit", "index/team/publish", "index/views", "index/where", "store", "store/layout", "store/frontmatter", "store/markdown", "store/history", "store/merge", "store/git"},

	"tools/answer":              {"store", "store/markdown"},
	"tools":                     {"tools/answer", "tools/auth", "index", "index/documents", "index/edit", "index/claims", "index/views", "index/where", "index/workspaces", "index/team/share", "store", "store/history", "store/layout", "store/markdown", "store/mirror", "store/cachedir"},
	"tools/clientfile":          {},
	"tools/config":              {"tools/answer", "store/layout", "store/mirror", "store/yamlfile", "store/follow"},
	"tools/telemetry":           {"tools", "tools/o200k", "index/sqlfile", "store/cachedir"},
	"tools/o200k":               {},
	"tools/auth":                {"store/userfile"},
	"tools/auth/authtest":       {},
	"tools/transport":           {"tools", "tools/auth"},
	"tools/dashboard":           {"tools", "tools/auth", "tools/telemetry", "index", "index/team/publish", "store/words"},
	"tools/layered":             {},
	"tools/webexport":           {"store/cachedir"},
	"tools/sanitize":            {},
	"tools/web":                 {"tools", "tools/auth", "tools/dashboard", "tools/layered", "tools/telemetry", "index", "index/documents", "index/edit", "index/repair", "index/views", "index/where", "store", "store/history", "store/layout", "store/markdown", "store/session", "store/undo", "tools/sanitize"},
	"tools/issues":              {"tools", "tools/answer", "index", "index/documents", "index/edit", "index/claims", "index/views", "index/where", "store", "store/history", "store/layout", "store/markdown", "store/mirror", "store/session", "store/undo"},
	"tools/session":             {"tools", "tools/answer", "index/claims", "store", "store/session"},
	"tools/resources":           {"tools", "tools/answer", "tools/issues", "index", "index/workspaces", "store", "store/layout", "store/markdown"},
	"tools/prompts":             {"tools", "tools/resources", "index"},
	"tools/upstream":            {},
	"tools/wagtail":             {"tools", "tools/answer", "tools/upstream", "tools/wagtail/content"},
	"tools/wagtail/content":     {"tools/sanitize"},
	"tools/wagtail/wagtailtest": {},
	"tools/pdpp":                {"tools", "tools/answer", "tools/upstream"},
	"tools/pdpp/pdpptest":       {},
	"tools/browsertest":         {"store/storetest"},
	"tools/toolstest":           {"store/storetest", "tools", "tools/answer"},

	"cmd/issues-bench":          {},
	"cmd/issues-release":        {},
	"cmd/issues-index/terminal": {"store/markdown"},
	"cmd/issues-index": {
		"cmd/issues-index/terminal",
		"tools", "tools/answer", "tools/auth", "tools/transport", "tools/clientfile", "tools/issues", "tools/session", "tools/config", "tools/telemetry", "tools/dashboard", "tools/web", "tools/webexport", "tools/wagtail", "tools/pdpp", "tools/resources", "tools/prompts",
		"index", "index/documents", "index/team/hub", "index/db", "index/edit", "index/claims", "index/views", "index/where", "index/repair", "index/workspaces", "index/team/publish", "index/team/share", "index/team/nats", "store", "store/history", "store/foreign", "store/git", "store/markdown", "store/mergedriver", "store/session", "store/undo", "store/userfile", "store/cachedir", "store/layout", "store/mirror",
	},
}

// everywhere lists the small packages that every package may import.
var everywhere = []string{"store/words", "store/orderedjson", "store/pattern"}

// only lists, for modules that few packages may know, these packages.
var only = map[string][]string{
	"database/sql":                       {"index", "index/claims", "index/db", "index/team/publish", "index/sqlfile", "tools/telemetry"},
	"modernc.org/sqlite":                 {"index", "index/db", "index/claims", "index/sqlfile", "tools/telemetry"},
	"github.com/mark3labs/mcp-go":        {"tools", "tools/jsonrpc", "tools/transport", "tools/toolstest"},
	"github.com/microcosm-cc/bluemonday": {}, // compiles its expressions at each start: tests alone
	"github.com/tiktoken-go/tokenizer":   {}, // its vocabularies take 7 MB unpacked: tests alone
	"github.com/mattn/go-sqlite3":        {}, // needs cgo
	"gopkg.in/yaml.v2":                   {}, // of goldmark-meta alone
	"gopkg.in/yaml.v3":                   {}, // go.yaml.in/yaml/v3 is its successor
}

// repositoryRoot is where go.mod is.
const repositoryRoot = "../.."

// module is the path of our module, and a slash.
var module = strings.TrimSuffix(reflect.TypeFor[store.Workspace]().PkgPath(), "store")

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
			"index/search":     "issues-index/store",
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
	allowed, known := mayImport[pkg]
	if !known {
		return []string{pkg + " has no line in mayImport"}
	}
	for _, p := range imported {
		ours, isOurs := strings.CutPrefix(p, module)
		if isOurs && !slices.Contains(allowed, ours) && !slices.Contains(everywhere, ours) {
			complaints = append(complaints, pkg+" imports "+p)
		}
		for external, knowIt := range only {
			if (p == external || strings.HasPrefix(p, external+"/")) && !slices.Contains(knowIt, pkg) {
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
