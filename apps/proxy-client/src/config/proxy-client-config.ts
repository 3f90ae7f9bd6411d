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
 * What a listener speaks: HTTP (plain requests and CONNECT), SOCKS5, both, told apart by the first byte, or nothing of its
 * own: a tunnel takes each connection to one target.
 */
export type ListenerMode = 'http' | 'socks5' | 'mixed' | 'tunnel';

/** Somebody who may use a listener. */
export interface UserConfig {
  readonly name: string;
  /** The password, or `scrypt:…`, what --hash-password made of it. */
  readonly password: string;
}

export interface ListenerConfig {
  readonly mode: ListenerMode;
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Host header names, beside IP literals and localhost, under which /stats and /health answer. */
  readonly allowedHosts: readonly string[];
  /** Only these, each with a password; absent: nobody is asked. */
  readonly users?: readonly UserConfig[];
  /** Only clients in these networks (`address/bits`); absent: from everywhere. */
  readonly clients?: readonly string[];
  /** It is meant to be open to whoever reaches it. */
  readonly open?: boolean;
  /** Where a tunnel leads. */
  readonly to?: Target;
  /** The upstream of a tunnel, by name. */
  readonly via?: string;
  /** Whether it serves /proxy.pac itself, as the admin listener does: to everybody who reaches it. */
  readonly pac?: boolean;
  /** Which settings say where it listens, for whoever has to change them. */
  readonly setBy?: string;
}

/** Where the admin listener listens. */
export interface AdminConfig {
  readonly host: string;
  readonly port: number;
  /** It was named nowhere: when the port is taken, those behind it are tried up to this one, and to have none is no fault. */
  readonly orUpTo?: number;
  /** What whoever asks has to show, always; absent: one is made where one is needed. */
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
  /** How many connections are opened and greeted ahead. */
  readonly warm: number;
  /** Whether each user gets connections and credentials of their own towards it: `user` for Tor, which then builds other circuits. */
  readonly isolate?: 'user';
}

/** The SOCKS5 server inside the process, for `npm start` and tests: connections then leave from this machine. */
export interface EmbeddedUpstreamConfig {
  readonly kind: 'embedded';
}

/** How a group looks whether its members work; milliseconds. */
export interface CheckConfig {
  readonly every: number;
  /** Also a connection to this target; without one a check goes as far as the authentication. */
  readonly target?: Target;
}

/** Several upstreams that stand in for one another. */
export interface GroupConfig {
  readonly kind: 'group';
  /** Names of upstreams, which are no groups, or `direct`; each once. */
  readonly of: readonly string[];
  readonly pick: 'failover' | 'roundrobin' | 'fastest';
  /** Absent: off. */
  readonly check?: CheckConfig;
}

export type UpstreamConfig = Socks5UpstreamConfig | EmbeddedUpstreamConfig | GroupConfig;

/** An upstream as rules name it; the one that the file has without a name is `upstream`. */
export type NamedUpstream = UpstreamConfig & { readonly name: string };

/** What is written of requests that have ended. */
export interface RequestLogConfig {
  /** The file, from the root on; absent: standard output. */
  readonly file?: string;
  /** `common`: the NCSA's common log format. */
  readonly format: 'json' | 'common';
  /** Whether the queries of URLs are written too. */
  readonly queries: boolean;
  /** The file that says so. */
  readonly setBy: string;
}

export interface ProxyClientConfig {
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly listeners: readonly ListenerConfig[];
  /** Everything goes through the first that no rule sends elsewhere. */
  readonly upstreams: readonly NamedUpstream[];
  /** The first that fits holds. */
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
