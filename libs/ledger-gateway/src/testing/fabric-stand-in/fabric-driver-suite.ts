import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { LedgerError } from '../../errors/ledger.errors.js';
import { decodeBlock } from '../../fabric-blocks/decode/decode-block.js';
import { decodeEnvelope, readIdentity } from '../../fabric-blocks/decode/decode-envelope.js';
import type { IssuedIdentity } from '../../certificates/certificate-authority.js';
import type { Pace, StageLimits } from '../../fabric-client/fabric-transport.js';
import type { LedgerLogger } from '../../ports/ledger-logger.js';
import type { CallOptions, Ledger, LedgerCall, LedgerChannel } from '../../ports/ledger.port.js';
import type { FabricStandInOptions } from './fabric-stand-in.js';
import { HASTY_PACE, type LedgerOnStandIn } from './ledgers-on-stand-in.js';
import { sampleChaincode } from './stand-in-chaincode.js';
import type { Fault } from './stand-in-faults.js';
import { createOrganisation } from './stand-in-identities.js';

/** Options that both drivers understand. */
export interface SuiteOptions {
  readonly network?: FabricStandInOptions;
  readonly channel?: string;
  readonly chaincode?: string;
  readonly maxCalls?: number;
  readonly pace?: Pace;
  readonly limits?: StageLimits;
  readonly logger?: LedgerLogger;
}

