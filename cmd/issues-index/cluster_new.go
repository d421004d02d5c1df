package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index/team/nats"
	"issues-index/store/cachedir"
	"issues-index/store/mirror"
)

// planFile is where the folder of a cluster's configuration has what the other files are made of.
const planFile = "cluster.json"

const maxPlan = 1 << 20 // bytes: thousands of users

// A newCluster is what the user asks for.
type newCluster struct {
	nodes, workspaces []string
	data              string
	cert, key, ca     string
}

func newClusterNewCommand(p *program) *cobra.Command {
	var asked newCluster
	cmd := &cobra.Command{
		Use:   "new DIRECTORY",
		Short: "Write the configuration and the keys of a new cluster",
		Long: `New writes into a new DIRECTORY a configuration file for each node, the users with what they
may do, and a key for each of them: admin, hub, and one for each workspace. A key NAME.nk is a
secret: give it only to who needs it. With a certificate for the nodes, connections are encrypted;
without one, use the cluster only within one machine or a private network.`,
		Example: `  issues-index cluster new cluster --nodes localhost:4222 --workspaces api,web
  issues-index cluster new cluster --nodes a:4222,b:4222 --workspaces api --cert /etc/%s.crt --key /etc/%s.key`,
		Args: arguments(1, 1, "the directory to write to"),
		RunE: func(_ *cobra.Command, args []string) error {
			plan, keys, err := asked.plan(args[0])
			if err != nil {
				return err
			}
			if err := checkNew(args[0]); err != nil {
				return err
			}
			written, err := writeCluster(args[0], plan, keys)
			if err != nil {
				return err
			}
			return p.printCluster(args[0], plan, written)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(
		&asked.nodes, "nodes", nil,
		"the `list` of HOST:PORT for clients, three for a cluster that outlives a node; servers use the port 2000 above it",
	)
	flags.StringSliceVar(&asked.workspaces, "workspaces", nil, "the `list` of names of the workspaces that are shared")
	flags.StringVar(&asked.data, "data", "", "`folder` of the nodes' data, on their machines (default: data in DIRECTORY)")
	flags.StringVar(&asked.cert, "cert", "", "`file` of a node's certificate, on its machine; %s is the name of the node")
	flags.StringVar(&asked.key, "key", "", "`file` of the key of that, likewise")
	flags.StringVar(&asked.ca, "ca", "", "`file` of the authority's certificate, likewise")
	return cmd
}

func newClusterAddCommand(p *program) *cobra.Command {
	var workspaces []string
	var hub bool
	cmd := &cobra.Command{
		Use:   "add DIRECTORY NAME",
		Short: "Add a user to the configuration of a cluster",
		Long: `Add makes a key for one more user of a cluster that new has made: for the machines of some
workspaces, or with --hub for a hub. Then copy users.conf to each node, and have it read again.`,
		Example: `  issues-index cluster add cluster docs --workspaces docs
  issues-index cluster add cluster laptop --workspaces api,web
  issues-index cluster add cluster hub2 --hub`,
		Args: arguments(2, 2, "the directory of the cluster and the name of the user"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if hub == (len(workspaces) > 0) {
				return usage(cmd, "a user needs either --workspaces or --hub")
			}
			role := nats.RoleWorkspaces
			if hub {
				role = nats.RoleHub
			}
			plan, err := readPlan(args[0])
			if err != nil {
				return misused(err.Error(), "name the directory that issues-index cluster new has made")
			}
			keys := map[string][]byte{}
			if err := addUser(&plan, keys, args[1], role, workspaces); err != nil {
				return err
			}
			written, err := writeCluster(args[0], plan, keys)
			if err != nil {
				return err
			}
			return p.printCluster(args[0], plan, written)
		},
	}
	cmd.Flags().StringSliceVar(&workspaces, "workspaces", nil, "the `list` of workspaces that the user may publish")
	cmd.Flags().BoolVar(&hub, "hub", false, "the user reads all workspaces, and writes none")
	return cmd
}

// plan makes the plan of a new cluster and the keys of its users, by their names.
func (n newCluster) plan(dir string) (nats.ClusterPlan, map[string][]byte, error) {
	plan := nats.ClusterPlan{RouteSecret: rand.Text(), Data: n.data, CertFile: n.cert, KeyFile: n.key, CAFile: n.ca}
	if plan.Data == "" {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return plan, nil, err
		}
		plan.Data = filepath.Join(absolute, "data")
	}
	if (n.cert == "") != (n.key == "") || n.ca != "" && n.cert == "" {
		return plan, nil, misused(
			"a certificate needs its key, and an authority needs a certificate",
			"give --cert and --key, and with them perhaps --ca",
		)
	}
	if len(n.nodes) == 0 || len(n.workspaces) == 0 {
		return plan, nil, misused(
			"a cluster needs nodes and workspaces", "give both, as in --nodes localhost:4222 --workspaces api,web",
		)
	}
	for i, address := range n.nodes {
		node, err := nats.NewClusterNode(i+1, strings.TrimSpace(address))
		if err != nil {
			return plan, nil, misused(err.Error(), "give each node as others reach it, as in nats1.example.org:4222")
		}
		plan.Nodes = append(plan.Nodes, node)
	}
	keys := map[string][]byte{}
	err := errors.Join(
		addUser(&plan, keys, "admin", nats.RoleAdministrator, nil), addUser(&plan, keys, "hub", nats.RoleHub, nil),
	)
	for _, workspace := range n.workspaces {
		err = errors.Join(err, addUser(&plan, keys, workspace, nats.RoleWorkspaces, []string{workspace}))
	}
	return plan, keys, err
}

// addUser adds a user with a new key to a plan.
func addUser(plan *nats.ClusterPlan, keys map[string][]byte, name string, role nats.Role, workspaces []string) error {
	for _, one := range append(slices.Clone(workspaces), name) {
		if !mirror.IsName(one) {
			return misused(
				fmt.Sprintf("%q cannot be the name of a workspace or of a user of a cluster", one),
				"a name has 1 to 64 lower-case letters, digits and hyphens",
			)
		}
	}
	seed, public, err := nats.NewKey()
	if err != nil {
		return err
	}
	if err := plan.Add(nats.ClusterUser{Name: name, Public: public, Role: role, Workspaces: workspaces}); err != nil {
		return misused(err.Error(), "choose another name")
	}
	keys[name] = seed
	return nil
}

// checkNew returns an error for a directory in which something lies.
func checkNew(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed(err.Error(), "name a directory that does not exist yet")
	}
	if len(entries) > 0 {
		return misused(
			dir+" is not empty", "name a directory that does not exist yet; issues-index cluster add adds a user to a cluster",
		)
	}
	return nil
}

