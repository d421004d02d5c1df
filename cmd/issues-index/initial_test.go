package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// costly are calls that take long enough to be felt in the start of a command, which
// most of them would be made for in vain.
var costly = []string{"regexp.MustCompile", "goldmark.New", "parser.NewParser", "converter.NewConverter"}

// TestNothingCostlyIsMadeAtStart holds that what is costly is made when it is first
// needed, and not with the program's variables.
func TestNothingCostlyIsMadeAtStart(t *testing.T) {
	files := 0
	err := filepath.WalkDir(repositoryRoot, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && (name == "testdata" || strings.HasSuffix(name, "test") || strings.HasPrefix(name, ".") && name != "." && name != ".."):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files++
		for _, call := range madeAtStart(parsed) {
			t.Errorf("%s makes %s at the start of every command: let it be made on first use", file, call)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files: %v", files, err)
	}

	t.Run("a planted one is seen", func(t *testing.T) {
		const planted = "package p\nvar a = regexp.MustCompile(``)\nvar b = sync.OnceValue(func() any { return goldmark.New() })\nfunc c() { goldmark.New() }\n" +
			"var d = []x{{goldmark.New().Parser()}}\nfunc init() { parser.NewParser() }\n"
		parsed, err := parser.ParseFile(token.NewFileSet(), "p.go", planted, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := madeAtStart(parsed); !slices.Equal(got, []string{"regexp.MustCompile", "goldmark.New", "parser.NewParser"}) {
			t.Errorf("got %v", got)
		}
	})
}

// madeAtStart are the costly calls that a file makes before main is called.
func madeAtStart(file *ast.File) (calls []string) {
	look := func(n ast.Node) bool {
		if _, later := n.(*ast.FuncLit); later {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if called, ok := call.Fun.(*ast.SelectorExpr); ok {
			if pkg, ok := called.X.(*ast.Ident); ok && slices.Contains(costly, pkg.Name+"."+called.Sel.Name) {
				calls = append(calls, pkg.Name+"."+called.Sel.Name)
			}
		}
		return true
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			ast.Inspect(d, look)
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				ast.Inspect(d.Body, look)
			}
		}
	}
	return calls
}