/** What both Fabric drivers do when nodes go, come back, refuse or hang. */
export function fabricDriverSuite(name: string, open: (options?: SuiteOptions) => Promise<LedgerOnStandIn>): void {
  describe(`${name}, when things go wrong`, () => {
    let made: LedgerOnStandIn;
    const start = async (options?: SuiteOptions): Promise<LedgerOnStandIn & { channel: LedgerChannel }> => {
      made = await open(options);
      return { ...made, channel: made.ledger.channel() };
    };
    afterEach(async () => {
      await made.dispose();
    });

    it('says that the peer is out of reach, and works again when it is back', async () => {
      const { network, ledger, channel } = await start({ pace: HASTY_PACE });
      await ready(ledger);
      await channel.submit(create('a'));
      network.peers[0]!.stop();
      expect(await failure(channel.evaluate(read('a')))).toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
      expect(await failure(channel.submit(create('b')))).toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
      await until(async () => (await ledger.connectionState()).status === 'unavailable');
      await network.peers[0]!.start();
      await ready(ledger);
      expect(await assetOf(channel, 'a')).toMatchObject({ owner: 'Tom' });
      await channel.submit(create('b'));
    });

    it('starts while no peer is there, and works as soon as one is', async () => {
      const { network, ledger, channel } = await start({ network: { isDown: true }, pace: HASTY_PACE });
      expect(await ledger.connectionState()).toMatchObject({ status: 'unavailable' });
      await network.peers[0]!.start();
      await ready(ledger);
      await channel.submit(create('a'));
    });

    it('says once that the network is not there when it starts, and once that it is', async () => {
      const told: string[] = [];
      const tell = (level: string) => (_facts: object, text: string) => {
        told.push(`${level}: ${text}`);
      };
      const logger = { info: tell('info'), warn: tell('warn'), error: tell('error') };
      const { network } = await start({ network: { isDown: true }, pace: HASTY_PACE, logger });
      await until(() => Promise.resolve(told.length === 2));
      await network.peers[0]!.start();
      await until(() => Promise.resolve(told.length === 3));
      expect(told).toEqual([
        'info: ledger opened',
        expect.stringMatching(/^warn: the network cannot be used yet, and is asked for again: .*/),
        'info: the network can be used now',
      ]);
    });

    it('ends at once while a peer hangs that is asked whether it works', async () => {
      const { network, ledger, channel } = await start();
      await channel.evaluate(exists('a'));
      const { faults } = network.peers[0]!;
      const asked = (): number => faults.calls('evaluate') + faults.calls('processProposal');
      for (const point of ['evaluate', 'processProposal'] as const) faults.next(point, { kind: 'hang' });
      const before = asked();
      const state = ledger.connectionState();
      await until(() => Promise.resolve(asked() > before));
      await ledger.close();
      expect(await state).toMatchObject({ status: 'unavailable' });
    });

    it('asks another peer when the first is gone, without anybody noticing', async () => {
      const { network, ledger, channel } = await start({ network: { peers: 2 }, pace: HASTY_PACE });
      await ready(ledger);
      await channel.submit(create('a'));
      network.peers[0]!.stop();
      expect(await assetOf(channel, 'a')).toMatchObject({ owner: 'Tom' });
    });

    it('is certain that nothing was written when no orderer can be reached, and writes when it is back', async () => {
      const { network, ledger, channel } = await start({ pace: HASTY_PACE });
      await ready(ledger);
      await channel.submit(create('a'));
      network.orderer.stop();
      expect(await failure(channel.submit(create('b')))).toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
      expect((await channel.chainInfo()).height).toBe(2);
      await network.orderer.start();
      await ready(ledger);
      await until(() => isOk(channel.submit(create('c'))));
      expect(await failure(channel.evaluate(read('b')))).toMatchObject({ code: 'LEDGER.ASSET_NOT_FOUND' });
    });

    it('is not ready while no orderer can be reached, though reads go on, and ready again when one can', async () => {
      const { network, ledger, channel } = await start({ pace: HASTY_PACE });
      await until(() => isOk(channel.evaluate(exists('a'))));
      network.orderer.stop();
      const state = await ledger.connectionState();
      expect(state).toMatchObject({ status: 'read-only' });
      expect((state as { reason: string }).reason).toContain('No orderer');
      expect(await failure(channel.evaluate(read('a')))).toMatchObject({ code: 'LEDGER.ASSET_NOT_FOUND' });
      await network.orderer.start();
      await ready(ledger);
      expect((await channel.chainInfo()).height).toBe(1);
      network.orderer.stop();
      expect(await failure(channel.submit(create('a')))).toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
      await until(async () => (await ledger.connectionState()).status === 'read-only');
      await network.orderer.start();
      await ready(ledger);
    });

    it('says that what a peer answers of the chain is damaged', async () => {
      const { network, channel } = await start();
      const { transactionId } = await channel.submit(create('a'));
      const damaged: Readonly<Record<string, readonly number[]>> = {
        'a length that leads out of it': [0x12, 0x20, 1],
        'a group': [0x0b],
        'a length of 4 GiB': [0x12, 0xff, 0xff, 0xff, 0xff, 0x0f, 1],
        'no protobuf': [...Buffer.from('<html>')],
      };
      for (const [what, bytes] of Object.entries(damaged)) {
        network.chainAnswer = Uint8Array.from(bytes);
        const calls = [channel.chainInfo(), channel.blockByNumber(1), channel.transactionById(transactionId)];
        for (const { code } of await failures(calls)) expect({ what, code }).toEqual({ what, code: 'LEDGER.DAMAGED' });
      }
      network.chainAnswer = undefined;
      expect((await channel.chainInfo()).height).toBe(2);
    });

    it('makes a transaction anew after a conflict, under an id of its own', async () => {
      const { channel } = await start();
      await channel.submit(create('a'));
      const owners = ['Ann', 'Bob', 'Eve'];
      const written = await Promise.all(
        owners.map((owner) => channel.submit({ function: 'TransferAsset', arguments: ['a', owner] })),
      );
      const codes = await validationCodes(channel);
      expect(codes.filter(({ code }) => code === 0)).toHaveLength(1 + owners.length);
      expect(codes.filter(({ code }) => code === 11).length).toBeGreaterThan(0);
      for (const { transactionId } of written) expect(codes).toContainEqual({ transactionId, code: 0 });
    });

    it('says that the chaincode is down, and works when it is started', async () => {
      const { network, channel } = await start();
      await channel.submit(create('a'));
      const { chaincode } = network;
      network.chaincode = undefined;
      for (const error of await failures([channel.evaluate(read('a')), channel.submit(create('b'))])) {
        expect(error).toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
        expect(error.message).toContain('Chaincode basic does not answer');
      }
      network.chaincode = chaincode;
      await channel.submit(create('b'));
    });

    it('says that the channel is unknown', async () => {
      const { channel } = await start({ channel: 'other' });
      expect(await failure(channel.evaluate(read('a')))).toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
      expect(await failure(channel.submit(create('a')))).toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
    });

    it('says that the chaincode is unknown', async () => {
      const { channel } = await start({ chaincode: 'bassic' });
      for (const error of await failures([channel.evaluate(read('a')), channel.submit(create('a'))])) {
        expect(error).toMatchObject({ code: 'LEDGER.MISCONFIGURED', retryable: false });
        expect(error.message).toMatch(/haincode bassic .*check LEDGER_CHAINCODE/);
      }
    });

    it('says that the identity is refused, and takes a new one from the disk without a restart', async () => {
      const { network, ledger, channel, useIdentity } = await start();
      const stranger = await createOrganisation();
      useIdentity(stranger.client);
      await until(async () => !(await isOk(channel.evaluate(exists('a')))));
      const error = await failure(channel.evaluate(exists('a')));
      expect(error).toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
      expect(error.message).toMatch(/User1@org1\.example\.com of Org1MSP \(valid until \d{4}-/);
      expect(await failure(channel.submit(create('a')))).toMatchObject({ code: 'LEDGER.MISCONFIGURED' });

      useIdentity(await network.organisation.issueClient('User2@org1.example.com'));
      await ready(ledger);
      const { transactionId } = await channel.submit(create('a'));
      expect(await creatorOf(channel, transactionId)).toContain('User2@org1.example.com');
    });

    it('signs for each caller with the identity of its name, in one block too, and for nobody with its own', async () => {
      const { network, channel, addCaller } = await start();
      const callers = ['alice', 'bob'];
      for (const name of callers) addCaller(name, await network.organisation.issueClient(name));
      await channel.submit(create('own'));
      const creatorsOf = async (number: number): Promise<string[]> =>
        envelopesIn((await channel.blockByNumber(number))!.bytes).map((envelope) => creatorIn(envelope));
      expect(await creatorsOf(1)).toEqual([expect.stringContaining('CN=User1@org1.example.com')]);
      let isTogether = false;
      for (let round = 0; !isTogether; round++) {
        if (round === 100) throw new Error('The two were never ordered into one block.');
        const written = await Promise.all(
          callers.map((caller) => channel.submit(create(`${caller}${round}`), { caller })),
        );
        for (const [index, { transactionId }] of written.entries()) {
          expect(await creatorOf(channel, transactionId)).toContain(`CN=${callers[index]}`);
        }
        isTogether = written[0]!.blockNumber === written[1]!.blockNumber;
      }
      expect(json(await channel.evaluate(exists('alice0'), { caller: 'bob' }))).toBe(true);
    });

    it('remembers the certificates that a caller and the service had, also after a restart', async () => {
      const { network, channel, addCaller, useIdentity, reopen } = await start();
      const started = Date.now();
      const serial = ({ certificate }: IssuedIdentity): string => new X509Certificate(certificate).serialNumber;
      const creators = async (caller?: string, since = started, from = channel): Promise<string[]> =>
        (await from.creators(caller, since)).map((bytes) => serialNumberOf(bytes));
      const issue = (name: string) => network.organisation.issueClient(name);
      const alice = [await issue('alice'), await issue('alice')] as const;
      addCaller('alice', alice[0]);
      expect(await creators('alice')).toEqual([serial(alice[0])]);
      const { transactionId } = await channel.submit(create('a'), { caller: 'alice' });
      const { envelope } = (await channel.transactionById(transactionId))!;
      expect(await channel.creators('alice', started)).toEqual([decodeEnvelope(envelope).creatorBytes]);

      addCaller('alice', alice[1]);
      useIdentity(await issue('User2'));
      await until(async () => (await creators('alice')).length === 2 && (await creators()).length === 2);
      const expected = [serial(alice[1]), serial(alice[0])];
      expect(await creators('alice')).toEqual(expected);
      expect(await creators('alice', Date.now() + 1)).toEqual(expected.slice(0, 1));

      addCaller('alice', await issue('alice'));
      const again = (await reopen()).channel();
      expect((await creators('alice', started, again)).slice(1)).toEqual(expected);
      expect((await creators(undefined, started, again)).slice(1)).toEqual([serial(network.organisation.client)]);
    });

    it('refuses a caller without an identity, sends nothing, and takes it when it has one', async () => {
      const { network, channel, addCaller } = await start();
      const refused = await failures([
        channel.submit(create('a'), { caller: 'alice' }),
        channel.evaluate(exists('a'), { caller: 'alice' }),
        channel.submit(create('a'), { caller: 'User1' }),
        channel.submit(create('a'), { caller: 'admin' }),
      ]);
      for (const error of refused) expect(error).toMatchObject({ code: 'LEDGER.UNKNOWN_CALLER', retryable: false });
      expect((await channel.chainInfo()).height).toBe(1);
      addCaller('alice', await network.organisation.issueClient('alice'));
      const { transactionId } = await channel.submit(create('a'), { caller: 'alice' });
      expect(await creatorOf(channel, transactionId)).toContain('CN=alice');
    });

    it('signs with a key on P-384 as the network checks it', async () => {
      const { network, ledger, channel, useIdentity } = await start();
      const keys = generateKeyPairSync('ec', { namedCurve: 'P-384' });
      useIdentity(await network.organisation.issueClient('User384@org1.example.com', keys));
      await until(async () => {
        const { transactionId } = await channel.submit({ function: 'InitLedger', arguments: [] });
        return (await creatorOf(channel, transactionId)).includes('User384@org1.example.com');
      });
      await ready(ledger);
    });

    it('gives every block once and in order across a restart of the peer', async () => {
      const { network, ledger, channel } = await start();
      const stop = new AbortController();
      const seen: number[] = [];
      const reading = (async () => {
        for await (const block of channel.blockEvents({ startBlock: 0, signal: stop.signal })) {
          seen.push(block.number);
          if (block.number === 3) stop.abort();
        }
      })();
      await channel.submit(create('a'));
      await until(() => Promise.resolve(seen.length === 2));
      network.peers[0]!.stop();
      await network.peers[0]!.start();
      await ready(ledger);
      for (const id of ['b', 'c']) await until(() => isOk(channel.submit(create(id))));
      await reading;
      expect(seen).toEqual([0, 1, 2, 3]);
    });

    it('keeps more calls than a peer takes waiting, and refuses those beyond', async () => {
      const { channel } = await start({ maxCalls: 2 });
      await channel.evaluate(exists('a'));
      const ends = await Promise.allSettled(Array.from({ length: 40 }, () => channel.evaluate(exists('a'))));
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [(end.reason as LedgerError).code] : []));
      expect(refused).toEqual(Array(28).fill('LEDGER.OVERLOADED'));
    });

    it('ends at the deadline of the caller', async () => {
      const { network, channel } = await start();
      await channel.submit(create('a'));
      for (const point of ['evaluate', 'endorse', 'processProposal'] as const) {
        network.peers[0]!.faults.next(point, ...Array<Fault>(4).fill({ kind: 'hang' }));
      }
      const soon = (): CallOptions => ({ deadline: Date.now() + 300 });
      expect(await failure(channel.evaluate(read('a'), soon()))).toMatchObject({ code: 'LEDGER.TIMEOUT' });
      expect(await failure(channel.submit(create('b'), soon()))).toMatchObject({ code: 'LEDGER.TIMEOUT' });
      const stop = new AbortController();
      const late = channel.submit(create('b'), { signal: stop.signal });
      await until(() =>
        Promise.resolve(
          network.peers[0]!.faults.calls('endorse') + network.peers[0]!.faults.calls('processProposal') > 0,
        ),
      );
      stop.abort();
      expect(await failure(late)).toMatchObject({ code: 'LEDGER.TIMEOUT' });
      network.peers[0]!.faults.clear();
      expect(await failure(channel.evaluate(read('b')))).toMatchObject({ code: 'LEDGER.ASSET_NOT_FOUND' });
    });
  });

  describe(`${name}, on fabric-samples' chaincode`, () => {
    let made: LedgerOnStandIn;
    let channel: LedgerChannel;
    const begin = async (): Promise<void> => {
      made = await open({ network: { chaincode: sampleChaincode } });
      channel = made.ledger.channel();
    };
    afterEach(async () => {
      await made.dispose();
    });

    it('answers writes with the asset as our contract does', async () => {
      await begin();
      const created = await channel.submit(create('a'));
      expect(json(created.result)).toEqual({ ID: 'a', color: 'blue', size: '5', owner: 'Tom', appraisedValue: '100' });
      const updated = await channel.submit({ function: 'UpdateAsset', arguments: ['a', 'red', '8.5', 'Ann', '-1'] });
      expect(json(updated.result)).toEqual({ ID: 'a', color: 'red', size: '8.5', owner: 'Ann', appraisedValue: '-1' });
      const moved = await channel.submit({ function: 'TransferAsset', arguments: ['a', 'Bob'] });
      expect(json(moved.result)).toEqual({ ID: 'a', color: 'red', size: '8.5', owner: 'Bob', appraisedValue: '-1' });
    });

    it('refuses numbers which it would keep as others, and what is none, and names the field', async () => {
      await begin();
      const refused = ['1e3', '0x10', ' 7 ', '007', '9007199254740993', 'Infinity', '5.0', 'big', ''];
      for (const value of refused) {
        for (const [field, size, appraisedValue] of [
          ['size', value, '1'],
          ['appraisedValue', '1', value],
        ] as const) {
          const call = { function: 'CreateAsset', arguments: ['a', 'blue', size, 'Tom', appraisedValue] };
          const error = await failure(channel.submit(call));
          expect(error).toMatchObject({ code: 'LEDGER.INVALID_ARGUMENT' });
          expect(error.message).toMatch(new RegExp(`^${field} must be a plain number`));
        }
      }
      expect((await channel.chainInfo()).height).toBe(1);
    });

    it('gives pages in byte order of the ids', async () => {
      await begin();
      const ids = ['b', 'a', 'ä', '🚀', '\uff1d', 'a1', 'Z'];
      await Promise.all(ids.map((id) => channel.submit(create(id))));
      const seen: string[] = [];
      for (let bookmark: string | undefined = ''; bookmark !== undefined;) {
        const call = { function: 'GetAssetsPage', arguments: ['3', bookmark] };
        const page = json(await channel.evaluate(call)) as { assets: { ID: string }[]; bookmark: string };
        expect(page.assets.length).toBeLessThanOrEqual(3);
        seen.push(...page.assets.map(({ ID }) => ID));
        bookmark = page.bookmark === '' ? undefined : page.bookmark;
      }
      expect(seen).toEqual(ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
      expect(json(await channel.evaluate({ function: 'GetAllAssets', arguments: [] }))).toHaveLength(ids.length);
    });

    it('makes the initial assets without overwriting any', async () => {
      await begin();
      const init = { function: 'InitLedger', arguments: [] };
      const all = await channel.submit(init);
      expect(json(all.result)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `asset${n}`));
      await channel.submit({ function: 'TransferAsset', arguments: ['asset1', 'Ann'] });
      await channel.submit({ function: 'DeleteAsset', arguments: ['asset2'] });
      await channel.submit({ function: 'DeleteAsset', arguments: ['asset4'] });
      const some = await channel.submit(init);
      expect(json(some.result)).toEqual(['asset2', 'asset4']);
      expect(some.transactionIds).toHaveLength(2);
      expect(await assetOf(channel, 'asset1')).toMatchObject({ owner: 'Ann' });
      const none = await channel.submit(init);
      expect(json(none.result)).toEqual([]);
    });
  });
}

