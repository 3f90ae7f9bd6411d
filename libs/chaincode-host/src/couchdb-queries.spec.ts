import { describe, expect, it } from '@jest/globals';
import { ledger, peer } from '@hyperledger/fabric-protos';
import { bytesField, integerField, join, stringField } from '#fabric-codec/messages';
import { parseIndex } from '#mango';
import type { PrivateState, QuerySource, Simulator } from './chaincode.port.js';
import { Collections } from './collections/collections.js';
import type { ChaincodeIndexes } from './launch/index-files.js';
import { MessageType } from './messages.js';
import { StateRequests } from './state-requests.js';

const KEYS = Array.from({ length: 250 }, (_, at) => `k${String(at).padStart(3, '0')}`);
const valueOf = (key: string): Uint8Array => Buffer.from(JSON.stringify({ number: Number(key.slice(1)), type: 'n' }));

/** A source that notes which keys are read and recorded. */
class MemorySource implements QuerySource {
  read = 0;
  recorded: string[] = [];

  *entries(after: string) {
    for (const key of KEYS.filter((each) => each > after)) {
      this.read += 1;
      yield { key, value: valueOf(key) };
    }
  }

  value = valueOf;

  recordRead(key: string): void {
    this.recorded.push(key);
  }
}

describe('queries of CouchDB', () => {
  const source = new MemorySource();
  const pages: boolean[] = [];
  const written: string[] = [];
  const ranges: string[] = [];
  const privateState: Pick<PrivateState, 'range'> = {
    range: (start, end) => {
      ranges.push(`${start}-${end}`);
      const rest = KEYS.slice(0, 3).filter((key) => key >= start && (end === '' || key < end));
      return {
        next: () => {
          const key = rest.shift();
          return key === undefined ? undefined : { key, value: valueOf(key) };
        },
        bookmark: () => '',
      };
    },
  };
  const simulator = {
    getQueryResult: (_: string, isPage: boolean) => {
      pages.push(isPage);
      return source;
    },
    putState: (_: string, key: string) => written.push(key),
    deleteState: (_: string, key: string) => written.push(key),
    collection: () => privateState,
  } as unknown as Simulator;
  const index = parseIndex('{"index": {"fields": ["number"]}}', 'numbers');
  const indexes: ChaincodeIndexes = { state: [index], collections: new Map([['_implicit_org_Org1MSP', [index]]]) };
  const chaincode = { name: 'cars', collections: new Collections('Org1MSP', []), indexes };
  const requests = new StateRequests('mychannel', simulator, chaincode);
  const page = (size: number, bookmark = '') => bytesField(3, join([integerField(1, size), stringField(2, bookmark)]));
  const send = async (type: keyof typeof MessageType, ...fields: readonly Uint8Array[]) => {
    const answer = await requests.handle(MessageType[type], join(fields));
    const response = peer.QueryResponse.deserializeBinary(answer!);
    const results = response.getResultsList().map((each) => each.getResultbytes_asU8());
    return {
      id: response.getId(),
      hasMore: response.getHasMore(),
      keys: results.map((bytes) => ledger.queryresult.KV.deserializeBinary(bytes).getKey()),
      page: peer.QueryResponseMetadata.deserializeBinary(response.getMetadata_asU8()).toObject(),
    };
  };
  const query = (json: object, ...fields: readonly Uint8Array[]) =>
    send('GET_QUERY_RESULT', stringField(1, JSON.stringify(json)), ...fields);

  it('return batches of 100, for which one result more is taken and recorded, as on a peer', async () => {
    const first = await query({ selector: { type: 'n' } });
    expect([first.keys.length, first.hasMore, source.recorded.length, source.read]).toEqual([100, true, 101, 101]);
    const second = await send('QUERY_STATE_NEXT', stringField(1, first.id));
    expect([second.keys.length, second.hasMore, source.recorded.length]).toEqual([100, true, 201]);
    const third = await send('QUERY_STATE_NEXT', stringField(1, first.id));
    expect([third.keys.length, third.hasMore]).toEqual([50, false]);
    expect([...first.keys, ...second.keys, ...third.keys]).toEqual(KEYS);
    expect(source.recorded).toEqual(KEYS);
    expect(() => requests.handle(MessageType.QUERY_STATE_NEXT, stringField(1, first.id))).toThrow('not found');
  });

  it('return a page at once, with its number of results and its bookmark', async () => {
    const first = await query({ selector: { type: 'n' }, sort: [{ number: 'desc' }] }, page(120));
    expect([first.keys[0], first.keys.at(-1), first.hasMore, first.page.fetchedRecordsCount]).toEqual([
      'k249',
      'k130',
      false,
      120,
    ]);
    const second = await query({ selector: { type: 'n' }, sort: [{ number: 'desc' }] }, page(0, first.page.bookmark));
    expect([second.keys[0], second.keys.length, second.page.fetchedRecordsCount]).toEqual(['k129', 130, 130]);
    expect(pages.slice(-2)).toEqual([true, true]);
  });

  it('search private collections, without pages and records', async () => {
    source.recorded = [];
    const collection = stringField(2, '_implicit_org_Org1MSP');
    expect((await query({ selector: {} }, collection, page(1))).keys).toEqual(['k000', 'k001', 'k002']);
    expect((await query({ selector: {}, sort: [{ number: 'desc' }] }, collection)).keys).toEqual([
      'k002',
      'k001',
      'k000',
    ]);
    expect(ranges).toEqual(['-', '-', 'k002-k002\0', 'k001-k001\0', 'k000-k000\0']);
    expect(source.recorded).toEqual([]);
  });

  it('let others run while they search', async () => {
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      if (turns < 1000) setImmediate(turn);
    };
    turn();
    // The pattern is read to the end of each text.
    const wide = Array.from({ length: 3000 }, (_, at) => ({ number: -at - 1 }));
    expect((await query({ selector: { $or: wide } })).keys).toEqual([]);
    expect(turns).toBeGreaterThan(1);
    turns = 1000;
  });

  it.each([
    ['PUT_STATE', [stringField(1, '_a')], 'invalid key [_a], cannot begin with "_"'],
    ['DEL_STATE', [stringField(1, '_a')], 'invalid key [_a], cannot begin with "_"'],
    ['PUT_STATE', [], 'invalid key. Empty string is not supported as a key by couchdb'],
    [
      'PUT_STATE',
      [stringField(1, 'a'), stringField(2, '{"a": 1, "~version": 2}')],
      'field [~version] is not valid for the CouchDB state database',
    ],
    ['GET_QUERY_RESULT', [stringField(1, '[1')], 'unexpected EOF'],
    [
      'GET_QUERY_RESULT',
      [stringField(1, '{}')],
      'error handling CouchDB request. Error:missing_required_key,  Status Code:400,  Reason:Missing required key: selector',
    ],
  ] as const)('refuse %s with the text of a peer (%#)', (type, fields, text) => {
    expect(() => requests.handle(MessageType[type], join([...fields]))).toThrow(text);
  });

  it('refuse a comparison that takes too long while they search', async () => {
    const items = Array.from({ length: 20_000 }, (_, at) => at);
    const long = Buffer.from(JSON.stringify({ items }));
    const state = {
      ...simulator,
      getQueryResult: (): QuerySource => ({
        entries: () => [{ key: 'a', value: long }],
        value: () => long,
        recordRead: () => undefined,
      }),
    };
    const slow = new StateRequests('mychannel', state, chaincode);
    const selector = { items: { $elemMatch: { $or: Array.from({ length: 1000 }, (_, at) => ({ $eq: -at - 1 })) } } };
    const answer = slow.handle(MessageType.GET_QUERY_RESULT, stringField(1, JSON.stringify({ selector })));
    await expect(answer).rejects.toThrow('Error:too_expensive,  Status Code:400');
  });

  it('store values that are no objects, and objects with any other fields', () => {
    for (const value of ['', 'text', '["_a"]', 'null', '{"a": {"_b": 1}}']) {
      expect(requests.handle(MessageType.PUT_STATE, join([stringField(1, 'a'), stringField(2, value)]))).toHaveLength(
        0,
      );
    }
    expect(written).toHaveLength(5);
  });
});
