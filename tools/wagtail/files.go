package wagtail

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/tools"
)

// A fileResult is an image or a document by itself.
type fileResult struct {
	ID     int                        `json:"id"`
	Title  string                     `json:"title,omitempty"`
	Type   string                     `json:"type,omitempty"`
	URL    string                     `json:"url,omitempty"`
	Tags   []string                   `json:"tags,omitempty"`
	Width  json.Number                `json:"width,omitempty"`
	Height json.Number                `json:"height,omitempty"`
	Fields map[string]json.RawMessage `json:"fields,omitempty"` // that the site's project exports besides
	Empty  []string                   `json:"empty,omitempty"`  // fields that were asked for and hold nothing

	names []string // of Fields, in their order
}

// A fileAnswer is the answer of wagtail_get_image_details or wagtail_get_document_details.
type fileAnswer struct {
	Image    *fileResult `json:"image,omitempty"`
	Document *fileResult `json:"document,omitempty"`
	Note     string      `json:"note,omitempty"`
}

func imageDetails(s *Site) tools.Tool {
	return readOnly(tools.Tool{
		Name:        imageDetailsName,
		Description: "Read what the Wagtail site knows of one image: title, size in pixels, tags, address of the original, and the project's own fields. id may be a number or an address. Read-only.",
		Input:       tools.ObjectSchema(`"id":`+anyText+`,"fields":`+anyTexts, "id"),
		Output:      tools.ObjectSchema(`"image":`+someRow+`,"note":`+anyText, "image"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			return s.file(ctx, args, kindImages, listImagesName, func(f *fileResult, note string) any { return fileAnswer{Image: f, Note: note} })
		},
	})
}

func documentDetails(s *Site) tools.Tool {
	return readOnly(tools.Tool{
		Name: documentDetailsName,
		Description: "Read what the Wagtail site knows of one downloadable document: title, tags, download address, and the project's own fields. id may be a number or its address. Read-only; not its contents. " +
			"endpoint: read an object of that one of the same API instead, such as redirects or snippets.",
		Input:  tools.ObjectSchema(endpointSchema+`,"id":`+anyText+`,"fields":`+anyTexts, "id"),
		Output: tools.ObjectSchema(`"document":`+someRow+`,"note":`+anyText, "document"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			return s.file(ctx, args, kindDocuments, listDocumentsName, func(f *fileResult, note string) any { return fileAnswer{Document: f, Note: note} })
		},
	})
}

// file answers with the details of an image or a document.
func (s *Site) file(ctx context.Context, args *tools.Args, kind, list string, answer func(*fileResult, string) any) (tools.Result, error) {
	given := args.String("id")
	id, at := s.readFile(args)
	query := url.Values{}
	identity := fileIdentity
	if other := endpoint(args); other != "" {
		kind, identity = other, objectIdentity
		if at != nil {
			args.Fail(invalid("id", given, ": an object of "+kind+" is named by its number", "Use "+list+" {endpoint: "+tools.Quote(kind)+"} to find it."))
		}
	}
	fields := readFields(args, identity, true)
	set(query, "fields", fields)
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	none := tools.Errorf(tools.CodeNotFound, "The site has no %s %s, or it is private.", singularOf(kind), tools.Quote(given)).On("id").
		Try("Use %s or %s to find one.", list, searchName)
	if at != nil {
		found, all, err := s.fileAt(ctx, kind, at)
		switch {
		case err != nil:
			return tools.Result{}, err
		case !all:
			return tools.Result{}, none.Try("The first %d were compared: use %s or %s and pass an id.", maxFiles, list, searchName)
		case found == 0:
			return tools.Result{}, none
		}
		id = found
	}
	var i apiObject
	err := s.get(ctx, objectPath(kind, id), query, &i)
	if absent(err) {
		return tools.Result{}, none
	}
	if err != nil {
		return tools.Result{}, s.advised(ctx, err, kind, query)
	}
	if i.ID != id {
		return tools.Result{}, s.notWagtail(kind + "/")
	}
	return args.Smaller(2, func(level int) tools.Result {
		f, left := s.fileOf(i, level, selectionOf(fields))
		if _, known := singular[kind]; !known && i.get("title") == nil {
			f.Title = ""
		}
		return tools.Result{Text: f.text(singularOf(kind), left), Structured: answer(&f, left), Items: 1}
	}), nil
}

// fileOf returns a file as it is shown. Each level has less room for its own fields.
func (s *Site) fileOf(i apiObject, level int, asked selection) (f fileResult, left string) {
	room := []int{1 << 30, 300, 0}[level]
	f = fileResult{ID: i.ID, Title: i.title(), Type: i.typeName(), Tags: i.tags()}
	if u := i.url("download_url", s.base); u != nil {
		f.URL = u.String()
	}
	var omitted []string
	for _, m := range i.members {
		switch value := string(m.value); m.name {
		case "width", "height":
			if !isNumber(value) {
				continue
			}
			if m.name == "width" {
				f.Width = json.Number(value)
			} else {
				f.Height = json.Number(value)
			}
		case "title", "type", "tags", "download_url", "detail_url":
		default:
			if brief(m.value, i.reference()) == "" {
				if asked.has(m.name) {
					f.Empty = append(f.Empty, tools.Line(m.name))
				}
				continue
			}
			short := compact(m.value)
			if len(short) > room {
				omitted = append(omitted, tools.Line(m.name))
				continue
			}
			if f.Fields == nil {
				f.Fields = map[string]json.RawMessage{}
			}
			f.names = append(f.names, m.name)
			f.Fields[m.name] = json.RawMessage(short)
		}
	}
	if len(omitted) > 0 {
		left = words.Cut("Fields left out to fit: "+strings.Join(omitted, ", "), 300) + "."
	}
	return f, left
}

