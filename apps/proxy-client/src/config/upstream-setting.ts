import { formatAuthority } from '../http/authority.js';
import type { ConfigLocation } from './config-faults.js';
import { type GroupConfig, groupOptions, readGroup } from './group-setting.js';
import { type PacConfig, pacUpstream, readPac } from './pac-setting.js';
import { httpServer, protocolOfServer, readServer, type ServerConfig } from './server-setting.js';
import { type EmbeddedUpstreamConfig, readUrl, readUrlKey } from './server-url.js';
import { hasKey, type JsonSchema, setting, type ValueReader } from './setting.js';

const UPSTREAM: JsonSchema = {
  title: 'Upstream',
  $comment:
    'A URL such as `socks5://user:password@host:1080` (also `socks5+tls`, `http` or `https`), an upstream in parts, or `embedded`: direct connections.',
  anyOf: [
    { type: 'string', minLength: 1 },
    {
      title: 'UpstreamOptions',
      $comment: 'An upstream in parts; either `url`, or `host` and `port`.',
      type: 'object',
      properties: {
        url: {
          type: 'string',
          minLength: 1,
          description: 'A URL instead of protocol, host, port, username and password.',
        },
        ...httpServer.json.properties,
      },
      additionalProperties: false,
    },
  ],
};

/**
 * Reads an upstream: `embedded`, `socks5://user:password@host:port` (or another protocol), or a group of keys with host and
 * port, or with `url`.
 */
export const upstreamSetting: ValueReader<ServerConfig | EmbeddedUpstreamConfig> = setting(
  UPSTREAM,
  (value, location) => {
    if (typeof value === 'string') return readUrl(value, location);
    return hasKey(value, 'url') ? readUrlKey(value, location) : readServer(value, location);
  },
);

export type UpstreamConfig = ServerConfig | EmbeddedUpstreamConfig | GroupConfig | PacConfig;

/** Describes an upstream without its credentials. */
export function describeUpstream(upstream: UpstreamConfig): string {
  if (upstream.kind === 'group') return `${upstream.pick} of ${upstream.of.join(', ')}`;
  if (upstream.kind === 'embedded') return 'embedded';
  if (upstream.kind === 'pac') return `the PAC script ${upstream.file.config.name}`;
  const via = upstream.via === undefined ? '' : ` via ${upstream.via}`;
  return `${protocolOfServer(upstream)}://${formatAuthority(upstream)}${via}`;
}

/** An upstream with its name; that of the key `upstream` is `upstream`. */
export type NamedUpstream = UpstreamConfig & { readonly name: string };

/** Names that have another meaning as a destination. */
const RESERVED: readonly string[] = ['direct', 'reject', 'ask'];
const NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** Reads the upstreams by name, in their order. */
const UPSTREAMS: JsonSchema = {
  type: 'object',
  minProperties: 1,
  propertyNames: { pattern: NAME.source },
  additionalProperties: { anyOf: [UPSTREAM, groupOptions.json, pacUpstream.json] },
};
export const upstreamsSetting: ValueReader<readonly NamedUpstream[]> = setting(UPSTREAMS, (value, location) => {
  if (!(value instanceof Map) || value.size === 0) {
    location.report('must be a group of upstreams by name, such as work: socks5://host:port');
    return undefined;
  }
  return [...(value as Map<unknown, unknown>)].flatMap(([name, entry]) => {
    if (typeof name !== 'string' || !NAME.test(name)) {
      location.report('names of upstreams consist of lower-case letters, digits and -, such as work or tor-2');
      return [];
    }
    const child = location.child(name);
    if (RESERVED.includes(name)) child.report('is a reserved name: choose another');
    const read = readerOf(entry)(entry, child);
    return read === undefined ? [] : [{ name, ...read }];
  });
});

/** Returns the reader for an entry, by its keys. */
function readerOf(entry: unknown): (value: unknown, location: ConfigLocation) => UpstreamConfig | undefined {
  if (hasKey(entry, 'of')) return readGroup;
  return hasKey(entry, 'pac') ? readPac : upstreamSetting;
}
