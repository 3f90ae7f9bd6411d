import { ApiProperty } from '@nestjs/swagger';
import { count, uptime } from './properties.js';

/** What /health shows. */
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
