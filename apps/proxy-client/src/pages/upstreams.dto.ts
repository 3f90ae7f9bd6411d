import { ApiProperty } from '@nestjs/swagger';

/** A counter. */
const count = { type: 'integer', minimum: 0 } as const;
const moment = { type: 'string', format: 'date-time', example: '2026-01-31T08:30:00.000Z' } as const;

/** What was last wrong with an upstream. */
export class UpstreamFailure {
  @ApiProperty({ description: 'The category, as docs/errors.md lists them.', example: 'upstream_unreachable' })
  readonly category!: string;

  @ApiProperty(moment)
  readonly at!: string;
}

/** An upstream of the configuration. */
export class UpstreamStatus {
  @ApiProperty({ description: 'Its name in the configuration.', example: 'work' })
  readonly name!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Where it listens; null for the server inside the proxy.',
    example: '10.0.0.1:1080',
  })
  readonly address!: string | null;

  @ApiProperty({
    type: 'string',
    enum: ['unknown', 'up', 'down'],
    description: 'Whether it let the proxy in when it was last asked; unknown until then.',
  })
  readonly state!: 'unknown' | 'up' | 'down';

  @ApiProperty({
    description:
      'Whether requests for three targets in a row have timed out, though it accepts the authentication: groups try it last.',
    example: false,
  })
  readonly suspect!: boolean;

  @ApiProperty({ ...moment, description: 'When it came into this state.' })
  readonly since!: string;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Milliseconds for TCP, greeting and authentication, as the checks of a group measure them, smoothed.',
    example: 12.5,
  })
  readonly latency_ms!: number | null;

  @ApiProperty({ ...moment, nullable: true, description: 'When it was last checked.' })
  readonly checked_at!: string | null;

  @ApiProperty({ type: UpstreamFailure, nullable: true, description: 'What was last wrong with it.' })
  readonly last_failure!: UpstreamFailure | null;

  @ApiProperty({ ...count, description: 'Connections to targets that were opened through it.', example: 1042 })
  readonly connections_opened!: number;

  @ApiProperty({ ...count, description: 'Those that were not, whoever was to blame.', example: 3 })
  readonly connections_failed!: number;
}

/** A group of upstreams that stand in for one another. */
export class GroupStatus {
  @ApiProperty({ example: 'any' })
  readonly name!: string;

  @ApiProperty({ type: 'string', enum: ['failover', 'roundrobin', 'fastest'] })
  readonly pick!: 'failover' | 'roundrobin' | 'fastest';

  @ApiProperty({ type: [String], description: 'Names of its members in their order.', example: ['work', 'tor'] })
  readonly members!: readonly string[];

  @ApiProperty({ ...count, description: 'How often a request went on to another member.', example: 7 })
  readonly failovers!: number;
}

/** What /upstreams shows. */
export class UpstreamList {
  @ApiProperty({ type: [UpstreamStatus] })
  readonly upstreams!: readonly UpstreamStatus[];

  @ApiProperty({ type: [GroupStatus] })
  readonly groups!: readonly GroupStatus[];
}

/** What /readyz shows. */
export class Readiness {
  @ApiProperty({ type: 'string', enum: ['ready', 'no upstream works'] })
  readonly status!: 'ready' | 'no upstream works';
}
