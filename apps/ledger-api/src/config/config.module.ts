import type { DynamicModule } from '@nestjs/common';
import { ConfigModule, getConfigToken, registerAs } from '@nestjs/config';
import type { LedgerApiConfig } from '#ledger-config';

/** The injection tokens of the slices of the configuration, as in `@Inject(ledgerConfig.KEY)`. */
export const callersConfig = { KEY: getConfigToken('callers') };
export const tracingConfig = { KEY: getConfigToken('tracing') };
/** Optional: undefined without indexes. */
export const indexConfig = { KEY: getConfigToken('index') };
export const treeConfig = { KEY: getConfigToken('tree') };
export const witnessConfig = { KEY: getConfigToken('witness') };
export const ledgerConfig = { KEY: getConfigToken('ledger') };

/** Returns Nest's ConfigModule with the slices of a configuration that `main` has parsed and validated. */
export function configModule(config: LedgerApiConfig): Promise<DynamicModule> {
  return ConfigModule.forRoot({
    isGlobal: true,
    ignoreEnvFile: true,
    validatePredefined: false,
    load: Object.entries(config).flatMap(([name, slice]) =>
      slice === undefined ? [] : registerAs(name, () => slice as object),
    ),
  });
}
