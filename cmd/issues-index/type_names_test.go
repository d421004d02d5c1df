package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// idioms are type names that mean the same in every package that has one: the options of
// its constructor, its error, its client.
var idioms = []string{"options", "error", "client", "config"}

// A type name means one thing, so that a reader who met it in one package knows it in
// the next. Letter case makes no difference; packages for tests stand in for others.
func TestTypeNamesMeanOneThing(t *testing.T) {
	packages := make(map[string][]string)
	err := filepath.WalkDir(repositoryRoot, func(file string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		if err != nil || entry.IsDir() && (name == "testdata" || name == ".git") {
			if err == nil {
				err = filepath.SkipDir
			}
			return err
		}
		pkg := path.Dir(filepath.ToSlash(file))
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(pkg, "test") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range parsed.Decls {
			types, ok := declaration.(*ast.GenDecl)
			if !ok || types.Tok != token.TYPE {
				continue
			}
			for _, spec := range types.Specs {
				spec := spec.(*ast.TypeSpec)
				name := strings.ToLower(spec.Name.Name)
				if !spec.Assign.IsValid() && !slices.Contains(packages[name], pkg) {
					packages[name] = append(packages[name], pkg)
				}
			}
		}
		return nil
	})
	if err != nil || len(packages) < 100 {
		t.Fatalf("found %d type names: %v", len(packages), err)
	}
	for name, in := range packages {
		if len(in) > 1 && !slices.Contains(idioms, name) {
			t.Errorf("%s is a type of %s", name, strings.Join(in, ", "))
		}
	}
}
