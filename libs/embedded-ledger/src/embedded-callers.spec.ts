import { createHash, X509Certificate } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { decodeEnvelope } from '#fabric-codec';
import type { Ledger, LedgerTransaction, SubmitResult } from '#ledger-gateway';
import { readOpensslCertificate, TrustedRoots, verifyReceipt } from '#receipts';
import { rootsOf } from '#receipts/testing';
import { importLedger, rebuildLedger } from './maintenance/build-ledger.js';
import { renewCaller } from './maintenance/administer-ledger.js';
import { backupLedger, exportLedger } from './maintenance/administer-ledger.js';
import { verifyLedger } from './maintenance/verify-ledger.js';
import { IdentityStore } from './store/identity-store.js';
import { createAsset, failureOf, NAMES, openLedger, TemporaryDirectory } from './testing/temporary-ledger.js';

describe('callers of the embedded ledger', () => {
  let directory: TemporaryDirectory;
  let data: string;
  let ledger: Ledger;
  beforeEach(async () => {
    directory = new TemporaryDirectory();
    data = directory.file('data');
    ledger = await openLedger(data);
  });
  afterEach(async () => {
    await ledger.close();
    directory.remove();
  });

  const submit = (id: string, caller?: string) =>
    ledger.submit(createAsset(id), caller === undefined ? {} : { caller });
  const lookUp = async (transactionId: string): Promise<LedgerTransaction> =>
    (await ledger.transactionById(transactionId))!;
  /** Recomputes a transaction's id, and returns the common name of its creator. */
  const creatorOf = async (transactionId: string): Promise<string> => {
    const { creatorBytes, creator, nonce } = decodeEnvelope((await lookUp(transactionId)).envelope);
    expect(createHash('sha256').update(nonce).update(creatorBytes).digest('hex')).toBe(transactionId);
    return /CN=(.*)/.exec(new X509Certificate(creator.idBytes).subject)![1]!;
  };
  const verified = (path: string) => verifyLedger({ path });

  it('sign with their own identities, in one block with the service', async () => {
    // Issues the identities first, so that later writes need not wait for a certificate.
    await Promise.all([submit('first', 'alice'), submit('second', 'bob')]);
    const callers = ['alice', 'bob', undefined, 'alice', 'bob'];
    const submitted = await Promise.all(callers.map((caller, n) => submit(`asset-${n}`, caller)));
    const names = await Promise.all(submitted.map(({ transactionId }) => creatorOf(transactionId)));
    expect(names).toEqual(callers.map((name) => `${name ?? 'User1'}@org1.example.com`));
    expect(new Set(submitted.map(({ blockNumber }) => blockNumber)).size).toBe(1);
  });

  it('keep their identities after a restart', async () => {
    const before = decodeEnvelope((await lookUp((await submit('a', 'alice')).transactionId)).envelope).creatorBytes;
    await ledger.close();
    ledger = await openLedger(data);
    const after = decodeEnvelope((await lookUp((await submit('b', 'alice')).transactionId)).envelope).creatorBytes;
    expect(Buffer.from(after).equals(before)).toBe(true);
  });

  it('sign with a renewed identity within a second, and are verified with both', async () => {
    const started = Date.now();
    const store = new IdentityStore(join(data, 'identities'), NAMES.mspId);
    const bytesOf = async ({ transactionId }: SubmitResult): Promise<string> =>
      Buffer.from(decodeEnvelope((await lookUp(transactionId)).envelope).creatorBytes).toString();
    // Controls the interval after which the identity file is checked again.
    const seconds = jest.spyOn(Date, 'now').mockReturnValue(started);
    const signed = [await bytesOf(await submit('a', 'alice'))];
    for (const n of [1, 2]) {
      await store.renewCaller('alice');
      expect(await bytesOf(await submit(`at-once-${n}`, 'alice'))).toBe(signed[0]);
      seconds.mockReturnValue(started + n * 2_000);
      signed.unshift(await bytesOf(await submit(`later-${n}`, 'alice')));
    }
    seconds.mockRestore();
    expect(new Set(signed).size).toBe(3);
    expect(await verified(data)).toMatchObject({ findings: [] });
    expect(await failureOf(store.renewCaller('bob'))).toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
  });

  it('sign with changed attributes within a second, and are verified with both certificates', async () => {
    await ledger.close();
    let attributes: Record<string, string> = { role: 'auditor' };
    ledger = await openLedger(data, { attributesOf: (name) => (name === 'alice' ? attributes : {}) });
    const certificateOf = async ({ transactionId }: SubmitResult): Promise<X509Certificate> =>
      new X509Certificate(decodeEnvelope((await lookUp(transactionId)).envelope).creator.idBytes);
    const started = Date.now();
    const first = await certificateOf(await submit('a', 'alice'));
    expect(first.raw.includes('{"attrs":{"role":"auditor"}}')).toBe(true);
    expect((await certificateOf(await submit('b', 'bob'))).raw.includes('attrs')).toBe(false);
    attributes = { role: 'clerk' };
    const clock = jest.spyOn(Date, 'now').mockReturnValue(started + 60_000);
    const { transactionId, ...changed } = await submit('c', 'alice');
    clock.mockRestore();
    const second = await certificateOf({ transactionId, ...changed });
    expect(second.raw.includes('{"attrs":{"role":"clerk"}}')).toBe(true);
    const roots = rootsOf((await ledger.blockByNumber(0))!.bytes);
    const receipt = (await ledger.receipt!(transactionId))!;
    const { steps } = await verifyReceipt(receipt, { roots: new TrustedRoots(roots, readOpensslCertificate) });
    expect(steps.filter(({ result }) => result === 'failed')).toEqual([]);
    expect(await verified(data)).toMatchObject({ findings: [] });
  });

  it('are verified, rebuilt, backed up with their keys, and exported without them', async () => {
    for (const n of Array(9).keys()) await submit(`asset-${n}`, ['alice', 'bob', 'carol'][n % 3]);
    const [backup, exported, imported] = ['backup', 'export', 'import'].map((name) => directory.file(name)) as [
      string,
      string,
      string,
    ];
    await backupLedger({ dataDir: data, target: backup });
    exportLedger({ dataDir: data, target: exported });
    await ledger.close();
    await rebuildLedger({ dataDir: data });
    await importLedger({ source: exported, dataDir: imported });
    for (const path of [data, backup, exported, imported]) expect(await verified(path)).toMatchObject({ findings: [] });

    const own = (path: string) => readdirSync(join(path, 'identities', 'callers'));
    expect(own(backup)).toEqual(['alice.pem', 'bob.pem', 'carol.pem']);
    expect(readFileSync(join(backup, 'identities', 'callers', 'bob.pem'))).toEqual(
      readFileSync(join(data, 'identities', 'callers', 'bob.pem')),
    );
    expect(existsSync(join(imported, 'identities'))).toBe(false);
    expect(readdirSync(exported, { recursive: true }).filter((name) => String(name).endsWith('.pem'))).toEqual([]);

    ledger = await openLedger(backup);
    expect(await creatorOf((await submit('new', 'bob')).transactionId)).toBe('bob@org1.example.com');
  });

  it('fail with DAMAGED instead of silently getting a new identity when their identity file is missing', async () => {
    const certificatesDir = directory.file('certificates');
    const file = join(data, 'identities', 'callers', 'alice.pem');
    const reopen = async (): Promise<void> => {
      await ledger.close();
      ledger = await openLedger(data, { certificatesDir });
    };
    const keyed = () => ledger.submit(createAsset('a'), { caller: 'alice', idempotencyKey: 'k' });
    const first = await keyed();
    // The identity was issued by a version that recorded no certificates: opening the ledger records them.
    await reopen();
    for (const lose of [
      () => {
        rmSync(file);
        return Promise.resolve();
      },
      async () => {
        await keyed();
        rmSync(file);
        await reopen();
      },
    ]) {
      await lose();
      expect(await failureOf(keyed())).toMatchObject({ code: 'LEDGER.DAMAGED' });
      expect(await failureOf(submit('b', 'alice'))).toMatchObject({ code: 'LEDGER.DAMAGED' });
      expect(existsSync(file)).toBe(false);
      await renewCaller({ dataDir: data, name: 'alice', certificatesDir });
      expect(await keyed()).toEqual({ ...first, isReplay: true });
    }
    await submit('b', 'alice');
    await submit('c', 'bob');
    expect(await failureOf(renewCaller({ dataDir: data, name: 'carol', certificatesDir }))).toMatchObject({
      code: 'LEDGER.MISCONFIGURED',
    });
  });

  it('are refused by an invalid name, and nothing is written', async () => {
    for (const name of ['../client', 'Admin', '']) {
      expect((await failureOf(submit('a', name))).code).toBe('LEDGER.UNKNOWN_CALLER');
    }
    expect((await ledger.chainInfo()).height).toBe(1);
    expect(ledger.queueLength()).toBe(0);
  });

  it("need the CA's key for their first write, and get an identity once it is available", async () => {
    const key = join(data, 'identities', 'ca.key.pem');
    renameSync(key, directory.file('elsewhere'));
    expect((await failureOf(submit('a', 'alice'))).code).toBe('LEDGER.MISCONFIGURED');
    renameSync(directory.file('elsewhere'), key);
    expect(await creatorOf((await submit('a', 'alice')).transactionId)).toBe('alice@org1.example.com');
  });

  it("cannot endorse: verify reports a caller's certificate used as the peer's", async () => {
    await submit('a', 'alice');
    await ledger.close();
    expect(await verified(data)).toMatchObject({ findings: [] });
    const [own, peer] = ['callers/alice.pem', 'peer.pem'].map((file) => join(data, 'identities', file)) as [
      string,
      string,
    ];
    const kept = readFileSync(peer);
    copyFileSync(own, peer);
    ledger = await openLedger(data);
    const { blockNumber } = await submit('b');
    await ledger.close();
    writeFileSync(peer, kept);
    const { findings } = await verified(data);
    expect(findings).not.toEqual([]);
    expect(new Set(findings.map(({ where }) => where))).toEqual(
      new Set([expect.stringContaining(`block ${blockNumber}`)]),
    );
    ledger = await openLedger(data);
  });

  it('can read without an identity', async () => {
    await submit('a');
    await ledger.evaluate({ function: 'ReadAsset', arguments: ['a'] }, { caller: 'nobody' });
    expect(existsSync(join(data, 'identities', 'callers'))).toBe(false);
  });
});
