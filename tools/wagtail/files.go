package wagtail

import (
	"context"
	"net/url"
	"path"
	"strconv"
	"strings"

	"issues-index/store/pattern"
	"issues-index/tools"
)

func imageDetails(s *Site) tools.Tool {
	return readOnly(tools.Tool{
		Name: imageDetailsName,
		Description: "Read what the Wagtail site knows of one image: title, size in pixels, tags, address of the original, " +
			"and the project's own fields. id may be a number or an address. Read-only.",
		Input:  schemaOf("id text*, fields texts"),
		Output: schemaOf("image row*, note text"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			return s.file(ctx, args, kindImages)
		},
	})
}

func documentDetails(s *Site) tools.Tool {
	return readOnly(tools.Tool{
		Name: documentDetailsName,
		Description: "Read what the Wagtail site knows of one downloadable document: title, tags, download address, " +
			"and the project's " +
			"own fields. id may be a number or its address. Read-only; not its contents. " +
			"endpoint: read an object of that one of the same API instead, such as redirects or snippets.",
		Input:  schemaOf("endpoint text, id text*, fields texts"),
		Output: schemaOf("document row*, note text"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			return s.file(ctx, args, kindDocuments)
		},
	})
}

// file answers with the details of an image, a document or an object of another endpoint.
func (s *Site) file(ctx context.Context, args *tools.Args, kind string) (tools.Result, error) {
	list, identity := map[string]string{kindImages: listImagesName, kindDocuments: listDocumentsName}[kind], fileIdentity
	given := strings.TrimSpace(args.Required("id"))
	ref, numbered, wrong := readHandle("id", given, singular[kind])
	at := fileAddress(given)
	if other := endpoint(args); other != "" {
		kind, identity, at = other, objectIdentity, nil
	}
	fields := readFields(args, identity, true)
	if wrong == nil && !numbered && at == nil {
		wrong = invalid("id", given, ": it is no number and no address of a file",
			"Pass what a list or a link shows; "+list+" finds it.")
	}
	if wrong != nil && given != "" {
		args.Fail(wrong)
	}
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	if !numbered {
		found, err := s.fileAt(ctx, kind, at)
		if err != nil {
			return tools.Result{}, err
		}
		ref.ID = found.ID
	}
	query := siteQuery("", "fields", fields)
	i, err := s.object(ctx, kind, ref.ID, query)
	switch {
	case notFound(err):
		return tools.Result{}, tools.Errorf(tools.CodeNotFound, "The site has no %s %s, or it is private.",
			singularOf(kind), tools.Quote(given)).On("id").
			Try("Use %s or %s to find one. Of images, the addresses of the first %d are compared.", list, searchName, maxSought)
	case err != nil:
		return tools.Result{}, s.advised(ctx, err, kind, query)
	}
	return s.document(args, detailsTool(kind), kind, query, s.viewOf(kind, i, i.members, selectionOf(fields)), "")
}

// fileAddress reads the address of a file, nil when it is none.
func fileAddress(given string) *url.URL {
	u, err := url.Parse(given)
	web := err == nil && (u.Scheme == "" || (u.Scheme == "http" || u.Scheme == "https") && u.Host != "")
	if !web || !strings.Contains(u.Path, "/") || strings.HasSuffix(u.Path, "/") {
		return nil
	}
	return u
}

// documentPath matches the path of a document, which has its id before its name.
var documentPath = pattern.Lazy(`/documents/(\d{1,9})/[^/]+$`)

// fileAt returns the image or document with a URL, without an id when there is none. The URL is its
// own or, for an image, that of a rendition, which is named after it.
func (s *Site) fileAt(ctx context.Context, kind string, at *url.URL) (apiObject, error) {
	if !s.owns(ctx, at) {
		return apiObject{}, nil
	}
	isIt := func(i apiObject) bool {
		u := i.url("download_url", s.base)
		return u != nil && isFileAt(kind, u, at)
	}
	found := documentPath().FindStringSubmatch(at.Path)
	if kind != kindDocuments || found == nil {
		return s.seek(ctx, kind, url.Values{}, isIt)
	}
	id, _ := strconv.Atoi(found[1]) // at most 9 digits
	i, err := s.object(ctx, kindDocuments, id, siteQuery("", "fields", "_,"+fileIdentity))
	if notFound(err) || err == nil && !isIt(i) {
		return apiObject{}, nil
	}
	return i, err
}

// isFileAt reports whether a file's own URL and another one of the site lead to the same file.
func isFileAt(kind string, own, at *url.URL) bool {
	if own.Path == at.Path {
		return true
	}
	name := path.Base(own.Path)
	stem := strings.TrimSuffix(name, path.Ext(name)) + "."
	return kind == kindImages && path.Dir(own.Path) != path.Dir(at.Path) && strings.HasPrefix(path.Base(at.Path), stem)
}
