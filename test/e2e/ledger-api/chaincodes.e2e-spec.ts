import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLOSED_PORT } from '../../support/closed-port.js';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { until } from '../../support/until.js';

const FIXTURE = join(process.cwd(), 'test/fixtures/chaincode');

interface ProcessFacts {
  readonly pid: number;
  readonly variables: readonly string[];
}

describe('chaincodes of the embedded ledger', () => {
  let folder: string;
  let api: LedgerApi;
  const env = () => ({
    LEDGER_CHAINCODES: `cars=${folder},tokens=${FIXTURE}`,
    LEDGER_CHAINCODE_WATCH: 'on',
    LEDGER_CHAINCODE_TIMEOUT_MS: '4000',
    CORE_SECRET: 'of the server',
  });
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'chaincode-e2e-')));
    await cp(FIXTURE, folder, { recursive: true });
    await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
    api = await LedgerApi.start(env());
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
    await rm(folder, { recursive: true });
  });
  const call = (kind: 'evaluate' | 'submit', chaincode: string, name: string, args: readonly string[]) =>
    api.api('POST', `/contracts/${chaincode}/${kind}`, { body: { function: name, arguments: args } });
  const submit = (chaincode: string, name: string, ...args: readonly string[]) => call('submit', chaincode, name, args);
  const evaluate = (chaincode: string, name: string, ...args: readonly string[]) =>
    call('evaluate', chaincode, name, args);
  const payload = ({ json }: Answer) => (json as { data?: { payload?: string } }).data?.payload;
  const facts = async (chaincode: string) =>
    JSON.parse(payload(await evaluate(chaincode, 'Process')) ?? '') as ProcessFacts;
  /** A process that no parent has waited for is listed, as a zombie, although it has ended. */
  const isRunning = (pid: number) => {
    try {
      return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };

  it('write state, an event and the state of other chaincodes, in one block', async () => {
    const written = await submit('cars', 'Put', 'a', '1');
    expect(written).toMatchObject({ status: 200, json: { data: { payload: '', blockNumber: 1 } } });
    expect(payload(await evaluate('cars', 'Get', 'a'))).toBe('1');
    const { json } = await api.api('GET', `/transactions/${String(written.headers['x-transaction-id'])}?envelope=true`);
    expect(JSON.stringify(json)).toContain('"Put"');
    expect(await submit('cars', 'PutThere', 'tokens', 'b', '2')).toMatchObject({ status: 200 });
    expect([payload(await evaluate('cars', 'Keys')), payload(await evaluate('tokens', 'Keys'))]).toEqual(['a', 'b']);
  });

  it('receive arguments as their JSON texts have them, and answer with the value of JSON', async () => {
    const post = (kind: string, args: string) =>
      api.api('POST', `/contracts/tokens/${kind}`, {
        body: Buffer.from(args),
        headers: { 'content-type': 'application/json' },
      });
    for (const [written, stored] of [
      ['9007199254740993', '9007199254740993'],
      ['1.10', '1.10'],
      ['true', 'true'],
      ['null', 'null'],
      ['{ "n": [9007199254740993, 1.10, -0] }', '{"n":[9007199254740993,1.10,-0]}'],
      ['{"base64":"e30="}', '{}'],
      ['"{}"', '{}'],
    ] as const) {
      expect(await post('submit', `{"function":"Put","arguments":["value",${written}]}`)).toMatchObject({
        status: 200,
      });
      const read = await post('evaluate', '{"function":"Get","arguments":["value"]}');
      expect(read.text).toContain(`"payload":${JSON.stringify(stored)},"encoding":"text","result":${stored}}`);
    }
    for (const [args, message] of [
      ['[0,{"a/b":[1e400]}]', '/arguments/1/a~1b/0 is a number out of range: send its digits as a string.'],
      [`[${'['.repeat(100_000)}${']'.repeat(100_000)}]`, '/arguments/0 must not be nested deeper than 64 levels.'],
      ['{"0":"a"}', 'arguments must be an array of JSON values.'],
    ] as const) {
      const refused = await post('submit', `{"function":"Put","arguments":${args}}`);
      expect(refused).toMatchObject({ status: 400, json: { message: `The body is refused: ${message}` } });
    }
  });

  it('refuse with their own text', async () => {
    const refused = { status: 422, headers: { 'x-error-code': 'API.CHAINCODE_REFUSED' } };
    for (const [answer, text] of [
      [await evaluate('cars', 'Get', 'none'), 'there is no none'],
      [await submit('cars', 'Nothing'), "You've asked to invoke a function that does not exist: Nothing"],
      [await submit('cars', 'PutThere', 'none', 'a', '1'), 'chaincode none not found'],
      [await submit('cars', 'PutThere', 'cars', 'a', '1'), 'exists'],
    ] as const) {
      expect(answer).toMatchObject(refused);
      expect(answer.text).toContain(text);
      expect(answer.json).toMatchObject({ chaincodeStatus: 500 });
    }
    expect(await evaluate('none', 'Get', 'a')).toMatchObject({ status: 404 });
  });

  it('have no variable of the server, and can read no file of the ledger', async () => {
    const { variables } = await facts('cars');
    expect(variables).not.toEqual(expect.arrayContaining([expect.stringMatching(/SECRET|^LEDGER_|^PATH$/)]));
    const file = join(api.dataDir, 'identities');
    expect((await evaluate('cars', 'Read', file)).text).toContain('--allow-fs-read');
    expect((await evaluate('cars', 'Read', join(folder, 'package.json'))).status).toBe(200);
  });

  it('fail no other call when one exits, loops or allocates without end, and write nothing', async () => {
    const others = () => [evaluate('cars', 'Wait', '50'), evaluate('cars', 'Get', 'a'), evaluate('tokens', 'Get', 'b')];
    const statuses = async (answers: readonly Promise<Answer>[]) =>
      (await Promise.all(answers)).map((each) => each.status);
    const [exited, ...afterExit] = [submit('cars', 'Exit'), ...others()];
    expect(await statuses(afterExit)).toEqual([200, 200, 200]);
    expect((await exited).headers['x-error-code']).toBe('LEDGER.UNAVAILABLE');
    const [looped, ...afterLoop] = [submit('cars', 'Loop'), ...others()];
    expect(await statuses(afterLoop)).toEqual([200, 200, 200]);
    expect((await looped).headers['x-error-code']).toBe('LEDGER.TIMEOUT');
    const [allocated, ...afterAllocation] = [submit('cars', 'Allocate'), ...others()];
    expect(await statuses(afterAllocation)).toEqual([200, 200, 200]);
    expect((await allocated).status).toBeGreaterThanOrEqual(400);
    expect(await api.api('GET', '/blockchain/height')).toMatchObject({ json: { data: { height: 10 } } });
  });

  it('run their edited code, and finish calls with the previous one', async () => {
    const { pid } = await facts('cars');
    const waiting = evaluate('cars', 'Wait', '1000');
    const code = await readFile(join(folder, 'index.mjs'), 'utf8');
    await writeFile(join(folder, 'index.mjs'), code.replace("return 'waited'", "return 'waited again'"));
    await api.program.printed('runs its edited code');
    expect(payload(await evaluate('cars', 'Wait', '0'))).toBe('waited again');
    expect(payload(await waiting)).toBe('waited');
    await until(() => !isRunning(pid));
  });

  it('are killed with the server, even in an endless loop', async () => {
    const pids = [(await facts('cars')).pid, (await facts('tokens')).pid];
    const looped = evaluate('cars', 'Loop').catch(() => 'the server was killed');
    await evaluate('tokens', 'Get', 'b');
    await api.program.end('SIGKILL');
    expect(await looped).toBe('the server was killed');
    await until(() => !pids.some(isRunning));
    api = await LedgerApi.start(env(), api.dataDir);
    expect(payload(await evaluate('cars', 'Get', 'a'))).toBe('1');
  });
});

