package wagtail

import (
	"strings"
	"testing"

	"issues-index/tools/wagtail/wagtailtest"
)

// What editors ask of one page takes one call, as they would put it.
func TestQuestionsAboutAPageTakeOneCall(t *testing.T) {
	c, s := newClient(t, Options{Key: wagtailtest.ReaderKey})
	s.Add(
		wagtailtest.AddedPage{ID: 90, Title: "Plans", Path: "/plans/", Parent: 3, Fields: map[string]any{
			"body": `<h2>Free</h2><p>Nothing.</p><h2>Pro</h2><p>40 EUR a month, see <a linktype="page" id="5">hours</a>, <a linktype="page" id="404">gone</a>.</p>`,
		}},
		wagtailtest.AddedPage{ID: 91, Title: "Forfaits", Path: "/fr/forfaits/", Parent: 67, Locale: "fr", TranslationOf: 90, Fields: map[string]any{
			"body": `<p>40 euros par mois.</p>`,
		}},
	)
	for question, of := range map[string]struct {
		tool string
		args with
		says []string
		not  string
	}{
		"the full text of Plans in French": {
			pageDetailsName, with{"id": "/plans/", "locale": "fr"}, []string{"Page 91: Forfaits", "40 euros par mois."}, "Nothing",
		},
		"what does the Pro plan cost": {
			pageDetailsName, with{"id": "/plans/", "section": "Pro"}, []string{"40 EUR a month"}, "Nothing",
		},
		"which links of Plans are broken": {
			pageDetailsName, with{"id": s.URL + "/plans/"}, []string{"[gone](wagtail:page/404)", "[hours](http://127.0.0.1:8765/visit/opening-hours/)", strings.Replace(legend, "page/4", "page/404", 1)}, "looked up",
		},
		"quote chapter 12 of the annual report": {
			pageDetailsName, with{"id": "/about/annual-report/", "section": "Chapter 12"}, []string{"## Chapter 12"}, "## Chapter 13\n\n",
		},
		"what is in the draft": {
			pageDetailsName, with{"id": "/plans/draft/"}, []string{"or it is a draft or private"}, "",
		},
		"what does the intranet say on the rota": {
			pageDetailsName, with{"id": "http://" + wagtailtest.OtherHost + "/rota/"}, []string{"Page 73: Rota"}, "",
		},
		"where does the old address lead": {
			pageHTMLName, with{"id": "/hours/"}, []string{"Page 5: Opening hours", "redirects /hours/ to /visit/opening-hours/"}, "",
		},
		"what is below Visit": {
			listPagesName, with{"descendant_of": "/visit/"}, []string{"Showing 12 of 12 pages.", "5 Opening hours"}, "",
		},
		"which page is Visit in French": {
			listPagesName, with{"translation_of": "/visit/", "locale": "fr"}, []string{"68 Visiter"}, "",
		},
		"how large is this picture": {
			"wagtail_get_image_details", with{"id": "/media/original_images/harbour-at-dawn.jpg"}, []string{"Image 1: Harbour at dawn", "1600x1200"}, "",
		},
	} {
		a := c.Call(t, of.tool, of.args)
		for _, words := range of.says {
			if !strings.Contains(a.Text(), words) {
				t.Errorf("%s: no %q in %s", question, words, a.Text())
			}
		}
		if of.not != "" && strings.Contains(a.Text(), of.not) {
			t.Errorf("%s: %q is in %s", question, of.not, a.Text())
		}
	}
}
