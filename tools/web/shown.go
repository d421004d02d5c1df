package web

import (
	"html/template"
	"strconv"
	"sync"
	"time"

	"issues-index/store/words"
	"issues-index/tools/dashboard"
)

// templates are the pages by the names of their files, for a server and for an export, whose
// pages are read from the disk and later than they were written. Each is laid out by layout.html.
var (
	servedTemplates = sync.OnceValue(func() *template.Template { return parseTemplates("/icons.svg", age) })
	staticTemplates = sync.OnceValue(func() *template.Template { return parseTemplates("", day) })
)

// parseTemplates reads the templates; sprite is the file of the symbols.
func parseTemplates(sprite string, shownTime func(time.Time) template.HTML) *template.Template {
	icon := func(name string) template.HTML { // a name is never of a text
		return template.HTML(`<svg class="ic ` + name + `" aria-hidden="true"><use href="` +
			sprite + "#" + name + `"></use></svg>`)
	}
	return template.Must(template.New("").Funcs(template.FuncMap{
		"link": documentLink, "list": listLink, "labelled": labelled, "cut": words.Cut, "count": words.Count, "when": when,
		"iso": iso, "now": time.Now, "formName": formName, "below": below, "icon": icon, "icons": icons,
		"cardOf": cardOf, "column": newColumn,
		"viewKey": func(path string) string { return viewKeys[path] }, "age": shownTime, "share": dashboard.ShareText,
		"number": func(n int64) string { return dashboard.CountText(float64(n)) }, "spoken": spoken,
		"percent": func(part, whole int) int { return part * 100 / max(1, whole) },
	}).ParseFS(templateFiles, "templates/*.html"))
}

// icons are the symbols as a part of a page, which a page on the disk cannot load.
func icons() (template.HTML, error) {
	text, err := assets.ReadFile("assets/icons.svg")
	return template.HTML(`<div hidden>` + string(text) + `</div>`), err
}

// age is how long ago a time is, as people say it, with the time itself as a title. A script
// keeps both up to date, and puts the title into the zone of the reader.
func age(t time.Time) template.HTML {
	if t.IsZero() {
		return ""
	}
	return timeElement(t, ageText(time.Since(t)))
}

// day is the day of a time.
func day(t time.Time) template.HTML {
	if t.IsZero() {
		return ""
	}
	return timeElement(t, t.Local().Format(time.DateOnly))
}

func timeElement(t time.Time, text string) template.HTML {
	title := t.Local().Format("2 January 2006, 15:04")
	return template.HTML(`<time datetime="` + iso(t) + `" title="` + title + `">` + text + `</time>`)
}

// ageText says a length of time in one unit; a negative one lies ahead.
func ageText(ago time.Duration) string {
	const day = 24 * time.Hour
	if ago < 0 {
		return "in " + ageText(-ago)
	}
	for _, unit := range []struct {
		length, until time.Duration
		name          string
	}{
		{time.Second, time.Minute, "second"}, {time.Minute, time.Hour, "minute"}, {time.Hour, day, "hour"},
		{day, 14 * day, "day"}, {7 * day, 60 * day, "week"}, {365 * day / 12, 2 * 365 * day, "month"},
	} {
		if ago < unit.until {
			return words.Count(int(ago/unit.length), unit.name)
		}
	}
	return strconv.Itoa(int(ago/(365*day))) + " years"
}

// when shows a time as people read it.
func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04")
}

func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }
