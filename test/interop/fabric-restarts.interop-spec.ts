import { randomUUID } from 'node:crypto';
import { isLedgerError, type Ledger } from '#ledger-gateway';
import { FABRIC_DRIVERS } from '../support/fabric-ledgers.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { until } from '../support/until.js';

const release = fabricRelease();
const STEP_MS = 240_000;
const WRITERS = 16;
const RETRYABLE = ['LEDGER.UNAVAILABLE', 'LEDGER.TIMEOUT', 'LEDGER.CONFLICT', 'LEDGER.OVERLOADED'];

/** What became of every write of a stream. */
interface Stream {
  readonly acknowledged: Set<string>;
  readonly refused: Map<string, string>;
  /** Transaction ids by asset. */
  readonly unknown: Map<string, string>;
}

if ('missing' in release) {
  describe(`writes across restarts of a real network (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
}

('missing' in release ? describe.skip : describe)('a stream of writes across restarts of a real network', () => {
  let network: FabricNetwork;
  beforeAll(async () => {
    if (!('missing' in release)) network = await FabricNetwork.up(release.env, '--batch-timeout', '200ms');
  }, STEP_MS);
  afterAll(async () => {
    await network.down();
  }, STEP_MS);

  for (const { name, open } of FABRIC_DRIVERS) {
    it.each(['peer-org1', 'orderer', 'chaincode'] as const)(
      `${name} reports the truth when the %s restarts, and recovers`,
      async (part) => {
        const ledger = await open(network);
        try {
          await works(ledger);
          const stop = new AbortController();
          const stream: Stream = { acknowledged: new Set(), refused: new Map(), unknown: new Map() };
          const writers = Promise.all(Array.from({ length: WRITERS }, () => write(ledger, stream, stop.signal)));
          await until(() => stream.acknowledged.size > 100);
          await network.stop(part);
          await until(() => stream.refused.size + stream.unknown.size > 0);
          await network.startStopped();
          const before = stream.acknowledged.size;
          await until(() => stream.acknowledged.size > before + 100);
          stop.abort();
          await writers;
          await works(ledger);

          const { resolved, missing, wrong } = await compare(ledger, stream);
          expect({ missing, wrong }).toEqual({ missing: [], wrong: [] });
          // Nothing was wrong with what was asked: no refusal may look like the caller's fault.
          for (const code of stream.refused.values()) expect(RETRYABLE).toContain(code);
          const codes = [...new Set(stream.refused.values())].sort((a, b) => (a < b ? -1 : 1)).join(', ');
          console.log(
            `${name}, ${part} restarted: ${stream.acknowledged.size} acknowledged and all there, ${stream.refused.size} refused ` +
              `(${codes}) and none there, ${stream.unknown.size} unknown, of which ${resolved} are found committed by their ids`,
          );
        } finally {
          await ledger.close();
        }
      },
      STEP_MS,
    );
  }
});

/** Creates assets, one after the other, until the signal. */
async function write(ledger: Ledger, { acknowledged, refused, unknown }: Stream, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const id = randomUUID();
    try {
      await ledger.submit({ function: 'CreateAsset', arguments: [id, 'blue', '5', 'Tom', '1'] });
      acknowledged.add(id);
    } catch (error) {
      if (!isLedgerError(error)) throw error;
      if (error.code === 'LEDGER.OUTCOME_UNKNOWN') unknown.set(id, error.transactionId!);
      else refused.set(id, error.code);
      await pause();
    }
  }
}

/** Compares the answer to each write with the state of the ledger. */
async function compare(ledger: Ledger, { acknowledged, refused, unknown }: Stream) {
  const channel = ledger;
  const exists = async (id: string): Promise<boolean> => {
    const answer = await channel.evaluate({ function: 'AssetExists', arguments: [id] });
    return Buffer.from(answer).toString() === 'true';
  };
  const missing: string[] = [];
  const wrong: string[] = [];
  let resolved = 0;
  for (const id of acknowledged) if (!(await exists(id))) missing.push(id);
  for (const [id, code] of refused) if (await exists(id)) wrong.push(`${id} was refused with ${code} and is there`);
  for (const [id, transactionId] of unknown) {
    const isValid = (await channel.transactionById(transactionId))?.validationCode === 0;
    if (isValid !== (await exists(id))) wrong.push(`${id} and its transaction ${transactionId} disagree`);
    if (isValid) resolved++;
  }
  return { resolved, missing, wrong };
}

/** Waits until a write goes through. */
async function works(ledger: Ledger): Promise<void> {
  const call = () => ({ function: 'CreateAsset', arguments: [randomUUID(), 'blue', '5', 'Tom', '1'] });
  for (;;) {
    try {
      await ledger.submit(call());
      return;
    } catch (error) {
      if (!isLedgerError(error)) throw error;
      await pause();
    }
  }
}

/** Between two looks at what another process does. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
