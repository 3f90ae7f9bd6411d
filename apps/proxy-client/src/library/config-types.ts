// The types of the configuration, one for each group of keys. Written by `npm run proxy-config`.

/** The configuration of a proxy: the keys of the configuration file, without `admin` and `log`. */
export interface ProxyConfig {
  /**
   * The protocol of the only listener: http, socks5, mixed (both), or tunnel (with listen.to and listen.via).
   * Default: `http`.
   */
  readonly mode?: ListenerMode | undefined;
  /** debug, info, warn or error. debug also writes a line for each request and tunnel. Default: `info`. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | undefined;
  /** The only listener. */
  readonly listen?: ListenOptions | undefined;
  /** Several listeners, instead of mode and listen. */
  readonly listeners?: readonly ListenerOptions[] | undefined;
  /**
   * The server that forwards all requests: socks5://user:password@host:port (or socks5+tls, http, https), a group
   * of keys, or embedded. Default: `socks5://127.0.0.1:1080`.
   */
  readonly upstream?: Upstream | undefined;
  /** Several upstreams and groups by name, instead of upstream. The first is the default. */
  readonly upstreams?: Readonly<Record<string, Upstream | GroupOptions | {
  /** The script. */
  readonly pac: PacOptions;
}>> | undefined;
  /** Which requests use which upstream. The first rule that matches decides. */
  readonly rules?: readonly RuleOptions[] | undefined;
  /**
   * reject: requests that match no rule are refused, instead of sent to the first upstream. ask: they wait for
   * the answer of a person.
   */
  readonly default?: 'reject' | 'ask' | undefined;
  /** How requests wait for the answer of a person (default: ask, and rules with to: ask). */
  readonly gate?: GateOptions | undefined;
  /** Time limits; 0s means no limit. */
  readonly timeouts?: TimeoutOptions | undefined;
  /** Limits of clients. */
  readonly limits?: LimitOptions | undefined;
  /** Connections to origins that are left open for the next request to the same target. */
  readonly pool?: PoolOptions | undefined;
  /** Whether forwarded requests carry a Via header; it reveals a loop through several proxies. Default: `on`. */
  readonly via?: boolean | 'on' | 'off' | undefined;
}

/** The protocol of a listener. */
export type ListenerMode = 'http' | 'socks5' | 'mixed' | 'tunnel';

/** The only listener. */
export interface ListenOptions {
  /**
   * The address to listen on. Beyond loopback anyone who can reach it may connect, unless users or clients are
   * set. Default: `127.0.0.1`.
   */
  readonly host?: string | undefined;
  /** The port to listen on; 0: any free one. Default: any free one. */
  readonly port?: number | undefined;
  /** Host names under which /stats and /health are served, in addition to IP addresses and localhost. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The users who may connect; absent: no authentication is required. */
  readonly users?: readonly UserOptions[] | undefined;
  /** The networks (address/length) whose clients may connect; absent: all. */
  readonly clients?: readonly string[] | undefined;
  /** on: the listener is intentionally open to everyone who can reach it. Default: `off`. */
  readonly open?: boolean | 'on' | 'off' | undefined;
  /** In mode tunnel: the target, host:port. */
  readonly to?: string | undefined;
  /** In mode tunnel: the upstream, by name. */
  readonly via?: string | undefined;
  /** on: /proxy.pac is served to everyone who can reach the listener. Default: `off`. */
  readonly pac?: boolean | 'on' | 'off' | undefined;
  /** A Unix socket instead of host and port: its path, or a group of keys. */
  readonly socket?: string | SocketOptions | undefined;
  /** With key: clients may use TLS. A PEM file with the certificate and the intermediate ones. */
  readonly certificate?: string | undefined;
  /** The PEM file with the private key of the certificate. */
  readonly key?: string | undefined;
  /** on: clients without TLS are refused. Default: `off`. */
  readonly tlsOnly?: boolean | 'on' | 'off' | undefined;
}

/** A user of a listener. */
export interface UserOptions {
  /** Without colons and control characters. */
  readonly name: string;
  /** The password, or its hash from --hash-password (scrypt:…). */
  readonly password: string | FileReference;
}

/** A file that contains the value. */
export interface FileReference {
  /** Its path, relative to the configuration file. */
  readonly file: string;
}

/** The file of a Unix socket. */
export interface SocketOptions {
  /** The path of the socket. */
  readonly path: string;
  /** Its permissions, as octal digits in quotes; write permission is what allows a connection. Default: `0600`. */
  readonly mode?: string | undefined;
  /** A user by name or number; absent: the user of the process. */
  readonly owner?: string | number | undefined;
  /** A group by name or number; absent: that of the process. */
  readonly group?: string | number | undefined;
}

