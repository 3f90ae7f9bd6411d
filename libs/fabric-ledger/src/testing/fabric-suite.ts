import { afterEach } from '@jest/globals';
import { isLedgerError, type Ledger, type LedgerCall, type LedgerError, type LedgerLogger } from '#ledger-gateway';
import { until } from '../../../../test/support/until.js';
import type { PACE, StageLimits } from '../driver/fabric-transport.js';
import type { FabricStandInOptions } from './fabric-stand-in.js';
import type { LedgerOnStandIn } from './ledgers-on-stand-in.js';

/** Options of both drivers. */
export interface SuiteOptions {
  readonly network?: FabricStandInOptions;
  readonly channel?: string;
  readonly chaincode?: string;
  readonly maxCalls?: number;
  readonly pace?: typeof PACE;
  readonly limits?: StageLimits;
  readonly logger?: LedgerLogger;
}

/** Opens a ledger of one driver on its own stand-in. */
export type OpenLedger = (options?: SuiteOptions) => Promise<LedgerOnStandIn>;

/** Returns a function that opens a ledger, which is disposed of after each test. */
export function openInEachTest(
  open: OpenLedger,
): (options?: SuiteOptions) => Promise<LedgerOnStandIn & { readonly channel: Ledger }> {
  let made: LedgerOnStandIn | undefined;
  afterEach(async () => {
    await made?.dispose();
    made = undefined;
  });
  return async (options) => {
    made = await open(options);
    return { ...made, channel: made.ledger };
  };
}

export const create = (id: string): LedgerCall => ({
  function: 'CreateAsset',
  arguments: [id, 'blue', '5', 'Tom', '100'],
});
export const read = (id: string): LedgerCall => ({ function: 'ReadAsset', arguments: [id] });
export const exists = (id: string): LedgerCall => ({ function: 'AssetExists', arguments: [id] });

export async function assetOf(channel: Ledger, id: string): Promise<unknown> {
  return json(await channel.evaluate(read(id)));
}

export function json(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}

/** Returns the ledger error of a failing call. @throws any other error */
export async function failure(call: Promise<unknown>): Promise<LedgerError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isLedgerError(error)) throw error instanceof Error ? error : new Error('The call did not fail.');
  return error;
}

/** Returns the ledger errors of concurrent failing calls. */
export function failures(calls: readonly Promise<unknown>[]): Promise<LedgerError[]> {
  return Promise.all(calls.map(failure));
}

export function isOk(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => true,
    () => false,
  );
}

export async function ready(ledger: Ledger): Promise<void> {
  await until(async () => (await ledger.connectionState()).status === 'ready');
}
