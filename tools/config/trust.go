package config

// How much a place where a value stands is to be trusted. A workspace is the work of
// many and comes from anywhere; a file .env is for the programs of one folder, and
// seldom kept with it; a file that the user has named, the environment and the flags
// are the user's own.
const (
	ofTheWorkspace = iota
	ofTheFolder
	ofTheUser
)

// trust is that of the place where a setting was made.
func (c *Config) trust(s *Setting) int {
	switch {
	case s.Source.Layer == LayerFile && !c.named:
		return ofTheWorkspace
	case s.Source.Layer == LayerDotenv:
		return ofTheFolder
	}
	return ofTheUser
}

// WagtailKeyLeaves reports whether the site's key would go to an address from a less
// trusted place than its own, and both places: so a stranger's repository, with an
// address in it, would have the key that the user keeps for another site.
func (c *Config) WagtailKeyLeaves() (key, address Source, leaves bool) {
	secret, site := c.setting("wagtail.apiKey"), c.setting("wagtail.baseUrl")
	return secret.Source, site.Source, c.Wagtail.APIKey != "" && c.trust(site) < c.trust(secret)
}

// Hearsay returns the place where the address of the resource server stands when
// others than the user may have written there, "" when not: a token of the user's does
// not go in clear text because a stranger's repository says so.
func (c *Config) Hearsay() string {
	if address := c.setting("pdpp.providerUrl"); c.trust(address) < ofTheUser {
		return address.Source.String()
	}
	return ""
}

// InEnvFile reports whether a variable is set in the file of variables, one of ours
// or not.
func (c *Config) InEnvFile(name string) bool { return c.inEnvFile[name] }
