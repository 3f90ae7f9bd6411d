import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startStandIn, type StandInSetting } from '../../../libs/fabric-ledger/src/testing/start-stand-in.js';
import { ChaincodeFolder } from '../../support/chaincode-folders.js';
import { LedgerApi, type Answer, type CallOptions } from '../../support/ledger-api.js';
import { addCaller, changeCallers } from '../../support/ledger-callers.js';
import { STAND_IN_DRIVERS } from '../../support/stand-in-drivers.js';

/** A copy of the chaincode that publishes the metadata of a file. */
function describedBy(metadata: string): ChaincodeFolder {
  const folder = ChaincodeFolder.node('described');
  writeFileSync(folder.file('metadata.json'), metadata);
  return folder;
}
const fixture = (name: string) => readFileSync(join('test/fixtures/metadata', `${name}.json`), 'utf8');

/** Replaced by a schema that `JSON.stringify` cannot write. */
const DEEP = 'deep';

const message = ({ json }: Answer) => (json as { readonly message: string }).message;
const data = ({ json }: Answer) => (json as { readonly data: Readonly<Record<string, unknown>> }).data;

describe('functions of a chaincode that its metadata describe', () => {
  const names = ['cars', 'shop', 'bank-java', 'plain-js', 'tokens'];
  const folders = names.map((name) => describedBy(fixture(name)));
  const hostile = describedBy('{}');
  let api: LedgerApi;
  beforeAll(async () => {
    const sources = [...names.map((name, index) => `${name}=${folders[index]!.path}`), `hostile=${hostile.path}`];
    api = await LedgerApi.start({ LEDGER_CHAINCODES: sources.join(','), LEDGER_CHAINCODE_TIMEOUT_MS: '10000' });
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
    for (const folder of [...folders, hostile]) folder.remove();
  });
  const post = (chaincode: string, name: string, body?: unknown, headers: CallOptions['headers'] = {}) =>
    api.api('POST', `/contracts/${chaincode}/functions/${name}`, {
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    });
  /** What the chaincode was called with. */
  const called = (answer: Answer) => [answer.status, data(answer)['result']];
  const car = { id: 'c1', engine: { power: 75 } };

  it('are called with their arguments by name or in their order', async () => {
    const expected = { function: 'Register', arguments: [JSON.stringify(car), '1200.5'] };
    expect(called(await post('cars', 'Register', { mileage: 1200.5, car }))).toEqual([200, expected]);
    expect(called(await post('cars', 'Register', [car, 1200.5]))).toEqual([200, expected]);
    expect(called(await post('cars', 'List'))).toEqual([200, { function: 'List', arguments: [] }]);
    expect(called(await post('cars', 'List', {}))).toEqual([200, { function: 'List', arguments: [] }]);
    const digits = '{"car":{"id":"c","engine":{"power":12345678901234567890.10}},"mileage":1}';
    const exact = await api.api('POST', '/contracts/cars/functions/Register', {
      body: digits,
      headers: { 'content-type': 'application/json' },
    });
    expect(exact.text).toContain('12345678901234567890.10');
  });

  it('are evaluated if they are tagged so, and otherwise submitted, unless the request overrides it', async () => {
    const height = async () => data(await api.api('GET', '/blockchain/height'))['height'];
    const before = Number(await height());
    for (const answer of [
      await post('cars', 'Find', { id: 'a' }),
      await post('cars', 'Register?evaluate=true', [car, 1]),
    ]) {
      expect(answer).toMatchObject({ status: 200, json: { message: 'Function evaluated.' } });
      expect(Object.keys(data(answer))).toEqual(['payload', 'encoding', 'result']);
    }
    expect(await height()).toBe(before);
    for (const name of ['Register', 'Register?evaluate=false']) {
      expect(await post('cars', name, [car, 1])).toMatchObject({
        status: 200,
        json: { message: 'Transaction recorded.' },
      });
    }
    const submitted = await post('cars', 'Find?evaluate=false', { id: 'a' });
    expect(data(submitted)).toMatchObject({
      transactionId: submitted.headers['x-transaction-id'],
      blockNumber: before + 2,
    });
    for (const text of ['', 'yes', 'true&evaluate=true']) {
      expect(await post('cars', `Find?evaluate=${text}`, { id: 'a' })).toMatchObject({ status: 400 });
    }
  });

  it('have the headers of a write', async () => {
    const headers = { 'idempotency-key': 'typed-1' };
    const first = await post('tokens', 'Transfer', { to: 'ana', amount: 3 }, headers);
    const again = await post('tokens', 'Transfer', ['ana', 3], headers);
    expect(again.json).toEqual(first.json);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await post('tokens', 'Transfer', ['ana', 4], headers)).toMatchObject({ status: 422 });
    const accepted = await post('tokens', 'Transfer', ['ana', 5], { prefer: 'respond-async' });
    expect(accepted).toMatchObject({ status: 202, headers: { 'preference-applied': 'respond-async' } });
  });

  it.each([
    ['cars', 'Register', { car, milage: 1 }, '/mileage is missing; /milage is not a parameter of "Register"'],
    [
      'cars',
      'Register',
      { car: { id: 7 }, mileage: 'many' },
      "/car must have required property 'engine'; /car/id must be string; /mileage must be number",
    ],
    ['cars', 'Register', { car: { ...car, color: 'red' }, mileage: 1 }, '/car must not have the property "color"'],
    ['cars', 'Register', [car], '/1 ("mileage") is missing'],
    ['cars', 'Register', [car, 1, 2], '/2 is not a parameter of "Register"'],
    ['cars', 'Find', [7], '/0 ("id") must be string'],
    ['tokens', 'BalanceOf', { owner: 'A1' }, '/owner must match pattern "^[a-z]+$"'],
    ['tokens', 'Transfer', { to: 'a', amount: 0 }, '/amount must be >= 1'],
    [
      'shop',
      'org.example.stock:Count',
      { 'product~1name': 'x' },
      '/product~1name is missing; /product~01name is not a parameter of "org.example.stock:Count"',
    ],
    ['bank-java', 'OpenAccount', { number: '1', balance: 1.5, rate: 2 }, '/balance must be integer'],
    ['cars', 'Find', { id: '\ud800' }, '/id must not contain a lone surrogate'],
  ])('refuse arguments of %s %s and name the parameters', async (chaincode, name, body, text) => {
    const answer = await post(chaincode, name, body);
    expect([answer.status, answer.headers['x-error-code'], message(answer)]).toEqual([
      400,
      'API.INVALID_REQUEST',
      `The body is refused: ${text}.`,
    ]);
  });

  it('accept only an array, of any values, where the metadata do not name the parameters', async () => {
    expect(called(await post('plain-js', 'Write', ['a', { b: [1] }]))).toEqual([
      200,
      { function: 'Write', arguments: ['a', '{"b":[1]}'] },
    ]);
    expect(called(await post('plain-js', 'All', ['more']))).toEqual([200, { function: 'All', arguments: ['more'] }]);
    const refused = await post('plain-js', 'Write', { key: 'a' });
    expect([refused.status, message(refused)]).toEqual([
      400,
      'The body must be an array of the arguments, because the metadata do not name the parameters of "Write".',
    ]);
    for (const body of ['text', 7, true]) expect(await post('cars', 'List', body)).toMatchObject({ status: 400 });
  });

  it('are found by their names with and without that of the contract', async () => {
    const place = 'org.example.orders:Place';
    const order = { items: [{ product: 'x' }], express: true };
    expect(called(await post('shop', 'Place', order))).toMatchObject([200, { function: 'Place' }]);
    expect(called(await post('shop', encodeURIComponent(place), order))).toMatchObject([200, { function: place }]);
    // Without a contract it is that of the default one, which has no parameters.
    expect(await post('shop', 'Count', { 'product/name': 'x' })).toMatchObject({ status: 400 });
    expect(called(await post('shop', 'org.example.stock:Count', { 'product/name': 'x' }))).toMatchObject([200, {}]);
    for (const name of ['Refill', 'Nothing', 'org.hyperledger.fabric:GetMetadata', '__proto__', '%2F', 'constructor']) {
      const unknown = await post('shop', name, []);
      expect([name, unknown.status, unknown.headers['x-error-code']]).toEqual([name, 404, 'API.NOT_FOUND']);
    }
    expect(await post('none', 'F', [])).toMatchObject({
      status: 404,
      headers: { 'x-error-code': 'LEDGER.CHAINCODE_UNKNOWN' },
    });
    expect(await post('hostile', 'F', [])).toMatchObject({
      status: 501,
      headers: { 'x-error-code': 'LEDGER.NOT_SUPPORTED' },
    });
  });

  it('are those of the metadata of this moment', async () => {
    writeFileSync(folders[4]!.file('metadata.json'), fixture('tokens').replaceAll('BalanceOf', 'Balance'));
    expect(await post('tokens', 'BalanceOf', ['ana'])).toMatchObject({ status: 404 });
    expect(await post('tokens', 'Balance', ['ana'])).toMatchObject({ status: 200 });
    writeFileSync(folders[4]!.file('metadata.json'), fixture('tokens'));
  });

  it.each([
    ['a pattern that backtracks', { type: 'string', pattern: '^(a+)+$' }, 'a'.repeat(40_000) + 'b', 400],
    ['a pattern that no linear engine has', { type: 'string', pattern: '(a)\\1' }, 'b', 200],
    ['a schema that refers to itself', { $ref: '#/components/schemas/Loop' }, { any: 1 }, 200],
    ['a recursive schema', { $ref: 'Tree' }, { left: { left: { left: 7 } } }, 400],
    ['a reference to nothing', { $ref: '#/components/schemas/Nothing' }, [1], 200],
    ['the name of a prototype', { $ref: '#/components/schemas/__proto__' }, { a: 1 }, 200],
    ['a schema of the wrong type', 'string', 7, 200],
    ['keywords of the wrong type', { type: 'text', minimum: 'x', required: 7, properties: [] }, 7, 200],
    ['a schema that is too large', { enum: Array.from({ length: 40_000 }, (_, index) => `value-${index}`) }, 'x', 200],
    ['a deep schema', DEEP, [[[1]]], 200],
  ])('with metadata that are hostile neither block nor fail: %s', async (_name, schema, value, status) => {
    const loops = { Loop: { allOf: [{ $ref: 'Pool' }] }, Pool: { $ref: '#/components/schemas/Loop' } };
    const tree = { Tree: { type: 'object', properties: { left: { $ref: 'Tree' } } } };
    const schemas = JSON.stringify({ ...loops, ...tree }).replace('{', '{"__proto__":{"type":"object"},');
    const contracts = { C: { transactions: [{ name: 'F', tag: ['evaluate'], parameters: [{ name: 'p', schema }] }] } };
    writeFileSync(
      hostile.file('metadata.json'),
      `{"contracts":${JSON.stringify(contracts)},"components":{"schemas":${schemas}}}`.replace(
        JSON.stringify(DEEP),
        `${'{"items":'.repeat(5000)}{}${'}'.repeat(5000)}`,
      ),
    );
    expect((await post('hostile', 'F', { p: value })).status).toBe(status);
    expect(await api.api('GET', '/contracts/hostile/openapi.json')).toMatchObject({
      status: 200,
      json: { openapi: '3.1.0' },
    });
    expect((await api.api('GET', '/contracts/hostile')).status).toBe(200);
  });

  it('have arguments with the names of prototypes', async () => {
    const parameters = ['__proto__', 'constructor', 'toString', 'a/b'].map((name) => ({
      name,
      schema: { type: 'string' },
    }));
    const contracts = { C: { transactions: [{ name: 'F', parameters }] } };
    writeFileSync(hostile.file('metadata.json'), JSON.stringify({ contracts }));
    const body = '{"__proto__":"1","constructor":"2","toString":"3","a/b":"4"}';
    const headers = { 'content-type': 'application/json' };
    const answer = await api.api('POST', '/contracts/hostile/functions/F', { body, headers });
    expect(called(answer)).toEqual([200, { function: 'F', arguments: ['1', '2', '3', '4'] }]);
    expect(message(await post('hostile', 'F', {}))).toBe(
      'The body is refused: /__proto__ is missing; /constructor is missing; /toString is missing; /a~1b is missing.',
    );
  });

  it('with more metadata than are read have no types', async () => {
    const contracts = { C: { transactions: [{ name: 'F', description: 'x'.repeat(1024 * 1024) }] } };
    writeFileSync(hostile.file('metadata.json'), JSON.stringify({ contracts }));
    expect(await post('hostile', 'F', [])).toMatchObject({ status: 501 });
    expect(await api.api('GET', '/contracts/hostile/openapi.json')).toMatchObject({ status: 501 });
  });
});

