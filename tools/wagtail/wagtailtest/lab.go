package wagtailtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A siteModel is what the project of a site has made: its page types, and the fields
// that each exports besides the common ones. A list can be filtered and ordered by
// those that are columns.
type siteModel struct {
	types   []string
	own     map[string][]string
	columns map[string][]string
}

// A Lab is a generated site with the same rules: posts by several authors over three
// years, links of every kind to one page, and links that lead nowhere.
type Lab struct {
	*Server
	// ToPricing are the pages with a link to the pricing page, by whatever means, in
	// the order of the tree.
	ToPricing []int
	// Broken are the pages with a link to something that is not there.
	Broken []int
	// WithSLA are the pages whose text has that word.
	WithSLA []int
}

// The pages of a Lab that tests name.
const (
	LabPricing = 4
	LabAbout   = 5
	LabBlog    = 20
	LabImage   = 2
)

// NewLab starts a generated site that ends with the test.
func NewLab(t testing.TB) *Lab {
	t.Helper()
	l := &Lab{Server: NewServer(t)}
	l.byQuery = map[string]Recording{} // of another site
	l.details = map[int]map[string]any{}
	l.model = siteModel{
		types: []string{"wagtailcore.Page", "lab.HomePage", "lab.StandardPage", "lab.BlogIndexPage", "lab.BlogPage", "lab.EventPage", "lab.LandingPage"},
		own: map[string][]string{
			"lab.HomePage": {"intro"}, "lab.StandardPage": {"intro", "body", "image"}, "lab.BlogIndexPage": {"intro"},
			"lab.BlogPage":  {"date", "subtitle", "body", "author", "tags", "feed_image", "last_published_at"},
			"lab.EventPage": {"date", "body"}, "lab.LandingPage": {"body"},
		},
		columns: map[string][]string{
			"lab.BlogPage": {"date", "subtitle", "author", "tags", "last_published_at"}, "lab.EventPage": {"date"}, "lab.StandardPage": {"intro"},
		},
	}
	images := l.site["images"]
	l.site = map[string][]siteObject{"images": images, "documents": l.site["documents"], "pages": nil}
	l.add(3, "lab.HomePage", 0, "Lab home", "/", map[string]any{"intro": "<p data-block-key=\"a\">Welcome to the lab.</p>"})
	l.add(LabPricing, "lab.StandardPage", 3, "Pricing", "/pricing/", standard("What it costs.", `<h2 data-block-key="a">Pro plan</h2><p data-block-key="b">The Pro plan costs 49 a month.</p>`))
	l.add(LabAbout, "lab.StandardPage", 3, "About us", "/about/", standard("Who we are.",
		`<p data-block-key="a">We love <a linktype="page" id="4">our prices</a>, <a linktype="page" id="999">the old team</a> and the <a linktype="document" id="77">deck</a>.</p><embed embedtype="image" id="2" format="left" alt="The team"/>`))
	l.ToPricing, l.Broken = append(l.ToPricing, LabAbout), append(l.Broken, LabAbout)
	l.add(6, "lab.StandardPage", 3, "Documentation", "/docs/", standard("", `<p data-block-key="a">Read on.</p>`))
	for n, title := range []string{"Install", "Configure", "Upgrade", "Support"} {
		body := fmt.Sprintf(`<p data-block-key="a">How to %s it.</p>`, strings.ToLower(title))
		if title == "Support" {
			body += "<p data-block-key=\"b\">Every plan has an <b>SLA</b> of 99.9 %.</p><p data-block-key=\"c\">See <a href=\"" + origin + "/pricing/\">the plans</a>.</p>"
			l.WithSLA, l.ToPricing = append(l.WithSLA, 7+n), append(l.ToPricing, 7+n)
		}
		l.add(7+n, "lab.StandardPage", 6, title, "/docs/"+strings.ToLower(title)+"/", standard("", body))
	}
	l.add(12, "lab.LandingPage", 3, "Spring offer", "/spring/", map[string]any{"body": []any{
		map[string]any{"type": "page", "value": LabPricing, "id": "l1"}, map[string]any{"type": "paragraph", "value": "<p data-block-key=\"a\">Now or never.</p>", "id": "l2"}}})
	l.ToPricing = append(l.ToPricing, 12)
	for n := range 3 {
		l.add(13+n, "lab.EventPage", 3, fmt.Sprintf("Open day %d", n+1), fmt.Sprintf("/open-day-%d/", n+1),
			map[string]any{"date": fmt.Sprintf("2024-0%d-01", n+4), "body": "<p data-block-key=\"a\">Come by.</p>"})
	}
	l.add(LabBlog, "lab.BlogIndexPage", 3, "Blog", "/blog/", map[string]any{"intro": ""})
	for n := range 45 {
		l.addPost(n)
	}
	l.add(80, "lab.HomePage", 0, "Accueil du labo", "/fr/", map[string]any{"intro": ""})
	l.add(81, "lab.StandardPage", 80, "À propos", "/fr/a-propos/", standard("Qui nous sommes.", `<p data-block-key="a">Nous aimons <a linktype="page" id="4">nos prix</a>.</p>`))
	l.ToPricing = append(l.ToPricing, 81)
	return l
}

