import type { NamedUpstream } from '../config/proxy-client-config.js';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import { group, server } from './testing/upstreams-of.js';
import { complies, type UpstreamKind } from './testing/upstream-compliance.js';

function http(name: string, port: number, via?: string): NamedUpstream {
  return { name, kind: 'http', host: '127.0.0.1', port, plain: 'forward', ...(via !== undefined && { via }) };
}

const SERVER = { refused: 'connection_refused', expired: 'timeout' };

const KINDS: Readonly<Record<string, UpstreamKind>> = {
  'direct connections': { configure: () => [], refused: 'direct_refused', expired: 'direct_timeout' },
  'embedded connections': {
    configure: () => [{ name: 'here', kind: 'embedded' }],
    refused: 'direct_refused',
    expired: 'direct_timeout',
  },
  'a SOCKS5 server': { configure: ({ socks5 }) => [server('a', socks5)], ...SERVER },
  'a SOCKS5 server with handshakes in one flight': {
    configure: ({ socks5 }) => [{ ...server('a', socks5), handshake: 'oneflight' } as NamedUpstream],
    ...SERVER,
  },
  'an HTTP proxy': { configure: ({ http: port }) => [http('a', port)], ...SERVER, refused: 'upstream_cannot_connect' },
  'a SOCKS5 server through an HTTP proxy': {
    configure: (ports) => [http('a', ports.http), { ...server('b', ports.socks5), via: 'a' } as NamedUpstream],
    ...SERVER,
  },
  'an HTTP proxy through a SOCKS5 server': {
    configure: (ports) => [server('a', ports.socks5), http('b', ports.http, 'a')],
    ...SERVER,
    refused: 'upstream_cannot_connect',
  },
  'a group': {
    configure: ({ socks5 }) => [server('a', socks5), server('b', socks5), group(['a', 'b'])],
    ...SERVER,
  },
  'a group whose first member is unreachable': {
    configure: ({ socks5 }) => [server('a', CLOSED_PORT), server('b', socks5), group(['a', 'b'])],
    ...SERVER,
  },
};

describe.each(Object.entries(KINDS))('%s', (_name, kind) => {
  complies(kind);
});
