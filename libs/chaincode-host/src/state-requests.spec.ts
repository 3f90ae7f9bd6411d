import { describe, expect, it } from '@jest/globals';
import { ledger, peer } from '@hyperledger/fabric-protos';
import type { MetadataEntry } from '#fabric-codec/encode';
import { bytesField, integerField, join, messageField, stringField } from '#fabric-codec/messages';
import { type CollectionPlace, type PrivateState, SimulationError, type Simulator } from './chaincode.port.js';
import { type Collection, Collections } from './collections/collections.js';
import { MessageType } from './messages.js';
import { StateRequests } from './state-requests.js';

/** A simulator of committed keys, which counts the entries that are taken from ranges. */
class MemorySimulator implements Simulator {
  readonly written = new Map<string, string | undefined>();
  taken = 0;

  constructor(readonly keys: readonly string[]) {}

  readonly read: string[] = [];

  getState = (_: string, key: string): Uint8Array | undefined => {
    this.read.push(key);
    return this.keys.includes(key) ? Buffer.from(`value of ${key}`) : undefined;
  };

  putState = (namespace: string, key: string, value: Uint8Array): void => {
    this.written.set(`${namespace}/${key}`, Buffer.from(value).toString());
  };

  deleteState = (namespace: string, key: string): void => {
    this.written.set(`${namespace}/${key}`, undefined);
  };

  getStateByRange: Simulator['getStateByRange'] = (_, { start, end, page }) => {
    const rest = this.keys.filter(
      (key) =>
        key >= (page?.bookmark === undefined || page.bookmark === '' ? start : page.bookmark) &&
        (end === '' || key < end),
    );
    return {
      next: () => {
        const key = rest.shift();
        if (key === undefined) return undefined;
        this.taken += 1;
        return { key, value: Buffer.from(key) };
      },
      bookmark: () => rest[0] ?? '',
    };
  };

  *getHistoryForKey() {
    yield { transactionId: 'b', timestamp: '2026-01-02T03:04:05.000000678Z', value: undefined };
    yield { transactionId: 'a', timestamp: '2026-01-02T03:04:05Z', value: Buffer.from('one') };
    return undefined;
  }

  getQueryResult: Simulator['getQueryResult'] = () => {
    throw new Error('no query is executed here');
  };

  readonly metadata = new Map<string, readonly MetadataEntry[]>();

  getStateMetadata = (_: string, key: string) => this.metadata.get(key) ?? [];

  putStateMetadata = (_: string, key: string, entries: readonly MetadataEntry[]): void => {
    this.metadata.set(key, entries);
  };

  /** What was done to private collections. */
  readonly privately: string[] = [];

  collection = ({ namespace, collection, isStored }: CollectionPlace): PrivateState => {
    const note = (what: string): void => {
      this.privately.push(`${what} of ${namespace}/${collection}${isStored ? '' : ', not stored'}`);
    };
    return {
      get: (key) => {
        note(`get ${key}`);
        return this.keys.includes(key) ? Buffer.from(`private ${key}`) : undefined;
      },
      hash: (key) => {
        note(`hash ${key}`);
        return this.keys.includes(key) ? Buffer.from(`hash ${key}`) : undefined;
      },
      put: (key, value) => {
        note(`put ${key} = ${Buffer.from(value).toString()}`);
      },
      delete: (key) => {
        note(`delete ${key}`);
      },
      purge: (key) => {
        note(`purge ${key}`);
      },
      metadata: (key) => this.metadata.get(key) ?? [],
      putMetadata: (key, entries) => {
        this.metadata.set(key, entries);
      },
      range: (start, end) => this.getStateByRange(namespace, { start, end }),
    };
  };

  reset = (): void => {
    this.written.clear();
  };
}

