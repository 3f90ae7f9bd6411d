import { ApiProperty } from '@nestjs/swagger';

const count = { type: 'integer', minimum: 0 } as const;
const moment = { type: 'string', format: 'date-time', example: '2026-01-31T08:30:00.000Z' } as const;
const target = { type: 'string', description: 'host:port', example: 'example.com:443' } as const;
const client = { type: 'string', nullable: true, description: 'Its address.', example: '127.0.0.1' } as const;
const user = {
  type: 'string',
  nullable: true,
  description: 'Null if clients need no password.',
  example: 'ci',
} as const;

/** A client connection in use. */
export class LiveConnection {
  @ApiProperty({ description: 'For DELETE /connections/{id}.', example: '17' })
  readonly id!: string;

  @ApiProperty({ description: 'GET, CONNECT, SOCKS5, …; tunnel for a tunnel listener.', example: 'CONNECT' })
  readonly method!: string;

  @ApiProperty(target)
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

  @ApiProperty(client)
  readonly client!: string | null;

  @ApiProperty(user)
  readonly user!: string | null;

  @ApiProperty({ ...moment, description: 'When the request or tunnel started.' })
  readonly started_at!: string;

  @ApiProperty({ ...count, description: 'Milliseconds since then.', example: 1250 })
  readonly age_ms!: number;

  @ApiProperty({ ...count, description: 'Bytes to the target.', example: 1894 })
  readonly bytes_sent!: number;

  @ApiProperty({ ...count, description: 'Bytes from the target.', example: 52110 })
  readonly bytes_received!: number;
}

/** The response of /connections. */
export class LiveConnectionList {
  @ApiProperty({ ...count, description: 'The number of all connections.', example: 1 })
  readonly total!: number;

  @ApiProperty({ ...count, description: 'The number of connections that match `find`.', example: 1 })
  readonly found!: number;

  @ApiProperty({ type: [LiveConnection] })
  readonly connections!: readonly LiveConnection[];
}

/** A request that failed. */
export class FailureEntry {
  @ApiProperty(moment)
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

  @ApiProperty({ type: 'string', nullable: true, description: 'The check or step that failed, if known.' })
  readonly detail!: string | null;

  @ApiProperty({ type: 'string', nullable: true, example: 'CONNECT' })
  readonly method!: string | null;

  @ApiProperty({ ...target, nullable: true, description: 'host:port, if known.' })
  readonly target!: string | null;

  @ApiProperty(client)
  readonly client!: string | null;

  @ApiProperty(user)
  readonly user!: string | null;
}

/** The response of /failures. */
export class FailureList {
  @ApiProperty({ type: [FailureEntry], description: 'The newest first, at most 200.' })
  readonly failures!: readonly FailureEntry[];
}
