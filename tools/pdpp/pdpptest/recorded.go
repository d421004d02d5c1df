package pdpptest

import (
	"embed"
	"encoding/json"
	"net/http"
)

// object is a JSON object.
type object = map[string]any

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
func recorded(name string) (o object) {
	if err := json.Unmarshal([]byte(Recorded(name)), &o); err != nil {
		panic(err)
	}
	return o
}

// member returns a member of a recorded answer, by its path.
func member[T any](o object, path ...string) T {
	for _, name := range path[:len(path)-1] {
		o = o[name].(object) //nolint:errcheck,forcetypeassert // as recorded
	}
	return o[path[len(path)-1]].(T) //nolint:errcheck,forcetypeassert // as recorded
}

// rowsOf returns the rows of a recorded list.
func rowsOf(o object, name string) (rows []object) {
	for _, row := range member[[]any](o, name) {
		rows = append(rows, row.(object)) //nolint:errcheck,forcetypeassert // as recorded
	}
	return rows
}

// An apiError is an error as the server words it.
type apiError struct {
	status int
	body   object
}

func (e *apiError) Error() string { return e.body["message"].(string) }

// refused returns a recorded error.
func refused(status int, name string) *apiError {
	return &apiError{status, member[object](recorded(name), "error")}
}

// invalid returns an error that is not recorded, in the form of the recorded ones.
func invalid(status int, code, message string) *apiError {
	kind := map[int]string{http.StatusNotFound: "not_found_error"}[status]
	if kind == "" {
		kind = "invalid_request_error"
	}
	return &apiError{status, object{"type": kind, "code": code, "message": message, "request_id": "req_1"}}
}

// about names the parameter that an error is about.
func (e *apiError) about(param string) *apiError {
	e.body["param"] = param
	return e
}
