import { callerNameFault, SignerRegistry } from './signer-registry.js';

describe('SignerRegistry', () => {
  it('returns the service without a caller', () => {
    expect(new SignerRegistry('service', () => Promise.reject(new Error('never'))).signerOf(undefined)).toBe('service');
  });

  it('loads a caller once for concurrent calls, and caches it', async () => {
    const asked: string[] = [];
    const registry = new SignerRegistry('service', (name) => {
      asked.push(name);
      return Promise.resolve(`signer of ${name}`);
    });
    const found = await Promise.all([registry.signerOf('alice'), registry.signerOf('alice'), registry.signerOf('bob')]);
    expect(found).toEqual(['signer of alice', 'signer of alice', 'signer of bob']);
    expect(registry.signerOf('alice')).toBe('signer of alice');
    expect(asked).toEqual(['alice', 'bob']);
  });

  it('loads a caller again who was not found or failed', async () => {
    const ends = [() => undefined, () => Promise.reject(new Error('disk')), () => 'there'];
    const registry = new SignerRegistry('service', async () => ends.shift()?.());
    await expect(registry.signerOf('alice')).rejects.toMatchObject({ code: 'LEDGER.UNKNOWN_CALLER' });
    await expect(registry.signerOf('alice')).rejects.toThrow('disk');
    expect(await registry.signerOf('alice')).toBe('there');
  });

  it('loads a caller again after forget', async () => {
    let made = 0;
    const registry = new SignerRegistry('service', () => Promise.resolve(`signer ${++made}`));
    expect(await registry.signerOf('alice')).toBe('signer 1');
    registry.forget('alice');
    expect(await registry.signerOf('alice')).toBe('signer 2');
  });

  it.each([
    'service',
    'user1',
    'admin',
    'ca',
    'registrar',
    'peer',
    'peer0',
    'peer0.org1.example.com',
    'orderer3',
    'ca.org1',
  ])('reserves the name %j', async (name) => {
    expect(callerNameFault(name)).toContain('is reserved');
    const registry = new SignerRegistry('service', () => Promise.reject(new Error('looked for')));
    await expect(registry.signerOf(name)).rejects.toMatchObject({ code: 'LEDGER.UNKNOWN_CALLER' });
  });

  it.each(['peers', 'caroline', 'adminton', 'service-desk', 'user10', 'orderer-bot'])('accepts the name %j', (name) => {
    expect(callerNameFault(name)).toBeUndefined();
  });

  it.each(['', 'Admin', '../ca', '.hidden', 'a/b', 'a b', 'x'.repeat(41), 'ä', 'a\n', '__proto__'])(
    'never loads the invalid name %j',
    async (name) => {
      const registry = new SignerRegistry('service', () => Promise.reject(new Error('looked for')));
      await expect(registry.signerOf(name)).rejects.toMatchObject({ code: 'LEDGER.UNKNOWN_CALLER' });
    },
  );

  it.each(['a', '0', 'alice', 'a.b-c_d', 'x'.repeat(40)])('loads the name %j', async (name) => {
    expect(await new SignerRegistry('service', (caller) => Promise.resolve(caller)).signerOf(name)).toBe(name);
  });
});