describe.each(STAND_IN_DRIVERS)('functions of a chaincode with LEDGER_DRIVER=$driver', ({ envOf }) => {
  let network: StandInSetting;
  let api: LedgerApi;
  beforeAll(async () => {
    network = await startStandIn();
    network.network.chaincode = (name, args, state) => {
      if (name === 'org.hyperledger.fabric:GetMetadata') return Buffer.from(fixture('cars'));
      const called = Buffer.from(JSON.stringify({ function: name, arguments: args }));
      if (name === 'Register') state.write({ key: 'call', value: called });
      return called;
    };
    api = await LedgerApi.start(envOf(network));
  });
  afterAll(async () => {
    await api.stop();
    network.dispose();
  });

  it('have their types, and are evaluated or submitted by their tags', async () => {
    const car = { id: 'c1', engine: {} };
    const path = '/contracts/basic/functions';
    const found = await api.api('POST', `${path}/Find`, { body: { id: 'c1' } });
    expect([found.status, message(found), data(found)['result']]).toEqual([
      200,
      'Function evaluated.',
      { function: 'Find', arguments: ['c1'] },
    ]);
    const registered = await api.api('POST', `/channels/mychannel${path}/Register`, { body: { car, mileage: 7 } });
    expect([registered.status, data(registered)['result']]).toEqual([
      200,
      { function: 'Register', arguments: [JSON.stringify(car), '7'] },
    ]);
    expect(registered.headers['x-transaction-id']).toMatch(/^[0-9a-f]{64}$/);
    const refused = await api.api('POST', `${path}/Register`, { body: { car: {}, mileage: 7 } });
    expect([refused.status, message(refused)]).toEqual([
      400,
      "The body is refused: /car must have required property 'id'; /car must have required property 'engine'.",
    ]);
    const document = await api.api('GET', '/channels/mychannel/contracts/basic/openapi.json');
    const { paths } = document.json as { readonly paths: object };
    expect(Object.keys(paths)).toContain('/channels/mychannel/contracts/basic/functions/Register');
  });
});

