/** The port of a target without one. */
const DEFAULT_PORT = 443;

/**
 * Returns the `host:port` of what a user entered: a host, `host:port`, or the URL of a page. The proxy validates it.
 */
export function targetOf(text: string): string {
  const entered = text.trim();
  if (/^(?:https?|wss?):\/\//i.test(entered) && URL.canParse(entered)) {
    const { protocol, hostname, port } = new URL(entered);
    return `${hostname}:${port === '' ? (/^(?:https|wss):$/.test(protocol) ? DEFAULT_PORT : 80) : port}`;
  }
  // An IPv6 address without brackets has several colons.
  const isBare = !entered.startsWith('[') && entered.split(':').length > 2;
  const host = isBare ? `[${entered}]` : entered;
  const hasPort = host.lastIndexOf(':') > host.lastIndexOf(']');
  return hasPort || host === '' ? host : `${host}:${DEFAULT_PORT}`;
}
