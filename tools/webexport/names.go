package webexport

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"issues-index/store/pattern"
)

// name returns the file of the page at an address. A page that has none yet will be written.
func (e *export) name(address string) string {
	if name := e.names[address]; name != "" {
		return name
	}
	u, err := url.Parse(address)
	if err != nil {
		return "" // never of an address that a page was parsed for
	}
	base, first := fileBase(u)
	ext := path.Ext(u.Path)
	if _, known := marks[ext]; !known || strings.Count(u.Path, "/") > 1 {
		ext = ".html"
	}
	name := base + ext
	number := max(first, e.numbers[strings.ToLower(base)])
	for number > 1 || e.taken[strings.ToLower(name)] {
		number = max(number, 2)
		name = fmt.Sprintf("%s-%d%s", base, number, ext)
		number++
		if !e.taken[strings.ToLower(name)] {
			break
		}
	}
	e.numbers[strings.ToLower(base)] = number
	e.names[address], e.taken[strings.ToLower(name)] = name, true
	if isDocument(u.Path) {
		e.documents = append(e.documents, address)
	} else {
		e.lists = append(e.lists, address)
	}
	return name
}

// fileBase is what the name of a page's file begins with, and the number of the page among
// those of one list.
func fileBase(u *url.URL) (base string, number int) {
	folder, rest, below := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	query := u.Query()
	number = 1
	if query.Get("cursor") != "" {
		number = 2
	}
	for _, key := range []string{"where", "view", "board", "code", "path"} {
		if value := query.Get(key); value != "" && !below {
			rest, below = value, true
			if key == "path" {
				rest = strings.TrimSuffix(path.Base(value), ".md")
			}
		}
	}
	if folder == "" && !below {
		return strings.TrimSuffix(indexFile, ".html"), number
	}
	if ext := path.Ext(folder); marks[ext] != "" {
		folder = strings.TrimSuffix(folder, ext)
	}
	switch folder = fileName(folder); {
	case below:
		return folder + "/" + fileName(rest), number
	case number > 1:
		return folder + "/all", number
	}
	return folder, number
}

var (
	otherCharacters = pattern.Lazy(`[^A-Za-z0-9._]+`)
	// reservedName is a name that Windows keeps for devices.
	reservedName = pattern.Lazy(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
)

// fileName is a text as the name of a file that every system takes, and that needs no escape
// in an address. Different texts may have the same.
func fileName(text string) string {
	const most = 80 // bytes
	name := strings.Trim(otherCharacters().ReplaceAllString(text, "-"), "-.")
	name = strings.Trim(name[:min(len(name), most)], "-.")
	if name == "" || reservedName().MatchString(name) {
		name = "x" + name
	}
	return name
}
