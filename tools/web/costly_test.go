package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"

	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/markdown"
	"issues-index/store/storetest"
)

// renderSteps renders a text that is not costly, and counts what that takes: the nodes of the
// text, the ids that are tried for its headings, and the bytes of the page.
func renderSteps(t testing.TB, text string) (steps int) {
	t.Helper()
	ids := headingIDs{}
	_ = ast.Walk(parse([]byte(text), ids), func(ast.Node, bool) (ast.WalkStatus, error) {
		steps++
		return ast.WalkContinue, nil
	})
	for _, tried := range ids {
		steps += tried
	}
	to := func(markdown.Reference) string { return "/d/ISS-000001" }
	shown, err := render(t.Context(), text, markdown.References(text, layout.Default().Mentions), to, true)
	check(t, err)
	return steps + len(shown)
}

// checkSteps fails the test when a text that is rendered takes more steps than its length
// allows. Tables and link definitions add what they are bounded by.
func checkSteps(t testing.TB, name, text string) {
	t.Helper()
	const each, besides = 32, 8 << 20
	if markdown.CostlyToRender(text) != "" {
		return
	}
	if steps := renderSteps(t, text); steps > each*len(text)+besides {
		t.Errorf("%s: %d bytes take %d steps", name, len(text), steps)
	}
}

func TestRenderingTakesStepsInProportionToTheText(t *testing.T) {
	for name, text := range storetest.Few(storetest.MarkdownBombs(64<<10), 8) {
		checkSteps(t, name, text)
	}
}

func FuzzRenderingSteps(f *testing.F) {
	for _, text := range storetest.MarkdownBombs(200) {
		f.Add(text[:min(len(text), 40)], text[len(text)/2:], uint16(20))
	}
	f.Fuzz(func(t *testing.T, begin, unit string, times uint16) {
		if len(begin) > 64<<10 || len(unit) > 1<<10 {
			return
		}
		text := begin + strings.Repeat(unit, min(int(times), (64<<10)/max(len(unit), 1)))
		checkSteps(t, "a text", text)
	})
}

// A givenUp context is cancelled once it has been looked at some times.
type givenUp struct {
	context.Context
	after, looks int
}

func (c *givenUp) Err() error {
	if c.looks++; c.looks > c.after {
		return context.Canceled
	}
	return nil
}

func TestARequestThatIsGivenUpStopsRendering(t *testing.T) {
	text := strings.Repeat("# A heading\n\n- [ ] and *a box*\n\n", 1000)
	nowhere := func(markdown.Reference) string { return "" }
	whole := &givenUp{t.Context(), 1 << 30, 0}
	shown, err := render(whole, text, nil, nowhere, false)
	check(t, err)
	if between := len(shown) / whole.looks; between > 16<<10 {
		t.Errorf("%d bytes of a page are written between two looks at the context", between)
	}
	for after := range whole.looks {
		ctx := &givenUp{t.Context(), after, 0}
		if shown, err := render(ctx, text, nil, nowhere, false); !errors.Is(err, context.Canceled) || shown != "" {
			t.Fatalf("after %d looks: %d bytes, %v", after, len(shown), err)
		}
		if ctx.looks != after+1 {
			t.Errorf("given up at look %d, it went on to look %d", after+1, ctx.looks)
		}
	}
}

func TestFewTextsAreRenderedAtATime(t *testing.T) {
	s := serve(t, sample())
	for range mostRendering {
		s.pages.rendering <- struct{}{}
	}
	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	waiting := &pageRequest{Request: httptest.NewRequestWithContext(ctx, http.MethodGet, "/d/ISS-000001", http.NoBody), rendering: s.pages.rendering}
	if _, err := waiting.text(&store.Document{Body: "text"}); !errors.Is(err, context.Canceled) {
		t.Errorf("beside %d others, a request that was given up: %v", mostRendering, err)
	}
	<-s.pages.rendering
	s.page(t, "/d/ISS-000001")
	if len(s.pages.rendering) != mostRendering-1 {
		t.Errorf("%d places are taken", len(s.pages.rendering))
	}
}
