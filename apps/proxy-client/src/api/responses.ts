import { ApiProperty } from '@nestjs/swagger';
import { SOCKS_ERROR_KEYS } from '#metrics';
import { Count, TextOrNull, Time, TIME } from './documentation.js';

// The responses of the monitoring API. The main thread creates them and imports their types only; the admin thread documents them.

const Uptime = (): PropertyDecorator =>
  ApiProperty({
    type: 'string',
    pattern: '^(\\d+h)?(\\d+m)?\\d+s$',
    description: 'Running time in hours, minutes and seconds.',
    example: '2h30m15s',
  });
const count = { type: 'integer', minimum: 0 } as const;

/** The response of /stats. */
export class Stats {
  @Time('When the proxy started.')
  readonly start_time!: string;

  @Uptime()
  readonly uptime!: string;

  @Count('Client connections that carried a proxied request.', 1042)
  readonly total_connections!: number;

  @Count('Those that are open.', 7)
  readonly active_connections!: number;

  @Count('Requests whose response was relayed completely, and opened tunnels.', 5120)
  readonly successful_requests!: number;

  @Count('Requests that the proxy answered with an error or had to cut off.', 77)
  readonly failed_requests!: number;

  @Count('Bytes sent to the SOCKS5 upstream after its handshakes.', 1_048_576)
  readonly bytes_sent!: number;

  @Count('Bytes received from the SOCKS5 upstream after its handshakes.', 73_400_320)
  readonly bytes_received!: number;

  @ApiProperty({
    type: 'object',
    description: 'Failures of the SOCKS5 upstream by category. Every category is always present.',
    properties: Object.fromEntries(SOCKS_ERROR_KEYS.map((key) => [key, count])),
    required: [...SOCKS_ERROR_KEYS],
    selfRequired: true,
    additionalProperties: count,
    example: Object.fromEntries(SOCKS_ERROR_KEYS.map((key) => [key, key === 'host_unreachable' ? 3 : 0])),
  })
  readonly socks5_errors!: Readonly<Record<string, number>>;
}

/** The response of /health. */
export class Health {
  @ApiProperty({ type: 'string', enum: ['healthy'], description: 'The proxy serves requests.' })
  readonly status!: 'healthy';

  @Uptime()
  readonly uptime!: string;

  @Count('Client connections that carried a proxied request and are open.', 7)
  readonly active_connections!: number;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    maximum: 100,
    description: 'Requests that succeeded, in percent of those that ended, with two decimals; 100 before the first.',
    example: 98.52,
  })
  readonly success_rate!: number;
}

/** A listener for clients. */
export class ListenerStatus {
  @ApiProperty({ type: 'string', enum: ['http', 'socks5', 'mixed', 'tunnel'] })
  readonly mode!: 'http' | 'socks5' | 'mixed' | 'tunnel';

  @ApiProperty({ description: 'The bound address; 0.0.0.0 and :: mean all addresses.', example: '127.0.0.1' })
  readonly host!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 65_535, example: 8080 })
  readonly port!: number;

  @TextOrNull('The host:port that a tunnel leads to; null for other modes.', null)
  readonly to!: string | null;

  @ApiProperty({ description: 'Whether clients must log in.', example: false })
  readonly asks_for_password!: boolean;
}

/** The response of /listeners. */
export class ListenerList {
  @ApiProperty({ type: [ListenerStatus], description: 'In the order of the configuration.' })
  readonly listeners!: readonly ListenerStatus[];
}

/** The last failure of an upstream. */
export class UpstreamFailure {
  @ApiProperty({ description: 'A category of docs/errors.md.', example: 'upstream_unreachable' })
  readonly category!: string;

  @Time()
  readonly at!: string;
}

/** An upstream of the configuration. */
export class UpstreamStatus {
  @ApiProperty({ description: 'Its name in the configuration.', example: 'work' })
  readonly name!: string;

  @TextOrNull('Its address; null for the built-in server.', '10.0.0.1:1080')
  readonly address!: string | null;

  @ApiProperty({
    type: 'string',
    enum: ['unknown', 'up', 'down'],
    description: 'Whether it accepted the proxy at the last attempt; unknown before the first.',
  })
  readonly state!: 'unknown' | 'up' | 'down';

  @ApiProperty({
    description:
      'Whether requests for three targets in a row have timed out, though it accepts the authentication: groups try it last.',
    example: false,
  })
  readonly suspect!: boolean;

