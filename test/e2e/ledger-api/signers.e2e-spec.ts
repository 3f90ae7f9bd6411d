import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { addCaller, changeCallers, ledgerTool } from '../../support/ledger-callers.js';
import { until } from '../../support/until.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };

describe('a keyed write of a caller', () => {
  let api: LedgerApi;
  let apiKey: string;
  beforeAll(async () => {
    api = await start('caller');
    apiKey = await changeCallers(api, () => addCaller(api.dataDir, 'alice', '--role', 'writer'));
  });
  afterAll(async () => {
    await api.program.end();
    await rm(api.dataDir, { recursive: true });
  });

  const start = (signAs: 'caller' | 'service', dataDir?: string): Promise<LedgerApi> =>
    LedgerApi.start({ LEDGER_AUTH: 'on', LEDGER_SIGN_AS: signAs }, dataDir);
  const restart = async (signAs: 'caller' | 'service'): Promise<void> => {
    await api.program.end();
    api = await start(signAs, api.dataDir);
  };
  const create = (key: string): Promise<Answer> =>
    api.api('POST', '/assets', { body: FIELDS, headers: { 'x-api-key': apiKey, 'idempotency-key': key } });
  const replayOf = ({ text }: Answer) => ({ status: 201, text, headers: { 'idempotency-replayed': 'true' } });

  it('is executed once although LEDGER_SIGN_AS was changed in between, in both directions', async () => {
    const byCaller = await create('by-caller');
    await restart('service');
    expect(await create('by-caller')).toMatchObject(replayOf(byCaller));
    const byService = await create('by-service');
    await restart('caller');
    expect(await create('by-service')).toMatchObject(replayOf(byService));
    expect(await create('by-caller')).toMatchObject(replayOf(byCaller));
  });

  it("is not executed again when the caller's identity file was lost, until it is renewed", async () => {
    const first = await create('k');
    await api.program.end();
    rmSync(join(api.dataDir, 'identities', 'callers', 'alice.pem'));
    api = await start('caller', api.dataDir);
    const damaged = { status: 500, headers: { 'x-error-code': 'LEDGER.DAMAGED' } };
    expect(await create('k')).toMatchObject(damaged);
    expect(await create('other')).toMatchObject(damaged);
    expect(await ledgerTool(api.dataDir, 'callers', 'renew', 'alice')).toMatchObject({ code: 0 });
    await until(async () => (await create('k')).status === 201);
    expect(await create('k')).toMatchObject(replayOf(first));
  });
});
