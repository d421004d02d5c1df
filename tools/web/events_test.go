package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"issues-index/tools/auth"
)

// patienceOfTests is how long a test waits for what has to come.
const patienceOfTests = 2 * time.Minute

// A listener reads the events of a site.
type listener struct {
	news chan news
	stop func()
}

// listen begins to read events, as a browser does.
func listen(t testing.TB, address string) *listener {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/events", http.NoBody)
	check(t, err)
	answer, err := http.DefaultClient.Do(r) //nolint:bodyclose // closed where it is read
	check(t, err)
	if got := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("%d, %q", answer.StatusCode, got)
	}
	l := &listener{news: make(chan news, 1000), stop: stop}
	go func() {
		defer close(l.news)
		defer answer.Body.Close()
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var n news
				if json.Unmarshal([]byte(data), &n) == nil {
					l.news <- n
				}
			}
		}
	}()
	t.Cleanup(stop)
	return l
}

// next waits for the next event.
func (l *listener) next(t testing.TB) news {
	t.Helper()
	select {
	case n, ok := <-l.news:
		if !ok {
			t.Fatal("the events have ended")
		}
		return n
	case <-time.After(patienceOfTests):
		t.Fatal("no event came")
	}
	return news{}
}

// until waits for an event after which something is so.
func (l *listener) until(t testing.TB, so func(news) bool) {
	t.Helper()
	for !so(l.next(t)) {
	}
}

var revOfPage = regexp.MustCompile(`data-rev="([0-9a-f]+)"`)

// revOf is the state that a page shows.
func revOf(t testing.TB, page string) string {
	t.Helper()
	found := revOfPage.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("the page names no state:\n%.300s", page)
	}
	return found[1]
}

// write changes or makes an issue, with one rename, as editors do.
func (s *testSite) write(t testing.TB, n int, title, body string, fields ...string) string {
	t.Helper()
	name, text := issue(n, title, body, fields...)
	temporary := filepath.Join(s.root, ".temporary")
	check(t, os.WriteFile(temporary, []byte(text), 0o644))
	check(t, os.Rename(temporary, filepath.Join(s.root, name)))
	return fmt.Sprintf("ISS-%06d", n)
}

// Each reader takes a connection for as long as it likes: some are left for those who ask.
func TestReadersOfEventsAreBounded(t *testing.T) {
	t.Parallel()
	s := serve(t, sample())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := r.Header.Get("Subject"); name != "" {
			r = r.WithContext(auth.With(r.Context(), &auth.Principal{Name: name, Scopes: []auth.Scope{auth.Read}}))
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{}}
	read := func(subject string) (status int, text string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/events", http.NoBody)
		check(t, err)
		r.Header.Set("Subject", subject)
		answer, err := client.Do(r)
		check(t, err)
		t.Cleanup(func() { answer.Body.Close() })
		if answer.StatusCode != http.StatusOK {
			body, _ := io.ReadAll(answer.Body)
			text = answer.Header.Get("Retry-After") + " " + string(body)
		}
		return answer.StatusCode, text
	}
	for i := range maxReadersEach {
		if status, text := read("ann"); status != http.StatusOK {
			t.Fatalf("reader %d of ann: %d, %s", i, status, text)
		}
	}
	if status, text := read("ann"); status != http.StatusTooManyRequests || !strings.HasPrefix(text, "60 ") || !strings.Contains(text, "Load this page again") {
		t.Errorf("one too many of ann: %d, %q", status, text)
	}
	for i := range maxReaders - maxReadersEach {
		if status, text := read(""); status != http.StatusOK {
			t.Fatalf("reader %d: %d, %s", i, status, text)
		}
	}
	if status, _ := read("bob"); status != http.StatusTooManyRequests {
		t.Errorf("one too many: %d", status)
	}
	if page := s.get(t, "/list"); page.Code != http.StatusOK {
		t.Errorf("a page: %d", page.Code)
	}
}

func TestEventsNameWhatHasChanged(t *testing.T) {
	t.Parallel()
	s := serve(t, sample())
	server := httptest.NewServer(s.Handler)
	t.Cleanup(server.Close)
	before := revOf(t, s.page(t, "/d/ISS-000001"))
	l := listen(t, server.URL)
	if first := l.next(t); first.Rev != before || first.Many || len(first.Changed) > 0 {
		t.Errorf("at first %+v, of a page of %s", first, before)
	}
	s.write(t, 5, "Old and changed", "", "status: closed")
	l.until(t, func(n news) bool { return slices.Contains(n.Changed, "ISS-000005") })
	s.write(t, 5, "Old", "See ISS-000004.", "status: closed")
	l.until(t, func(n news) bool { return slices.Contains(n.Changed, "ISS-000004") })
	s.write(t, 6, "New", "")
	l.until(t, func(n news) bool { return n.Many })
	check(t, os.Remove(filepath.Join(s.root, ".wrangler/issues/ISS-000006-x.md")))
	l.until(t, func(n news) bool { return n.Many })
	if after := revOf(t, s.page(t, "/d/ISS-000001")); after == before {
		t.Errorf("the page names the state %s after all that", after)
	}
}

