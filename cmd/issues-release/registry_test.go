//go:build linux

package main

import (
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A registry serves packages of npm: those of a release from its files, and others from npm's own
// registry, each of which it asks for once and then keeps in memory.
type registry struct {
	*httptest.Server
	mu       sync.Mutex
	answers  map[string][]byte // by the path
	sent     int               // bytes since the last reset
	upstream string            // "" for none
}

func serveRegistry(t *testing.T, dist string) *registry {
	t.Helper()
	r := &registry{answers: map[string][]byte{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	files, err := filepath.Glob(filepath.Join(dist, "npm", "*.tgz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		packed := content(t, file)
		var manifest map[string]any
		fromJSON(t, untar(t, packed)["package/package.json"].data, &manifest)
		path := "/-/" + filepath.Base(file)
		r.answers[path] = packed
		weak, strong := sha1.Sum(packed), sha512.Sum512(packed)
		manifest["dist"] = object{
			"tarball": r.URL + path, "shasum": hex.EncodeToString(weak[:]),
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(strong[:]),
		}
		name, version := manifest["name"].(string), manifest["version"].(string)
		answer, err := json.Marshal(object{
			"name": name, "dist-tags": object{"latest": version}, "versions": object{version: manifest},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.answers["/"+name] = answer
	}
	return r
}

// environment has npm use this registry alone, and an empty cache below home.
func (r *registry) environment(home string) []string {
	return []string{
		"HOME=" + home, "npm_config_registry=" + r.URL, "npm_config_cache=" + filepath.Join(home, "npm"),
		"npm_config_userconfig=" + filepath.Join(home, "npmrc"), "npm_config_update_notifier=false",
	}
}

// reset returns how many bytes were sent since the last time.
func (r *registry) reset() (sent int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sent, r.sent = r.sent, 0
	return sent
}

func (r *registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	path := request.URL.EscapedPath()
	r.mu.Lock()
	defer r.mu.Unlock()
	answer, ok := r.answers[path]
	if !ok && r.upstream != "" {
		if answer, ok = r.fetch(path, request.Header.Get("Accept")); ok {
			r.answers[path] = answer
		}
	}
	if !ok {
		http.NotFound(w, request)
		return
	}
	if !strings.HasSuffix(path, ".tgz") {
		w.Header().Set("Content-Type", "application/json")
	}
	n, err := w.Write(answer)
	r.sent += n
	if err != nil {
		panic(http.ErrAbortHandler)
	}
}

// fetch asks npm's registry, and has its tarballs come from this one.
func (r *registry) fetch(path, accept string) ([]byte, bool) {
	request, err := http.NewRequest(http.MethodGet, r.upstream+path, http.NoBody)
	if err != nil {
		return nil, false
	}
	request.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, false
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil, false
	}
	if !strings.HasSuffix(path, ".tgz") {
		answer = []byte(strings.ReplaceAll(string(answer), r.upstream+"/", r.URL+"/"))
	}
	return answer, true
}

// size is that of the files below a folder.
func size(t *testing.T, root string) (bytes int64) {
	t.Helper()
	err := filepath.Walk(root, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}
