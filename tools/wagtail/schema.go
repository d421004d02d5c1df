package wagtail

import (
	"encoding/json"
	"strings"

	"issues-index/tools"
)

// valueSchemas are the JSON schemas of values, by the names that [schemaOf] knows them by.
var valueSchemas = map[string]string{
	"text":   `{"type":"string"}`,
	"texts":  `{"type":"array","items":{"type":"string"}}`,
	"number": `{"type":"integer"}`,
	"truth":  `{"type":"boolean"}`,
	"object": `{"type":"object","properties":{}}`,
	"list":   `{"type":"array","items":{"type":"object","properties":{}}}`,
	"page":   `{"type":"object","properties":{"id":{"type":"integer"},"title":{"type":"string"}}}`,
	"row":    oneRow,
	"rows":   `{"type":"array","items":` + oneRow + `}`,
	"type":   `{"type":"string","description":"app_label.ModelName, several with commas"}`,
	"site":   `{"type":"string","description":"host of another site of this Wagtail"}`,
	"order":  `{"type":"string","description":"such as -first_published_at"}`,
	"filter": `{"type":"object","description":"exact matches, e.g. {author: 1, tags: \"x\", show_in_menus: true}"}`,
	"link":   `{"type":"string","description":"page id, path or URL, document:3, image:2"}`,
	"format": `{"type":"string","enum":["markdown","html"]}`,
	"kinds":  `{"type":"array","items":{"type":"string","enum":["pages","images","documents"]}}`,
}

const oneRow = `{"type":"object","properties":{"id":{"type":"integer"},"title":{"type":"string"}},"required":["id"]}`

// schemaOf returns the schema of an object from its members, each with the name of its value's
// schema and * if it is required: `id text*, fields texts`. more are members as JSON has them.
func schemaOf(members string, more ...string) json.RawMessage {
	var properties, required []string
	for member := range strings.SplitSeq(members, ", ") {
		name, value, _ := strings.Cut(member, " ")
		value, needed := strings.CutSuffix(value, "*")
		if needed {
			required = append(required, name)
		}
		properties = append(properties, `"`+name+`":`+valueSchemas[value])
	}
	return tools.ObjectSchema(strings.Join(append(properties, more...), ","), required...)
}