func standard(intro, body string) map[string]any {
	return map[string]any{"intro": intro, "body": body, "image": nil}
}

// addPost adds the post of that number. Each fifth links to the pricing page, and has
// no search description.
func (l *Lab) addPost(n int) {
	id, text := 21+n, "<p data-block-key=\"p\">Nothing much.</p>"
	switch n % 15 {
	case 0, 10:
		text = `<p data-block-key="p">Have a look at <a linktype="page" id="4">what it costs</a>.</p>`
		l.ToPricing = append(l.ToPricing, id)
	case 5:
		text = `<p data-block-key="p">Prices are <a href="/pricing/#pro">here</a>.</p>`
		l.ToPricing = append(l.ToPricing, id)
	case 7:
		text = `<p data-block-key="p">Our sla is not the <i>SLA</i> of others.</p>`
		l.WithSLA = append(l.WithSLA, id)
	}
	tags := []string{"news"}
	if n%4 == 0 {
		tags = append(tags, "how-to")
	}
	author := 1 + n%3
	var feed any
	if n%2 == 0 {
		feed = map[string]any{"id": LabImage, "title": "Model of the Esperance", "width": 1200, "height": 1600, "meta": map[string]any{
			"type": "wagtailimages.Image", "detail_url": origin + "/api/v2/images/2/", "download_url": "/media/original_images/model-of-the-esperance.jpg"}}
	}
	l.add(id, "lab.BlogPage", LabBlog, fmt.Sprintf("Post %02d", n), fmt.Sprintf("/blog/post-%02d/", n), map[string]any{
		"date": fmt.Sprintf("%d-%02d-10", 2023+n/15, 1+n%12), "subtitle": "", "tags": tags, "feed_image": feed,
		"last_published_at": fmt.Sprintf("2026-%02d-%02dT08:00:00Z", 1+n/28, 1+n%28),
		"author":            map[string]any{"id": author, "meta": map[string]any{"type": "lab.Author"}, "name": []string{"Ada", "Bruno", "Céline"}[author-1]},
		"body":              []any{map[string]any{"type": "paragraph", "value": text, "id": fmt.Sprintf("b%d", id)}},
	})
	rows := l.site["pages"]
	rows[len(rows)-1].Tags = tags
}

func (l *Lab) add(id int, pageType string, parent int, title, path string, fields map[string]any) {
	published, locale := fmt.Sprintf("2024-01-%02dT10:00:00Z", 1+id%28), "en"
	if strings.HasPrefix(path, "/fr/") {
		locale = "fr"
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	l.site["pages"] = append(l.site["pages"], siteObject{ID: id, Title: title, Type: pageType, Slug: parts[len(parts)-1], Published: &published, Locale: locale,
		Parent: parent, Path: path, ShowInMenus: parent == 3 && pageType != "lab.EventPage", Described: id%5 != 1})
	l.details[id] = fields
}

// related is a related object with the fields that were asked for inside it, besides
// those that it always has.
func related(value any, inner string) any {
	switch value := value.(type) {
	case []any:
		list := make([]any, len(value))
		for n := range value {
			list[n] = related(value[n], inner)
		}
		return list
	case map[string]any:
		if value["id"] == nil || value["meta"] == nil {
			return value
		}
		kept := map[string]any{}
		for name := range value {
			if slices.Contains([]string{"id", "meta", "title"}, name) || inner == "*" || slices.Contains(strings.Split(inner, ","), name) {
				kept[name] = value[name]
			}
		}
		return kept
	}
	return value
}
