import { Controller, Get, Inject } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { callersConfig } from '../config/config.module.js';
import type { CallersConfig } from '../config/config.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { Operation } from '../http/operation.decorator.js';
import { CurrentCaller, Needs } from './access.decorators.js';
import type { Role } from './caller-entry.js';
import { CallerAnswer } from './callers.dto.js';

const FOUND = 'Caller found.';

/** Returns the name and role of the key or token that a client sends. */
@Controller('callers')
@Needs('reader')
@ApiTags('callers')
@ApiExtraModels(CallerAnswer)
export class CallersController {
  readonly #loginNeeded: boolean;

  constructor(@Inject(callersConfig.KEY) { isOn }: CallersConfig) {
    this.#loginNeeded = isOn;
  }

  @Get('me')
  @RouteConfig({ readsNoLedger: true })
  @Operation({
    id: 'getCaller',
    summary: 'Says who calls and what they may do',
    description: 'Tries a key without asking the ledger for anything, and says whether one is needed.',
    success: {
      data: { $ref: getSchemaPath(CallerAnswer) },
    },
    errors: [new Error('unforeseen')],
  })
  me(
    @CurrentCaller('name') name: string | undefined,
    @CurrentCaller('role') role: Role = 'admin',
  ): ResponseEnvelope<CallerAnswer> {
    return success(FOUND, { loginNeeded: this.#loginNeeded, ...(name !== undefined && { name }), role });
  }
}
