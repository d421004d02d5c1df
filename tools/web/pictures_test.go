//go:build !windows

package web

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/tools/browsertest"
)

var (
	picturesInto   = flag.String("pictures", "", "the `folder` in which the pictures of docs/pages.md are remade")
	pictureProgram = map[string]*string{
		"before": flag.String("before", "", "the `program` with the pages of before"),
		"after":  flag.String("after", "", "the `program` with the pages of this tree"),
	}
)

// settling is how long a page has for what a person does on it, before its picture is taken.
const settling = 1500 * time.Millisecond

// A picture is one of the pages, as a person sees it.
type picture struct {
	name          string // of the file, without -before.png or -after.png
	before, after string // paths, "" for no picture
	width, height int
	scheme        string
	do            string // what the person does then: a script, which may find nothing to do it with
}

var pictures = []picture{
	{"01", "list?where=label%3Ddeploy", "list?where=label%3Ddeploy", 1280, 420, "light", ""},
	{"02", "list", "list", 1280, 420, "light", ""},
	{"03", "list", "list", 1280, 800, "light", ""},
	{"04", "list?where=status%3Din_progress", "list?where=status%3Din_progress", 900, 320, "light", ""},
	{"05", "list", "list", 1000, 320, "light", `press("j"), press("j")`},
	{"06", "list?where=is:open+sort+title", "list?where=is:open&sort=title", 1000, 320, "light", ""},
	{"07", "board", "board", 1000, 420, "light", ""},
	{"08", "list", "list", 640, 420, "dark", ""},
	{"10", "d/ISS-000011", "d/ISS-000011", 1280, 700, "light", ""},
	{"11", "d/ISS-000004", "d/ISS-000004", 1000, 640, "light", `(find("textarea") ?? find(".text")).scrollIntoView({block: "center"})`},
	{"12", "list", "list", 1000, 520, "light", `press("k", {ctrlKey: true}), setTimeout(() => type("manifest"), 200)`},
	{"13", "new", "new", 1000, 520, "light", `find("[name=assignee]")?.focus()`},
	{"14", "", "problems", 1000, 480, "light", ""},
	{"15", "sessions", "agents", 1280, 640, "light", ""},
	{"16", "list?where=label:nope", "list?where=label:nope", 1000, 360, "light", ""},
	{"17", "list", "list", 375, 720, "light", ""},
	{"18", "board", "board", 794, 900, "print", ""},
	{"19", "board", "board", 2560, 900, "light", ""},
	{"20", "graph", "graph", 1280, 700, "light", ""},
	{"../web-board", "", "board", 1280, 720, "light", ""},
	{"../web-document", "", "d/ISS-000011", 1280, 720, "light", ""},
	{"../web-graph", "", "graph", 1280, 640, "dark", ""},
	{"09", "d/ISS-000011/edit", "d/ISS-000011", 1280, 500, "light", closing},
}

// closing closes a document: by its form, or by the field of the status alone.
const closing = `for (const s of document.querySelectorAll("[name=status]")) {
		s.value = "closed";
		s.dispatchEvent(new Event("change", {bubbles: true}));
	}
	if (location.pathname.endsWith("/edit")) find("form[action='/save'] button").click();`

// hands are what a person has: functions for the scripts.
const hands = `const find = selector => document.querySelector(selector);
	const type = text => document.execCommand("insertText", false, text);
	const press = (key, held) => (document.activeElement ?? document.body).dispatchEvent(
		new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true, ...held}));`

// TestPictures remakes the pictures of docs/pages.md; .ci/pictures builds the programs for it.
func TestPictures(t *testing.T) {
	if *picturesInto == "" {
		t.Skip("no -pictures: .ci/pictures remakes them")
	}
	for of, program := range pictureProgram {
		t.Run(of, func(t *testing.T) {
			site, b := pictured(t, *program), browsertest.Start(t)
			for _, p := range pictures {
				path, name := map[string]string{"before": p.before, "after": p.after}[of], p.name+"-"+of
				if strings.HasPrefix(p.name, "..") {
					if of == "before" {
						continue
					}
					name = p.name
				}
				b.Look(p.width, p.height, p.scheme)
				b.Open(site + path)
				b.Eval("setTimeout(() => {"+hands+p.do+"}), 0", nil)
				time.Sleep(settling)
				b.Until(`document.readyState == "complete"`)
				check(t, os.WriteFile(filepath.Join(*picturesInto, name+".png"), paletted(t, b.Screenshot()), 0o644))
			}
		})
	}
}

// paletted makes a picture a third as large: its 256 most frequent colours take the place of all.
func paletted(t *testing.T, shot []byte) []byte {
	decoded, err := png.Decode(bytes.NewReader(shot))
	check(t, err)
	full := image.NewRGBA(decoded.Bounds())
	draw.Draw(full, full.Bounds(), decoded, image.Point{}, draw.Src)
	counts := map[color.RGBA]int{}
	at := func(i int) color.RGBA { return color.RGBA{full.Pix[4*i], full.Pix[4*i+1], full.Pix[4*i+2], 255} }
	for i := range len(full.Pix) / 4 {
		counts[at(i)]++
	}
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	var palette color.Palette
	for _, c := range colours[:min(len(colours), 256)] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	for _, c := range colours {
		nearest[c] = uint8(palette.Index(c))
	}
	small := image.NewPaletted(full.Bounds(), palette)
	for i := range small.Pix {
		small.Pix[i] = nearest[at(i)]
	}
	var out bytes.Buffer
	check(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small))
	return out.Bytes()
}
