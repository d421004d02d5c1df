package pdpptest

import (
	"embed"
	"encoding/json"
	"net/http"
)

// jsonObject is a JSON object.
type jsonObject = map[string]any

//go:embed recorded
var recordings embed.FS

// Recorded returns an answer of the recorded server by the name of its file in recorded/,
// without .json. It panics when there is no such file.
func Recorded(name string) string {
	content, err := recordings.ReadFile("recorded/" + name + ".json")
	if err != nil {
		panic(err)
	}
	return string(content)
}

// recorded returns a recorded answer as a new object.
func recorded(name string) (o jsonObject) {
	if err := json.Unmarshal([]byte(Recorded(name)), &o); err != nil {
		panic(err)
	}
	return o
}

// member returns a member of a recorded answer, by its path.
func member[T any](o jsonObject, path ...string) T {
	for _, name := range path[:len(path)-1] {
		o = o[name].(jsonObject) //nolint:errcheck,forcetypeassert // as recorded
	}
	return o[path[len(path)-1]].(T) //nolint:errcheck,forcetypeassert // as recorded
}

// rowsOf returns the rows of a recorded list.
func rowsOf(o jsonObject, name string) (rows []jsonObject) {
	for _, row := range member[[]any](o, name) {
		rows = append(rows, row.(jsonObject)) //nolint:errcheck,forcetypeassert // as recorded
	}
	return rows
}

// A serverError is an error as the server words it.
type serverError struct {
	status int
	body   jsonObject
}

// refused returns a recorded error.
func refused(status int, name string) *serverError {
	return &serverError{status, member[jsonObject](recorded(name), "error")}
}

// invalid returns an error that is not recorded, in the form of the recorded ones.
func invalid(status int, code, message string) *serverError {
	kind := map[int]string{http.StatusNotFound: "not_found_error"}[status]
	if kind == "" {
		kind = "invalid_request_error"
	}
	return &serverError{status, jsonObject{"type": kind, "code": code, "message": message, "request_id": "req_1"}}
}

// about names the parameter that an error is about.
func (e *serverError) about(param string) *serverError {
	e.body["param"] = param
	return e
}
