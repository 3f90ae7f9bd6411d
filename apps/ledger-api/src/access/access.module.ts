import { Global, Module } from '@nestjs/common';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { callersConfig } from '../config/config.module.js';
import type { CallersConfig } from '../config/config.js';
import { ListedFunctions } from './access.plugin.js';
import { CallerRegistry } from './caller-registry.js';
import { CallersController } from './callers.controller.js';
import { Login, TOKEN_LOGIN } from './login.js';
import type { TokenLogin } from './token-login.js';

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
  const login = new TokenLogin(tokens, registry, logger);
  login.prepare();
  return login;
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
