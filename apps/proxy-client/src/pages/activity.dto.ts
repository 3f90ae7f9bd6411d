import { ApiProperty } from '@nestjs/swagger';

const count = { type: 'integer', minimum: 0 } as const;
const moment = { type: 'string', format: 'date-time', example: '2026-01-31T08:30:00.000Z' } as const;
const target = { type: 'string', description: 'host:port', example: 'example.com:443' } as const;
const client = { type: 'string', nullable: true, description: 'Its address.', example: '127.0.0.1' } as const;
const user = { type: 'string', nullable: true, description: 'Null where nobody is asked.', example: 'ci' } as const;

/** A connection of a client that is in use. */
export class LiveConnection {
  @ApiProperty({ description: 'For DELETE /connections/{id}.', example: '17' })
  readonly id!: string;

  @ApiProperty({ description: 'GET, CONNECT, SOCKS5, …; tunnel for a listener of that mode.', example: 'CONNECT' })
  readonly method!: string;

  @ApiProperty(target)
  readonly target!: string;

  @ApiProperty({ description: 'The upstream that carries it.', example: 'work' })
  readonly upstream!: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The rule that sent it there, from 1; null where none fits.',
    example: 2,
  })
  readonly rule!: number | null;

  @ApiProperty(client)
  readonly client!: string | null;

  @ApiProperty(user)
  readonly user!: string | null;

  @ApiProperty({ ...moment, description: 'When the request or tunnel began.' })
  readonly started_at!: string;

  @ApiProperty({ ...count, description: 'Milliseconds since then.', example: 1250 })
  readonly age_ms!: number;

  @ApiProperty({ ...count, description: 'Bytes to the target.', example: 1894 })
  readonly bytes_sent!: number;

  @ApiProperty({ ...count, description: 'Bytes from the target.', example: 52110 })
  readonly bytes_received!: number;
}

/** What /connections shows. */
export class LiveConnectionList {
  @ApiProperty({ ...count, description: 'How many there are, shown or not.', example: 1 })
  readonly total!: number;

  @ApiProperty({ ...count, description: 'How many of them are what `find` looks for; all without it.', example: 1 })
  readonly found!: number;

  @ApiProperty({ type: [LiveConnection] })
  readonly connections!: readonly LiveConnection[];
}

/** A request that failed. */
export class FailureEntry {
  @ApiProperty(moment)
  readonly at!: string;

  @ApiProperty({ description: 'As docs/errors.md lists them.', example: 'upstream_unreachable' })
  readonly category!: string;

  @ApiProperty({ type: 'integer', description: 'What an HTTP client was answered.', example: 502 })
  readonly status!: number;

  @ApiProperty({
    description: 'What failed and what to check.',
    example:
      'The SOCKS5 server cannot be reached. Check the upstream host and port of the proxy and that the server is running.',
  })
  readonly hint!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Which check or step failed, where more is known.' })
  readonly detail!: string | null;

  @ApiProperty({ type: 'string', nullable: true, example: 'CONNECT' })
  readonly method!: string | null;

  @ApiProperty({ ...target, nullable: true, description: 'host:port, where it was read.' })
  readonly target!: string | null;

  @ApiProperty(client)
  readonly client!: string | null;

  @ApiProperty(user)
  readonly user!: string | null;
}

/** What /failures shows. */
export class FailureList {
  @ApiProperty({ type: [FailureEntry], description: 'The latest first, at most 200.' })
  readonly failures!: readonly FailureEntry[];
}
