"""Logs in to a server with one of the Python clients, and calls a tool.

    python login.py mcp|fastmcp URL USER PASSWORD

The person who fills in the page is here too. Prints one line of JSON: what was seen.
"""

import asyncio
import json
import re
import sys
import urllib.parse
import urllib.request

PATIENCE_SECONDS = 20
LOGINS = []


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def agree(page, user, password):
    """Opens the page, agrees with the password, and returns where that leads."""
    LOGINS.append(page)
    text = urllib.request.urlopen(page).read().decode()
    form = {
        name: re.search(f'name="{name}" value="([^"]*)"', text)[1]
        for name in ("request", "form_token")
    }
    form |= {"decision": "allow", "user": user, "password": password}
    opener = urllib.request.build_opener(NoRedirect)
    target = urllib.parse.urljoin(page, "/oauth/authorize")
    try:
        opener.open(target, urllib.parse.urlencode(form).encode())
    except urllib.error.HTTPError as answer:
        return answer.headers["location"]
    raise RuntimeError("the page led nowhere")


def connect_mcp(url, user, password):
    import httpx2
    from mcp import Client
    from mcp.client.auth import OAuthClientProvider
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

    class Storage:
        tokens = client = None

        async def get_tokens(self):
            return self.tokens

        async def set_tokens(self, tokens):
            self.tokens = tokens

        async def get_client_info(self):
            return self.client

        async def set_client_info(self, client):
            self.client = client

    answer = {}

    async def redirect(page):
        location = await asyncio.to_thread(agree, page, user, password)
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)
        answer.update({name: values[0] for name, values in query.items()})

    async def callback():
        return AuthorizationCodeResult(
            code=answer["code"], state=answer.get("state"), iss=answer.get("iss")
        )

    metadata = OAuthClientMetadata(
        client_name="login-mcp",
        redirect_uris=["http://127.0.0.1:9/callback"],
        token_endpoint_auth_method="none",
    )
    provider = OAuthClientProvider(url, metadata, Storage(), redirect, callback)
    http = httpx2.AsyncClient(auth=provider, follow_redirects=True)
    client = Client(
        streamable_http_client(url, http_client=http), read_timeout_seconds=PATIENCE_SECONDS
    )
    return client, client.call_tool


def connect_fastmcp(url, user, password):
    import threading
    import webbrowser

    from fastmcp import Client
    from fastmcp.client.auth import OAuth

    def browse(page):
        def visit():
            urllib.request.urlopen(agree(page, user, password))

        threading.Timer(0.5, visit).start()
        return True

    webbrowser.open = browse
    client = Client(url, auth=OAuth(url), timeout=PATIENCE_SECONDS)
    return client, client.call_tool_mcp


async def main(library, url, user, password):
    connect = {"mcp": connect_mcp, "fastmcp": connect_fastmcp}[library]
    client, call = connect(url, user, password)
    async with client:
        listed = await client.list_tools()
        tools = getattr(listed, "tools", listed)
        result = await call("health_check", {})
        seen = {
            "logins": len(LOGINS),
            "tools": [tool.name for tool in tools],
            "result": result.model_dump(mode="json", by_alias=True, exclude_none=True),
        }
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