describe('a chaincode that is not written with the contract API', () => {
  const LOW_LEVEL = `const shim = require('fabric-shim');
class Chaincode {
  async Init() {
    return shim.success();
  }
  async Invoke(stub) {
    const { fcn, params: [key, value] } = stub.getFunctionAndParameters();
    if (fcn === 'Put') await stub.putState(key, Buffer.from(value));
    else if (fcn !== 'Get') return shim.error('there is no function ' + fcn);
    return shim.success(await stub.getState(key));
  }
}
shim.start(new Chaincode());
`;

  it('is started by its own script, and one that cannot be reached is named', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'chaincode-e2e-')));
    const scripts = { start: 'node chaincode.js' };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'low-level', version: '1.0.0', scripts }));
    await writeFile(join(folder, 'chaincode.js'), LOW_LEVEL);
    await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
    const LEDGER_CHAINCODES = `low=${folder},gone=grpc://127.0.0.1:${CLOSED_PORT}`;
    const api = await LedgerApi.start({ LEDGER_CHAINCODES });
    const call = (chaincode: string, kind: string, name: string, ...args: readonly string[]) =>
      api.api('POST', `/contracts/${chaincode}/${kind}`, { body: { function: name, arguments: args } });
    expect(await call('low', 'submit', 'Put', 'a', '1')).toMatchObject({ status: 200 });
    expect(await call('low', 'evaluate', 'Get', 'a')).toMatchObject({ status: 200, json: { data: { payload: '1' } } });
    expect(await call('low', 'submit', 'None')).toMatchObject({ status: 422 });
    const gone = await call('gone', 'evaluate', 'Get', 'a');
    expect(gone).toMatchObject({ status: 500, headers: { 'x-error-code': 'LEDGER.UNAVAILABLE', 'retry-after': '1' } });
    expect((gone.json as { message: string }).message).toBe(
      'The chaincode "gone" is not available; the server\'s log has the reason. Nothing was written. Try again.',
    );
    await api.program.printed(`no chaincode answers at 127.0.0.1:${CLOSED_PORT}`);
    expect(await api.stop()).toEqual({ code: 0, signal: null });
    await rm(folder, { recursive: true });
  });
});
