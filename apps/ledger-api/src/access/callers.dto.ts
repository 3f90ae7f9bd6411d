import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ROLES, type Role } from './caller-entry.js';

/** Who calls, as the API takes it. */
export class CallerAnswer {
  @ApiProperty({ example: true, description: 'Whether callers have to log in. Without, everybody may do everything.' })
  loginNeeded!: boolean;

  @ApiPropertyOptional({ example: 'alice', description: 'Absent without authentication.' })
  name?: string;

  @ApiProperty({ enum: ROLES, example: 'writer', description: 'What the caller may do with what it logged in with.' })
  role!: Role;
}
