package pdpp

import (
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"issues-index/tools"
)

// Codes of arguments that are refused before any request.
const (
	codeInvalidFilter tools.Code = "invalid_filter"
	codeInvalidExpand tools.Code = "invalid_expand"
)

// maxLimit is the largest page of an RS.
const maxLimit = 100

// A parameter is an argument of tools: its JSON schema, and how it is put into the request.
// Those without read are read by their tool.
type parameter struct {
	schema string
	read   func(c *call, name string, needed bool)
}

// Fragments of JSON schema that several parameters share.
const (
	anyText  = `{"type":"string"}`
	anyTexts = `{"type":"array","items":` + anyText + `}`
	number   = `{"type":"integer"}`
	anything = `{"type":"object"}`
	truth    = `{"type":"boolean"}`
	around   = `{"type":"integer","minimum":0,"maximum":8192}`
)

// parameters are all parameters by their names. Where tools have different ones of one name,
// the tool stands behind an @.
var parameters = map[string]parameter{
	"stream":          {anyText, readName},
	"connection_id":   {anyText, readName},
	"blob_id":         {anyText, readName},
	"subscription_id": {anyText, readName},

	"cursor":        {anyText, readLabel},
	"q":             {anyText, readText},
	"time_zone":     {anyText, readText},
	"changes_since": {`{"type":"string","description":"beginning, or a next_changes_since"}`, readLabel},
	"sort":          {anyText, readLabel},
	"view":          {anyText, readLabel},
	"field":         {anyText, readLabel},
	"group_by":      {anyText, readLabel},
	"group_by_time": {anyText, readLabel},

	"limit":       {`{"type":"integer","minimum":1,"maximum":100}`, readNumber(1, maxLimit)},
	"order":       choice("asc", "desc"),
	"count":       choice("none", "estimated", "exact"),
	"metric":      choice("count", "sum", "min", "max", "count_distinct"),
	"granularity": choice("minute", "hour", "day", "week", "month", "quarter", "year"),
	"mode":        choice("lexical", "semantic", "hybrid"),
	"detail":      choice("compact", "full"),

	"fields":        {anyTexts, readLabels},
	"fields@schema": {`{"type":"array","items":` + anyText + `,"description":"with detail full: only these"}`, readLabels},
	"streams":       {anyTexts, readNames},
	"filter":        {`{"type":"object","description":"{field: value}, or {field: {gte|gt|lte|lt: value}}"}`, readFilter},
	"expand":        {anyTexts, readExpand},
	"expand_limit":  {`{"type":"object","description":"{relation: records}"}`, readExpandLimit},

	"id":            {`{"type":"string","description":"connection_id/stream:record_id"}`, nil},
	"offset_chars":  {`{"type":"integer","minimum":0}`, readNumber(0, math.MaxInt32)},
	"limit_chars":   {`{"type":"integer","minimum":1,"maximum":16384,"default":4096}`, readNumber(1, maxWindow)},
	"before_chars":  {around, readNumber(0, maxAround)},
	"after_chars":   {around, readNumber(0, maxAround)},
	"range":         {`{"type":"string","description":"bytes=0-4095"}`, nil},
	"callback_url":  {anyText, nil},
	"filters":       {`{"type":"object","properties":{"streams":` + anyTexts + `}}`, nil},
	"enabled":       {truth, nil},
	"rotate_secret": {truth, nil},
}

// nameOf returns the name of a parameter in a call.
func nameOf(key string) string {
	name, _, _ := strings.Cut(key, "@")
	return name
}

// choice is a parameter with one of some values.
func choice(values ...string) parameter {
	return parameter{`{"type":"string","enum":["` + strings.Join(values, `","`) + `"]}`, func(c *call, name string,
		needed bool) {
		value := c.args.Enum(name, values...)
		if needed {
			value = c.args.RequiredEnum(name, values...)
		}
		c.set(name, value)
	}}
}

// set puts a value, if there is one, into the query.
func (c *call) set(name, value string) {
	if value != "" {
		c.query.Set(name, value)
	}
}

func (c *call) text(name string, needed bool) string {
	if needed {
		return c.args.Required(name)
	}
	return c.args.String(name)
}

func readText(c *call, name string, needed bool) { c.set(name, c.text(name, needed)) }

// readLabel reads a name within a stream.
func readLabel(c *call, name string, needed bool) { c.set(name, unquoted(c.text(name, needed))) }

func readLabels(c *call, name string, _ bool) {
	for _, label := range c.args.Names(name) {
		c.query.Add(name, unquoted(label))
	}
}

