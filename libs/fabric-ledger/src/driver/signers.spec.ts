import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createOrganisation,
  STAND_IN_MSP,
  type StandInOrganisation,
  type StandInSigner,
} from '../testing/stand-in-identities.js';
import { PACE } from './fabric-transport.js';
import { Signers, walletIdentity, type SignersOptions } from './signers.js';

let organisation: StandInOrganisation;
beforeAll(async () => {
  organisation = await createOrganisation();
});

const entry = ({ certificate, privateKey }: StandInSigner, facts: object = {}): string =>
  JSON.stringify({
    credentials: { certificate, privateKey },
    mspId: STAND_IN_MSP,
    type: 'X.509',
    version: 1,
    ...facts,
  });

describe('an identity of a wallet', () => {
  const parse = (text: string) => walletIdentity('wallet', 'User1').parse([[text]]);

  it('is read from the file of its name', () => {
    expect(walletIdentity('wallet', 'User1').paths).toEqual([join('wallet', 'User1.id')]);
    expect(parse(entry(organisation.client))).toMatchObject({
      mspId: STAND_IN_MSP,
      commonName: 'User1@org1.example.com',
    });
  });

  it('is refused when it is not X.509, or not JSON', () => {
    expect(() => parse(entry(organisation.client, { type: 'HSM-X.509' }))).toThrow(
      'is not an X.509 identity of a wallet',
    );
    expect(() => parse(entry(organisation.client, { credentials: null }))).toThrow(
      'is not an X.509 identity of a wallet',
    );
    expect(() => parse('null')).toThrow('is not an X.509 identity of a wallet');
    expect(() => parse('{')).toThrow('is not valid JSON');
  });
});

describe('who signs for a caller', () => {
  let wallet: string;
  beforeEach(() => {
    PACE.files = 0;
    wallet = mkdtempSync(join(tmpdir(), 'signers-'));
    put('service', organisation.client);
  });
  afterEach(() => {
    rmSync(wallet, { recursive: true });
  });
  const put = (name: string, signer: StandInSigner, facts?: object): void => {
    writeFileSync(join(wallet, `${name}.id`), entry(signer, facts));
  };
  const open = (options: Partial<SignersOptions> = {}): Promise<Signers> =>
    Signers.open({
      service: walletIdentity(wallet, 'service'),
      walletDir: wallet,
      isCaller: () => true,
      ...options,
    });
  const nameOf = async (signers: Signers, caller?: string): Promise<string> =>
    (await signers.identityOf(caller)).commonName;

  it('is the identity of that name, and that of the service without a name', async () => {
    put('alice', await organisation.issueClient('alice'));
    const signers = await open();
    expect(await nameOf(signers)).toBe('User1@org1.example.com');
    expect(await nameOf(signers, 'alice')).toBe('alice');
  });

  it('is undefined without an identity, a wallet or permission, and for operators of a network', async () => {
    const names = ['alice', 'admin', 'service', 'ca', 'registrar', 'peer0', 'orderer', 'orderer1'];
    for (const name of names) put(name, organisation.client);
    const unknown = { code: 'LEDGER.UNKNOWN_CALLER', retryable: false };
    await expect(nameOf(await open(), 'bob')).rejects.toMatchObject(unknown);
    await expect(nameOf(await open({ walletDir: undefined }), 'alice')).rejects.toMatchObject(unknown);
    await expect(nameOf(await open({ isCaller: undefined }), 'alice')).rejects.toMatchObject(unknown);
    await expect(nameOf(await open({ isCaller: (name) => name !== 'alice' }), 'alice')).rejects.toMatchObject(unknown);
    for (const name of names.slice(1)) await expect(nameOf(await open(), name)).rejects.toMatchObject(unknown);
    expect(await nameOf(await open(), 'alice')).toBe('User1@org1.example.com');
  });

  it('is found when the identity is added, renewed when it changes, and undefined when it is removed', async () => {
    const signers = await open();
    await expect(nameOf(signers, 'alice')).rejects.toMatchObject({ code: 'LEDGER.UNKNOWN_CALLER' });
    put('alice', await organisation.issueClient('alice'));
    expect(await nameOf(signers, 'alice')).toBe('alice');
    put('alice', await organisation.issueClient('alice the second'));
    expect(await nameOf(signers, 'alice')).toBe('alice the second');
    rmSync(join(wallet, 'alice.id'));
    await expect(nameOf(signers, 'alice')).rejects.toMatchObject({ code: 'LEDGER.UNKNOWN_CALLER' });
    put('alice', await organisation.issueClient('alice the third'));
    expect(await nameOf(signers, 'alice')).toBe('alice the third');
  });

  it('is refused, not treated as absent, when the identity is unusable', async () => {
    put('alice', organisation.client, { mspId: 'Org2MSP' });
    await expect(nameOf(await open(), 'alice')).rejects.toThrow(
      `The identity in ${join(wallet, 'alice.id')} belongs to Org2MSP, but Org1MSP is required`,
    );
    writeFileSync(join(wallet, 'alice.id'), '{');
    await expect(nameOf(await open(), 'alice')).rejects.toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
    put('alice', organisation.client);
    const check = (): never => {
      throw new Error('of another kind');
    };
    await expect(nameOf(await open({ check }), 'alice')).rejects.toThrow('of another kind');
  });
});
