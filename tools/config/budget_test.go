package config_test

import (
	"fmt"
	"strings"
	"testing"

	"issues-index/tools/config"
)

func TestRaisedThresholdRaisesBytesAndLines(t *testing.T) {
	for _, c := range []struct {
		set                  string
		threshold, hardLimit string
		bytes, lines         int
	}{
		{"nothing", "", "", 10000, 256},
		{"the threshold, as it is anyway", "4000", "", 10000, 256},
		{"the threshold, higher", "8000", "", 20000, 512},
		{"the threshold, much higher", "20000", "", 50000, 1280},
		{"the threshold, lower", "2000", "", 10000, 256},
		{"both", "8000", "12000", 12000, 512},
		{"the bytes", "", "30000", 30000, 256},
	} {
		t.Run(c.set, func(t *testing.T) {
			values := map[string]string{
				"ISSUES_INDEX_TOKEN_BUDGET_THRESHOLD": c.threshold, "ISSUES_INDEX_HARD_BYTE_LIMIT": c.hardLimit,
			}
			loaded, err := config.Load(config.Options{Root: t.TempDir(), Getenv: func(name string) string { return values[name] }})
			if err != nil {
				t.Fatal(err)
			}
			if b := loaded.Settings().Budget("issues_list", 0); b.Bytes != c.bytes || b.Lines != c.lines {
				t.Errorf("%d bytes and %d lines", b.Bytes, b.Lines)
			}
			for _, s := range loaded.Settled() {
				if s.Name == "hardByteLimit" && s.Text() != fmt.Sprint(c.bytes) {
					t.Errorf("shown as %s", s.Text())
				}
			}
		})
	}
	t.Run("while a server runs, too, and the log says so", func(t *testing.T) {
		root, file := workspace(t, "tokenBudgetThreshold: 4000\n")
		f := follow(t, config.LiveOptions{Options: config.Options{Root: root}})
		save(t, file, "tokenBudgetThreshold: 8000\n")
		f.holds(t, 8000)
		if now := f.Config(); now.HardByteLimit != 20000 {
			t.Errorf("%d bytes", now.HardByteLimit)
		}
		f.logged(t, "key=hardByteLimit old=10000 new=20000")
	})
	t.Run("what a call asks for raises them further", func(t *testing.T) {
		loaded, err := config.Load(config.Options{Root: t.TempDir(), Getenv: func(name string) string {
			return map[bool]string{true: "8000"}[strings.HasSuffix(name, "TOKEN_BUDGET_THRESHOLD")]
		}})
		if err != nil {
			t.Fatal(err)
		}
		if b := loaded.Settings().Budget("issues_get", 16000); b.Bytes != 40000 || b.Lines != 1024 || b.Tokens != 16000 {
			t.Errorf("%+v", b)
		}
	})
}
