package wagtail

import (
	"regexp"
	"strings"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// A complaint is one of the API's messages about an argument: which one it is,
// and what to do.
type complaint struct {
	says  func() *regexp.Regexp
	field string
	try   string
}

var complaints = []complaint{
	{pattern.Lazy(`^fields error: |nested fields$`), "fields",
		"Name fields with commas between them; * is all of them, -x all but x, x(a,b) fields of a related object."},
	{pattern.Lazy(`^type doesn't exist`), "type", "A type is app_label.ModelName with the app in its exact case, such as home.HomePage."},
	{pattern.Lazy(`^cannot order by .*while searching`), "order", "With search, order by title, first_published_at or id, or leave order out."},
	{pattern.Lazy(`^cannot order by |^random ordering`), "order",
		"Order by id, title, slug or first_published_at; by a type's own field only with that type. A minus before it turns it round."},
	{pattern.Lazy(`^cannot filter by '(\w+)' while searching`), "", "Leave search out, or that filter."},
	{pattern.Lazy(`^filtering by tag with a search`), "tags", "Leave search or tags out."},
	{pattern.Lazy(`^parent page doesn't exist`), "child_of", "There is no such page, or it is a draft or private. wagtail_list_pages with child_of: 'root' lists the first level."},
	{pattern.Lazy(`^ancestor page doesn't exist`), "descendant_of", "There is no such page, or it is a draft or private. Use 'root' for the whole tree."},
	{pattern.Lazy(`^descendant page doesn't exist`), "ancestor_of", "There is no such page, or it is a draft or private."},
	{pattern.Lazy(`^search is disabled`), "search", "This site's API has no search: list pages and narrow them by type, child_of or slug."},
	{pattern.Lazy(`^query parameter is not an operation`), "filter", "A field of a page type needs type with that one type; leave the filter out otherwise."},
	{pattern.Lazy(`^field filter error`), "filter", "Pass a value of the field's own kind: an id for a related object, true or false, a number."},
	{pattern.Lazy(`^limit `), "limit", "Leave limit out."},
}

// invalid words a message of the API about the arguments with which a path was asked.
func invalid(path, message string) *tools.Error {
	e := tools.Errorf(tools.CodeValidation, "The site refused the arguments (400): %s", said(message))
	if strings.HasPrefix(message, unknownFields) {
		return e.On("fields").Try("%s", knownFields(path))
	}
	for _, c := range complaints {
		if c.says().MatchString(message) {
			e.Field = c.field
			if c.field == "order" && !strings.HasPrefix(path, kindPages) {
				return e.Try("Order by id or title, or leave order out. A minus before it turns it round.")
			}
			return e.Try("%s", c.try)
		}
	}
	return e.Try("Change or leave out what it names.")
}

// unknownFields is how the API begins to say that an object has no such field.
const unknownFields = "unknown fields: "

// knownFields says which fields there are at a path of the API.
func knownFields(path string) string {
	switch kind, id, _ := strings.Cut(path, "/"); {
	case id != "":
		return "Without fields the answer has all that this " + oneOf(kind) + " has; take names from there."
	case kind == kindPages:
		return "Fields of a page type need type with that one type, such as type: 'blog.BlogPage'. Without fields every answer has the common ones."
	default:
		return "Without fields every answer has the common ones; the details of one " + oneOf(kind) + " show which others there are."
	}
}
