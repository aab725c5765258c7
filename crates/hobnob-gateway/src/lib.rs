//! Many MCP servers behind one service.
