import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { LedgerApiConfig } from '#ledger-config';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { tracingConfig } from '../config/config.module.js';
import type { Tracing } from './tracing.js';

/** Injection token of {@link Tracing}; undefined without OTEL_EXPORTER_OTLP_ENDPOINT. */
export const TRACING = Symbol('TRACING');

/** Loads OpenTelemetry only if traces are exported: it costs memory and time at the start. */
async function openTracing(
  { endpoint }: LedgerApiConfig['tracing'],
  { logger }: ProgramLog,
): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const { Tracing } = await import('./tracing.js');
  return new Tracing(endpoint, logger);
}

/** Provides {@link TRACING}, and exports the last spans at shutdown. */
@Global()
@Module({
  providers: [{ provide: TRACING, inject: [tracingConfig.KEY, PROGRAM_LOG], useFactory: openTracing }],
  exports: [TRACING],
})
export class TracingModule implements OnApplicationShutdown {
  constructor(@Inject(TRACING) private readonly tracing: Tracing | undefined) {}

  async onApplicationShutdown(): Promise<void> {
    await this.tracing?.close();
  }
}