/** A collection of the file, with the organizations of its members. */
const collectionOf = (name: string, ...mspIds: readonly string[]): Collection => ({
  name,
  members: mspIds.map((mspId) => ({ mspId, role: 'member' })),
  memberOnlyRead: true,
  memberOnlyWrite: true,
  blockToLive: 0,
});
const COLLECTIONS = new Collections('Org1MSP', [
  collectionOf('shared', 'Org1MSP', 'Org2MSP'),
  collectionOf('others', 'Org2MSP'),
  { ...collectionOf('theirs', 'Org2MSP'), memberOnlyRead: false, memberOnlyWrite: false },
]);

const KEYS = Array.from({ length: 250 }, (_, index) => `key${String(index).padStart(3, '0')}`);

describe('requests of a chaincode', () => {
  const simulator = new MemorySimulator(KEYS);
  const noted: string[] = [];
  const requests = new StateRequests('mychannel', simulator, {
    name: 'cars',
    collections: COLLECTIONS,
    notePrivate: (value) => noted.push(Buffer.from(value).toString()),
  });
  const handle = (type: keyof typeof MessageType, ...fields: readonly Uint8Array[]) => {
    const payload = requests.handle(MessageType[type], join(fields));
    if (payload instanceof Promise) throw new Error('the answer is not known yet');
    return payload;
  };
  const query = (type: keyof typeof MessageType, ...fields: readonly Uint8Array[]) => {
    const response = peer.QueryResponse.deserializeBinary(handle(type, ...fields)!);
    const results = response.getResultsList().map((each) => each.getResultbytes_asU8());
    const page = peer.QueryResponseMetadata.deserializeBinary(response.getMetadata_asU8());
    return { id: response.getId(), hasMore: response.getHasMore(), results, page: page.toObject() };
  };
  const page = (size: number, bookmark = '') => join([integerField(1, size), stringField(2, bookmark)]);
  const keysOf = (results: readonly Uint8Array[]) =>
    results.map((bytes) => ledger.queryresult.KV.deserializeBinary(bytes).getKey());

  it('read, write and delete keys of its namespace', () => {
    expect(Buffer.from(handle('GET_STATE', stringField(1, 'key001'))!).toString()).toBe('value of key001');
    expect(handle('GET_STATE', stringField(1, 'none'))).toHaveLength(0);
    expect(handle('PUT_STATE', stringField(1, 'a'), stringField(2, 'b'))).toHaveLength(0);
    expect(handle('DEL_STATE', stringField(1, 'c'))).toHaveLength(0);
    expect([...simulator.written]).toEqual([
      ['cars/a', 'b'],
      ['cars/c', undefined],
    ]);
  });

  it('return a range in batches of 100, for which one entry more is taken, as on a peer', () => {
    simulator.taken = 0;
    const first = query('GET_STATE_BY_RANGE');
    expect([first.results.length, first.hasMore, simulator.taken]).toEqual([100, true, 101]);
    const second = query('QUERY_STATE_NEXT', stringField(1, first.id));
    expect([second.results.length, second.hasMore, simulator.taken]).toEqual([100, true, 201]);
    const third = query('QUERY_STATE_NEXT', stringField(1, first.id));
    expect([third.results.length, third.hasMore, simulator.taken]).toEqual([50, false, 250]);
    expect(keysOf([...first.results, ...second.results, ...third.results])).toEqual(KEYS);
    expect(() => handle('QUERY_STATE_NEXT', stringField(1, first.id))).toThrow('query iterator not found');
  });

  it('return a page at once, with the key of the next one', () => {
    simulator.taken = 0;
    const range = [stringField(1, 'key010'), stringField(2, 'key200')];
    const first = query('GET_STATE_BY_RANGE', ...range, bytesField(4, page(120)));
    expect(first).toMatchObject({ hasMore: false, page: { fetchedRecordsCount: 120, bookmark: 'key130' } });
    expect(simulator.taken).toBe(120);
    const second = query('GET_STATE_BY_RANGE', ...range, bytesField(4, page(120, 'key130')));
    expect(second.page).toEqual({ fetchedRecordsCount: 70, bookmark: '' });
    expect(keysOf([...first.results, ...second.results])).toEqual(KEYS.slice(10, 200));
  });

  it('return a history, with nanoseconds', () => {
    const { results } = query('GET_HISTORY_FOR_KEY', stringField(1, 'a'));
    const changes = results.map((bytes) => ledger.queryresult.KeyModification.deserializeBinary(bytes).toObject());
    const seconds = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000;
    expect(changes).toMatchObject([
      { txId: 'b', isDelete: true, timestamp: { seconds, nanos: 678 } },
      { txId: 'a', isDelete: false, timestamp: { seconds, nanos: 0 }, value: Buffer.from('one').toString('base64') },
    ]);
  });

  it('close an iterator', () => {
    const { id } = query('GET_STATE_BY_RANGE');
    expect(query('QUERY_STATE_CLOSE', stringField(1, id))).toMatchObject({ id, hasMore: false });
    expect(() => handle('QUERY_STATE_NEXT', stringField(1, id))).toThrow(SimulationError);
  });

  it('replace and return the metadata of a key', () => {
    expect(handle('GET_STATE_METADATA', stringField(1, 'key001'))).toHaveLength(0);
    const entry = messageField(4, stringField(1, 'VALIDATION_PARAMETER'), stringField(2, 'policy'));
    expect(handle('PUT_STATE_METADATA', stringField(1, 'key001'), entry)).toHaveLength(0);
    const result = peer.StateMetadataResult.deserializeBinary(handle('GET_STATE_METADATA', stringField(1, 'key001'))!);
    expect(
      result.getEntriesList().map((each) => [each.getMetakey(), Buffer.from(each.getValue_asU8()).toString()]),
    ).toEqual([['VALIDATION_PARAMETER', 'policy']]);
    handle('PUT_STATE_METADATA', stringField(1, 'key001'));
    expect(simulator.metadata.get('key001')).toEqual([{ name: '', value: new Uint8Array() }]);
  });

  it('read, write and purge keys of a private collection', () => {
    const shared = (field: number): Buffer => stringField(field, 'shared');
    expect(Buffer.from(handle('GET_STATE', stringField(1, 'key001'), shared(2))!).toString()).toBe('private key001');
    expect(handle('GET_STATE', stringField(1, 'none'), shared(2))).toHaveLength(0);
    const hash = handle('GET_PRIVATE_DATA_HASH', stringField(1, 'key001'), shared(2))!;
    expect(Buffer.from(hash).toString()).toBe('hash key001');
    expect(handle('GET_PRIVATE_DATA_HASH', stringField(1, 'none'), shared(2))).toHaveLength(0);
    expect(handle('PUT_STATE', stringField(1, 'a'), stringField(2, 'b'), shared(3))).toHaveLength(0);
    expect(handle('DEL_STATE', stringField(1, 'c'), shared(2))).toHaveLength(0);
    expect(handle('PURGE_PRIVATE_DATA', stringField(1, 'd'), shared(2))).toHaveLength(0);
    const entry = messageField(4, stringField(1, 'VALIDATION_PARAMETER'), stringField(2, 'policy'));
    expect(handle('PUT_STATE_METADATA', stringField(1, 'private'), shared(3), entry)).toHaveLength(0);
    const metadata = handle('GET_STATE_METADATA', stringField(1, 'private'), shared(2))!;
    expect(peer.StateMetadataResult.deserializeBinary(metadata).getEntriesList()).toHaveLength(1);
    const found = query('GET_STATE_BY_RANGE', stringField(1, 'key010'), stringField(2, 'key020'), shared(3));
    expect([found.hasMore, keysOf(found.results)]).toEqual([false, KEYS.slice(10, 20)]);
    expect(noted).toEqual(['private key001', 'b', ...KEYS.slice(10, 20)]);
    expect(simulator.privately.splice(0)).toEqual([
      'get key001 of cars/shared',
      'get none of cars/shared',
      'hash key001 of cars/shared',
      'hash none of cars/shared',
      'put a = b of cars/shared',
      'delete c of cars/shared',
      'purge d of cars/shared',
    ]);
  });

  it('are refused to callers that are no members, with the texts of a peer', () => {
    const forbidden = (access: string): string =>
      `tx creator does not have ${access} access permission on privatedata in chaincodeName:cars collectionName: others`;
    const refused = [
      ['GET_STATE', stringField(2, 'others'), forbidden('read')],
      ['GET_STATE_METADATA', stringField(2, 'others'), forbidden('read')],
      ['GET_STATE_BY_RANGE', stringField(3, 'others'), forbidden('read')],
      ['GET_QUERY_RESULT', stringField(2, 'others'), forbidden('read')],
      ['PUT_STATE', stringField(3, 'others'), forbidden('write')],
      ['PUT_STATE_METADATA', stringField(3, 'others'), forbidden('write')],
      ['DEL_STATE', stringField(2, 'others'), forbidden('write')],
      ['PURGE_PRIVATE_DATA', stringField(2, 'others'), forbidden('write')],
      [
        'GET_STATE',
        stringField(2, '_implicit_org_Org2MSP'),
        'collection [_implicit_org_Org2MSP] not defined in the collection config for chaincode [cars]',
      ],
    ] as const;
    for (const [type, request, text] of refused) expect(() => handle(type, request)).toThrow(text);
    // Hashes are public, and the organization's own collection always exists.
    handle('GET_PRIVATE_DATA_HASH', stringField(1, 'key001'), stringField(2, 'others'));
    handle('PUT_STATE', stringField(1, 'a'), stringField(2, 'b'), stringField(3, 'theirs'));
    handle('PUT_STATE', stringField(1, 'a'), stringField(2, 'b'), stringField(3, '_implicit_org_Org1MSP'));
    expect(simulator.privately.splice(0)).toEqual([
      'hash key001 of cars/others, not stored',
      'put a = b of cars/theirs, not stored',
      'put a = b of cars/_implicit_org_Org1MSP',
    ]);
  });

  it('refuse what the embedded ledger does not have, with the texts of a peer', () => {
    const unknown = 'collection mychannel/cars/secret could not be found';
    const refused = [
      ['GET_STATE', stringField(2, 'secret'), unknown],
      ['PUT_STATE', stringField(3, 'secret'), unknown],
      ['DEL_STATE', stringField(2, 'secret'), unknown],
      ['PURGE_PRIVATE_DATA', stringField(2, 'secret'), unknown],
      ['PURGE_PRIVATE_DATA', stringField(1, 'key'), 'only applicable for private data'],
      ['GET_STATE_BY_RANGE', stringField(3, 'secret'), unknown],
      ['GET_QUERY_RESULT', stringField(2, 'secret'), unknown],
      ['GET_QUERY_RESULT', stringField(1, '{}'), 'ExecuteQuery not supported for leveldb'],
      ['GET_QUERY_RESULT', bytesField(3, page(1)), 'ExecuteQueryWithMetadata not supported for leveldb'],
      [
        'GET_PRIVATE_DATA_HASH',
        stringField(2, 'secret'),
        'collection [secret] not defined in the collection config for chaincode [cars]',
      ],
      ['GET_QUERY_RESULT', stringField(2, 'shared'), 'ExecuteQuery not supported for leveldb'],
      ['GET_STATE_METADATA', stringField(2, 'secret'), unknown],
      ['PUT_STATE_METADATA', stringField(3, 'secret'), unknown],
      ['GET_STATE', Uint8Array.of(0xff), 'unmarshal failed'],
      ['GET_STATE', bytesField(1, Uint8Array.of(0x61, 0xff)), 'string field contains invalid UTF-8'],
      ['PUT_STATE', bytesField(3, Uint8Array.of(0xc3)), 'string field contains invalid UTF-8'],
      ['PUT_STATE_METADATA', bytesField(4, bytesField(1, Uint8Array.of(0xff))), 'string field contains invalid UTF-8'],
    ] as const;
    for (const [type, request, text] of refused) expect(() => handle(type, request)).toThrow(text);
    expect(() => handle('GET_STATE', stringField(1, 'a\ufffd'))).not.toThrow();
    expect(requests.handle(24, new Uint8Array())).toBeUndefined();
  });
});
