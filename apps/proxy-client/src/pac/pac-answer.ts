import { isIP } from 'node:net';
import { parseTarget, type Target } from '../http/authority.js';
import { FormatError } from '../http/field-lines.js';
import type { PacErrorCode } from './pac-evaluator.js';

/** A server that a script names, or a direct connection. */
export type PacEntry = { readonly kind: 'direct' } | PacServer;

export interface PacServer extends Target {
  readonly kind: 'socks5' | 'http' | 'https';
}

const KINDS = new Map<string, PacServer['kind']>([
  ['PROXY', 'http'],
  ['HTTP', 'http'],
  ['HTTPS', 'https'],
  ['SOCKS', 'socks5'],
  ['SOCKS5', 'socks5'],
]);
/** The ports of entries without one, as in Chromium. */
const PORTS: Readonly<Record<PacServer['kind'], number>> = { http: 80, https: 443, socks5: 1080 };

/** Each entry is an upstream with a state; no request has the time for more alternatives. */
const MAX_ENTRIES = 32;

/** Parses what a script returned, such as `PROXY a:8080; SOCKS5 b:1080; DIRECT`. Unknown entries are dropped, as browsers do. */
export function parsePacAnswer(text: string): readonly PacEntry[] {
  return text
    .split(';')
    .flatMap((part) => entryOf(part.trim()) ?? [])
    .slice(0, MAX_ENTRIES);
}

function entryOf(part: string): PacEntry | undefined {
  const [, word = '', server] = /^([A-Za-z0-9]+)(?:\s+(\S+))?$/.exec(part) ?? [];
  if (word.toUpperCase() === 'DIRECT') return { kind: 'direct' };
  const kind = KINDS.get(word.toUpperCase());
  const target = kind === undefined || server === undefined ? undefined : targetOf(server, PORTS[kind]);
  return kind && target && { kind, ...target };
}

/** Parses `host`, `host:port` or an IPv6 address with or without brackets. */
function targetOf(server: string, defaultPort: number): Target | undefined {
  const bracketed = isIP(server) === 6 ? `[${server}]` : server;
  try {
    return parseTarget(/[^:]:\d+$/.test(bracketed) ? bracketed : `${bracketed}:${defaultPort}`);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** Why a script chose no way, for clients and the operator. */
export const PAC_ERRORS: Readonly<Record<PacErrorCode | 'unreadable' | 'direct' | 'own', string>> = {
  script:
    'The PAC script of the proxy cannot be evaluated: it has a syntax error, or throws an exception when it is loaded.',
  'no-function': 'The PAC script of the proxy has no function FindProxyForURL.',
  exception: 'The PAC script of the proxy threw an exception for this destination. See the log.',
  time: 'The PAC script of the proxy took too long for this destination: its limit is a second.',
  memory: 'The PAC script of the proxy needs more than 16 MiB of memory for this destination.',
  'no-text': 'The PAC script of the proxy returned no text for this destination.',
  long: 'The PAC script of the proxy returned more than 64 KiB for this destination.',
  names: 'The PAC script of the proxy asks for the addresses of ever more names.',
  silent: 'The PAC script of the proxy does not answer. It is asked again in half a minute.',
  ended: 'The thread of the PAC script of the proxy has ended. Try again.',
  unreadable:
    'The PAC script of the proxy named no proxy that it supports: PROXY, HTTP, HTTPS, SOCKS, SOCKS5 or DIRECT.',
  direct:
    'The PAC script of the proxy chose a direct connection, which is off. Set direct: on in pac, or add a rule to direct.',
  own: 'The PAC script of the proxy named the proxy itself. Use the script of the company, not the one of this proxy.',
};

/** Returns the URL of a target as browsers give it to a script: of https without path. */
export function urlForPac({ host, port }: Target, plainUrl: string | undefined): string {
  if (plainUrl !== undefined) return plainUrl;
  const name = host.includes(':') ? `[${host}]` : host;
  return port === 443 ? `https://${name}/` : `https://${name}:${port}/`;
}
