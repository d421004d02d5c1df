package main

import (
	"context"
	"fmt"
	"strings"

	"issues-index/tools"
)

// The URIs that the suite knows.
const (
	suiteScheme   = "test://"
	suiteText     = suiteScheme + "static-text"
	suiteBinary   = suiteScheme + "static-binary"
	suiteWatched  = suiteScheme + "watched-resource"
	suiteTemplate = suiteScheme + "template/{id}/data"
)

// suiteResources returns the resources of the suite together with those of another set.
func suiteResources(others *tools.ResourceSet) *tools.ResourceSet {
	both := *others
	both.Templates = append([]tools.ResourceTemplate{
		{URI: suiteTemplate, Name: "template", Title: "A template", Description: "A text with the id of its URI."},
	}, others.Templates...)
	both.List = func(ctx context.Context, r *tools.ResourceRequest) ([]tools.Resource, error) {
		list, err := others.List(ctx, r)
		return append([]tools.Resource{
			{URI: suiteText, Name: "static-text", Title: "A text", Description: "A text that never changes.", Size: int64(len(suiteStaticText))},
			{URI: suiteBinary, Name: "static-binary", Title: "A picture", Description: "A picture that never changes.", Size: pictureSize},
			{URI: suiteWatched, Name: "watched-resource", Title: "A document", Description: "The document that was updated last."},
		}, list...), err
	}
	both.Read = func(ctx context.Context, r *tools.ResourceRequest) (tools.ResourceText, error) {
		if !strings.HasPrefix(r.URI, suiteScheme) {
			return others.Read(ctx, r)
		}
		return readSuite(r.URI)
	}
	both.Find = func(ctx context.Context, r *tools.ResourceRequest) (tools.FoundResource, error) {
		if r.URI != suiteWatched {
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

const suiteStaticText = "This is the content of the static text resource."

func readSuite(uri string) (tools.ResourceText, error) {
	switch uri {
	case suiteText:
		return tools.ResourceText{Text: suiteStaticText}, nil
	case suiteWatched:
		return tools.ResourceText{Text: "A resource to subscribe to."}, nil
	}
	before, after, _ := strings.Cut(suiteTemplate, "{id}")
	if id, ok := strings.CutPrefix(uri, before); ok && strings.HasSuffix(id, after) {
		id = strings.TrimSuffix(id, after)
		return tools.ResourceText{Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id)}, nil
	}
	return tools.ResourceText{}, tools.Errorf(tools.CodeNotFound, "There is no resource %s.", tools.Quote(uri)).Try("resources/list names them all.")
}