/** One of several listeners. */
export interface ListenerOptions {
  /** Its protocol. Default: `http`. */
  readonly mode?: ListenerMode | undefined;
  /**
   * The address to listen on. Beyond loopback anyone who can reach it may connect, unless users or clients are
   * set. Default: `127.0.0.1`.
   */
  readonly host?: string | undefined;
  /** The port to listen on; 0: any free one. */
  readonly port?: number | undefined;
  /** Host names under which /stats and /health are served, in addition to IP addresses and localhost. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The users who may connect; absent: no authentication is required. */
  readonly users?: readonly UserOptions[] | undefined;
  /** The networks (address/length) whose clients may connect; absent: all. */
  readonly clients?: readonly string[] | undefined;
  /** on: the listener is intentionally open to everyone who can reach it. Default: `off`. */
  readonly open?: boolean | 'on' | 'off' | undefined;
  /** In mode tunnel: the target, host:port. */
  readonly to?: string | undefined;
  /** In mode tunnel: the upstream, by name. */
  readonly via?: string | undefined;
  /** on: /proxy.pac is served to everyone who can reach the listener. Default: `off`. */
  readonly pac?: boolean | 'on' | 'off' | undefined;
  /** A Unix socket instead of host and port: its path, or a group of keys. */
  readonly socket?: string | SocketOptions | undefined;
  /** With key: clients may use TLS. A PEM file with the certificate and the intermediate ones. */
  readonly certificate?: string | undefined;
  /** The PEM file with the private key of the certificate. */
  readonly key?: string | undefined;
  /** on: clients without TLS are refused. Default: `off`. */
  readonly tlsOnly?: boolean | 'on' | 'off' | undefined;
}

/**
 * A URL such as `socks5://user:password@host:1080` (also `socks5+tls`, `http` or `https`), an upstream in
 * parts, or `embedded`: direct connections.
 */
export type Upstream = string | UpstreamOptions;

/** An upstream in parts; either `url`, or `host` and `port`. */
export interface UpstreamOptions {
  /** A URL instead of protocol, host, port, username and password. */
  readonly url?: string | undefined;
  /** The name or address of the server. */
  readonly host?: string | undefined;
  /** The port of the server. */
  readonly port?: number | undefined;
  /** The user name; required together with password. */
  readonly username?: string | undefined;
  /** The password; required together with username. */
  readonly password?: string | FileReference | undefined;
  /** The protocol of the server; with TLS: socks5+tls, https. Default: `socks5`. */
  readonly protocol?: 'socks5' | 'socks5+tls' | 'http' | 'https' | undefined;
  /** The upstream or group through which the server is reached; absent: directly. */
  readonly via?: string | undefined;
  /** auto: test whether the server accepts the whole handshake in one write, and use that. Default: `auto`. */
  readonly handshake?: 'auto' | 'stepwise' | 'oneflight' | undefined;
  /** The number of connections that are opened and authenticated ahead. Default: `0`. */
  readonly warm?: number | undefined;
  /** user: separate connections and credentials for each user, for which Tor builds separate circuits. */
  readonly isolate?: 'user' | undefined;
  /**
   * How an HTTP proxy receives plain http requests: forward (in absolute-form), or connect (in a tunnel).
   * Default: `forward`.
   */
  readonly plain?: 'forward' | 'connect' | undefined;
  /**
   * negotiate: log in to an HTTP proxy by Kerberos, with the ticket of the user (kinit) or keytab. Needs the
   * package koffi.
   */
  readonly auth?: 'negotiate' | undefined;
  /** With auth: negotiate: the service of the proxy; absent: HTTP@ and host. */
  readonly servicePrincipal?: string | undefined;
  /** With auth: negotiate: a file with keys, with which tickets are obtained without kinit. */
  readonly keytab?: string | undefined;
  /** With TLS: a PEM file with the authorities to trust instead of those of Node. */
  readonly ca?: string | undefined;
  /** With TLS: a PEM file with the client's certificate. */
  readonly certificate?: string | undefined;
  /** The PEM file with the private key of the certificate. */
  readonly key?: string | undefined;
  /** With TLS: the name in the server's certificate, if it is not host. */
  readonly serverName?: string | undefined;
}

/** Upstreams that replace one another. */
export interface GroupOptions {
  /** The names of the members, in their order. */
  readonly of: readonly string[];
  /** Which member is tried first: the first that works, each in turn, or the fastest. Default: `failover`. */
  readonly pick?: 'failover' | 'roundrobin' | 'fastest' | undefined;
  /** The health checks of the members. */
  readonly check?: 'off' | false | CheckOptions | undefined;
}

/** The health checks of a group. */
export interface CheckOptions {
  /** The interval. Default: `10s`. */
  readonly every?: Duration | undefined;
  /** Also connects to this target, host:port; absent: a check ends after the authentication. */
  readonly target?: string | undefined;
}

/** A duration such as `30s`, `1m30s` or `500ms`; 0 means no limit. */
export type Duration = string | 0;

/** A PAC script that chooses the upstream of each request. */
export interface PacOptions {
  /** The path of the script, relative to the configuration file. It is watched. */
  readonly file?: string | undefined;
  /** The address of the script, http or https, which is loaded directly. */
  readonly url?: string | undefined;
  /** How often a URL is loaded again, at least 1m. Default: `1h`. */
  readonly refresh?: Duration | undefined;
  /** off: names have no addresses for the script; system: they are resolved by this machine. Default: `off`. */
  readonly resolve?: 'off' | false | 'system' | undefined;
  /** Whether the script may choose direct connections. Default: `off`. */
  readonly direct?: boolean | 'on' | 'off' | undefined;
}