  @Time('The time of the last change of its state.')
  readonly since!: string;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description:
      'Milliseconds for TCP, greeting and authentication, measured by the health checks of a group, smoothed.',
    example: 12.5,
  })
  readonly latency_ms!: number | null;

  @ApiProperty({ ...TIME, nullable: true, description: 'The time of the last health check.' })
  readonly checked_at!: string | null;

  @ApiProperty({ type: UpstreamFailure, nullable: true, description: 'Its last failure.' })
  readonly last_failure!: UpstreamFailure | null;

  @Count('Connections to targets that were opened through it.', 1042)
  readonly connections_opened!: number;

  @Count('Connections to targets that failed, whatever the cause.', 3)
  readonly connections_failed!: number;
}

/** A group of upstreams that replace one another. */
export class GroupStatus {
  @ApiProperty({ example: 'any' })
  readonly name!: string;

  @ApiProperty({ type: 'string', enum: ['failover', 'roundrobin', 'fastest'] })
  readonly pick!: 'failover' | 'roundrobin' | 'fastest';

  @ApiProperty({ type: [String], description: 'Names of its members in their order.', example: ['work', 'tor'] })
  readonly members!: readonly string[];

  @Count('The number of requests that were passed on to another member.', 7)
  readonly failovers!: number;
}

/** The response of /upstreams. */
export class UpstreamList {
  @ApiProperty({ type: [UpstreamStatus] })
  readonly upstreams!: readonly UpstreamStatus[];

  @ApiProperty({ type: [GroupStatus] })
  readonly groups!: readonly GroupStatus[];
}

/** The response of /readyz. */
export class Readiness {
  @ApiProperty({ type: 'string', enum: ['ready', 'no upstream works'] })
  readonly status!: 'ready' | 'no upstream works';
}

/** A client connection in use. */
export class LiveConnection {
  @ApiProperty({ description: 'For DELETE /connections/{id}.', example: '17' })
  readonly id!: string;

  @ApiProperty({ description: 'GET, CONNECT, SOCKS5, …; tunnel for a tunnel listener.', example: 'CONNECT' })
  readonly method!: string;

  @ApiProperty({ type: 'string', description: 'host:port', example: 'example.com:443' })
  readonly target!: string;

  @ApiProperty({ description: 'The upstream that carries it.', example: 'work' })
  readonly upstream!: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The number of the rule that selected the upstream, from 1; null if no rule matches.',
    example: 2,
  })
  readonly rule!: number | null;

  @TextOrNull('Its address.', '127.0.0.1')
  readonly client!: string | null;

  @TextOrNull('Null if clients need no password.', 'ci')
  readonly user!: string | null;

  @Time('When the request or tunnel started.')
  readonly started_at!: string;

  @Count('Milliseconds since then.', 1250)
  readonly age_ms!: number;

  @Count('Bytes to the target.', 1894)
  readonly bytes_sent!: number;

  @Count('Bytes from the target.', 52110)
  readonly bytes_received!: number;
}

/** The response of /connections. */
export class LiveConnectionList {
  @Count('The number of all connections.', 1)
  readonly total!: number;

  @Count('The number of connections that match `find`.', 1)
  readonly found!: number;

  @ApiProperty({ type: [LiveConnection] })
  readonly connections!: readonly LiveConnection[];
}

/** A request that failed. */
export class FailureEntry {
  @Time()
  readonly at!: string;

  @ApiProperty({ description: 'A category of docs/errors.md.', example: 'upstream_unreachable' })
  readonly category!: string;

  @ApiProperty({ type: 'integer', description: 'The status that an HTTP client received.', example: 502 })
  readonly status!: number;

  @ApiProperty({
    description: 'What failed and what to check.',
    example:
      'The SOCKS5 server cannot be reached. Check the upstream host and port of the proxy and that the server is running.',
  })
  readonly hint!: string;

  @TextOrNull('The check or step that failed, if known.')
  readonly detail!: string | null;

  @TextOrNull(undefined, 'CONNECT')
  readonly method!: string | null;

  @TextOrNull('host:port, if known.', 'example.com:443')
  readonly target!: string | null;

  @TextOrNull('Its address.', '127.0.0.1')
  readonly client!: string | null;

  @TextOrNull('Null if clients need no password.', 'ci')
  readonly user!: string | null;
}

/** The response of /failures. */
export class FailureList {
  @ApiProperty({ type: [FailureEntry], description: 'The newest first, at most 200.' })
  readonly failures!: readonly FailureEntry[];
}
