package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const repositoryRoot = "../.."

// checkRelease holds what this command makes to what it is made of: programs, versions, checksums
// and names.
func checkRelease(t *testing.T, dist string) {
	t.Helper()
	r := openRelease(t, dist)
	t.Run("checksums", func(t *testing.T) { checkChecksums(t, r) })
	t.Run("npm", func(t *testing.T) { checkNPM(t, r) })
	t.Run("bundles", func(t *testing.T) { checkBundles(t, r) })
	t.Run("server.json", func(t *testing.T) { checkServer(t, r) })
	t.Run("image", func(t *testing.T) { checkImage(t, r) })
	t.Run("formula", func(t *testing.T) { checkFormula(t, r) })
}

// openRelease reads a release that was made in dist. The working directory is the repository's
// root.
func openRelease(t *testing.T, dist string) *release {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "0")
	s, err := readSettings(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Description) > 100 {
		t.Errorf("the MCP registry takes 100 characters of description, not %d", len(s.Description))
	}
	r, err := readRelease(s, dist)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.programs) != 6 {
		t.Fatalf("it has %d programs, not 6", len(r.programs))
	}
	return r
}

func checkChecksums(t *testing.T, r *release) {
	want := map[string]string{}
	for line := range strings.Lines(string(content(t, r.assets(), "checksums.txt"))) {
		sum, file, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("no checksum: %s", line)
		}
		want[file] = sum
	}
	entries, err := os.ReadDir(r.assets())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "checksums.txt" || e.Name() == "checksums.txt.sig" {
			continue
		}
		if sum := digest(content(t, r.assets(), e.Name())); want[e.Name()] != sum {
			t.Errorf("the checksum of %s is %s, not %s", e.Name(), sum, want[e.Name()])
		}
		delete(want, e.Name())
	}
	for file := range want {
		t.Errorf("there is a checksum of %s, and no such file", file)
	}
	for _, p := range r.programs {
		assets := []string{p.archive(), p.asset(".mcpb"), p.asset(".cdx.json")}
		if p.goos == "linux" {
			assets = append(assets, p.asset(".deb"), p.asset(".rpm"))
		}
		for _, asset := range assets {
			content(t, r.assets(), asset)
		}
	}
	for _, asset := range []string{"install.sh", "issues-index.rb", "issues-index.json", "server.json"} {
		content(t, r.assets(), asset)
	}
}

func checkNPM(t *testing.T, r *release) {
	files, err := filepath.Glob(filepath.Join(r.dist, "npm", "*.tgz"))
	if err != nil || len(files) != len(r.programs)+1 {
		t.Fatalf("packages: %q, %v", files, err)
	}
	m, packed := npmPackage(t, r, name)
	if m["mcpName"] != r.mcpName() || m["scripts"] != nil || m["dependencies"] != nil {
		t.Errorf("package.json is %v", m)
	}
	if got := packed["package/bin/issues-index.js"]; !bytes.Equal(got.data, launcher) || got.mode&0o111 == 0 {
		t.Errorf("the launcher has the mode %o", got.mode)
	}
	optional, ok := m["optionalDependencies"].(map[string]any)
	if !ok || len(optional) != len(r.programs) {
		t.Errorf("the packages of the programs are %v", m["optionalDependencies"])
	}
	for _, p := range r.programs {
		system, processor := p.npmSystem()
		name := name + "-" + system + "-" + processor
		one, packed := npmPackage(t, r, name)
		if optional[name] != r.version {
			t.Errorf("%s is wanted as %v, not %s", name, optional[name], r.version)
		}
		executable := packed["package/bin/"+p.executable()]
		if !bytes.Equal(executable.data, content(t, p.file)) || executable.mode != 0o755 {
			t.Errorf("%s has another program, or the mode %o", name, executable.mode)
		}
		if !equalJSON(t, one["os"], []string{system}) || !equalJSON(t, one["cpu"], []string{processor}) ||
			one["scripts"] != nil {
			t.Errorf("%s is %v", name, one)
		}
	}
}

