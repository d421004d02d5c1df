//go:build !windows

// Package browsertest drives a headless Chromium in tests of pages. A test is skipped where
// there is none, and without the flag -long.
//
// It knows nothing about the pages. A browser finds no host but this machine's address.
package browsertest

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"issues-index/store/storetest"
)

// browserTime bounds a whole browser test, the browser's start included.
const browserTime = 2 * time.Minute

// A Browser is a headless Chromium with one page, driven by its DevTools
// protocol over a pair of pipes: no port, and no library for it.
type Browser struct {
	t       *testing.T
	to      io.Writer
	from    *bufio.Reader
	session string
	id      int
	loaded  bool
	dragged json.RawMessage // what the mouse drags, nil for nothing

	Complaints []string // errors and warnings of the page
	Requests   []string // addresses that it asked for
}

// findBrowser returns a Chromium, or skips the test and says so.
func findBrowser(t *testing.T) string {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell"}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("SKIPPED, the page is NOT tested in a browser: none of %s is on the PATH", strings.Join(names, ", "))
	return ""
}

// Start starts a browser that finds no host but this one.
func Start(t *testing.T) *Browser {
	t.Helper()
	if !storetest.Long() {
		t.Skip("this takes long: -long")
	}
	program := findBrowser(t)
	ctx, cancel := context.WithTimeout(t.Context(), browserTime)
	profile, err := os.MkdirTemp("", "browser")
	check(t, err)
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-dev-shm-usage", "--disable-popup-blocking", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
		"--user-data-dir="+profile, "--remote-debugging-pipe")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	theirIn, to, err := os.Pipe()
	check(t, err)
	from, theirOut, err := os.Pipe()
	check(t, err)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // its descriptors 3 and 4
	check(t, cmd.Start())
	check(t, errors.Join(theirIn.Close(), theirOut.Close()))
	b := &Browser{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		fmt.Fprint(to, `{"id":0,"method":"Browser.close"}`+"\x00")
		_, _ = io.Copy(io.Discard, b.from) // until it is gone
		_ = cmd.Wait()
		cancel()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // its helpers may be still about
		check(t, errors.Join(to.Close(), from.Close()))
		for tries := 0; os.RemoveAll(profile) != nil && tries < 100; tries++ {
			continue // a helper wrote its last in between
		}
	})
	var target struct {
		TargetID string `json:"targetId"`
	}
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// call sends a command and waits for its answer; it notes the events on the way.
func (b *Browser) call(method string, params map[string]any, into any) {
	b.t.Helper()
	b.id++
	command := map[string]any{"id": b.id, "method": method}
	if params != nil {
		command["params"] = params
	}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	message, err := json.Marshal(command)
	check(b.t, err)
	_, err = b.to.Write(append(message, 0))
	check(b.t, err)
	for {
		answer := b.next(method)
		if answer.ID != b.id {
			continue
		}
		if answer.Error != nil {
			b.t.Fatalf("%s: %s", method, answer.Error)
		}
		if into != nil {
			check(b.t, json.Unmarshal(answer.Result, into))
		}
		return
	}
}

// A browserMessage is an answer or an event.
type browserMessage struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// next reads a message and notes it when it is an event.
func (b *Browser) next(during string) (m browserMessage) {
	b.t.Helper()
	line, err := b.from.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser is gone, at %s: %v", during, err)
	}
	check(b.t, json.Unmarshal(line[:len(line)-1], &m))
	if m.Method != "" {
		b.note(m.Method, m.Params)
	}
	return m
}

// Open loads a page.
func (b *Browser) Open(url string) {
	b.t.Helper()
	b.loaded = false
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	for !b.loaded {
		b.next("loading " + url)
	}
}

// Leave does what leads to another page, such as sending a form, and waits for that page.
func (b *Browser) Leave(do func()) {
	b.t.Helper()
	b.loaded = false
	do()
	for !b.loaded {
		b.next("leaving the page")
	}
}

// note keeps what a page should not do, and what it asks for.
func (b *Browser) note(event string, params json.RawMessage) {
	var p struct {
		Type  string `json:"type"`
		Entry struct {
			Level string `json:"level"`
		} `json:"entry"`
		Request struct {
			URL string `json:"url"`
		} `json:"request"`
		Data json.RawMessage `json:"data"` // of a drag
	}
	check(b.t, json.Unmarshal(params, &p))
	switch event {
	case "Input.dragIntercepted":
		b.dragged = p.Data
	case "Page.loadEventFired":
		b.loaded = true
	case "Network.requestWillBeSent":
		b.Requests = append(b.Requests, p.Request.URL)
	case "Runtime.exceptionThrown":
		b.Complaints = append(b.Complaints, string(params))
	case "Runtime.consoleAPICalled":
		if p.Type == "error" || p.Type == "warning" || p.Type == "assert" {
			b.Complaints = append(b.Complaints, string(params))
		}
	case "Log.entryAdded":
		if p.Entry.Level == "error" || p.Entry.Level == "warning" {
			b.Complaints = append(b.Complaints, string(params))
		}
	}
}

