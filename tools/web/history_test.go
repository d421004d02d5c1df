package web

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// gitIn runs git in a folder, as an author whose name is markup.
func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "git", append([]string{"-c", "maintenance.auto=false", "-c", "user.name=Ann & Co", "-c", "user.email=ann@example.org"}, args...)...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, said)
	}
}

func TestHistoryOfADocument(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here:", err)
	}
	s := serve(t, sample())
	if page := s.get(t, "/d/ISS-000001/history"); page.Code >= 500 || !strings.Contains(page.Body.String(), "git") {
		t.Errorf("without a repository: %d\n%s", page.Code, page.Body)
	}
	gitIn(t, s.root, "init", "--quiet", "--initial-branch=main")
	const commits = historyRows + 5
	for n := range commits {
		s.write(t, 1, fmt.Sprintf("Title %d", n), "", "status: open")
		gitIn(t, s.root, "add", "--all")
		gitIn(t, s.root, "commit", "--quiet", "-m", fmt.Sprintf("Make it <i>%d</i>", n))
	}
	s.write(t, 1, "Not committed", "", "status: closed")

	rows := regexp.MustCompile(`Make it &lt;i&gt;\d+&lt;/i&gt;`)
	next := regexp.MustCompile(`href="(/d/ISS-000001/history\?after=[^"]+)"`)
	first := s.page(t, "/d/ISS-000001/history")
	for _, want := range []string{"Not committed", "open", "closed", "Ann &amp; Co", fmt.Sprintf("Title %d", commits-1)} {
		if !strings.Contains(first, want) {
			t.Errorf("the first page does not have %q:\n%s", want, first)
		}
	}
	seen := len(rows.FindAllString(first, -1))
	older := next.FindStringSubmatch(first)
	if older == nil || seen != historyRows-1 { // one row is what is not committed
		t.Fatalf("%d commits, next page %q", seen, older)
	}
	second := s.page(t, strings.ReplaceAll(older[1], "&amp;", "&"))
	if seen += len(rows.FindAllString(second, -1)); seen != commits || next.MatchString(second) {
		t.Errorf("%d of %d commits are shown", seen, commits)
	}
	if page := s.get(t, "/d/ISS-000001/history?"+url.Values{"after": {"nothing"}}.Encode()); page.Code != 400 {
		t.Errorf("an entry that is not there: %d", page.Code)
	}

	shallow := filepath.Join(t.TempDir(), "clone")
	gitIn(t, s.root, "clone", "--quiet", "--depth=1", "file://"+s.root, shallow)
	if page := serveRoot(t, shallow).page(t, "/d/ISS-000001/history"); !strings.Contains(page, "shallow") {
		t.Errorf("a shallow clone does not say so:\n%s", page)
	}
}
