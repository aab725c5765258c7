//! Asks an MCP server: every revision, over pipes and HTTP.
