package wagtail

import (
	"strings"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// endpointSchema is the argument endpoint of the tools over documents: the objects of
// other endpoints have a title, fields and addresses as documents do.
const endpointSchema = `"endpoint":` + anyText

var endpointName = pattern.Lazy(`^[A-Za-z0-9_-]{1,60}$`)

// endpoint reads which endpoint of the API is meant in place of documents, "" for
// documents themselves.
func endpoint(args *tools.Args) string {
	name := strings.Trim(strings.TrimSpace(args.String("endpoint")), "/")
	switch {
	case name == "" || name == kindDocuments:
		return ""
	case name == kindPages:
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid endpoint 'pages': they have tools of their own.").On("endpoint").
			Try("Use %s or %s.", listPagesName, pageDetailsName))
	case name == kindImages:
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid endpoint 'images': they have tools of their own.").On("endpoint").
			Try("Use %s or %s.", listImagesName, imageDetailsName))
	case !endpointName().MatchString(name):
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid endpoint %s.", tools.Quote(name)).On("endpoint").
			Try("Pass the last part of its address in the API, such as redirects. %s names those that answer.", overviewName))
	}
	return name
}

// oneOf names a single object of an endpoint.
func oneOf(kind string) string {
	if name, ok := one[kind]; ok {
		return name
	}
	return "object of " + kind
}
