import { RawConnection } from '../../../../../test/support/raw-http.js';
import type { RawOrigin } from '../../../../../test/support/raw-origin.js';
import type { RunningProxy } from '../../proxy/testing/running-proxy.js';

/** A request in absolute-form, to be written as it is; `fields` each with its CRLF. */
export function requestTo(
  origin: RawOrigin,
  { method = 'GET', path = '/', fields = '', body = '', minor = 1 } = {},
): string {
  return `${method} ${origin.url}${path} HTTP/1.${minor}\r\nHost: ${origin.authority}\r\n${fields}\r\n${body}`;
}

/** Sends text on a new connection and returns everything that is received until the proxy closes it. */
export async function sent(proxy: RunningProxy, text: string): Promise<string> {
  const client = await RawConnection.open(proxy.url);
  return client.write(text).closed;
}

/** The fields of a head, one line each, without the start line. */
export function fieldLines(head: string): string[] {
  return head.slice(0, head.indexOf('\r\n\r\n')).split('\r\n').slice(1);
}

/** The status of the final answer in a text. */
export function statusOf(text: string): number {
  return Number(/^HTTP\/1\.1 ([2-9]\d\d)/m.exec(text)?.[1]);
}

/** The figure once it has stopped to change. */
export async function settled(figure: () => number): Promise<number> {
  for (;;) {
    const before = figure();
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (before === figure()) return before;
  }
}
