import { Global, Module } from '@nestjs/common';
import type { ProgramLog } from '#logging';
import { callersConfig, type CallersConfig } from '../config/config.js';
import { PROGRAM_LOG } from '../logging/logging.module.js';
import { CallerRegistry } from './caller-registry.js';
import { Login } from './login.hook.js';
import { RoleGuard } from './role.guard.js';

/** Who calls, and what they may. */
@Global()
@Module({
  providers: [
    {
      provide: CallerRegistry,
      inject: [callersConfig.KEY, PROGRAM_LOG],
      useFactory: async ({ isOn, file }: CallersConfig, { logger }: ProgramLog): Promise<CallerRegistry> => {
        const registry = new CallerRegistry(file, logger);
        if (isOn) await registry.follow();
        return registry;
      },
    },
    Login,
    RoleGuard,
  ],
  exports: [CallerRegistry, Login, RoleGuard],
})
export class CallersModule {}
