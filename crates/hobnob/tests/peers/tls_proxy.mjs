// Serves a public URL over TLS on this machine, and hands everything on to the listener of a hub.

import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";

export async function serveTls(publicUrl, listener, key, certificate) {
  const hub = new URL(listener);
  const options = { key: readFileSync(key), cert: readFileSync(certificate) };
  const proxy = https.createServer(options, (request, answer) => {
    const { method, url: path, headers } = request;
    const onward = http.request({ host: hub.hostname, port: hub.port, method, path, headers });
    onward.on("response", (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    request.pipe(onward);
  });
  await new Promise((ready) => proxy.listen(new URL(publicUrl).port, "127.0.0.1", ready));
}
