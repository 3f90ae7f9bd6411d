import { jest } from '@jest/globals';
import { PACE } from '../driver/fabric-transport.js';
import { createOrganisation } from '../testing/stand-in-identities.js';
import { signingIdentity, type SigningIdentity } from '../driver/signing-identity.js';
import { NetworkSessions, type NetworkSession } from './network-sessions.js';

/** Nothing here connects: a session does at its first call. */
describe('the sessions of callers with fabric-network', () => {
  let identity: SigningIdentity;
  let renewed: SigningIdentity | undefined;
  let now: number;
  let sessions: NetworkSessions;
  beforeAll(async () => {
    const { client } = await createOrganisation();
    const { certificate, privateKey } = client;
    const pair = { certificates: [certificate], privateKeys: [privateKey] };
    identity = signingIdentity({ mspId: 'Org1MSP', ...pair, origin: 'test' });
  });
  beforeEach(() => {
    renewed = undefined;
    now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    sessions = new NetworkSessions({
      profile: {},
      signers: { identityOf: () => Promise.resolve(renewed ?? identity) },
      discoveryAsLocalhost: true,
      tlsClient: undefined,
      limits: { evaluate: 1000, endorse: 1000, submit: 1000, commit: 1000 },
    });
  });
  afterEach(() => {
    sessions.close();
    jest.restoreAllMocks();
  });
  const use = async (caller?: string): Promise<NetworkSession> => {
    const used = await sessions.acquire(caller);
    sessions.release(used);
    return used;
  };

  it('are cached, one for each', async () => {
    const [own, alice] = [await use(), await use('alice')];
    expect(own).not.toBe(alice);
    expect([await use(), await use('alice')]).toEqual([own, alice]);
  });

  it('are bounded: the least recently used one is closed, but not the one of the service', async () => {
    const own = await use();
    const busy = await sessions.acquire('busy');
    const first = await use('caller0');
    const closed = jest.spyOn(first, 'close');
    for (let n = 1; n <= 31; n++) await use(`caller${n}`);
    expect(closed).toHaveBeenCalledTimes(1);
    expect(await use('caller0')).not.toBe(first);
    expect(await use()).toBe(own);
    expect(await sessions.acquire('busy')).toBe(busy);
  });

  it('are replaced when the identity is renewed, and closed when no call is left in them', async () => {
    const used = await sessions.acquire('alice');
    const closed = jest.spyOn(used, 'close');
    renewed = { ...identity };
    expect(await use('alice')).not.toBe(used);
    expect(closed).not.toHaveBeenCalled();
    sessions.release(used);
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it('are replaced when they are stuck, but not while they are young', async () => {
    const used = await use();
    now += PACE.replace - 1;
    sessions.replace(used);
    expect(await use()).toBe(used);
    now += 1;
    sessions.replace(used);
    expect(await use()).not.toBe(used);
  });

  it('are not opened after the end, because they would never be closed', async () => {
    const used = await use();
    now += PACE.replace;
    sessions.close();
    sessions.replace(used);
    await expect(sessions.acquire(undefined)).rejects.toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
  });
});
