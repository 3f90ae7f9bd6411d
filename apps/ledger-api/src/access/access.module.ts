import { Controller, Get, Global, Inject, Module } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { type Role, roleOn, ROLES, type Roles, rolesByChannel } from '#ledger-callers';
import type { CallersConfig, LedgerConfig } from '#ledger-config';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { callersConfig, ledgerConfig } from '../config/config.module.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { Operation } from '../http/operation.decorator.js';
import { CurrentCaller, Needs } from './access.decorators.js';
import { ListedFunctions } from './access.plugin.js';
import { CallerRegistry } from './caller-registry.js';
import { Login, TOKEN_LOGIN } from './login.js';
import type { TokenLogin } from './token-login.js';

/** The role of a caller on a channel. */
export class ChannelRole {
  @ApiProperty({ example: 'payments' })
  channel!: string;

  @ApiProperty({ enum: ROLES, example: 'reader' })
  role!: Role;
}

/** The caller of a request. */
export class CallerAnswer {
  @ApiProperty({ example: true, description: 'Whether callers must log in. If not, every client has all permissions.' })
  loginNeeded!: boolean;

  @ApiPropertyOptional({ example: 'alice', description: 'Absent without authentication.' })
  name?: string;

  @ApiPropertyOptional({
    enum: ROLES,
    example: 'writer',
    description: 'The role of the caller with this key or token on the default channel. Absent without one.',
  })
  role?: Role;

  @ApiPropertyOptional({ type: [ChannelRole], description: 'The roles on single channels. Absent without any.' })
  channels?: readonly ChannelRole[];
}

/** Returns the name and role of the key or token that a client sends. */
@Controller('callers')
@Needs('reader')
@ApiTags('callers')
export class CallersController {
  constructor(
    @Inject(callersConfig.KEY) private readonly config: Pick<CallersConfig, 'isOn'>,
    @Inject(ledgerConfig.KEY) private readonly ledger: Pick<LedgerConfig, 'channel'>,
  ) {}

  @Get('me')
  @RouteConfig({ readsNoLedger: true, roleOn: 'any channel' })
  @Operation({
    id: 'getCaller',
    summary: 'Returns the caller and its role',
    description: 'Checks a key without a call of the ledger, and states whether one is needed.',
    data: CallerAnswer,
    errors: ['API.INTERNAL'],
  })
  me(
    @CurrentCaller('name') name: string | undefined,
    @CurrentCaller('role') roles: Roles = 'admin',
  ): ResponseEnvelope<CallerAnswer> {
    const role = roleOn(roles, this.ledger.channel);
    const channels = rolesByChannel(roles);
    return success('Caller found.', {
      loginNeeded: this.config.isOn,
      ...(name !== undefined && { name }),
      ...(role !== undefined && { role }),
      ...(channels.length > 0 && { channels }),
    });
  }
}

async function openRegistry({ isOn, file }: CallersConfig, { logger }: ProgramLog): Promise<CallerRegistry> {
  const registry = new CallerRegistry(file, logger);
  if (isOn) await registry.follow();
  return registry;
}

async function openTokenLogin(
  { isOn, tokens }: CallersConfig,
  registry: CallerRegistry,
  { logger }: ProgramLog,
): Promise<TokenLogin | undefined> {
  if (!isOn || tokens === undefined) return undefined;
  // Imported only here, because a program without an issuer starts sooner.
  const { TokenLogin } = await import('./token-login.js');
  return new TokenLogin(tokens, registry, logger);
}

/** Authentication and authorization of callers. */
@Global()
@Module({
  controllers: [CallersController],
  providers: [
    { provide: CallerRegistry, inject: [callersConfig.KEY, PROGRAM_LOG], useFactory: openRegistry },
    { provide: TOKEN_LOGIN, inject: [callersConfig.KEY, CallerRegistry, PROGRAM_LOG], useFactory: openTokenLogin },
    Login,
    ListedFunctions,
  ],
  exports: [CallerRegistry, TOKEN_LOGIN, Login, ListedFunctions],
})
export class AccessModule {}
