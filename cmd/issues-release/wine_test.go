//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// random gives Wine 8 the one function of a library from which Go takes its random numbers.
const random = `#include <windows.h>
BOOLEAN NTAPI SystemFunction036(void *buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *buffer, SIZE_T length) {
	for (; length > 0; buffer++, length--)
		if (!SystemFunction036(buffer, 1)) return FALSE;
	return TRUE;
}
`

// The program in the archive for Windows runs the README's tour under Wine. Unlike that of .ci/wine
// it is the one that is shipped.
func TestInstalledUnderWine(t *testing.T) {
	r := givenRelease(t)
	wine := oneOf(t, "wine64", "/usr/lib/wine/wine64")
	server := oneOf(t, "wineserver64", "wineserver", "/usr/lib/wine/wineserver64")
	compiler := oneOf(t, "x86_64-w64-mingw32-gcc")
	made := t.TempDir()
	t.Setenv("WINEPREFIX", filepath.Join(made, "prefix"))
	t.Setenv("WINEDEBUG", "-all")
	t.Setenv("WINEDLLOVERRIDES", "mscoree,mshtml=")
	t.Setenv("DISPLAY", "")
	t.Cleanup(func() {
		exec.Command(server, "-k").Run() // before the folder is removed
		exec.Command(server, "-w").Run()
	})
	runs(t, wine, "wineboot", "-i")
	disk := filepath.Join(made, "prefix", "drive_c")
	if err := write(filepath.Join(made, "random.c"), []byte(random)); err != nil {
		t.Fatal(err)
	}
	runs(t, compiler, "-shared", "-O1", "-o", filepath.Join(disk, "windows", "system32", "bcryptprimitives.dll"),
		filepath.Join(made, "random.c"), "-ladvapi32")

	at := slices.IndexFunc(r.programs, func(p program) bool { return p.goos == "windows" && p.goarch == "amd64" })
	for _, f := range unzip(t, content(t, r.assets(), r.programs[at].archive())) {
		if err := write(filepath.Join(disk, "installed", f.name), f.data); err != nil {
			t.Fatal(err)
		}
	}
	workspace := filepath.Join(disk, "workspace")
	if err := os.Mkdir(workspace, 0o755); err != nil {
		t.Fatal(err)
	}
	takeTourIn(t, r.version, workspace, started(wine, filepath.Join(disk, "installed", "issues-index.exe")))
}

// oneOf returns the first of these programs that is there, and skips the test where none is.
func oneOf(t *testing.T, programs ...string) string {
	t.Helper()
	for _, program := range programs {
		if found, err := exec.LookPath(program); err == nil {
			return found
		}
	}
	t.Skipf("SKIPPED: there is none of %q", programs)
	return ""
}
