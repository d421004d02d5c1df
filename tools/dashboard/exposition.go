package dashboard

import (
	"bytes"
	"strconv"
	"strings"
)

// expositionType is the media type of Prometheus' text format.
const expositionType = "text/plain; version=0.0.4; charset=utf-8"

// An exposition is a page of metrics in Prometheus' text format.
type exposition struct{ bytes.Buffer }

// family begins the samples of one metric.
func (e *exposition) family(name, kind, help string) {
	e.WriteString("# HELP " + name + " " + strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help) + "\n")
	e.WriteString("# TYPE " + name + " " + kind + "\n")
}

// gauge writes a metric with one sample.
func (e *exposition) gauge(name, help string, value float64, labels ...string) {
	e.family(name, "gauge", help)
	e.sample(name, value, labels...)
}

// sample writes one value; labels are names and values in turn.
func (e *exposition) sample(name string, value float64, labels ...string) {
	e.WriteString(name)
	var pairs []string
	for i := 0; i+1 < len(labels); i += 2 {
		pairs = append(pairs, labels[i]+`="`+escapeLabel(labels[i+1])+`"`)
	}
	if len(pairs) > 0 {
		e.WriteString("{" + strings.Join(pairs, ",") + "}")
	}
	e.WriteString(" " + number(value) + "\n")
}

func escapeLabel(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(value, "\uFFFD"))
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
