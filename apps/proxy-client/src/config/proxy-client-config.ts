import type { Target } from '../http/authority.js';
import type { Rule } from '../rules/rule.js';

/** Durations in milliseconds; 0 means no limit. */
export interface Timeouts {
  readonly read: number;
  readonly write: number;
  readonly idle: number;
  readonly connect: number;
  readonly handshake: number;
  readonly response: number;
  readonly tunnelIdle: number;
  readonly drain: number;
}

/**
 * The protocol of a listener: HTTP (plain requests and CONNECT), SOCKS5, both (detected by the first byte), or a tunnel, which
 * connects each client to one target.
 */
export type ListenerMode = 'http' | 'socks5' | 'mixed' | 'tunnel';

/** A user of a listener. */
export interface UserConfig {
  readonly name: string;
  /** The password, or its hash from --hash-password: `scrypt:…`. */
  readonly password: string;
}

export interface ListenerConfig {
  readonly mode: ListenerMode;
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Host names, in addition to IP literals and localhost, for which /stats and /health answer. */
  readonly allowedHosts: readonly string[];
  /** The users who may connect; absent: no authentication is required. */
  readonly users?: readonly UserConfig[];
  /** The networks (`address/length`) whose clients may connect; absent: all. */
  readonly clients?: readonly string[];
  /** The listener is intentionally open to everyone who can reach it. */
  readonly open?: boolean;
  /** The target of a tunnel. */
  readonly to?: Target;
  /** The upstream of a tunnel, by name. */
  readonly via?: string;
  /** Whether it serves /proxy.pac, to everyone who can reach it. */
  readonly pac?: boolean;
  /** The settings that determine its address, for error messages. */
  readonly setBy?: string;
}

/** The settings of the admin listener. */
export interface AdminConfig {
  readonly host: string;
  readonly port: number;
  /** The port is a default: if it is in use, the following ones are tried up to this one, and it is no error if all are. */
  readonly orUpTo?: number;
  /** The token that is always required; absent: one is generated if necessary. */
  readonly token?: string;
  readonly setBy?: string;
}

export type HandshakeMode = 'auto' | 'stepwise' | 'oneflight';

export interface Socks5UpstreamConfig {
  readonly kind: 'socks5';
  readonly host: string;
  readonly port: number;
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly handshake: HandshakeMode;
  /** The number of connections that are opened and authenticated ahead. */
  readonly warm: number;
  /** `user`: separate connections and credentials for each user, for which Tor builds separate circuits. */
  readonly isolate?: 'user';
}

/** Direct connections, under the name of an upstream. */
export interface EmbeddedUpstreamConfig {
  readonly kind: 'embedded';
}

/** The health checks of a group; milliseconds. */
export interface CheckConfig {
  readonly every: number;
  /** Also connects to this target; without one a check ends after the authentication. */
  readonly target?: Target;
}

/** Upstreams that replace one another. */
export interface GroupConfig {
  readonly kind: 'group';
  /** Names of upstreams that are not groups, or `direct`; each once. */
  readonly of: readonly string[];
  readonly pick: 'failover' | 'roundrobin' | 'fastest';
  /** Absent: off. */
  readonly check?: CheckConfig;
}

export type UpstreamConfig = Socks5UpstreamConfig | EmbeddedUpstreamConfig | GroupConfig;

/** An upstream with its name; that of the key `upstream` is `upstream`. */
export type NamedUpstream = UpstreamConfig & { readonly name: string };

/** The settings of the request log. */
export interface RequestLogConfig {
  /** The absolute path of the file; absent: standard output. */
  readonly file?: string;
  /** `common`: the NCSA's common log format. */
  readonly format: 'json' | 'common';
  /** Whether the queries of URLs are logged. */
  readonly queries: boolean;
  /** The configuration file, for error messages. */
  readonly setBy: string;
}

export interface ProxyClientConfig {
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly listeners: readonly ListenerConfig[];
  /** The first is the default. */
  readonly upstreams: readonly NamedUpstream[];
  /** The first match applies. */
  readonly rules: readonly Rule[];
  readonly timeouts: Timeouts;
  readonly limits: { readonly headerBytes: number; readonly connections: number };
  readonly pool: { readonly idle: number; readonly perTarget: number; readonly total: number };
  readonly via: boolean;
  /** Absent: off. */
  readonly requestLog?: RequestLogConfig;
  /** Absent: off. */
  readonly admin?: AdminConfig;
}