// npmPackage returns the package.json and the files of a package.
func npmPackage(t *testing.T, r *release, name string) (manifest map[string]any, files map[string]file) {
	t.Helper()
	files = untar(t, content(t, r.dist, "npm", name+"-"+r.version+".tgz"))
	fromJSON(t, files["package/package.json"].data, &manifest)
	if manifest["name"] != name || manifest["version"] != r.version || len(files["package/LICENSE"].data) == 0 {
		t.Errorf("%s has the package.json %v", name, manifest)
	}
	return manifest, files
}

func checkBundles(t *testing.T, r *release) {
	for _, p := range r.programs {
		files := unzip(t, content(t, r.assets(), p.asset(".mcpb")))
		var m struct {
			Name, Version string
			Manifest      string `json:"manifest_version"`
			Server        struct {
				Type  string
				Entry string `json:"entry_point"`
			}
		}
		fromJSON(t, files["manifest.json"].data, &m)
		if m.Name != name || m.Version != r.version || m.Manifest != "0.3" || m.Server.Type != "binary" {
			t.Errorf("the manifest of %s is %s", p.asset(".mcpb"), files["manifest.json"].data)
		}
		executable := files[m.Server.Entry]
		if !bytes.Equal(executable.data, content(t, p.file)) || executable.mode.Perm() != 0o755 {
			t.Errorf("%s has another program, or the mode %v", p.asset(".mcpb"), executable.mode)
		}
	}
}

func checkServer(t *testing.T, r *release) {
	var s struct {
		Name, Version string
		Packages      []struct{ RegistryType, Identifier, Version, FileSha256 string }
	}
	fromJSON(t, content(t, r.assets(), "server.json"), &s)
	if s.Name != r.mcpName() || s.Version != r.version || len(s.Packages) != len(r.programs)+2 {
		t.Errorf("it is %+v", s)
	}
	kinds := map[string]int{}
	for _, p := range s.Packages {
		kinds[p.RegistryType]++
		switch p.RegistryType {
		case "npm":
			if p.Identifier != name || p.Version != r.version {
				t.Errorf("the package for npm is %+v", p)
			}
		case "mcpb":
			file := path.Base(p.Identifier)
			if p.Identifier != r.download(file) || p.FileSha256 != digest(content(t, r.assets(), file)) {
				t.Errorf("the bundle is %+v", p)
			}
		case "oci":
			if p.Identifier != r.image()+":"+r.version || p.Identifier != strings.ToLower(p.Identifier) ||
				p.Version != "" {
				t.Errorf("the image is %+v", p)
			}
		}
	}
	if !maps.Equal(kinds, map[string]int{"npm": 1, "mcpb": len(r.programs), "oci": 1}) {
		t.Errorf("it has packages of the kinds %v", kinds)
	}
}

// A descriptor names a part of the image.
type descriptor struct {
	MediaType, Digest string
	Size              int
	Platform          struct{ OS, Architecture string }
}

// blob reads a part of the image, which must be what its descriptor says.
func blob(t *testing.T, r *release, d descriptor) []byte {
	t.Helper()
	data := content(t, r.dist, "oci", "blobs", "sha256", strings.TrimPrefix(d.Digest, "sha256:"))
	if "sha256:"+digest(data) != d.Digest || len(data) != d.Size {
		t.Errorf("%s is something else, of %d bytes", d.Digest, len(data))
	}
	return data
}

