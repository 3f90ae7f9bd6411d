import { ApiProperty } from '@nestjs/swagger';
import { SOCKS_ERROR_KEYS } from '#metrics';

const count = { type: 'integer', minimum: 0 } as const;

const uptime = {
  type: 'string',
  pattern: '^(\\d+h)?(\\d+m)?\\d+s$',
  description: 'Running time in hours, minutes and seconds.',
  example: '2h30m15s',
} as const;

/** The response of /stats. */
export class Stats {
  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When the proxy started.',
    example: '2026-01-31T08:30:00.000Z',
  })
  readonly start_time!: string;

  @ApiProperty(uptime)
  readonly uptime!: string;

  @ApiProperty({ ...count, description: 'Client connections that carried a proxied request.', example: 1042 })
  readonly total_connections!: number;

  @ApiProperty({ ...count, description: 'Those that are open.', example: 7 })
  readonly active_connections!: number;

  @ApiProperty({
    ...count,
    description: 'Requests whose response was relayed completely, and opened tunnels.',
    example: 5120,
  })
  readonly successful_requests!: number;

  @ApiProperty({
    ...count,
    description: 'Requests that the proxy answered with an error or had to cut off.',
    example: 77,
  })
  readonly failed_requests!: number;

  @ApiProperty({ ...count, description: 'Bytes sent to the SOCKS5 upstream after its handshakes.', example: 1_048_576 })
  readonly bytes_sent!: number;

  @ApiProperty({
    ...count,
    description: 'Bytes received from the SOCKS5 upstream after its handshakes.',
    example: 73_400_320,
  })
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

  @ApiProperty(uptime)
  readonly uptime!: string;

  @ApiProperty({ ...count, description: 'Client connections that carried a proxied request and are open.', example: 7 })
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
