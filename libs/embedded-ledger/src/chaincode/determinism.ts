import type { ChaincodeResponse } from '#chaincode-host';
import { textOrBase64 } from '#fabric-codec';
import { partsOfSpace, type ReadWriteSet, type ReadWriteSets } from '#fabric-codec/encode';
import { LedgerError } from '#ledger-gateway';
import type { PrivateWrites } from '../private/private-values.js';

/** The result of a simulation. */
export interface Simulated {
  readonly response: ChaincodeResponse;
  /** Those of private collections are hashed. */
  readonly readWriteSets: ReadWriteSets;
  readonly privateWrites: PrivateWrites | undefined;
  /** Private values that were read or written, which must not appear in messages. */
  readonly privateValues: readonly Uint8Array[];
  /** See `Simulation.isUncertain`. */
  readonly isUncertain: boolean;
}

/** Characters of a value in a message. */
const MAX_SHOWN = 100;

/**
 * Compares two simulations of one call on the same snapshot. On a network each endorsing peer simulates it, and a
 * transaction whose endorsements differ is refused.
 * @throws `LEDGER.REFUSED` naming the first difference
 */
export function requireSame(first: Simulated, second: Simulated): void {
  const [one, other] = [[...facts(first)], [...facts(second)]];
  const index = one.findIndex(([name, value], n) => other[n]?.[0] !== name || other[n][1] !== value);
  const at = index < 0 && other.length > one.length ? one.length : index;
  if (at < 0) return;
  const [name, value] = one[at] ?? other[at] ?? ['', ''];
  const again = other[at]?.[0] === name ? shown(other[at][1]) : 'nothing';
  if (first.privateValues.length + second.privateValues.length > 0) {
    const reason = 'its values may be private and are not shown';
    throw new LedgerError(
      'LEDGER.REFUSED',
      `the chaincode is not deterministic: executed twice, ${name} differs; ${reason}`,
    );
  }
  const text = `the chaincode is not deterministic: executed twice, ${name} was ${shown(value)}, then ${again}`;
  throw new LedgerError('LEDGER.REFUSED', text);
}

function shown(value: string): string {
  return JSON.stringify(value.length <= MAX_SHOWN ? value : `${value.slice(0, MAX_SHOWN)}…`);
}

/** Yields everything that endorsements must agree on, writes first: a response usually differs because they do. */
function* facts({ response, readWriteSets }: Simulated): Generator<readonly [name: string, value: string]> {
  const { status, message, payload, event } = response;
  for (const [namespace, set] of readWriteSets) yield* factsOf(namespace, set);
  yield ['the event', event === undefined ? 'none' : `${event.name} ${textOrBase64(event.payload)}`];
  yield ['the status of the response', String(status)];
  yield ['the message of the response', message];
  yield ['the payload of the response', textOrBase64(payload)];
}

function* factsOf(
  space: string,
  { reads, rangeReads = [], writes, metadataWrites = [] }: ReadWriteSet,
): Generator<readonly [name: string, value: string]> {
  const { namespace, collection } = partsOfSpace(space);
  const place = collection === '' ? namespace : `the collection ${collection} of ${namespace}`;
  const named = (key: string): string => `${JSON.stringify(key)} of ${place}`;
  for (const { key, value } of writes) {
    yield [`the write of ${named(key)}`, value === undefined ? 'a deletion' : textOrBase64(value)];
  }
  for (const { key, entries } of metadataWrites) {
    yield [`the metadata of ${named(key)}`, entries.map(({ name, value }) => `${name} ${textOrBase64(value)}`).join()];
  }
  for (const { key } of reads) yield [`the read of ${named(key)}`, 'made'];
  for (const { startKey, endKey, reads: found } of rangeReads) {
    yield [`the range from ${named(startKey)}`, `to ${JSON.stringify(endKey)} with ${found.length} keys`];
  }
}
