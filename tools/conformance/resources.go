package conformance

import (
	"context"
	"fmt"
	"strings"

	"issues-index/tools"
)

// The URIs that the suite knows.
const (
	scheme   = "test://"
	textURI  = scheme + "static-text"
	binary   = scheme + "static-binary"
	watched  = scheme + "watched-resource"
	template = scheme + "template/{id}/data"
)

// Resources returns the resources of the suite together with those of another set.
func Resources(others *tools.ResourceSet) *tools.ResourceSet {
	both := *others
	both.Pattern = "{+uri}"
	both.Templates = append([]tools.ResourceTemplate{
		{URI: template, Name: "template", Title: "A template", Description: "A text with the id of its URI."},
	}, others.Templates...)
	both.List = func(ctx context.Context, r *tools.ResourceRequest) ([]tools.Resource, error) {
		list, err := others.List(ctx, r)
		return append([]tools.Resource{
			{URI: textURI, Name: "static-text", Title: "A text", Description: "A text that never changes.", Size: int64(len(staticText))},
			{URI: binary, Name: "static-binary", Title: "A picture", Description: "A picture that never changes.", Size: pictureSize},
			{URI: watched, Name: "watched-resource", Title: "A document", Description: "The document that was updated last."},
		}, list...), err
	}
	both.Read = func(ctx context.Context, r *tools.ResourceRequest) (tools.ResourceText, error) {
		if !strings.HasPrefix(r.URI, scheme) {
			return others.Read(ctx, r)
		}
		return read(r.URI)
	}
	both.Find = func(ctx context.Context, r *tools.ResourceRequest) (tools.FoundResource, error) {
		if r.URI != watched {
			return others.Find(ctx, r)
		}
		list, err := others.List(ctx, r)
		if err != nil || len(list) == 0 {
			return tools.FoundResource{}, tools.Errorf(tools.CodeNotFound, "The workspace has no document that could change.").Try("Create one.")
		}
		document := *r
		document.URI = list[0].URI
		return others.Find(ctx, &document)
	}
	return &both
}

const staticText = "This is the content of the static text resource."

func read(uri string) (tools.ResourceText, error) {
	switch uri {
	case textURI:
		return tools.ResourceText{Text: staticText}, nil
	case watched:
		return tools.ResourceText{Text: "A resource to subscribe to."}, nil
	}
	before, after, _ := strings.Cut(template, "{id}")
	if id, ok := strings.CutPrefix(uri, before); ok && strings.HasSuffix(id, after) {
		id = strings.TrimSuffix(id, after)
		return tools.ResourceText{Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id)}, nil
	}
	return tools.ResourceText{}, tools.Errorf(tools.CodeNotFound, "There is no resource %s.", tools.Quote(uri)).Try("resources/list names them all.")
}