func TestEventsEnd(t *testing.T) {
	t.Parallel()
	s := serve(t, sample())
	server := httptest.NewServer(s.Handler)
	t.Cleanup(server.Close)
	readers := func() int {
		s.pages.feed.mu.Lock()
		defer s.pages.feed.mu.Unlock()
		return len(s.pages.feed.readers)
	}
	gone := func(what string) {
		t.Helper()
		for began := time.Now(); readers() > 0; time.Sleep(time.Millisecond) {
			if time.Since(began) > patienceOfTests {
				t.Fatalf("%s: %d readers are left", what, readers())
			}
		}
		s.pages.feed.mu.Lock()
		defer s.pages.feed.mu.Unlock()
		if s.pages.feed.stop != nil {
			t.Errorf("%s: the feed looks for changes all the same", what)
		}
	}
	one, two := listen(t, server.URL), listen(t, server.URL)
	one.next(t)
	two.next(t)
	one.stop()
	two.stop()
	gone("pages are closed")
	last := listen(t, server.URL)
	last.next(t)
	s.pages.End()
	if _, open := <-last.news; open {
		t.Error("there are news after the end")
	}
	gone("the server ends")
}

// Whoever reads slowly has one message waiting, of a bounded size.
func TestNewsThatAreNotReadAreOneMessage(t *testing.T) {
	t.Parallel()
	s := serve(t, sample())
	slow := s.pages.feed.read()
	defer slow.done()
	<-slow.ready
	slow.take()
	for n := range mostNews + 10 {
		s.write(t, 10+n, "Many", "")
	}
	var got news
	var rev string
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if rev = revOf(t, s.page(t, "/d/ISS-000001")); time.Since(began) > patienceOfTests {
			t.Fatal("the last state is not told")
		}
		s.pages.feed.mu.Lock()
		got = slow.waiting
		waiting := len(slow.ids)
		s.pages.feed.mu.Unlock()
		if waiting > mostNews || len(slow.ready) > 1 {
			t.Fatalf("%d ids and %d words wait", waiting, len(slow.ready))
		}
		if got.Rev == rev {
			break
		}
	}
	if !got.Many {
		t.Errorf("%+v", got)
	}
}

// Whatever happens, and however often the connection is lost, a page that follows the protocol
// ends with what the server shows.
func TestPagesThatFollowEventsShowTheLatestState(t *testing.T) {
	t.Parallel()
	s := serve(t, sample())
	server := httptest.NewServer(s.Handler)
	t.Cleanup(server.Close)
	rapid.Check(t, func(rt *rapid.T) {
		const target = "/list?where=status+%3D+open"
		shown := s.page(t, target)
		l := listen(t, server.URL)
		for range rapid.IntRange(1, 6).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0:
				s.write(t, rapid.IntRange(1, 9).Draw(rt, "document"), rapid.StringMatching("[a-z]{1,8}").Draw(rt, "title"), "", rapid.SampledFrom([]string{"status: open", "status: closed"}).Draw(rt, "status"))
			case 1:
				_ = os.Remove(filepath.Join(s.root, fmt.Sprintf(".wrangler/issues/ISS-%06d-x.md", rapid.IntRange(6, 9).Draw(rt, "document"))))
			case 2:
				l.stop()
				l = listen(t, server.URL)
			case 3:
				if n := l.next(t); n.Rev != revOf(t, shown) {
					shown = s.page(t, target)
				}
				l.stop() // there may be no other news
				l = listen(t, server.URL)
			}
		}
		want := s.page(t, target)
		for n := l.next(t); ; n = l.next(t) {
			if n.Rev != revOf(t, shown) {
				shown = s.page(t, target)
			}
			if revOf(t, shown) == revOf(t, want) {
				break
			}
			want = s.page(t, target)
		}
		if age := regexp.MustCompile(`>[^<]*</time>`); age.ReplaceAllString(shown, "") != age.ReplaceAllString(want, "") {
			rt.Fatalf("shown\n%s\nwant\n%s", shown, want)
		}
		l.stop()
	})
}

// As many open pages as may be, during a thousand changes cost the index one look for each burst, and
// each page ends with the last state.
func TestManyOpenPagesDuringManyChanges(t *testing.T) {
	t.Parallel()
	const pages, changes = maxReaders, 1000
	s := serve(t, sample())
	server := httptest.NewServer(s.Handler)
	t.Cleanup(server.Close)
	var all []*listener
	for range pages {
		l := listen(t, server.URL)
		l.next(t)
		all = append(all, l)
	}
	began := time.Now()
	for n := range changes {
		s.write(t, 1+n%5, fmt.Sprintf("Change %d", n), "")
	}
	took := time.Since(began)
	rev := revOf(t, s.page(t, "/"))
	var messages atomic.Int64
	var wait sync.WaitGroup
	for _, l := range all {
		wait.Go(func() {
			l.until(t, func(n news) bool { messages.Add(1); return n.Rev == rev })
		})
	}
	wait.Wait()
	if most := int64(pages) * (2 + int64((took+2*time.Second)/gatherTime)); messages.Load() > most {
		t.Errorf("%d messages for %d pages, more than %d", messages.Load(), pages, most)
	}
}