// readPlan reads the plan of a cluster. It makes no directory.
func readPlan(dir string) (plan nats.ClusterPlan, err error) {
	if _, err = os.Lstat(filepath.Join(dir, planFile)); errors.Is(err, fs.ErrNotExist) {
		return plan, fmt.Errorf("%s has no %s", dir, planFile)
	}
	if err != nil {
		return plan, err
	}
	folder, err := cachedir.Open(dir, 0)
	if err != nil {
		return plan, err
	}
	data, err := folder.Read(planFile, maxPlan)
	if err = errors.Join(err, folder.Close()); err != nil {
		return plan, err
	}
	return nats.ParseClusterPlan(data)
}

// writeCluster writes the files of a plan and new keys, and returns their names. The plan comes
// last: whoever is killed before that has added nobody.
func writeCluster(dir string, plan nats.ClusterPlan, keys map[string][]byte) (written []string, err error) {
	text, err := plan.JSON()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{nats.UsersFile: []byte(plan.UsersConfig())}
	for i, node := range plan.Nodes {
		files[node.Name+".conf"] = []byte(plan.ServerConfig(i))
	}
	for name, seed := range keys {
		files[name+".nk"] = append(seed, '\n')
	}
	for name := range files {
		written = append(written, name)
	}
	slices.Sort(written)
	written, files[planFile] = append(written, planFile), text
	folder, err := cachedir.Open(dir, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	for _, name := range written {
		if err := folder.ReplaceDurably(name, files[name]); err != nil {
			return nil, failed("write "+filepath.Join(dir, name)+": "+err.Error(), "mend that, and run the command again")
		}
	}
	return written, nil
}

// printCluster says what was written, and how to go on.
func (p *program) printCluster(dir string, plan nats.ClusterPlan, written []string) error {
	urls := make([]string, len(plan.Nodes))
	for i, node := range plan.Nodes {
		scheme := "nats"
		if plan.CertFile != "" {
			scheme = "tls"
		}
		urls[i] = scheme + "://" + node.Client
	}
	err := p.print(struct {
		Directory string   `json:"directory"`
		Files     []string `json:"files"`
		URLs      []string `json:"urls"`
	}{dir, written, urls}, func(page *terminal.Page) { page.Line("Wrote %s to %s.", strings.Join(written, ", "), dir) })
	if err != nil || p.json {
		return err
	}
	fmt.Fprintf(p.errOut, `Each node needs its own .conf and %s: nats-server -c %s
Running nodes read %s again after: nats-server --signal reload
The address of the cluster: ISSUES_INDEX_TEAM_URL=%s
`, nats.UsersFile, filepath.Join(dir, plan.Nodes[0].Name+".conf"), nats.UsersFile, strings.Join(urls, ","))
	return nil
}