// Eval runs an expression in the page, waits for it if it is a promise, and
// reads its value.
func (b *Browser) Eval(expression string, into any) {
	b.t.Helper()
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	if answer.Exception != nil {
		b.t.Fatalf("%s: %s", expression, answer.Exception)
	}
	if into != nil {
		check(b.t, json.Unmarshal(answer.Result.Value, into))
	}
}

// untilSeconds bounds the wait for a condition, which takes a fraction of a second.
const untilSeconds = 40

// Until waits for a condition of the page. The test ends with what the page says when it does
// not come.
func (b *Browser) Until(condition string) {
	b.t.Helper()
	var holds bool
	b.Eval(fmt.Sprintf(`new Promise(done => {
		const end = performance.now() + 1000 * %d;
		const look = () => (%s) ? done(true) : performance.now() > end ? done(false) : setTimeout(look, 20);
		look();
	})`, untilSeconds, condition), &holds)
	if !holds {
		var text string
		b.Eval(`document.activeElement.outerHTML.slice(0, 300) + "\n" + document.body.innerText`, &text)
		b.t.Fatalf("%s does not come, the page has the focus on\n%s", condition, text)
	}
}

// place is the middle of the first element that a selector finds, once it is on the page and
// scrolled into view.
func (b *Browser) place(selector string) (x, y float64) {
	b.t.Helper()
	found, err := json.Marshal(selector)
	check(b.t, err)
	element := `document.querySelector(` + string(found) + `)`
	b.Until(element)
	var at struct{ X, Y float64 }
	b.Eval(`(e => { e.scrollIntoView({block: "nearest"}); const r = e.getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2}; })(`+element+`)`, &at)
	return at.X, at.Y
}

func (b *Browser) mouse(event string, x, y float64) {
	b.t.Helper()
	b.call("Input.dispatchMouseEvent", map[string]any{"type": event, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1}, nil)
}

// Click clicks on an element with the mouse.
func (b *Browser) Click(selector string) {
	b.t.Helper()
	x, y := b.place(selector)
	b.mouse("mouseMoved", x, y)
	b.mouse("mousePressed", x, y)
	b.mouse("mouseReleased", x, y)
}

// Drag drags an element with the mouse to a point of the window that is as far from its left
// edge as the middle of another element, and at the height y.
func (b *Browser) Drag(selector, to string, y float64) {
	b.t.Helper()
	b.call("Input.setInterceptDrags", map[string]any{"enabled": true}, nil)
	fromX, fromY := b.place(selector)
	toX, _ := b.place(to)
	b.dragged = nil
	b.mouse("mouseMoved", fromX, fromY)
	b.mouse("mousePressed", fromX, fromY)
	const far = 8 // pixels, after which a press is a drag
	b.mouse("mouseMoved", fromX+far, fromY+far)
	b.mouse("mouseMoved", fromX+2*far, fromY+2*far)
	for b.dragged == nil {
		b.next("dragging " + selector)
	}
	for _, event := range []string{"dragEnter", "dragOver", "drop"} {
		b.call("Input.dispatchDragEvent", map[string]any{"type": event, "x": toX, "y": y, "data": b.dragged}, nil)
	}
	b.mouse("mouseReleased", toX, y)
	b.call("Input.setInterceptDrags", map[string]any{"enabled": false}, nil)
}

// keyCodes are those of the keys that Press knows besides characters.
var keyCodes = map[string]int{"Tab": 9, "Enter": 13, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}

// Shift is held while a key is pressed.
const Shift = 8

// Press presses a key, with what is held besides: 0 or Shift.
func (b *Browser) Press(key string, held int) {
	b.t.Helper()
	press := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": keyCodes[key], "modifiers": held}
	switch key {
	case "Enter":
		press["text"] = "\r"
	case " ":
		press["text"], press["code"] = " ", "Space"
	}
	b.call("Input.dispatchKeyEvent", press, nil)
	press["type"] = "keyUp"
	delete(press, "text")
	b.call("Input.dispatchKeyEvent", press, nil)
}

// Type types a text where the focus is.
func (b *Browser) Type(text string) {
	b.t.Helper()
	b.call("Input.insertText", map[string]any{"text": text}, nil)
}

// Look sets the size of the window and the colours that its user prefers: light, dark, or print for
// the page on paper.
func (b *Browser) Look(width, height int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	media := map[string]any{"media": "", "features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}
	if scheme == "print" {
		media = map[string]any{"media": scheme}
	}
	b.call("Emulation.setEmulatedMedia", media, nil)
}

// Screenshot returns the window as a PNG.
func (b *Browser) Screenshot() []byte {
	b.t.Helper()
	var shot struct {
		Data string `json:"data"`
	}
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	check(b.t, err)
	return png
}

// Text is what the element with an id says.
func (b *Browser) Text(id string) string {
	b.t.Helper()
	var text string
	b.Eval(`document.getElementById("`+id+`").textContent.trim()`, &text)
	return text
}

// Keep writes a screenshot where a person can look at it: into the folder that
// ISSUES_INDEX_SCREENSHOTS names, if it does.
func Keep(t *testing.T, name string, shot []byte) {
	t.Helper()
	dir := os.Getenv("ISSUES_INDEX_SCREENSHOTS")
	if dir == "" {
		dir = t.TempDir()
	}
	check(t, os.WriteFile(filepath.Join(dir, name), shot, 0o644))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
