import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

/** Fetches an http URL through an HTTP proxy, in absolute-form as browsers and curl do. */
export async function getThroughProxy(proxy: string, url: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(proxy);
  const outgoing = request({ host: hostname, port, path: url, headers: { host: new URL(url).host }, agent: false });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}
