import { Controller, Get, Inject } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { callersConfig } from '../config/config.module.js';
import type { CallersConfig } from '../config/config.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { Operation } from '../http/operation.decorator.js';
import { CurrentCaller, Needs } from './access.decorators.js';
import { ROLES, type Role } from './caller-list.js';

/** The caller of a request. */
export class CallerAnswer {
  @ApiProperty({ example: true, description: 'Whether callers must log in. If not, every client has all permissions.' })
  loginNeeded!: boolean;

  @ApiPropertyOptional({ example: 'alice', description: 'Absent without authentication.' })
  name?: string;

  @ApiProperty({ enum: ROLES, example: 'writer', description: 'The role of the caller with this key or token.' })
  role!: Role;
}

/** Returns the name and role of the key or token that a client sends. */
@Controller('callers')
@Needs('reader')
@ApiTags('callers')
@ApiExtraModels(CallerAnswer)
export class CallersController {
  constructor(@Inject(callersConfig.KEY) private readonly config: Pick<CallersConfig, 'isOn'>) {}

  @Get('me')
  @RouteConfig({ readsNoLedger: true })
  @Operation({
    id: 'getCaller',
    summary: 'Returns the caller and its role',
    description: 'Checks a key without a call of the ledger, and states whether one is needed.',
    success: { data: { $ref: getSchemaPath(CallerAnswer) } },
    errors: ['API.INTERNAL'],
  })
  me(
    @CurrentCaller('name') name: string | undefined,
    @CurrentCaller('role') role: Role = 'admin',
  ): ResponseEnvelope<CallerAnswer> {
    return success('Caller found.', { loginNeeded: this.config.isOn, ...(name !== undefined && { name }), role });
  }
}