// imageFiles returns the files of the image for Linux on a processor, and its configuration.
func imageFiles(t *testing.T, r *release, goarch string) (files map[string]file, config map[string]any) {
	t.Helper()
	var layout, both struct{ Manifests []descriptor }
	fromJSON(t, content(t, r.dist, "oci", "index.json"), &layout)
	fromJSON(t, blob(t, r, layout.Manifests[0]), &both)
	at := slices.IndexFunc(both.Manifests, func(d descriptor) bool { return d.Platform.Architecture == goarch })
	if at < 0 || len(both.Manifests) != 2 {
		t.Fatalf("the images are %+v", both)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	fromJSON(t, blob(t, r, both.Manifests[at]), &manifest)
	layer := blob(t, r, manifest.Layers[0])
	configuration := blob(t, r, manifest.Config)
	if !bytes.Contains(configuration, []byte(digest(ungzip(t, layer)))) {
		t.Error("the configuration names another layer")
	}
	var all struct {
		Architecture string
		Config       map[string]any
	}
	fromJSON(t, configuration, &all)
	if all.Architecture != goarch {
		t.Errorf("the image for %s is for %s", goarch, all.Architecture)
	}
	return untar(t, layer), all.Config
}

func checkImage(t *testing.T, r *release) {
	for _, p := range r.programs {
		if p.goos != "linux" {
			continue
		}
		files, config := imageFiles(t, r, p.goarch)
		if executable := files["issues-index"]; !bytes.Equal(executable.data, content(t, p.file)) ||
			executable.mode != 0o755 {
			t.Errorf("it has another program, or the mode %o", executable.mode)
		}
		labels, ok := config["Labels"].(map[string]any)
		if !ok || labels["io.modelcontextprotocol.server.name"] != r.mcpName() {
			t.Errorf("its labels are %v", config["Labels"])
		}
	}
}

func checkFormula(t *testing.T, r *release) {
	text := string(content(t, r.assets(), "issues-index.rb"))
	found := regexp.MustCompile(`url "(.*)"\s+sha256 "(.*)"`).FindAllStringSubmatch(text, -1)
	if len(found) != 4 || !strings.Contains(text, `version "`+r.version+`"`) {
		t.Errorf("it is %s", text)
	}
	for _, f := range found {
		if file := path.Base(f[1]); f[1] != r.download(file) || f[2] != digest(content(t, r.assets(), file)) {
			t.Errorf("the archive is %s with %s", f[1], f[2])
		}
	}
}

// checkEqual fails unless two releases of a commit have the same files.
func checkEqual(t *testing.T, dist, again string) {
	t.Helper()
	files := func(root string) map[string]string {
		sums := map[string]string{}
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data := content(t, name)
			if d.Name() == "metadata.json" { // has the time of the build, and is not published
				data = regexp.MustCompile(`"date":"[^"]*"`).ReplaceAll(data, nil)
			}
			if d.Name() == "artifacts.json" { // lists files as they were made, and is not published
				var artifacts []json.RawMessage
				fromJSON(t, data, &artifacts)
				slices.SortFunc(artifacts, func(a, b json.RawMessage) int { return bytes.Compare(a, b) })
				if data, err = json.Marshal(artifacts); err != nil {
					return err
				}
			}
			relative, err := filepath.Rel(root, name)
			sums[relative] = digest(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return sums
	}
	here, there := files(dist), files(again)
	for name, sum := range here {
		if there[name] != sum {
			t.Errorf("%s is another one the second time", name)
		}
	}
	for name := range there {
		if here[name] == "" {
			t.Errorf("%s is there the second time alone", name)
		}
	}
	t.Logf("%d files, the same twice", len(here))
}

func content(t *testing.T, names ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(names...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func fromJSON(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
}

func equalJSON(t *testing.T, a, b any) bool {
	t.Helper()
	one, err := json.Marshal(a)
	other, failed := json.Marshal(b)
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return bytes.Equal(one, other)
}

func ungzip(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	data, err = io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// untar returns the files of a .tar.gz by their names.
func untar(t *testing.T, data []byte) map[string]file {
	t.Helper()
	files := map[string]file{}
	for r := tar.NewReader(bytes.NewReader(ungzip(t, data))); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if header.ModTime.After(time.Now()) {
			t.Errorf("%s is from the future", header.Name)
		}
		files[header.Name] = file{header.Name, fs.FileMode(header.Mode), data}
	}
}

// unzip returns the files of a .zip by their names.
func unzip(t *testing.T, data []byte) map[string]file {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]file{}
	for _, f := range r.File {
		opened, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = file{f.Name, f.Mode(), data}
	}
	return files
}
