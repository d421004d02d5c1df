//go:build !windows

package dashboard

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"issues-index/tools/browsertest"
	"issues-index/tools/transport"
)

// TestPageInABrowser looks at the page as a person does. Its screenshots stay in
// the folder that ISSUES_INDEX_SCREENSHOTS names, if it does.
func TestPageInABrowser(t *testing.T) {
	b := browsertest.Start(t)
	ix := workspace(t)
	source := seeded(t, ix)
	server, err := transport.Listen(t.Context(), transport.ListenOptions{Address: ":0"}, handler(New(t.Context(), always(source), NewMetrics(), "1.0")), slog.New(slog.DiscardHandler))
	check(t, err)
	t.Cleanup(func() { server.Close() })

	b.Look(1400, 1300, "light")
	b.Open(server.URL() + "figures")
	b.Until(`document.querySelectorAll("#tools tbody th[scope=row]").length > 0`)

	t.Run("it shows the figures of the calls", func(t *testing.T) {
		for id, want := range map[string]string{
			"k-calls":       "110",
			"k-calls-sub":   "10 with an error",
			"k-reduction":   "75 %",
			"k-pages":       "45 %",
			"k-pages-sub":   "50 answers",
			"k-bytes":       "2.0 kB",
			"k-latency":     "2 ms",
			"k-oversized":   "9.1 %",
			"i-documents":   "3",
			"i-problems":    "1; issues-index check lists them",
			"i-path":        ".wrangler/cache/issues-index.db",
			"state-text":    "Index is readable, 3 documents",
			"version":       "issues-index 1.0",
			"empty-title":   "No calls in this time range", // hidden
			"k-latency-sub": "median; p95 2 ms",
		} {
			if got := b.Text(id); got != want {
				t.Errorf("%s: %q, want %q", id, got, want)
			}
		}
		var hidden bool
		b.Eval(`document.getElementById("empty").hidden`, &hidden)
		if !hidden {
			t.Error("it says that there are no calls")
		}
		if got := b.Text("alert"); !strings.HasPrefix(got, "Alert: ") {
			t.Errorf("the strip says %q", got)
		}
	})

	t.Run("each chart has figures, a text and a table", func(t *testing.T) {
		b.Eval(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
		b.Until(`[...document.querySelectorAll("figure table")].every(t => t.rows.length > 1)`)
		var charts []struct {
			ID, Label string
			Marks     int
		}
		b.Eval(`[...document.querySelectorAll("figure")].map(f => ({ID: f.id, Label: f.querySelector("svg").getAttribute("aria-label"),
			Marks: f.querySelectorAll("rect, path.line, circle").length}))`, &charts)
		if len(charts) != 6 {
			t.Errorf("%d charts", len(charts))
		}
		for _, c := range charts {
			if c.Marks == 0 || len(c.Label) < 20 {
				t.Errorf("%s draws %d marks and says %q", c.ID, c.Marks, c.Label)
			}
		}
		b.Eval(`document.querySelectorAll("details").forEach(d => d.open = false)`, nil)
	})

	t.Run("it fits any width, light and dark", func(t *testing.T) {
		for _, look := range []struct {
			scheme        string
			width, height int
			dark          bool
		}{
			{"light", 1400, 1300, false},
			{"dark", 1400, 1300, true},
			{"light", 400, 900, false},
			{"dark", 400, 900, true},
		} {
			b.Look(look.width, look.height, look.scheme)
			b.Until(`[...document.querySelectorAll(".plot svg")].every(s => s.clientWidth === s.parentNode.clientWidth)`)
			var wide int
			b.Eval(`document.documentElement.scrollWidth`, &wide)
			if wide > look.width {
				t.Errorf("at %d columns it is %d wide", look.width, wide)
			}
			shot := b.Screenshot()
			browsertest.Keep(t, "dashboard-"+look.scheme+"-"+strconv.Itoa(look.width)+".png", shot)
			picture, err := png.Decode(bytes.NewReader(shot))
			check(t, err)
			colours, dark := survey(picture)
			if colours < 50 {
				t.Errorf("%s, %d: %d colours, it is blank", look.scheme, look.width, colours)
			}
			if dark != look.dark {
				t.Errorf("%s, %d: it is dark: %v", look.scheme, look.width, dark)
			}
		}
	})

	t.Run("another range has other figures", func(t *testing.T) {
		b.Look(1400, 1300, "light")
		b.Eval(`document.querySelector("#ranges [value='1h']").click()`, nil)
		b.Until(`document.getElementById("k-calls").textContent === "30"`)
		b.Eval(`document.querySelector("#ranges [value='30d']").click()`, nil)
		b.Until(`document.getElementById("k-calls").textContent === "120"`)
	})

	t.Run("the state of an index that cannot be read is shown", func(t *testing.T) {
		check(t, ix.Close())
		b.Eval(`load()`, nil)
		b.Until(`document.getElementById("state-text").textContent === "The index cannot be read"`)
	})

	if len(b.Complaints) > 0 {
		t.Errorf("the page complains:\n%s", strings.Join(b.Complaints, "\n"))
	}
	for _, address := range b.Requests {
		if !strings.HasPrefix(address, server.URL()) {
			t.Errorf("the page asks for %s", address)
		}
	}
	if len(b.Requests) < 5 {
		t.Errorf("only %v was asked for", b.Requests)
	}
}

func TestEmptyPageSaysWhatWillAppear(t *testing.T) {
	b := browsertest.Start(t)
	ix := workspace(t)
	for _, c := range []struct {
		why    string
		source Backend
		says   string
	}{
		{"no call yet", unused(t, ix), "Once an agent calls a tool"},
		{"telemetry is off", source(ix), "Telemetry is switched off"},
		{"telemetry cannot be read", foreign(t, ix), "The calls on record cannot be read"},
	} {
		server, err := transport.Listen(t.Context(), transport.ListenOptions{Address: ":0"}, handler(New(t.Context(), always(c.source), NewMetrics(), "1.0")), slog.New(slog.DiscardHandler))
		check(t, err)
		t.Cleanup(func() { server.Close() })
		b.Look(1400, 900, "light")
		b.Open(server.URL() + "figures")
		b.Until(`!document.getElementById("empty").hidden`)
		var got string
		b.Eval(`document.getElementById("empty").innerText`, &got) // what is seen of it
		if !strings.Contains(got, c.says) || strings.Contains(got, "Once an agent") != (c.why == "no call yet") {
			t.Errorf("%s: it says %q", c.why, got)
		}
		browsertest.Keep(t, "dashboard-"+strings.ReplaceAll(c.why, " ", "-")+".png", b.Screenshot())
	}
	if len(b.Complaints) > 0 {
		t.Errorf("the page complains:\n%s", strings.Join(b.Complaints, "\n"))
	}
}

// survey counts the colours of a picture and tells whether most of it is dark.
func survey(picture image.Image) (colours int, dark bool) {
	seen := map[color.Color]bool{}
	var light, all int
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := picture.At(x, y)
			seen[c] = true
			grey, _ := color.GrayModel.Convert(c).(color.Gray)
			all++
			if grey.Y >= 128 {
				light++
			}
		}
	}
	return len(seen), 2*light < all
}
