"""A server of the Model Context Protocol in a process of its own."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer

server = MCPServer("files")


@server.tool()
def read_files(paths: list[str]) -> str:
    """Read files."""
    return f"read {paths}"


if __name__ == "__main__":
    server.run()
