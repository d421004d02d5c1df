package pdpp

import "issues-index/tools"

const guide = ""

func schemaTool(*Client) tools.Tool { return pending("schema") }

func listStreams(*Client) tools.Tool { return pending("list_streams") }

func queryRecords(*Client) tools.Tool { return pending("query_records") }

func aggregate(*Client) tools.Tool { return pending("aggregate") }

func search(*Client) tools.Tool { return pending("search") }

func fetch(*Client) tools.Tool { return pending("fetch") }

func fetchBlob(*Client) tools.Tool { return pending("fetch_blob") }