describe('callers of functions', () => {
  let api: LedgerApi;
  const keys = new Map<string, string>();
  beforeAll(async () => {
    api = await LedgerApi.start({ LEDGER_AUTH: 'on', LEDGER_CONTRACTS: 'basic:ReadAsset,basic:CreateAsset' });
    for (const role of ['reader', 'writer', 'admin']) {
      keys.set(role, await changeCallers(api, () => addCaller(api.dataDir, `${role}-1`, '--role', role)));
    }
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
  });
  const as = (role: string, path: string, body: object) =>
    api.api('POST', `/contracts/basic/functions/${path}`, { body, headers: { 'x-api-key': keys.get(role)! } });
  const asset = (id: string) => ({ id, color: 'blue', size: '5', owner: 'Ana', appraisedValue: '1' });

  it('may evaluate listed functions as readers and submit them as writers, and call others as admins only', async () => {
    expect((await as('writer', 'CreateAsset', asset('a'))).status).toBe(200);
    expect((await as('reader', 'ReadAsset', { id: 'a' })).status).toBe(200);
    expect((await as('reader', 'CreateAsset?evaluate=true', asset('b'))).status).toBe(200);
    expect((await as('admin', 'DeleteAsset', { id: 'a' })).status).toBe(200);
    const refusals = [
      [await as('reader', 'CreateAsset', asset('b')), 'writer'],
      [await as('reader', 'ReadAsset?evaluate=false', { id: 'a' }), 'writer'],
      [await as('writer', 'DeleteAsset', { id: 'a' }), 'admin'],
      [await as('writer', 'Nothing', {}), 'admin'],
      [await as('reader', 'AssetTransferContract:ReadAsset', { id: 'a' }), 'admin'],
    ] as const;
    for (const [answer, role] of refusals) {
      expect([answer.status, answer.headers['x-error-code']]).toEqual([403, 'API.ROLE_NEEDED']);
      expect(message(answer)).toContain(`requires the role "${role}"`);
    }
    await api.program.printed('evaluation');
  });

  it('read the document of a chaincode as readers', async () => {
    const read = (headers: CallOptions['headers'] = {}) => api.api('GET', '/contracts/basic/openapi.json', { headers });
    expect((await read()).status).toBe(401);
    expect((await read({ 'x-api-key': keys.get('reader')! })).status).toBe(200);
  });
});
