package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/tools/config"
)

var exampleFile = filepath.Join("..", "..", ".env.example")

// uncommented is the example with every variable set, those that it only shows among
// them, and their names.
func uncommented(t *testing.T) (text string, names []string) {
	t.Helper()
	data, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	variable := regexp.MustCompile(`(?m)^(?:# )?([A-Z][A-Z0-9_]*)=(.*)$`)
	for _, found := range variable.FindAllStringSubmatch(string(data), -1) {
		names = append(names, found[1])
	}
	return variable.ReplaceAllString(string(data), "$1=$2"), names
}

func TestExampleEnvFileNamesExistingKeys(t *testing.T) {
	var known []string
	_, names := uncommented(t)
	for _, key := range config.Keys(theTools) {
		known = append(known, key.Env...)
		connector := strings.HasPrefix(key.Name, "wagtail.") || strings.HasPrefix(key.Name, "pdpp.")
		if connector && !slices.Contains(names, key.Env[0]) {
			t.Errorf("%s is missing", key.Env[0])
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			t.Errorf("%s is no variable of a key", name)
		}
	}
}

func TestExampleEnvFileLoadsWhenNamed(t *testing.T) {
	c := mustLoad(t, config.Options{EnvFile: exampleFile, EnvFileNamed: true})
	if c.Wagtail.BaseURL != "http://localhost:8000" || c.Wagtail.APIKey.Reveal() != "" || c.PDPP.ProviderURL != "" || len(c.Warnings()) > 0 {
		t.Errorf("%+v %+v %q", c.Wagtail, c.PDPP, c.Warnings())
	}
	whole, _ := uncommented(t)
	c = mustLoad(t, config.Options{EnvFile: envFile(t, whole), EnvFileNamed: true})
	if c.Wagtail.APIKey.Reveal() == "" || c.PDPP.ProviderURL != "https://rs.example.org" || len(c.Warnings()) > 0 {
		t.Errorf("%+v %+v %q", c.Wagtail, c.PDPP, c.Warnings())
	}
	t.Run("and says that it sets no address when it is not", func(t *testing.T) {
		c := mustLoad(t, config.Options{EnvFile: envFile(t, whole)})
		if c.Wagtail.BaseURL != "" || c.PDPP.ProviderURL != "" || !strings.Contains(strings.Join(c.Warnings(), "\n"), "WAGTAIL_BASE_URL in .env is ignored") {
			t.Errorf("%+v %q", c.Wagtail, c.Warnings())
		}
	})
}
