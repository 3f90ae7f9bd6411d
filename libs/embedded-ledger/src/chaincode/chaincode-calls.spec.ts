import { decodeActions, decodeEnvelope, decodeEvent, decodeReadWriteSets } from '#fabric-codec';
import type { Ledger, LedgerCall, SubmitResult } from '#ledger-gateway';
import { readOpensslCertificate, TrustedRoots, verifyReceipt } from '#receipts';
import { rootsOf } from '#receipts/testing';
import { exportLedger, importLedger, rebuildLedger, verifyLedger } from '../index.js';
import { TestChaincodes, TOKENS } from '../testing/test-chaincodes.js';
import { codeOf, createAsset, failureOf, openLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe('chaincodes of an embedded ledger', () => {
  let directory: TemporaryDirectory;
  let host: TestChaincodes;
  let ledger: Ledger;
  let counter = 0;
  let waiting = 0;
  const released = Promise.withResolvers<undefined>();
  beforeAll(async () => {
    directory = new TemporaryDirectory();
    host = new TestChaincodes({
      tokens: TOKENS,
      shop: {
        Buy: async (stub, asset = '', buyer = '', price = '') => {
          const transferred = await stub.invoke('tokens', 'Transfer', buyer, 'shop', price);
          if (transferred.status !== 200) throw new Error(transferred.message);
          const owned = await stub.invoke('basic', 'TransferAsset', asset, buyer);
          if (owned.status !== 200) throw new Error(owned.message);
          stub.put(`sold-${asset}`, price);
          stub.event = { name: 'Sold', payload: Buffer.from(asset) };
          return text(owned.payload);
        },
        Wait: async () => {
          waiting += 1;
          await released.promise;
          return '';
        },
        Bytes: ({ call }) => Buffer.concat(call.arguments).toString('hex'),
        TransferBytes: async (stub, asset = '') => {
          const [, , owner = Buffer.of()] = stub.call.arguments;
          const call = { ...stub.call, arguments: [Buffer.from('TransferAsset'), Buffer.from(asset), owner] };
          return (await host.require('basic').invoke(call, stub.state)).message;
        },
        Creator: ({ call }) => text(call.creator),
        Secret: ({ call }) => text(call.transient.get('key') ?? Buffer.from('none')),
        Repeat: ({ call }, form = '') => {
          const secret = Buffer.from(call.transient.get('secret') ?? '');
          if (form === 'no') throw new Error('');
          const shown =
            form === 'json'
              ? JSON.stringify(secret.toString())
              : secret.toString(form === 'text' ? 'utf8' : (form as BufferEncoding));
          throw new Error(`refused: ${shown}`);
        },
        PageThenPut: (stub) => {
          stub.range('', '', { size: 1, bookmark: '' });
          stub.put('a', 'b');
          return '';
        },
        PutThenPage: (stub) => {
          stub.put('a', 'b');
          return stub.range('', '', { size: 1, bookmark: '' }).join();
        },
        Count: (stub, counted = '') => {
          const found = stub.range('n', 'o').length;
          stub.put(`n-${counted}`, String(found));
          return String(found);
        },
        Put: (stub, key = '', value = '') => {
          stub.put(key, value);
          return value;
        },
        Respond: (stub, status = '') => {
          stub.put('responded', status);
          throw Object.assign(new Error('not now'), { status: Number(status) });
        },
        Append: (stub, key = '', value = '') => {
          const appended = stub.get(key) + value;
          stub.put(key, appended);
          return appended;
        },
        Random: (stub) => {
          stub.put('count', String((counter += 1)));
          return '';
        },
        ReadMany: (stub) => String(stub.range().length + Array.from({ length: 1001 }, () => stub.get('k')).length),
        RunAgain: (stub) => {
          stub.put('dropped', stub.get('first'));
          stub.range();
          stub.state.reset();
          stub.put('stored', stub.get('second'));
          return '';
        },
        WriteMuch: (stub) => {
          stub.put('large', 'x'.repeat(10_001));
          return '';
        },
      },
    });
    ledger = await openLedger(directory.path, { chaincodes: host });
  });
  afterAll(async () => {
    await ledger.close();
    expect(host.isClosed).toBe(true);
    directory.remove();
  });

  const call = (chaincode: string, name: string, ...args: readonly string[]): LedgerCall => {
    return { chaincode, function: name, arguments: args };
  };
  const tokens = (name: string, ...args: readonly string[]) => call('tokens', name, ...args);
  const evaluate = async (asked: LedgerCall): Promise<string> => text(await ledger.evaluate(asked));
  const actionOf = async ({ transactionId }: SubmitResult) => {
    const transaction = await ledger.transactionById(transactionId);
    return decodeActions(decodeEnvelope(transaction!.envelope).data)[0]!;
  };

  it('reads the committed state, ranges and histories of each chaincode', async () => {
    await ledger.submit(tokens('Mint', 'ann', '5'));
    await ledger.submit(tokens('Mint', 'ann', '6'));
    await ledger.submit(tokens('Mint', 'bob', '1'));
    await ledger.submit(tokens('Burn', 'bob'));
    await ledger.submit(createAsset('asset-1'));
    expect(await evaluate(tokens('Balance', 'ann'))).toBe('11');
    expect(await evaluate(tokens('Accounts', '', ''))).toBe('["ann"]');
    expect(await evaluate(tokens('History', 'bob'))).toBe('["deleted","1"]');
    expect(await evaluate(call('shop', 'Count', '0'))).toBe('0');
    const page = await ledger.assets!({ limit: 10 });
    expect(page.items.map((item) => (JSON.parse(item) as { ID: string }).ID)).toEqual(['asset-1']);
    expect((await ledger.lists.totals!()).assets).toBe(1);
  });

  it('are not delayed by slow calls of another chaincode', async () => {
    const stuck = Array.from({ length: 20 }, () => evaluate(call('shop', 'Wait')));
    expect(await evaluate(tokens('Balance', 'ann'))).toBe('11');
    // Those of one chaincode share its snapshots.
    expect(waiting).toBeLessThan(stuck.length);
    released.resolve(undefined);
    await Promise.all(stuck);
  });

  it('read pages with bookmarks', async () => {
    for (const account of ['p1', 'p2', 'p3']) await ledger.submit(tokens('Mint', account, '1'));
    expect(await evaluate(tokens('Page', '2', 'p'))).toBe('["p1","p2","p3"]');
    expect(await evaluate(tokens('Page', '2', 'p3'))).toBe('["p3",""]');
  });

  it('record the reads and writes of chaincodes that they invoke, and their own event', async () => {
    await ledger.submit(createAsset('asset-2'));
    await ledger.submit(tokens('Mint', 'buyer', '10'));
    const sold = await ledger.submit(call('shop', 'Buy', 'asset-2', 'buyer', '4'));
    expect(text(sold.result)).toContain('"owner":"buyer"');
    const action = await actionOf(sold);
    const sets = decodeReadWriteSets(action.results);
    expect(sets.map(({ namespace, writes }) => [namespace, writes.map(({ key }) => key)])).toEqual([
      ['basic', ['asset-2']],
      ['shop', ['sold-asset-2']],
      ['tokens', ['buyer', 'shop']],
    ]);
    expect(decodeEvent(action.events)).toMatchObject({ chaincode: 'shop', name: 'Sold' });
    expect(await evaluate(tokens('Balance', 'buyer'))).toBe('6');
    expect(text(await ledger.evaluate({ function: 'ReadAsset', arguments: ['asset-2'] }))).toContain('"buyer"');
  });

  it('have receipts for their transactions', async () => {
    const { transactionId } = await ledger.submit(tokens('Mint', 'receipt', '1'));
    const receipt = await ledger.receipt!(transactionId);
    const roots = new TrustedRoots(rootsOf((await ledger.blockByNumber(0))!.bytes), readOpensslCertificate);
    const { steps, transaction } = await verifyReceipt(receipt!, { roots });
    expect(steps.filter(({ result }) => result === 'failed')).toEqual([]);
    expect(transaction).toMatchObject({ transactionId, function: 'Mint', arguments: ['receipt', '1'] });
  });

  it('keep the sum of accounts in 100 parallel transfers, and simulate them only a few times each', async () => {
    await ledger.submit(tokens('Mint', 'rich', '100'));
    const transfers = Array.from({ length: 100 }, (_, n) =>
      ledger.submit(tokens('Transfer', 'rich', `poor-${n % 3}`, '1')),
    );
    const results = await Promise.all(transfers);
    expect(new Set(results.map(({ transactionId }) => transactionId)).size).toBe(100);
    expect(await evaluate(tokens('Balance', 'rich'))).toBe('0');
    const poor = await Promise.all([0, 1, 2].map((n) => evaluate(tokens('Balance', `poor-${n}`))));
    expect(poor).toEqual(['34', '33', '33']);
    // One before the first conflict, one in its turn, and few because of others that had not conflicted yet; without turns
    // there would be up to 16 for each commit, one on each connection.
    const simulations = results.map(({ transactionId }) => host.simulations.get(transactionId) ?? 0);
    expect(simulations.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(500);
    expect(await codeOf(ledger.submit(tokens('Transfer', 'rich', 'poor-0', '1')))).toBe('LEDGER.REFUSED');
  });

  it('repeat calls whose range has a new key, so that each sees all before it', async () => {
    const counts = await Promise.all(
      Array.from({ length: 10 }, (_, n) => ledger.submit(call('shop', 'Count', String(n)))),
    );
    const found = counts.map(({ result }) => Number(text(result))).sort((a, b) => a - b);
    expect(found).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('are not overtaken again and again by writes that read nothing', async () => {
    const blind = Array.from({ length: 30 }, (_, n) => ledger.submit(call('shop', 'Put', 'hot', String(n))));
    const readers = Array.from({ length: 10 }, () => ledger.submit(call('shop', 'Append', 'hot', '+')));
    await Promise.all([...blind, ...readers]);
    const appended = await ledger.submit(call('shop', 'Append', 'hot', '.'));
    expect(text(appended.result)).toMatch(/^\d+\+*\.$/);
  });

  it('answer a repeated write from its record', async () => {
    const options = { idempotencyKey: 'mint-once' };
    const first = await ledger.submit(tokens('Mint', 'keyed', '5'), options);
    const second = await ledger.submit(tokens('Mint', 'keyed', '5'), options);
    expect(second).toEqual({ ...first, isReplay: true });
    expect(await evaluate(tokens('Balance', 'keyed'))).toBe('5');
    expect(await codeOf(ledger.submit(tokens('Mint', 'keyed', '6'), options))).toBe('LEDGER.KEY_REUSED');
    expect(await codeOf(ledger.submit({ ...createAsset('x'), arguments: ['keyed', '5'] }, options))).toBe(
      'LEDGER.KEY_REUSED',
    );
  });

  it('receive bytes as they are, and compare them in a repeated write', async () => {
    const [bytes, options] = [Uint8Array.of(0xff, 0, 0x80), { idempotencyKey: 'bytes' }];
    const called = { chaincode: 'shop', function: 'Bytes', arguments: ['é', bytes] };
    expect(await evaluate(called)).toBe(`${Buffer.from('Bytes').toString('hex')}c3a9ff0080`);
    const first = await ledger.submit(called, options);
    expect((await actionOf(first)).arguments.slice(1).map((each) => Buffer.from(each))).toEqual([
      Buffer.from('é'),
      Buffer.from(bytes),
    ]);
    const same = { ...called, arguments: [Buffer.from('é'), Buffer.from(bytes)] };
    expect(await ledger.submit(same, options)).toEqual({ ...first, isReplay: true });
    const replaced = { ...called, arguments: ['é', Buffer.from(bytes).toString()] };
    expect(await codeOf(ledger.submit(replaced, options))).toBe('LEDGER.KEY_REUSED');
  });

  it('do not pass bytes that are not UTF-8 to the asset contract, which would store others', async () => {
    await ledger.submit(createAsset('bytes'));
    const transfer = { function: 'TransferAsset', arguments: ['bytes', Uint8Array.of(0xff)] };
    const reason = 'newOwner must be text in UTF-8';
    for (const failing of [ledger.submit(transfer), ledger.evaluate(transfer)]) {
      expect(await failureOf(failing)).toMatchObject({ code: 'LEDGER.INVALID_ARGUMENT', message: reason });
    }
    const through = { chaincode: 'shop', function: 'TransferBytes', arguments: ['bytes', Uint8Array.of(0xff)] };
    expect(await evaluate(through)).toBe(`INVALID_ARGUMENT: ${reason}`);
    const text = { function: 'TransferAsset', arguments: ['bytes', Buffer.from('Zoë')] };
    expect(JSON.parse(Buffer.from((await ledger.submit(text)).result).toString())).toMatchObject({ owner: 'Zoë' });
  });

  it('receive the identity of the caller and transient data, which the block does not contain', async () => {
    const ann = text(await ledger.evaluate(call('shop', 'Creator'), { caller: 'ann' }));
    expect(ann).toContain('BEGIN CERTIFICATE');
    expect(ann).not.toBe(await evaluate(call('shop', 'Creator')));
    const { transactionId, result } = await ledger.submit(call('shop', 'Creator'), { caller: 'ann' });
    const envelope = decodeEnvelope((await ledger.transactionById(transactionId))!.envelope);
    expect([text(result), text(envelope.creatorBytes)]).toEqual([ann, ann]);
    const transient = new Map([['key', Buffer.from('secret')]]);
    const kept = await ledger.submit({ ...call('shop', 'Secret'), transient });
    expect(text(kept.result)).toBe('secret');
    const { chaincodePayload } = await actionOf(kept);
    expect(text(chaincodePayload)).not.toContain('secret');
  });

  it.each(['f3a9c1 and more', 'x', 'tea "for" two'])(
    'defect: came back with a message that repeats their transient data (%s)',
    async (secret) => {
      const transient = new Map([['secret', Buffer.from(secret)]]);
      for (const form of ['text', 'json', 'base64', 'hex']) {
        const repeated = { ...call('shop', 'Repeat', form), transient };
        for (const error of [await failureOf(ledger.submit(repeated)), await failureOf(ledger.evaluate(repeated))]) {
          expect(error).toMatchObject({ code: 'LEDGER.REFUSED' });
          expect(error.message).toBe(
            'The message of the chaincode or of a peer repeats transient data and is not shown.',
          );
        }
      }
      expect((await failureOf(ledger.submit({ ...call('shop', 'Repeat', 'no'), transient }))).message).toBe('');
    },
  );

  it('record only the last run of a call that is executed again on its snapshot', async () => {
    const { results } = await actionOf(await ledger.submit(call('shop', 'RunAgain')));
    const [{ reads, rangeQueriesInfo, writes } = {}] = decodeReadWriteSets(results);
    expect([reads?.map(({ key }) => key), rangeQueriesInfo, writes?.map(({ key }) => key)]).toEqual([
      ['second'],
      [],
      ['stored'],
    ]);
  });

  it.each([
    [
      'a page and a write',
      'PageThenPut',
      'Transaction has already performed a paginated query. Writes are not allowed',
    ],
    ['a write and a page', 'PutThenPage', 'Paginated queries are supported only in a read-only transaction'],
    ['too many reads', 'ReadMany', 'the transaction reads more than 1000 keys'],
    ['too large writes', 'WriteMuch', 'the transaction writes more than 10000 bytes'],
  ])('refuse %s', async (_, name, reason) => {
    const { code, message } = await failureOf(ledger.submit(call('shop', name)));
    expect(code).toBe('LEDGER.REFUSED');
    expect(message).toContain(reason);
  });

  it.each([0, 100, 199, 400])(
    'refuse by a response with the status %i, of which nothing is recorded',
    async (status) => {
      const { height } = await ledger.chainInfo();
      for (const calling of [
        ledger.evaluate(call('shop', 'Respond', String(status))),
        ledger.submit(call('shop', 'Respond', String(status))),
      ]) {
        expect(await failureOf(calling)).toMatchObject({ code: 'LEDGER.REFUSED', message: 'not now' });
      }
      expect((await ledger.chainInfo()).height).toBe(height);
    },
  );

  it('refuse calls of chaincodes that are not configured, and data that this ledger has no place for', async () => {
    expect(await codeOf(ledger.submit(call('cars', 'Create')))).toBe('LEDGER.CHAINCODE_UNKNOWN');
    expect(await codeOf(ledger.evaluate(call('cars', 'Read')))).toBe('LEDGER.CHAINCODE_UNKNOWN');
    const own = { ...createAsset('private'), transient: new Map([['key', Buffer.from('secret')]]) };
    expect(await codeOf(ledger.submit(own))).toBe('LEDGER.NOT_SUPPORTED');
  });

  it('are endorsed by the own organization, by name too, and by no other one', async () => {
    const own = { endorsingOrganizations: ['Org1MSP'] };
    expect(text((await ledger.submit({ ...tokens('Mint', 'endorsed', '5'), ...own })).result)).toBe('');
    expect(text(await ledger.evaluate({ ...tokens('Balance', 'endorsed'), ...own }))).toBe('5');
    await ledger.submit({ ...createAsset('endorsed'), ...own });
    const { height } = await ledger.chainInfo();
    for (const endorsingOrganizations of [['Org2MSP'], ['Org1MSP', 'Org2MSP']]) {
      const of = { endorsingOrganizations };
      for (const calling of [
        ledger.evaluate({ ...tokens('Balance', 'ann'), ...of }),
        ledger.submit({ ...tokens('Mint', 'ann', '5'), ...of }),
        ledger.submit({ ...createAsset('elsewhere'), ...of }),
      ]) {
        expect(await failureOf(calling)).toMatchObject({
          code: 'LEDGER.ORGANIZATION_UNKNOWN',
          message: 'endorsingOrganizations: channel mychannel has no organization "Org2MSP"',
        });
      }
    }
    expect((await ledger.chainInfo()).height).toBe(height);
  });

  it('refuse a call whose two simulations differ, and name the difference', async () => {
    host.checksDeterminism = true;
    try {
      await ledger.submit(tokens('Mint', 'twice', '1'));
      const { code, message } = await failureOf(ledger.submit(call('shop', 'Random')));
      expect(code).toBe('LEDGER.REFUSED');
      expect(message).toBe(
        `the chaincode is not deterministic: executed twice, the write of "count" of shop was "${counter - 1}", then "${counter}"`,
      );
    } finally {
      host.checksDeterminism = false;
    }
  });

  it('end at the close of the ledger, also when a call needs longer than an execution may take', async () => {
    const hung = Promise.withResolvers<string>();
    const chaincodes = new TestChaincodes({ shop: { Hang: () => hung.promise } });
    chaincodes.timeout = 20;
    chaincodes.onClose = () => {
      hung.reject(new Error('its process has ended'));
    };
    const closing = await openLedger(directory.file('hung'), { chaincodes });
    const refused = failureOf(closing.submit(call('shop', 'Hang')));
    await closing.close();
    expect(await refused).toMatchObject({ code: 'LEDGER.REFUSED', message: 'its process has ended' });
  });

  it.each([
    ['basic', 'use another name for one of them in LEDGER_CHAINCODES or LEDGER_CHAINCODE.'],
    ['records', 'use another name in LEDGER_CHAINCODES.'],
  ])('do not accept the name of the ledger’s own contract %s', async (name, advice) => {
    const named = openLedger(directory.file('other'), { chaincodes: new TestChaincodes({ [name]: TOKENS }) });
    expect(await failureOf(named)).toMatchObject({
      code: 'LEDGER.MISCONFIGURED',
      message: `The chaincode "${name}" has the name of the ledger's own contract: ${advice}`,
    });
  });

  it('write a chain that verifies, and whose state can be rebuilt, without an invalid transaction', async () => {
    await ledger.close();
    const verified = await verifyLedger({ path: directory.path });
    expect(verified.findings).toEqual([]);
    expect(verified.checked.refused).toBe(0);
    expect(verified.checked.chaincodes.map(({ name }) => name).sort()).toEqual(['basic', 'shop', 'tokens']);
    await rebuildLedger({ dataDir: directory.path });
    expect((await verifyLedger({ path: directory.path })).findings).toEqual([]);
    await exportLedger({ dataDir: directory.path, target: directory.file('exported') });
    const imported = directory.file('imported');
    expect(await importLedger({ source: directory.file('exported'), dataDir: imported })).toMatchObject({
      hash: verified.hash,
    });
    expect((await verifyLedger({ path: imported })).findings).toEqual([]);
    ledger = await openLedger(directory.path, { chaincodes: host });
    expect(await evaluate(tokens('History', 'bob'))).toBe('["deleted","1"]');
    await ledger.submit(tokens('Mint', 'ann', '1'));
    expect(await evaluate(tokens('Balance', 'ann'))).toBe('12');
  });
});
