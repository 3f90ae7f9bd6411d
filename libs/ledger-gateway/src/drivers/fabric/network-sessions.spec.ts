import { jest } from '@jest/globals';
import type { KeptIdentity } from '../../fabric-client/signers.js';
import { PACE } from '../../fabric-client/fabric-transport.js';
import type { RotatingFiles } from '../../fabric-client/rotating-files.js';
import type { SigningIdentity } from '../../fabric-client/signing-identity.js';
import { SignerRegistry } from '../../signers/signer-registry.js';
import { createOrganisation } from '../../testing/fabric-stand-in/stand-in-identities.js';
import { signingIdentity } from '../../fabric-client/signing-identity.js';
import { NetworkSessions, type SessionInUse } from './network-sessions.js';

/** Nothing here connects: a session does at its first call. */
describe('the sessions of callers with fabric-network', () => {
  let identity: SigningIdentity;
  let renewed: SigningIdentity | undefined;
  let now: number;
  let sessions: NetworkSessions;
  beforeAll(async () => {
    const { client } = await createOrganisation();
    const { certificate, privateKey } = client;
    identity = signingIdentity({
      mspId: 'Org1MSP',
      certificates: [certificate],
      privateKeys: [privateKey],
      origin: 'test',
    });
  });
  beforeEach(() => {
    renewed = undefined;
    now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    const files = { current: () => Promise.resolve(renewed ?? identity) } as RotatingFiles<KeptIdentity>;
    sessions = new NetworkSessions({
      profile: {},
      signers: new SignerRegistry(files, () => Promise.resolve(files)),
      discoveryAsLocalhost: true,
      tlsClient: undefined,
      limits: { evaluate: 1000, endorse: 1000, submit: 1000, commit: 1000 },
      pace: PACE,
    });
  });
  afterEach(() => {
    sessions.close();
    jest.restoreAllMocks();
  });
  const use = async (caller?: string): Promise<SessionInUse> => {
    const used = await sessions.take(caller);
    sessions.release(used);
    return used;
  };

  it('are kept, one for each', async () => {
    const [own, alice] = [await use(), await use('alice')];
    expect(own).not.toBe(alice);
    expect([await use(), await use('alice')]).toEqual([own, alice]);
  });

  it('are bounded: the one that nobody used for longest goes, and never the service', async () => {
    const own = await use();
    const busy = await sessions.take('busy');
    const first = await use('caller0');
    const closed = jest.spyOn(first.session, 'close');
    for (let n = 1; n <= 31; n++) await use(`caller${n}`);
    expect(closed).toHaveBeenCalledTimes(1);
    expect(await use('caller0')).not.toBe(first);
    expect(await use()).toBe(own);
    expect(await sessions.take('busy')).toBe(busy);
  });

  it('are replaced when the identity is renewed, and closed when no call is left in them', async () => {
    const used = await sessions.take('alice');
    const closed = jest.spyOn(used.session, 'close');
    renewed = { ...identity };
    expect(await use('alice')).not.toBe(used);
    expect(closed).not.toHaveBeenCalled();
    sessions.release(used);
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it('are replaced when they are stuck, ever less often', async () => {
    let used = await use();
    for (const wait of [PACE.replace, PACE.replace * 2, PACE.replace * 4]) {
      now += wait - 1;
      sessions.giveUp(used);
      expect(await use()).toBe(used);
      now += 1;
      sessions.giveUp(used);
      expect(await use()).not.toBe(used);
      used = await use();
    }
  });

  it('come no more after the end, which nothing would close', async () => {
    const used = await use();
    now += PACE.replace;
    sessions.close();
    sessions.giveUp(used);
    await expect(sessions.take(undefined)).rejects.toMatchObject({ code: 'LEDGER.UNAVAILABLE' });
  });
});