// readName reads what names a thing of the RS, for the path where that has a place for it.
func readName(c *call, name string, needed bool) {
	value := unquoted(c.text(name, needed))
	if value == "" {
		return
	}
	c.checkName(name, value)
	c.names[name] = value
	if place := "{" + name + "}"; strings.Contains(c.path, place) {
		c.path = strings.ReplaceAll(c.path, place, url.PathEscape(value))
	} else {
		c.query.Set(name, value)
	}
}

func readNames(c *call, name string, _ bool) {
	readLabels(c, name, false)
	for _, value := range c.query[name] {
		c.checkName(name, value)
	}
}

// checkName refuses the name of a stream, a connection or another thing of the RS that
// could lead to another path, also when a proxy decodes it first.
func (c *call) checkName(argument, value string) {
	if value == "" || value == "." || strings.ContainsAny(value, "/\\\x00") || strings.Contains(value, "..") {
		c.refuse(tools.CodeValidation, argument, "Pass it as list_streams, query_records or search gave it.",
			"Invalid %s %s: it is empty or has a slash or two dots in it.", argument, quote(value))
	}
}

// readNumber reads a whole number between two others.
func readNumber(least, most int) func(*call, string, bool) {
	return func(c *call, name string, _ bool) {
		if n := c.args.Int(name, least, most, least); c.args.Has(name) {
			c.query.Set(name, strconv.Itoa(n))
		}
	}
}

// filterExample is the remedy for any wrong filter.
const filterExample = `Pass an object of fields, e.g. filter: {"state": "open", ` +
	`"created_at": {"gte": "2026-01-01T00:00:00Z"}}; schema with the stream names them.`

var operators = []string{"gt", "gte", "lt", "lte"}

// readFilter puts a filter into the query as the RS takes it: filter[field]=value and
// filter[field][operator]=value. It neither converts nor drops anything.
func readFilter(c *call, name string, _ bool) {
	if !c.args.Has(name) {
		return
	}
	fields := objectOf(c.args.JSON(name))
	if len(fields) == 0 {
		c.refuse(codeInvalidFilter, name, filterExample, "The filter is empty or not an object.")
	}
	for field, raw := range fields {
		limits := map[string]json.RawMessage{"": raw}
		if _, plain := plainValue(raw); !plain {
			limits = objectOf(raw)
		}
		wrong := field == "" || strings.ContainsAny(field, "[]=&") || len(limits) == 0
		for operator, limit := range limits {
			value, plain := plainValue(limit)
			key := "filter[" + unquoted(field) + "]"
			if operator != "" || len(limits) > 1 {
				wrong, key = wrong || !slices.Contains(operators, operator), key+"["+operator+"]"
			}
			wrong = wrong || !plain
			c.query.Set(key, value)
		}
		if wrong {
			c.refuse(codeInvalidFilter, name, filterExample,
				"The filter of %s is neither a value of a field nor a range of it (gte, gt, lte, lt).", quote(field))
		}
	}
}

// objectOf returns the members of an object, none of any other value.
func objectOf(raw json.RawMessage) (members map[string]json.RawMessage) {
	_ = json.Unmarshal(raw, &members) // which leaves nil
	return members
}

// plainValue returns a text, number or truth value as a query has it.
func plainValue(raw json.RawMessage) (value string, ok bool) {
	if text, ok := textOf(raw); ok {
		return text, true
	}
	return string(raw), len(raw) > 0 && !strings.ContainsRune("{[n", rune(raw[0]))
}

func readExpand(c *call, name string, _ bool) {
	readLabels(c, name, false)
	c.relations = append(c.relations, c.query[name]...)
}

// readExpandLimit reads the number of records of each relation.
func readExpandLimit(c *call, name string, _ bool) {
	limits := c.args.Members(name)
	wrong := c.args.Has(name) && len(limits) == 0
	for given, raw := range limits {
		number, err := strconv.Atoi(strings.Trim(string(raw), `"`))
		relation := unquoted(given)
		wrong = wrong || err != nil || number < 1 || relation == "" || strings.ContainsAny(relation, "[]")
		c.query.Set(name+"["+relation+"]", strconv.Itoa(number))
		c.relations = append(c.relations, relation)
	}
	if wrong {
		c.refuse(codeInvalidExpand, name, `Pass an object of relations, e.g. expand_limit: {"comments": 3}, or leave it out.`,
			"The expand_limit has no relation with a whole number from 1 on.")
	}
}
