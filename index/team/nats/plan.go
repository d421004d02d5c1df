package nats

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"issues-index/store/mirror"
)

// A ClusterPlan is what the configuration files of a cluster's servers are made of. It has no
// secret but the one of the routes.
type ClusterPlan struct {
	Nodes []ClusterNode `json:"nodes"`
	Users []ClusterUser `json:"users"`
	// RouteSecret is what the servers show each other: letters and digits.
	RouteSecret string `json:"routeSecret"`
	// Data is the folder that has one folder of data for each node.
	Data string `json:"data"`
	// CertFile and KeyFile are those of the servers, CAFile that of their authority; none for
	// connections without TLS. %s stands for the name of the node.
	CertFile string `json:"certFile,omitempty"`
	KeyFile  string `json:"keyFile,omitempty"`
	CAFile   string `json:"caFile,omitempty"`
}

// A ClusterNode is one server.
type ClusterNode struct {
	Name   string `json:"name"`
	Client string `json:"client"` // host:port for clients
	Route  string `json:"route"`  // host:port for the other servers
}

// routeOffset is how far above the port for clients the port for servers is: 6222 for 4222.
const routeOffset = 2000

// NewClusterNode returns the node with a number, from 1, at an address for clients.
func NewClusterNode(number int, client string) (ClusterNode, error) {
	host, digits, err := net.SplitHostPort(client)
	port, bad := strconv.Atoi(digits)
	isOdd := func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`"{}#;@/`, c) }
	isPort := err == nil && bad == nil && 1 <= port && port <= 65535-routeOffset
	if !isPort || host == "" || strings.ContainsFunc(host, isOdd) {
		return ClusterNode{}, fmt.Errorf("%q is no host:port of a node", client)
	}
	route := net.JoinHostPort(host, strconv.Itoa(port+routeOffset))
	return ClusterNode{Name: "node" + strconv.Itoa(number), Client: client, Route: route}, nil
}

// ParseClusterPlan reads what JSON has written.
func ParseClusterPlan(data []byte) (ClusterPlan, error) {
	var p ClusterPlan
	if err := json.Unmarshal(data, &p); err != nil {
		return ClusterPlan{}, fmt.Errorf("read the plan of the cluster: %w", err)
	}
	for _, u := range p.Users {
		for _, workspace := range u.Workspaces {
			if !mirror.IsName(workspace) {
				return ClusterPlan{}, fmt.Errorf("read the plan of the cluster: %q is no name of a workspace", workspace)
			}
		}
	}
	return p, nil
}

// JSON is the plan for ParseClusterPlan.
func (p ClusterPlan) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(p, "", "  ")
	return append(data, '\n'), err
}

// errKnown refuses a second user of a name.
var errKnown = errors.New("the cluster has a user with this name already")

// Add adds a user.
func (p *ClusterPlan) Add(u ClusterUser) error {
	if slices.ContainsFunc(p.Users, func(other ClusterUser) bool { return other.Name == u.Name }) {
		return fmt.Errorf("%s: %w", u.Name, errKnown)
	}
	p.Users = append(p.Users, u)
	return nil
}

// UsersFile is the file beside those of ServerConfig that has UsersConfig.
const UsersFile = "users.conf"

// UsersConfig is the part of the configuration that all servers include: who may do what. A
// server reads it again when it is told to (nats-server --signal reload).
func (p ClusterPlan) UsersConfig() string {
	var text strings.Builder
	text.WriteString("users: [\n")
	for _, u := range p.Users {
		text.WriteString(u.config())
	}
	text.WriteString("]\n")
	return text.String()
}

// ServerConfig is the configuration file of a node, by its place among the nodes. UsersFile
// must be in the same folder.
func (p ClusterPlan) ServerConfig(i int) string {
	node := p.Nodes[i]
	var routes []string
	for j, other := range p.Nodes {
		if j != i {
			routes = append(routes, fmt.Sprintf("\n    \"nats-route://cluster:%s@%s\"", p.RouteSecret, other.Route))
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, `# One node of the cluster through which a team shares its issues.
server_name: %s
listen: %q
max_payload: 1MB
lame_duck_duration: "30s"

jetstream: {
  store_dir: %q
  # Every change is on the disk before it is acknowledged.
  sync_interval: always
}

authorization: {
  include %q
}
`, node.Name, node.Client, filepath.ToSlash(filepath.Join(p.Data, node.Name)), UsersFile)
	tls := p.tls(node)
	fmt.Fprintf(&text, "\n%s", tls)
	if len(p.Nodes) > 1 {
		fmt.Fprintf(&text, `
cluster: {
  name: issues
  listen: %q
  authorization: { user: cluster, password: %q, timeout: 2 }
  routes: [%s
  ]
  %s}
`, node.Route, p.RouteSecret, strings.Join(routes, ""), tls)
	}
	return text.String()
}

// tls is the line of a node's certificate, "" without one.
func (p ClusterPlan) tls(node ClusterNode) string {
	if p.CertFile == "" {
		return ""
	}
	text := fmt.Sprintf("tls: { cert_file: %q, key_file: %q", filepath.ToSlash(p.CertFile), filepath.ToSlash(p.KeyFile))
	if p.CAFile != "" {
		text += fmt.Sprintf(", ca_file: %q", filepath.ToSlash(p.CAFile))
	}
	return strings.ReplaceAll(text, "%s", node.Name) + " }\n"
}