// text returns the file with one field on a line.
func (f fileResult) text(kind, left string) string {
	text := []string{strings.ToUpper(kind[:1]) + kind[1:] + fmt.Sprintf(" %d", f.ID)}
	if f.Title != "" {
		text[0] += ": " + f.Title
	}
	add := func(name, value string) {
		if value != "" {
			text = append(text, name+": "+value)
		}
	}
	add("type", f.Type)
	add("url", f.URL)
	if f.Width != "" && f.Height != "" {
		add("size", f.Width.String()+"x"+f.Height.String())
	}
	add("tags", strings.Join(f.Tags, ", "))
	for _, name := range f.names {
		add(tools.Line(name), brief(f.Fields[name], objectRef{f.ID, f.Type, false}))
	}
	add("empty", strings.Join(f.Empty, ", "))
	add("note", left)
	return strings.Join(text, "\n")
}

// maxFiles is the most files that are compared with a URL: the API has no filter for
// it.
const maxFiles = 1000

// documentPath matches the path of a document, which has its id before its name.
var documentPath = pattern.Lazy(`/documents/(\d{1,10})/[^/]+$`)

// readFile reads which image or document is wanted: an id or a URL.
func (s *Site) readFile(args *tools.Args) (id int, address *url.URL) {
	given := strings.TrimSpace(args.Required("id"))
	if !strings.Contains(given, "/") {
		return args.Int("id", 1, maxID, 0), nil
	}
	u, err := url.Parse(text(args, "id"))
	web := err == nil && (u.Scheme == "" || (u.Scheme == "http" || u.Scheme == "https") && u.Host != "")
	if !web || u.Path == "" || strings.HasSuffix(u.Path, "/") {
		args.Fail(invalid("id", given, ": it is no address of a file", "Pass an id (a number), or the address that a list or a link shows."))
	}
	return 0, u
}

// fileAt returns the file with a URL: its own or, for an image, that of a rendition,
// which is named after it. It returns 0 for none, and whether all files were compared.
func (s *Site) fileAt(ctx context.Context, kind string, at *url.URL) (id int, all bool, err error) {
	hosts, err := s.hosts(ctx, at)
	if err != nil {
		return 0, false, err
	}
	if found := documentPath().FindStringSubmatch(at.Path); found != nil && kind == kindDocuments {
		id, err := strconv.Atoi(found[1])
		if err != nil {
			return 0, true, nil //nolint:nilerr // no document has so large an id
		}
		var i apiObject
		if err = s.get(ctx, objectPath(kind, id), url.Values{"fields": {"_," + fileIdentity}}, &i); err != nil && !absent(err) {
			return 0, false, err
		}
		if u := i.url("download_url", s.base); u == nil || !isFileAt(kind, u, at, hosts) {
			id = 0
		}
		return id, true, nil
	}
	for n, offset, more := 0, 0, true; more && n < maxPages && offset < maxFiles; n++ {
		b, err := s.list(ctx, kind, url.Values{}, defaultMaxLimit, offset)
		if err != nil {
			return 0, false, err
		}
		for _, i := range b.items {
			if u := i.url("download_url", s.base); u != nil && isFileAt(kind, u, at, hosts) {
				return i.ID, true, nil
			}
		}
		offset, more = b.next(len(b.items))
		all = !more
	}
	return 0, all, nil
}

// hosts returns the hosts of the site: those of the API and of visitors, and the one
// that the site itself uses. A URL without a host needs none.
func (s *Site) hosts(ctx context.Context, at *url.URL) ([]string, error) {
	hosts := []string{hostOf(s.base), hostOf(s.front)}
	if at.Host == "" {
		return hosts, nil
	}
	root, err := s.routed(ctx, "/")
	if err != nil || root == 0 {
		return hosts, err
	}
	home, err := s.detail(ctx, identity{id: root}, "_,"+pageIdentity)
	if u := home.url("html_url", s.base); u != nil {
		hosts = append(hosts, hostOf(u))
	}
	return hosts, err
}

// isFileAt reports whether a file's own URL and another lead to the same file.
func isFileAt(kind string, own, at *url.URL, hosts []string) bool {
	if at.Host != "" && hostOf(own) != hostOf(at) && !(slices.Contains(hosts, hostOf(own)) && slices.Contains(hosts, hostOf(at))) {
		return false
	}
	if own.Path == at.Path {
		return true
	}
	name := path.Base(own.Path)
	stem := strings.TrimSuffix(name, path.Ext(name)) + "."
	return kind == kindImages && path.Dir(own.Path) != path.Dir(at.Path) && strings.HasPrefix(path.Base(at.Path), stem)
}
