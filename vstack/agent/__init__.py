"""For agents: the harness's verbs as tools, over MCP (`vstack mcp`) and headless (`vstack agent`)."""
