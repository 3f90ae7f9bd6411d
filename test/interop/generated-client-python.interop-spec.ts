import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerApi } from '../support/ledger-api.js';
import { addCaller, changeCallers } from '../support/ledger-callers.js';
import { makePythonClient, pythonOf } from '../support/python-client.js';

const run = promisify(execFile);
const STEP_MS = 300_000;

/** What a user of the generated client writes. It prints one JSON object. */
const SCRIPT = `
import json, sys
from client.client import AuthenticatedClient, Client
from client.api.assets import create_asset, list_assets, read_asset, transfer_asset
from client.api.transactions import get_transaction
from client.models.create_asset_request import CreateAssetRequest
from client.models.transfer_asset_request import TransferAssetRequest

base, key = sys.argv[1] + "/api/v1", sys.argv[2]
client = AuthenticatedClient(base_url=base, token=key)
body = CreateAssetRequest.from_dict(
    {"id": "first", "color": "blue", "size": "5", "owner": "Tomoko", "appraisedValue": "300"})
created = create_asset.sync(client=client, body=body, idempotency_key="python")
repeated = create_asset.sync_detailed(client=client, body=body, idempotency_key="python")
read = read_asset.sync_detailed("first", client=client)
moved = transfer_asset.sync("first", client=client, body=TransferAssetRequest(new_owner="Brad"))
late = transfer_asset.sync_detailed(
    "first", client=client, body=TransferAssetRequest(new_owner="Ann"), if_match=read.headers["etag"])
made_by = get_transaction.sync(moved.data.transaction_id, client=client)
missing = read_asset.sync_detailed("nobody", client=client)
refused = list_assets.sync_detailed(client=Client(base_url=base))
print(json.dumps({
    "created": created.data.asset.to_dict(),
    "repeated": [repeated.headers["idempotency-replayed"], repeated.parsed == created],
    "read": read.parsed.data.owner,
    "moved": moved.data.asset.owner,
    "late": [late.status_code, late.headers["x-error-code"]],
    "creator": made_by.data.creator_id,
    "listed": [asset.id for asset in list_assets.sync(client=client, limit=10).data],
    "missing": [missing.status_code, missing.parsed.to_dict()],
    "refused": [refused.status_code, refused.parsed.success],
}))
`;

const directory = await mkdtemp(join(tmpdir(), 'python-client-'));
const missing = await makePythonClient(directory, join(process.cwd(), 'docs/openapi/ledger-api.json'));
afterAll(async () => {
  await rm(directory, { recursive: true });
});

if (missing !== undefined) {
  describe(`a client that openapi-python-client makes of the document (skipped: ${missing})`, () => {
    it.skip('needs Python and PyPI', () => undefined);
  });
} else {
  describe('a client that openapi-python-client makes of the document', () => {
    let api: LedgerApi;
    beforeAll(async () => {
      api = await LedgerApi.start({ LEDGER_AUTH: 'on' });
    }, STEP_MS);
    afterAll(async () => {
      expect(await api.stop()).toEqual({ code: 0, signal: null });
    }, STEP_MS);

    it(
      'creates, repeats, reads, transfers and lists with a key, and receives errors in their shape',
      async () => {
        const key = await changeCallers(api, () => addCaller(api.dataDir, 'alice', '--role', 'writer'));
        const { stdout } = await run(pythonOf(directory), ['-c', SCRIPT, api.origin, key], {
          cwd: directory,
        });
        expect(JSON.parse(stdout)).toEqual({
          created: { ID: 'first', appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' },
          repeated: ['true', true],
          read: 'Tomoko',
          moved: 'Brad',
          late: [412, 'LEDGER.ASSET_CHANGED'],
          creator: 'alice@org1.example.com',
          listed: ['first'],
          missing: [404, { success: false, message: 'The asset nobody does not exist.' }],
          refused: [401, false],
        });
      },
      STEP_MS,
    );
  });
}
