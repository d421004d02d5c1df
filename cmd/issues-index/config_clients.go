package main

import (
	"cmp"
	"fmt"
	"strconv"

	"issues-index/tools"
	"issues-index/tools/config"
)

// clientJSON is what one client gets with output: auto.
type clientJSON struct {
	Client string   `json:"client"`
	Names  []string `json:"names,omitempty"` // as clientInfo has them, folded
	Output string   `json:"output"`
	Bytes  int      `json:"hardByteLimit"`
	// Most is the longest answer, however much a call asks for; 0 for maxTokenBudget's.
	Most int `json:"maxBytes,omitempty"`
}

// clientsJSON is empty unless the output goes by the client.
func clientsJSON(c *config.Config) []clientJSON {
	if c.Output != string(tools.OutputAuto) {
		return nil
	}
	var list []clientJSON
	for _, profile := range append(tools.ClientProfiles(), tools.UnknownClient()) {
		list = append(list, clientJSON{profile.Title, profile.Names, string(profile.Output), bytesFor(profile, c), mostFor(profile, c)})
	}
	return list
}

// bytesFor is the limit of an answer for a client.
func bytesFor(profile tools.ClientProfile, c *config.Config) int {
	if c.Settings().ExplicitBytes {
		return c.HardByteLimit
	}
	return min(c.HardByteLimit, cmp.Or(profile.Bytes, c.HardByteLimit))
}

// mostFor is the limit of an answer for a client when a call asks for more with
// maxTokens.
func mostFor(profile tools.ClientProfile, c *config.Config) int {
	if c.Settings().ExplicitBytes {
		return 0
	}
	return profile.Bytes
}

// printClients prints the clients that output: auto knows.
func (p *program) printClients(c *config.Config) error {
	list := clientsJSON(c)
	if list == nil {
		return nil
	}
	fmt.Fprintln(p.out)
	t := table{columns: []column{{title: "CLIENT (output auto)", least: 12}, {title: "OUTPUT"}, {title: "BYTES", right: true}, {title: "WITH MAXTOKENS", right: true}}}
	for _, client := range list {
		most := ""
		if client.Most > 0 {
			most = strconv.Itoa(client.Most)
		}
		t.add(client.Client, client.Output, strconv.Itoa(client.Bytes), most)
	}
	return t.write(p.out, p.screen(), nil)
}