const create = (id: string): LedgerCall => ({ function: 'CreateAsset', arguments: [id, 'blue', '5', 'Tom', '100'] });
const read = (id: string): LedgerCall => ({ function: 'ReadAsset', arguments: [id] });
const exists = (id: string): LedgerCall => ({ function: 'AssetExists', arguments: [id] });

async function assetOf(channel: LedgerChannel, id: string): Promise<unknown> {
  return json(await channel.evaluate(read(id)));
}

function json(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}

/** Every transaction behind block 0, with its validation code. */
async function validationCodes(channel: LedgerChannel): Promise<{ transactionId: string; code: number | undefined }[]> {
  const { height } = await channel.chainInfo();
  const all: { transactionId: string; code: number | undefined }[] = [];
  for (let number = 1; number < height; number++) {
    const { envelopes, validationCodes: codes } = decodeBlock((await channel.blockByNumber(number))!.bytes);
    envelopes.forEach((envelope, position) => {
      all.push({ transactionId: decodeEnvelope(envelope).transactionId, code: codes[position] });
    });
  }
  return all;
}

/** The certificate of who made a transaction, as text. */
async function creatorOf(channel: LedgerChannel, transactionId: string): Promise<string> {
  const transaction = await channel.transactionById(transactionId);
  return creatorIn(transaction!.envelope);
}

function serialNumberOf(creator: Uint8Array): string {
  return new X509Certificate(readIdentity(creator).idBytes).serialNumber;
}

function creatorIn(envelope: Uint8Array): string {
  return new X509Certificate(decodeEnvelope(envelope).creator.idBytes).subject;
}

function envelopesIn(block: Uint8Array): readonly Uint8Array[] {
  return decodeBlock(block).envelopes;
}

export async function failure(call: Promise<unknown>): Promise<LedgerError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof LedgerError)) throw error instanceof Error ? error : new Error('The call did not fail.');
  return error;
}

/** Why each of several calls under way at once fails. */
function failures(calls: readonly Promise<unknown>[]): Promise<LedgerError[]> {
  return Promise.all(calls.map(failure));
}

function isOk(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => true,
    () => false,
  );
}

/** The longest wait for what a ledger finds out by itself. */
const PATIENCE_MS = 20_000;

/** Waits for what the ledger itself finds out. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`This did not come about within ${PATIENCE_MS} ms: ${String(condition)}`);
    await delay(20);
  }
}

export async function ready(ledger: Ledger): Promise<void> {
  await until(async () => (await ledger.connectionState()).status === 'ready');
}
