import { ApiProperty } from '@nestjs/swagger';

const count = { type: 'integer', minimum: 0 } as const;
const moment = { type: 'string', format: 'date-time', example: '2026-01-31T08:30:00.000Z' } as const;

/** The last failure of an upstream. */
export class UpstreamFailure {
  @ApiProperty({ description: 'A category of docs/errors.md.', example: 'upstream_unreachable' })
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
    description: 'Its address; null for the built-in server.',
    example: '10.0.0.1:1080',
  })
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

  @ApiProperty({ ...moment, description: 'The time of the last change of its state.' })
  readonly since!: string;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description:
      'Milliseconds for TCP, greeting and authentication, measured by the health checks of a group, smoothed.',
    example: 12.5,
  })
  readonly latency_ms!: number | null;

  @ApiProperty({ ...moment, nullable: true, description: 'The time of the last health check.' })
  readonly checked_at!: string | null;

  @ApiProperty({ type: UpstreamFailure, nullable: true, description: 'Its last failure.' })
  readonly last_failure!: UpstreamFailure | null;

  @ApiProperty({ ...count, description: 'Connections to targets that were opened through it.', example: 1042 })
  readonly connections_opened!: number;

  @ApiProperty({ ...count, description: 'Connections to targets that failed, whatever the cause.', example: 3 })
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

  @ApiProperty({ ...count, description: 'The number of requests that were passed on to another member.', example: 7 })
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
