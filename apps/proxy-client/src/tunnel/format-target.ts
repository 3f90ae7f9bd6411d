import type { Target } from '../upstream/upstream.js';

/** `host:port` for the log. */
export function formatTarget({ host, port }: Target): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
