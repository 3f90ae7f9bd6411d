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

export interface ListenerConfig {
  readonly mode: 'http';
  readonly host: string;
  readonly port: number;
  /** Host header names, beside IP literals and localhost, under which /stats and /health answer. */
  readonly allowedHosts: readonly string[];
  /** Which settings say where it listens, for whoever has to change them. */
  readonly setBy?: string;
}

/** Where the admin listener listens. */
export interface AdminConfig {
  readonly host: string;
  readonly port: number;
  /** It was named nowhere: when the port is taken, those behind it are tried up to this one, and to have none is no fault. */
  readonly orUpTo?: number;
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
}

/** The SOCKS5 server inside the process, for `npm start` and tests: connections then leave from this machine. */
export interface EmbeddedUpstreamConfig {
  readonly kind: 'embedded';
}

export type UpstreamConfig = Socks5UpstreamConfig | EmbeddedUpstreamConfig;

export interface ProxyClientConfig {
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly listeners: readonly ListenerConfig[];
  readonly upstreams: readonly UpstreamConfig[];
  readonly timeouts: Timeouts;
  readonly limits: { readonly headerBytes: number; readonly connections: number };
  readonly pool: { readonly idle: number; readonly perTarget: number; readonly total: number };
  readonly via: boolean;
  /** Absent: off. */
  readonly admin?: AdminConfig;
}
