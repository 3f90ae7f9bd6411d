import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ourChaincode, type StandInChaincode } from '../../../libs/fabric-ledger/src/testing/stand-in-chaincode.js';
import { STAND_IN_MSP } from '../../../libs/fabric-ledger/src/testing/stand-in-identities.js';
import { startStandIn, type StandInSetting } from '../../../libs/fabric-ledger/src/testing/start-stand-in.js';
import { call as request, LedgerApi, type Answer } from '../../support/ledger-api.js';
import { addCaller, changeCallers } from '../../support/ledger-callers.js';
import { OtlpCollector } from '../../support/otlp-collector.js';
import { STAND_IN_DRIVERS } from '../../support/stand-in-drivers.js';

const SECRET = '{"price":"110 \\"gold\\"","salt":"f3a9c1"}';
/** The secret in every form in which a program might write it. */
const FORMS = ['f3a9c1', Buffer.from(SECRET).toString('base64'), Buffer.from('f3a9c1').toString('hex')];

/** Returns the length of a secret, or repeats it in its refusals. */
const chaincode: StandInChaincode = (name, _args, state, { transient }) => {
  const secret = Buffer.from(transient.get('asset_price') ?? []).toString();
  if (name === 'Refuse') throw new Error(`cannot agree on ${JSON.stringify(secret)}`);
  if (name === 'Store') state.write({ key: 'k', value: Buffer.from(`${secret.length}`) });
  return Buffer.from(`${secret.length}`);
};

describe.each(STAND_IN_DRIVERS)('calls with LEDGER_DRIVER=$driver, traced', ({ envOf }) => {
  let network: StandInSetting;
  let api: LedgerApi;
  let key: string;
  let collector: OtlpCollector;
  beforeAll(async () => {
    network = await startStandIn();
    collector = await OtlpCollector.start();
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
    api = await LedgerApi.start({ ...envOf(network), LEDGER_AUTH: 'on', LOG_LEVEL: 'trace', ...traces });
    key = await changeCallers(api, () => addCaller(api.dataDir, 'ann', '--role', 'admin', '--new'));
  });
  afterAll(async () => {
    await api.stop();
    network.dispose();
    await collector.stop();
  });

  const transient = { asset_price: Buffer.from(SECRET).toString('base64') };
  const call = (way: string, body: object, headers = {}): Promise<Answer> =>
    api.api('POST', `/contracts/basic/${way}`, { body, headers: { 'x-api-key': key, ...headers } });

  it('have spans of endorsement, ordering and commit', async () => {
    network.network.chaincode = ourChaincode;
    const create = (id: string, traceId: string, keyed = {}): Promise<Answer> =>
      api.api('POST', '/assets', {
        body: { id, appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' },
        headers: { 'x-api-key': key, traceparent: `00-${traceId}-00f067aa0ba902b7-01`, ...keyed },
      });
    const [traceId, failed] = ['c'.repeat(32), 'e'.repeat(32)] as const;
    const created = await create('a', traceId, { 'idempotency-key': 'traced' });
    expect(created.status).toBe(201);
    const span = await collector.span('POST /api/v1/assets', traceId);
    for (const name of ['ledger.endorsement', 'ledger.ordering', 'ledger.commit']) {
      expect(await collector.span(name, traceId)).toMatchObject({
        parentSpanId: span.spanId,
        attributes: { 'ledger.transaction_id': created.headers['x-transaction-id'] },
        status: 0,
      });
    }
    network.network.chaincode = undefined;
    await create('b', failed);
    expect(await collector.span('ledger.endorsement', failed)).toMatchObject({ status: 2 });
    expect(await collector.span('POST /api/v1/assets', failed)).toMatchObject({
      status: 2,
      attributes: { 'error.type': 'LEDGER.UNAVAILABLE' },
    });
  });

  it('bring private data to the chaincode, and into no answer, log, file, trace or block', async () => {
    network.network.chaincode = chaincode;
    const store = { function: 'Store', transient };
    const keyed = { 'idempotency-key': 'agreement-1' };
    const answers = [
      await call('evaluate', { function: 'Length', transient, endorsingOrganizations: [STAND_IN_MSP] }),
      await call('submit', { ...store, endorsingOrganizations: [STAND_IN_MSP] }),
      await call('submit', store, keyed),
      await call('submit', { function: 'Store', transient: { asset_price: 'AAAA' } }, keyed),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 200, json: { data: { payload: String(SECRET.length) } } });
    }
    expect(answers[3]!.headers['idempotency-replayed']).toBe('true');
    const refused = [
      await call('evaluate', { function: 'Refuse', transient }),
      await call('submit', { function: 'Refuse', transient }),
      await call('submit', { function: 'Refuse', transient }, { 'idempotency-key': 'agreement-2' }),
      await call('submit', { ...store, arguments: ['another call'] }, keyed),
      await call('submit', { ...store, transient: { ...transient, bad: '?' } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422, 400]);
    network.network.chaincode = undefined;
    expect(await call('submit', store)).toMatchObject({ status: 500 });
    network.network.chaincode = chaincode;

    await collector.span('ledger.commit');
    const { program, dataDir } = api;
    expect(program.stdout).toContain('"operation":"POST /api/v1/contracts/:chaincode/submit"');
    const files = globSync(join(dataDir, '**')).filter((file) => statSync(file).isFile());
    const blocks = network.network.chain.blocks.map((bytes) => Buffer.from(bytes).toString('latin1'));
    const metrics = await request(api.origin, 'GET', '/metrics', { headers: { 'x-api-key': key } });
    const texts = [
      ...[...answers, ...refused].map(({ text, headers }) => text + JSON.stringify(headers)),
      ...[program.stdout, program.stderr, metrics.text],
      ...files.map((file) => readFileSync(file, 'latin1')),
      ...blocks,
      ...collector.bodies,
    ];
    for (const form of FORMS) expect(texts.filter((text) => text.includes(form))).toEqual([]);
  });
});
