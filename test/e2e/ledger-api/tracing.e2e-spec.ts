import { CLOSED_PORT } from '../../support/closed-port.js';
import { LedgerApi } from '../../support/ledger-api.js';
import { addCaller, changeCallers } from '../../support/ledger-callers.js';
import { OtlpCollector } from '../../support/otlp-collector.js';
import { until } from '../../support/until.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';
const TRACE_PARENT = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` };
const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };

let collector: OtlpCollector;
beforeAll(async () => {
  collector = await OtlpCollector.start();
});
afterAll(async () => {
  await collector.stop();
});

const logged = (api: LedgerApi, message: string): readonly Readonly<Record<string, unknown>>[] =>
  api.program.stdout
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('traces of the embedded ledger', () => {
  let api: LedgerApi;
  beforeAll(async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`, OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=seven' };
    api = await LedgerApi.start({ ...env, LOG_LEVEL: 'debug' });
  });
  afterAll(async () => {
    await api.stop();
  });

  it('continue the trace of the client, with the commit of a write', async () => {
    const body = { id: 'traced', ...FIELDS };
    const created = await api.api('POST', '/assets', { body, headers: TRACE_PARENT });
    const request = await collector.span('POST /api/v1/assets', TRACE_ID);
    expect(request).toMatchObject({
      parentSpanId: PARENT_ID,
      service: 'ledger-api',
      attributes: { 'http.request.method': 'POST', 'http.route': '/api/v1/assets', 'http.response.status_code': 201 },
    });
    const commit = await collector.span('ledger.commit', TRACE_ID);
    expect(commit).toMatchObject({
      parentSpanId: request.spanId,
      attributes: { 'ledger.transaction_id': created.headers['x-transaction-id'] },
    });
    expect(commit.seconds).toBeLessThanOrEqual(request.seconds);
    expect(collector.headers[0]).toMatchObject({ 'x-tenant': 'seven', 'content-type': 'application/json' });
    const [line] = logged(api, 'request').filter(({ traceId }) => traceId === TRACE_ID);
    expect(line).toMatchObject({ spanId: request.spanId, status: 201 });
  });

  it('begin a trace for other requests, and name their errors by codes only', async () => {
    const before = collector.spans.length;
    await api.api('GET', '/assets/secret-name');
    const span = await collector.span('GET /api/v1/assets/:id');
    expect(span).toMatchObject({ parentSpanId: '', attributes: { 'error.type': 'LEDGER.ASSET_NOT_FOUND' } });
    expect(span.traceId).not.toBe(TRACE_ID);
    await api.api('GET', '/assets/secret-name', { headers: { traceparent: `00-${'0'.repeat(32)}-${PARENT_ID}-01` } });
    await until(() => collector.spans.length === before + 2);
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(3);
    expect(collector.bodies.join()).not.toContain('secret-name');
  });

  it('export nothing for a client whose trace is not sampled, and log its id', async () => {
    const traceId = 'a'.repeat(32);
    await api.api('GET', '/assets/traced', { headers: { traceparent: `00-${traceId}-${PARENT_ID}-00` } });
    await api.api('GET', '/blockchain/height');
    await collector.span('GET /api/v1/blockchain/height');
    expect(collector.ofTrace(traceId)).toEqual([]);
    expect(logged(api, 'request').filter((line) => line['traceId'] === traceId)).toHaveLength(1);
  });

  it('have a span for an upload, and one for each of its transactions', async () => {
    const traceId = 'c'.repeat(32);
    const lines = Array.from({ length: 1200 }, (_, n) => JSON.stringify({ id: `bulk-${n}`, ...FIELDS }));
    const headers = { 'content-type': 'application/x-ndjson', traceparent: `00-${traceId}-${PARENT_ID}-01` };
    expect(await api.api('POST', '/assets', { body: lines.join('\n'), headers })).toMatchObject({ status: 200 });
    const request = await collector.span('POST /api/v1/assets', traceId);
    expect(request).toMatchObject({ parentSpanId: PARENT_ID, attributes: { 'http.response.status_code': 200 } });
    const commits = collector.ofTrace(traceId).filter(({ name }) => name === 'ledger.commit');
    const created = await Promise.all([0, 1199].map((n) => api.api('GET', `/assets/bulk-${n}/history`)));
    const ids = commits.map(({ attributes }) => attributes['ledger.transaction_id']);
    for (const { json } of created) {
      expect(ids).toContain((json as { data: readonly { transactionId: string }[] }).data[0]!.transactionId);
    }
    // A transaction creates at most 500 assets.
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(3);
    for (const commit of commits) expect(commit.parentSpanId).toBe(request.spanId);
  });

  it('export their last spans at the end of the program', async () => {
    const traceId = 'b'.repeat(32);
    await api.api('GET', '/blockchain/height', { headers: { traceparent: `00-${traceId}-${PARENT_ID}-01` } });
    expect(await api.program.end()).toEqual({ code: 0, signal: null });
    expect(collector.ofTrace(traceId)).toHaveLength(1);
  });
});

describe('without a collector', () => {
  it('its spans are given up when none listens, which is logged and stops nothing', async () => {
    const endpoint = `http://127.0.0.1:${CLOSED_PORT}`;
    const own = await LedgerApi.start({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    for (let n = 0; n < 5; n++) expect(await own.create(`kept-${n}`)).toMatchObject({ status: 201 });
    await until(() => own.program.stdout.includes('traces could not be exported'));
    expect(await own.api('GET', '/assets/kept-0')).toMatchObject({ status: 200 });
    expect(await own.stop()).toEqual({ code: 0, signal: null });
  });

  it('the trace of the client is in the log, and nothing of OpenTelemetry is loaded', async () => {
    const own = await LedgerApi.start({ LEDGER_AUTH: 'on', LOG_LEVEL: 'debug' });
    try {
      const key = await changeCallers(own, () => addCaller(own.dataDir, 'ann', '--role', 'writer'));
      const headers = { 'x-api-key': key, ...TRACE_PARENT };
      await own.api('POST', '/assets', { body: { id: 'a', ...FIELDS }, headers });
      await until(() => logged(own, 'write').length === 1 && logged(own, 'request').length > 0);
      for (const line of [...logged(own, 'write'), ...logged(own, 'request').slice(-1)]) {
        expect(line).toMatchObject({ traceId: TRACE_ID, spanId: PARENT_ID });
      }
      await own.api('GET', '/assets/a', { headers: { 'x-api-key': key, traceparent: 'garbage' } });
      await until(() => logged(own, 'request').length === 2);
      expect(logged(own, 'request')[1]).not.toHaveProperty('traceId');
    } finally {
      await own.stop();
    }
  });
});
