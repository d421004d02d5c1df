package pdpp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"issues-index/tools"
	"issues-index/tools/upstream"
)

// A tool is a row of the table of tools: what it asks the RS, and how it shows the answer.
type tool struct {
	name, description string

	method string // "" is GET
	path   string // of the RS; a parameter in braces stands for its value
	// takes are its parameters by their names in the table. A required one ends with !.
	takes  string
	output json.RawMessage

	check  func(*call) // refuses parameters that do not go together; nil where all do
	answer func(context.Context, *call) (tools.Result, error)
}

// A call is one call of a tool. The parameters that were read stand in path, query and names.
type call struct {
	*Client
	tool  tool
	args  *tools.Args
	path  string
	query url.Values
	names map[string]string // what names a thing of the RS, by its parameter

	relations []string // to expand
}

// definition returns the tool as it is served.
func (t tool) definition(c *Client) tools.Tool {
	var properties, required []string
	for key := range strings.FieldsSeq(t.takes) {
		key, needed := strings.CutSuffix(key, "!")
		name := nameOf(key)
		properties = append(properties, `"`+name+`":`+parameters[key].schema)
		if needed {
			required = append(required, name)
		}
	}
	return tools.Tool{
		Name: t.name, Description: t.description,
		ReadOnly: t.method == "", Destructive: t.method == http.MethodDelete,
		Idempotent: t.method == "" || t.method == http.MethodDelete, Strict: true,
		Input: tools.ObjectSchema(strings.Join(properties, ","), required...), Output: t.output,
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			one := call{Client: c, tool: t, args: args, path: t.path, query: url.Values{}, names: map[string]string{}}
			return one.run(ctx)
		},
	}
}

// run reads the parameters and answers.
func (c *call) run(ctx context.Context) (tools.Result, error) {
	for key := range strings.FieldsSeq(c.tool.takes) {
		key, needed := strings.CutSuffix(key, "!")
		if read := parameters[key].read; read != nil {
			read(c, nameOf(key), needed)
		}
	}
	if c.tool.check != nil {
		c.tool.check(c)
	}
	if err := c.args.Err(); err != nil {
		return tools.Result{}, err
	}
	return c.tool.answer(ctx, c)
}

// get asks for what the parameters name.
func (c *call) get(ctx context.Context) (*rsResponse, error) { return c.getAt(ctx, c.path, c.query) }

// getAt asks for JSON at another place.
func (c *call) getAt(ctx context.Context, path string, query url.Values) (*rsResponse, error) {
	return c.json(ctx, upstream.Request{Path: path, Query: query.Encode()}, true)
}

// send asks by the method of the tool, with a body unless that is nil.
func (c *call) send(ctx context.Context, body any) (*rsResponse, error) {
	request := upstream.Request{Method: c.tool.method, Path: c.path}
	if body != nil {
		request.Body, request.Header = encode(body), http.Header{"Content-Type": {"application/json"}}
	}
	return c.json(ctx, request, true)
}

// refuse records what is wrong with an argument, and what to do instead.
func (c *call) refuse(code tools.Code, argument, remedy, format string, about ...any) {
	c.args.Fail(tools.Errorf(code, format, about...).On(argument).Try("%s", remedy))
}
