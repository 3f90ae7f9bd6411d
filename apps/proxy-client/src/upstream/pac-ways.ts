import type { NamedUpstream, ServerConfig } from '../config/proxy-client-config.js';
import { formatAuthority, type Target } from '../http/authority.js';
import { type GroupMember, GroupUpstream } from './group-upstream.js';
import type { Upstream } from './upstream.js';
import type { PacEntry, PacServer } from '../pac/pac-answer.js';

/** The maximum number of groups; beyond it the least recently used is dropped. */
const MAX_GROUPS = 64;

/** The upstreams that the ways consist of. */
export interface WayParts {
  /** Those of the configuration. */
  readonly configured: readonly NamedUpstream[];
  /** Returns the member of a group for an upstream of the configuration, or `direct`. */
  member(name: string): GroupMember | undefined;
  /** Returns an upstream that is not in the configuration. */
  temporary(config: ServerConfig & { readonly name: string }): GroupMember;
  /** Whether this proxy listens at an address itself. */
  isOwn(target: Target): boolean;
  /** Milliseconds for all alternatives of a request. */
  readonly timeout: number;
}

/** Finds the upstreams for what PAC scripts choose: those of the configuration with their login and TLS, or others. */
export class PacWays {
  readonly #parts: WayParts;
  readonly #groups = new Map<string, GroupUpstream>();

  constructor(parts: WayParts) {
    this.#parts = parts;
  }

  /** Returns an upstream, or a group of alternatives; `own` if only this proxy itself is named. */
  find(entries: readonly PacEntry[]): Upstream | 'own' {
    const others = entries.filter((entry) => entry.kind === 'direct' || !this.#parts.isOwn(entry));
    const members = [...new Set(others.map(nameOf))].map((name, index, names) => {
      const entry = others.find((each) => nameOf(each) === names[index]);
      return this.#memberOf(entry ?? DIRECT);
    });
    const [first] = members;
    if (first === undefined) return 'own';
    return members.length === 1 ? first.upstream : this.#groupOf(members);
  }

  #memberOf(entry: PacEntry): GroupMember {
    const found = entry.kind === 'direct' ? this.#parts.member('direct') : this.#configured(entry);
    if (found !== undefined) return found;
    return this.#parts.temporary(configOf(entry as PacServer));
  }

  /** Returns the upstream of the configuration at the same address with the same protocol. */
  #configured(entry: PacServer): GroupMember | undefined {
    const same = this.#parts.configured.find(
      (each) =>
        (each.kind === 'socks5' || each.kind === 'http') &&
        each.via === undefined &&
        each.port === entry.port &&
        each.host.toLowerCase() === entry.host.toLowerCase() &&
        each.kind === (entry.kind === 'socks5' ? 'socks5' : 'http') &&
        (each.tls !== undefined) === (entry.kind === 'https'),
    );
    return same && this.#parts.member(same.name);
  }

  #groupOf(members: readonly GroupMember[]): GroupUpstream {
    const name = members.map(({ upstream }) => upstream.name).join(', ');
    const options = { name, pick: 'failover', members, timeout: this.#parts.timeout } as const;
    const known = this.#groups.get(name);
    // A temporary upstream may have been replaced by another object in the meantime.
    const group = known?.is(options) === true ? known : new GroupUpstream(options);
    this.#groups.delete(name);
    this.#groups.set(name, group);
    const [oldest = name] = this.#groups.keys();
    if (this.#groups.size > MAX_GROUPS) this.#groups.delete(oldest);
    return group;
  }
}

const DIRECT: PacEntry = { kind: 'direct' };

/** The name of an entry in logs. */
function nameOf(entry: PacEntry): string {
  return entry.kind === 'direct' ? 'direct' : `${entry.kind}://${formatAuthority(entry)}`;
}

function configOf(entry: PacServer): ServerConfig & { readonly name: string } {
  const { kind, host, port } = entry;
  const common = { name: nameOf(entry), host, port };
  if (kind === 'socks5') return { ...common, kind, handshake: 'auto', warm: 0 };
  return { ...common, kind: 'http', plain: 'forward', ...(kind === 'https' && { tls: {} }) };
}
