import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { startStandIn, type StandInSetting } from '../../../libs/fabric-ledger/src/testing/start-stand-in.js';
import { call, LedgerApi } from '../../support/ledger-api.js';
import { gatewayEnv } from '../../support/stand-in-drivers.js';

describe('a peer that accepts connections and never answers', () => {
  let files: StandInSetting;
  let peer: Server;
  let api: LedgerApi;
  const accepted: Socket[] = [];

  beforeEach(async () => {
    files = await startStandIn();
    peer = createServer((socket) => accepted.push(socket.on('error', () => undefined)));
    peer.listen(0, '127.0.0.1');
    await once(peer, 'listening');
    const { port } = peer.address() as AddressInfo;
    api = await LedgerApi.start({ ...gatewayEnv(files), FABRIC_PEER_ENDPOINTS: `127.0.0.1:${port}` });
  });
  afterEach(async () => {
    await api.stop();
    for (const socket of accepted) socket.destroy();
    peer.close();
    files.dispose();
  });

  it('defect: delayed every scrape until Prometheus gave up, so that no alert fired', async () => {
    const answered: string[] = [];
    const height = api.api('GET', '/blockchain/height').then(({ status }) => answered.push(`height ${status}`));
    const { status, text } = await call(api.origin, 'GET', '/metrics');
    answered.push(`metrics ${status}`);
    await height;
    expect(answered).toEqual(['metrics 200', 'height 500']);
    // Without a height, the alert LedgerUnreachable fires.
    expect(text).not.toMatch(/^ledger_height /m);
    expect(text).toMatch(/^ledger_height_age_seconds \d/m);
    expect(text).toMatch(/^ledger_queue_length 0$/m);
  });
});
