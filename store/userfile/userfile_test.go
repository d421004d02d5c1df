package userfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestALinkThatLeadsNowhereIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.Symlink("missing", path); err != nil {
		t.Skip("symbolic links cannot be made here:", err)
	}
	err := Replace(path, []byte("{}"))
	if err == nil || !strings.Contains(err.Error(), path+" is a link that leads nowhere") {
		t.Error(err)
	}
	if got, err := os.Readlink(path); got != "missing" {
		t.Error("the link is gone:", err)
	}
}
