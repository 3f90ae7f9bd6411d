// The types of the library. They import nothing, because the package contains them without the sources (src/package.mjs). A spec compares
// the keys with those of the configuration file (library.spec.ts).

/** A duration such as `30s`, `1m30s` or `500ms`; 0 means no limit. */
export type Duration = string | 0;

/** A value, or a file that contains it. */
export type OrFile<T> = T | { readonly file: string };

/** A user of a listener. */
export interface UserOptions {
  readonly name: string;
  /** The password, or its hash from `proxy-client --hash-password`. */
  readonly password: OrFile<string>;
}

/** The only listener. */
export interface ListenOptions {
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string | undefined;
  /** The port; any free one by default. */
  readonly port?: number | undefined;
  /** Host names under which /stats and /health answer, in addition to addresses and localhost. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The users who may connect; no authentication is required by default. */
  readonly users?: readonly UserOptions[] | undefined;
  /** The networks whose clients may connect; all by default. */
  readonly clients?: readonly string[] | undefined;
  /** The listener is intentionally open to everyone who can reach it. */
  readonly open?: boolean | undefined;
  /** The target of a tunnel, `host:port`. */
  readonly to?: string | undefined;
  /** The upstream of a tunnel, by name. */
  readonly via?: string | undefined;
  /** Whether it serves /proxy.pac. */
  readonly pac?: boolean | undefined;
  /** A Unix socket instead of host and port: its path, or with the permissions (`'0600'` by default), user and group of its file. */
  readonly socket?: string | SocketOptions | undefined;
  /** The files of a certificate and its key, in PEM: clients may use TLS. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Whether clients must use TLS. */
  readonly tlsOnly?: boolean | undefined;
}

/** The file of a Unix socket. */
export interface SocketOptions {
  readonly path: string;
  /** Octal digits. */
  readonly mode?: string | undefined;
  readonly owner?: string | number | undefined;
  readonly group?: string | number | undefined;
}

export type ListenerMode = 'http' | 'socks5' | 'mixed' | 'tunnel';

/** One of several listeners. */
export interface ListenerOptions extends ListenOptions {
  readonly mode?: ListenerMode | undefined;
}

/** An upstream in parts; either `url`, or `host` and `port`. */
export interface UpstreamOptions {
  readonly url?: string | undefined;
  readonly protocol?: 'socks5' | 'socks5+tls' | 'http' | 'https' | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly username?: string | undefined;
  readonly password?: OrFile<string> | undefined;
  readonly handshake?: 'auto' | 'stepwise' | 'oneflight' | undefined;
  /** The number of connections that are opened and authenticated ahead. */
  readonly warm?: number | undefined;
  /** `user`: separate connections and credentials for each user. */
  readonly isolate?: 'user' | undefined;
  /** How plain http requests are sent to an HTTP proxy: in absolute-form, or through CONNECT. */
  readonly plain?: 'forward' | 'connect' | undefined;
  /** With TLS: a PEM file with the authorities to trust instead of those of Node. */
  readonly ca?: string | undefined;
  /** With TLS: PEM files with the client's certificate and its key. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** With TLS: the name in the server's certificate, if it is not `host`. */
  readonly serverName?: string | undefined;
  /** The name of the upstream or group through which the server is reached. */
  readonly via?: string | undefined;
}

/**
 * A URL such as `socks5://user:password@host:1080` (also `socks5+tls`, `http` or `https`), an upstream in parts, or `embedded`: direct
 * connections.
 */
export type Upstream = string | UpstreamOptions;

/** Upstreams that replace one another. */
export interface GroupOptions {
  /** The names of the members. */
  readonly of: readonly string[];
  readonly pick?: 'failover' | 'roundrobin' | 'fastest' | undefined;
  readonly check?: 'off' | false | { readonly every?: Duration; readonly target?: string } | undefined;
}

/** A rule; the first match applies. */
export interface RuleOptions {
  readonly hosts?: OrFile<readonly string[]> | undefined;
  readonly networks?: OrFile<readonly string[]> | undefined;
  readonly ports?: readonly (number | string)[] | undefined;
  readonly users?: readonly string[] | undefined;
  /** The name of an upstream, `direct` or `reject`. */
  readonly to: string;
}