/** A rule: all of its conditions must match. The first rule that matches decides. */
export interface RuleOptions {
  /**
   * Host names, *.name for all names below one, +.name for both, <local> for names without a dot, addresses, and
   * lists.
   */
  readonly hosts?: readonly (string | HostListOptions)[] | HostListOptions | undefined;
  /** Networks (address/length) and addresses. */
  readonly networks?: readonly string[] | FileReference | undefined;
  /** Ports, and ranges such as 8000-8999. */
  readonly ports?: readonly (number | string)[] | undefined;
  /** Users of the listener. */
  readonly users?: readonly string[] | undefined;
  /** The name of an upstream or group, direct, reject, or ask: wait for the answer of a person. */
  readonly to: string;
}

/** A list of hosts: a file, or a URL. */
export interface HostListOptions {
  /** The path of the list, relative to the configuration file. It is watched. */
  readonly file?: string | undefined;
  /** The address of the list, http or https. It is loaded at the start and then periodically. */
  readonly url?: string | undefined;
  /**
   * The format of the list; auto: recognized by its first lines. Absent: for a URL auto; for a file one entry per
   * line, as in hosts, each of which must be valid.
   */
  readonly format?: 'auto' | 'hosts' | 'adblock' | 'dnsmasq' | 'mihomo' | 'v2ray' | 'squid' | 'plain' | undefined;
  /** How often a URL is loaded again, at least 1m. Default: `24h`. */
  readonly refresh?: Duration | undefined;
  /** The upstream through which a URL is loaded, or direct; absent: the first upstream. */
  readonly via?: string | undefined;
}

/** The egress gate. */
export interface GateOptions {
  /** How requests wait for the answer of a person. */
  readonly ask?: AskOptions | undefined;
}

/** How requests wait for the answer of a person (`default: ask`, or a rule with `to: ask`). */
export interface AskOptions {
  /** How long a question is open; requests for the same target share it. Default: `30s`. */
  readonly timeout?: Duration | undefined;
  /** Requests that may wait in all; more are refused at once. Default: `100`. */
  readonly waiting?: number | undefined;
  /** Requests of one client address that may wait. Default: `20`. */
  readonly waitingPerClient?: number | undefined;
  /** Questions that may be open. Default: `20`. */
  readonly questions?: number | undefined;
  /** How long a no is remembered, so that the same target is refused at once. Default: `5m`. */
  readonly refusedFor?: Duration | undefined;
  /** Who is told about a question, in addition to the dashboard and the log. */
  readonly notify?: NotifyOptions | undefined;
}

/** Who is told about a request that waits for an answer: a command, or a URL. */
export interface NotifyOptions {
  /**
   * A program and its arguments. It gets one more argument with the request in words, and the question as JSON on
   * standard input.
   */
  readonly command?: readonly string[] | undefined;
  /** The URL that gets the question as JSON by POST. */
  readonly url?: string | undefined;
  /** The key of the HMAC-SHA256 of the body, in the field X-Signature-256. */
  readonly secret?: string | FileReference | undefined;
}

/** Time limits; 0 means no limit. */
export interface TimeoutOptions {
  /** The time for a client to send a header, and between two pieces of its body. Default: `30s`. */
  readonly read?: Duration | undefined;
  /** How long a peer may leave available data unread. Default: `30s`. */
  readonly write?: Duration | undefined;
  /** How long an idle connection of a client is left open. Default: `120s`. */
  readonly idle?: Duration | undefined;
  /** The time for an upstream to accept a connection. Default: `10s`. */
  readonly connect?: Duration | undefined;
  /** The time for an upstream to complete the handshake. Default: `30s`. */
  readonly handshake?: Duration | undefined;
  /** How long an origin may be silent before its answer begins. Default: `0s`. */
  readonly response?: Duration | undefined;
  /** How long a tunnel may transfer nothing. Default: `0s`. */
  readonly tunnelIdle?: Duration | undefined;
  /** How long requests and tunnels may continue during a shutdown. Default: `10s`. */
  readonly drain?: Duration | undefined;
}

/** Limits of clients. */
export interface LimitOptions {
  /** The header of a request, names and values together; more is answered with 431. Default: `1MiB`. */
  readonly headerBytes?: number | string | undefined;
  /** Connections of clients; more are answered with 503. Default: `10000`. */
  readonly connections?: number | undefined;
}

/** Connections to origins that are left open for the next request to the same target. */
export interface PoolOptions {
  /** How long one is left open. Default: `30s`. */
  readonly idle?: Duration | undefined;
  /** How many for one target. Default: `64`. */
  readonly perTarget?: number | undefined;
  /** How many in all. Default: `1024`. */
  readonly total?: number | undefined;
}
