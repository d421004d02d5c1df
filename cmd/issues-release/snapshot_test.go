//go:build linux

package main

import (
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	_ "issues-index/store/storetest" // for its flag -long
)

var (
	givenDist  = flag.String("dist", "", "test the release in this `folder`, which .ci/release has made")
	givenAgain = flag.String("again", "", "another `folder` with the release of the same commit, which must be equal")
)

// mostBytes is the bound on a program; its goal is 30 MB.
const mostBytes = 32_000_000

// givenRelease opens the release that -dist names.
func givenRelease(t *testing.T) *release {
	t.Helper()
	if *givenDist == "" {
		t.Skip("no release is given: .ci/release check")
	}
	t.Chdir(repositoryRoot)
	return openRelease(t, *givenDist)
}

func TestSnapshot(t *testing.T) {
	r := givenRelease(t)
	checkRelease(t, r.dist)
	t.Run("programs", func(t *testing.T) { checkPrograms(t, r) })
	t.Run("archives", func(t *testing.T) { checkArchives(t, r) })
	t.Run("signature", func(t *testing.T) {
		needs(t, "ssh-keygen")
		signature := filepath.Join(r.assets(), "checksums.txt.sig")
		if _, err := os.Stat(signature); err != nil {
			t.Skip("SKIPPED: the checksums are not signed")
		}
		c := exec.CommandContext(t.Context(), "ssh-keygen", "-Y", "check-novalidate", "-n", "file", "-s", signature)
		c.Stdin = strings.NewReader(string(content(t, r.assets(), "checksums.txt")))
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("SBOM", func(t *testing.T) {
		for _, p := range r.programs {
			var bill struct {
				BomFormat, SpecVersion string
				Components             []struct{ Name, Version string }
			}
			fromJSON(t, content(t, r.assets(), p.asset(".cdx.json")), &bill)
			info, err := buildinfo.ReadFile(p.file)
			if err != nil {
				t.Fatal(err)
			}
			if bill.BomFormat != "CycloneDX" || len(bill.Components) < len(info.Deps) {
				t.Errorf(
					"%s names %d components, and the program has %d modules",
					p.asset(".cdx.json"),
					len(bill.Components),
					len(info.Deps),
				)
			}
		}
	})
	t.Run("Scoop", func(t *testing.T) { checkScoop(t, r) })
	t.Run("winget", func(t *testing.T) { checkWinget(t, r) })
	t.Run("bundles by their own tool", func(t *testing.T) {
		needs(t, "npm")
		tool := t.TempDir()
		runs(t, "npm", "install", "--prefix", tool, "--no-audit", "--no-fund", "--silent", "@anthropic-ai/mcpb@2.1.2")
		for _, p := range r.programs {
			dir := t.TempDir()
			installBundle(t, dir, content(t, r.assets(), p.asset(".mcpb")), dir)
			runs(
				t,
				filepath.Join(tool, "node_modules", ".bin", "mcpb"),
				"validate",
				filepath.Join(dir, "manifest.json"),
			)
		}
	})
	t.Run("server.json by its schema", func(t *testing.T) { checkServerSchema(t, r) })
	t.Run("image by a tool of registries", func(t *testing.T) {
		needs(t, "skopeo")
		image := "oci:" + filepath.Join(r.dist, "oci") + ":" + r.version
		runs(t, "skopeo", "--insecure-policy", "copy", "--all", image, "dir:"+t.TempDir())
	})
	t.Run("formula by Ruby", func(t *testing.T) {
		needs(t, "ruby")
		runs(t, "ruby", "-c", filepath.Join(r.assets(), "issues-index.rb"))
	})
	t.Run("script by the shell", func(t *testing.T) {
		needs(t, "sh")
		runs(t, "sh", "-n", filepath.Join(r.assets(), "install.sh"))
	})
}

func TestSnapshotIsTheSameTwice(t *testing.T) {
	r := givenRelease(t)
	if *givenAgain == "" {
		t.Skip("there is no second one: .ci/release check")
	}
	checkEqual(t, r.dist, *givenAgain)
}

func checkPrograms(t *testing.T, r *release) {
	var metadata struct{ Commit string }
	fromJSON(t, content(t, r.dist, "metadata.json"), &metadata)
	for _, p := range r.programs {
		info, err := buildinfo.ReadFile(p.file)
		if err != nil {
			t.Fatal(err)
		}
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		for key, want := range map[string]string{
			"GOOS": p.goos, "GOARCH": p.goarch, "CGO_ENABLED": "0", "-trimpath": "true", "vcs.revision": metadata.Commit,
			"vcs.modified": "false",
		} {
			if settings[key] != want {
				t.Errorf("%s has %s=%s, not %s", p.asset(""), key, settings[key], want)
			}
		}
		for _, d := range info.Deps {
			if strings.Contains(d.Path, "md2man") {
				t.Errorf("%s has %s in it, which writes manual pages", p.asset(""), d.Path)
			}
		}
		bytes := len(content(t, p.file))
		if bytes > mostBytes {
			t.Errorf("the program for %s on %s has %d bytes, not at most %d", p.goos, p.goarch, bytes, mostBytes)
		}
		t.Logf("%-8s %-6s program %5.2f MB, archive %5.2f MB", p.goos, p.goarch, float64(bytes)/1e6,
			float64(len(content(t, r.assets(), p.archive())))/1e6)
	}
}

func checkArchives(t *testing.T, r *release) {
	for _, p := range r.programs {
		var files map[string]file
		if archive := content(t, r.assets(), p.archive()); p.goos == "windows" {
			files = unzip(t, archive)
		} else {
			files = untar(t, archive)
		}
		if executable := files[p.executable()]; digest(executable.data) != digest(content(t, p.file)) {
			t.Errorf("%s has another program", p.archive())
		}
		for _, name := range []string{"LICENSE", "README.md", "man/issues-index.1.gz", "completions/issues-index.bash",
			"completions/issues-index.fish", "completions/issues-index.zsh"} {
			if len(files[name].data) == 0 {
				t.Errorf("%s has no %s", p.archive(), name)
			}
		}
	}
}

func checkScoop(t *testing.T, r *release) {
	var m struct {
		Version, License, Description, Homepage string
		Architecture                            map[string]struct {
			URL, Hash string
			Bin       []string
		}
	}
	fromJSON(t, content(t, r.assets(), "issues-index.json"), &m)
	if m.Version != r.version || m.License != "MIT" || m.Description != r.Description || m.Homepage != r.url() ||
		len(m.Architecture) != 2 {
		t.Errorf("it is %+v", m)
	}
	for processor, at := range m.Architecture {
		archive := path.Base(at.URL)
		if at.URL != r.download(archive) || at.Hash != digest(content(t, r.assets(), archive)) ||
			len(at.Bin) != 1 || at.Bin[0] != "issues-index.exe" {
			t.Errorf("for %s it has %+v", processor, at)
		}
	}
}

// checkWinget looks at the three files of a package of winget.
func checkWinget(t *testing.T, r *release) {
	files, err := filepath.Glob(filepath.Join(r.dist, "winget", "manifests", "*", "*", "*", "*", "*.yaml"))
	if err != nil || len(files) != 3 {
		t.Fatalf("its files are %q, %v", files, err)
	}
	for _, file := range files {
		var m struct {
			Identifier string `yaml:"PackageIdentifier"`
			Version    string `yaml:"PackageVersion"`
			Type       string `yaml:"ManifestType"`
			Form       string `yaml:"ManifestVersion"`
			Installer  string `yaml:"InstallerType"`
			Installers []struct {
				URL    string `yaml:"InstallerUrl"`
				Sum    string `yaml:"InstallerSha256"`
				Nested []struct {
					Path string `yaml:"RelativeFilePath"`
				} `yaml:"NestedInstallerFiles"`
			} `yaml:"Installers"`
		}
		if err := yaml.Unmarshal(content(t, file), &m); err != nil {
			t.Fatal(err)
		}
		if m.Identifier != r.owner()+"."+name || m.Version != r.version ||
			!regexp.MustCompile(`^1\.\d+\.0$`).MatchString(m.Form) {
			t.Errorf("%s is %+v", file, m)
		}
		if m.Type == "installer" && (m.Installer != "zip" || len(m.Installers) != 2) {
			t.Errorf("%s is %+v", file, m)
		}
		for _, i := range m.Installers {
			archive := path.Base(i.URL)
			if i.URL != r.download(archive) || !strings.EqualFold(i.Sum, digest(content(t, r.assets(), archive))) ||
				len(i.Nested) != 1 || i.Nested[0].Path != "issues-index.exe" {
				t.Errorf("%s installs %+v", file, i)
			}
		}
	}
}

// checkServerSchema holds server.json to the schema that the registry's own module brings.
func checkServerSchema(t *testing.T, r *release) {
	needs(t, "go")
	c := exec.CommandContext(
		t.Context(),
		"go",
		"mod",
		"download",
		"-json",
		"github.com/modelcontextprotocol/registry@v1.7.9",
	)
	c.Dir = t.TempDir()
	out, err := c.Output()
	if err != nil {
		t.Skipf("SKIPPED: the registry's module could not be had: %v", err)
	}
	var module struct{ Dir string }
	fromJSON(t, out, &module)
	var schema, entry any
	fromJSON(t, content(t, module.Dir, "internal/validators/schemas/2025-12-11.json"), &schema)
	fromJSON(t, content(t, r.assets(), "server.json"), &entry)
	if id, err := json.Marshal(schema.(map[string]any)["$id"]); err != nil || string(id) != `"`+serverSchema+`"` {
		t.Fatalf("the schema is %s, %v", id, err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(serverSchema, schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile(serverSchema)
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(entry); err != nil {
		t.Error(err)
	}
}