/** The configuration of a proxy: the keys of the configuration file, without `admin` and `log`. */
export interface ProxyConfig {
  readonly mode?: ListenerMode | undefined;
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | undefined;
  readonly listen?: ListenOptions | undefined;
  readonly listeners?: readonly ListenerOptions[] | undefined;
  readonly upstream?: Upstream | undefined;
  readonly upstreams?: Readonly<Record<string, Upstream | GroupOptions>> | undefined;
  readonly rules?: readonly RuleOptions[] | undefined;
  /** Refuses requests that match no rule, instead of sending them to the first upstream. */
  readonly default?: 'reject' | undefined;
  readonly timeouts?: Readonly<
    Partial<
      Record<
        'read' | 'write' | 'idle' | 'connect' | 'handshake' | 'response' | 'tunnelIdle' | 'drain',
        Duration | undefined
      >
    >
  >;
  readonly limits?: {
    readonly headerBytes?: number | string | undefined;
    readonly connections?: number | undefined;
  };
  readonly pool?: {
    readonly idle?: Duration | undefined;
    readonly perTarget?: number | undefined;
    readonly total?: number | undefined;
  };
  readonly via?: boolean | undefined;
}

/** A request or tunnel for which an upstream must be chosen. */
export interface UpstreamRequest {
  /** The authenticated user; undefined if the listener requires no authentication. */
  readonly user: string | undefined;
  /** The host of the target, as the client wrote it: a name or an address. */
  readonly host: string;
  readonly port: number;
}

/**
 * The upstream of a request: a URL or its parts, the name of one of `upstreams`, `direct` or `reject`; undefined for the upstream that
 * the rules have selected.
 */
export type UpstreamChoice = Upstream | undefined;

/** A request or tunnel that has ended. The fields are those of the request log. */
export interface FinishedConnection {
  /** When it began (ISO 8601). */
  readonly time: string;
  /** The listener that accepted it: `host:port`. */
  readonly listener: string;
  /** The address of the client. */
  readonly client: string | undefined;
  readonly user: string | undefined;
  /** The method of a request; for a tunnel `CONNECT`, `SOCKS5` or `tunnel`. */
  readonly method: string | undefined;
  /** The URL of a request, without its query; `host:port` of a tunnel. */
  readonly target: string | undefined;
  /** The HTTP status, also for clients of other protocols. */
  readonly status: number;
  /** The SOCKS5 reply, if the client speaks SOCKS5. */
  readonly reply?: number | undefined;
  /** The category of the failure (docs/errors.md); undefined after a success. */
  readonly error?: string | undefined;
  /** Bytes to the target. */
  readonly sent: number;
  /** Bytes from the target. */
  readonly received: number;
  /** The duration in milliseconds. */
  readonly ms: number;
  /** The upstream; never with its credentials. */
  readonly upstream: string | undefined;
  /** The number of the rule that matched, from 1. */
  readonly rule?: number | undefined;
}

/** A logger such as pino's, or the console. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The functions that a proxy calls. */
export interface ProxyHooks {
  /**
   * Chooses the upstream of a request that the rules do not refuse. The request waits for the answer, and fails with status 500 if the
   * function throws.
   */
  readonly chooseUpstream?: ((request: UpstreamRequest) => UpstreamChoice | Promise<UpstreamChoice>) | undefined;
  /** Called once for each request and tunnel, at its end. */
  readonly onEnd?: ((connection: FinishedConnection) => void) | undefined;
  /** Receives the log; silent by default. */
  readonly logger?: Logger | undefined;
}

/** The counters of a proxy, in the form of GET /stats. */
export interface ProxyStatistics {
  readonly start_time: string;
  readonly uptime: string;
  readonly total_connections: number;
  readonly active_connections: number;
  readonly successful_requests: number;
  readonly failed_requests: number;
  readonly bytes_sent: number;
  readonly bytes_received: number;
  readonly socks5_errors: Readonly<Record<string, number>>;
}

/** A proxy that listens. */
export interface RunningProxy extends AsyncDisposable {
  /** The URL of its first listener, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Returns its counters. */
  stats(): ProxyStatistics;
  /**
   * Applies another configuration, completely or not at all. Open connections continue under the previous one.
   *
   * @throws an error with the code `PROXY.CONFIG` or `PROXY.LISTEN`; nothing has changed then
   */
  reload(config: ProxyConfig): Promise<void>;
  /**
   * Closes the proxy. Its connections are reset, unless `drain` is set: then they may finish for up to `timeouts.drain`.
   */
  close(options?: { readonly drain?: boolean }): Promise<void>;
}
