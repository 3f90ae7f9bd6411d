import { SignerRegistry } from './signer-registry.js';

describe('SignerRegistry', () => {
  it('gives the service where no caller is named', () => {
    expect(new SignerRegistry('service', () => Promise.reject(new Error('never'))).signerOf(undefined)).toBe('service');
  });

  it('looks a caller up once, however many ask at the same time, and then knows it', async () => {
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

  it('looks again for what was not found or failed', async () => {
    const ends = [() => undefined, () => Promise.reject(new Error('disk')), () => 'there'];
    const registry = new SignerRegistry('service', async () => ends.shift()?.());
    await expect(registry.signerOf('alice')).rejects.toMatchObject({ code: 'LEDGER.UNKNOWN_CALLER' });
    await expect(registry.signerOf('alice')).rejects.toThrow('disk');
    expect(await registry.signerOf('alice')).toBe('there');
  });

  it.each(['', 'Admin', '../ca', '.hidden', 'a/b', 'a b', 'x'.repeat(41), 'ä', 'a\n', '__proto__'])(
    'never looks for the name %j',
    async (name) => {
      const registry = new SignerRegistry('service', () => Promise.reject(new Error('looked for')));
      await expect(registry.signerOf(name)).rejects.toMatchObject({ code: 'LEDGER.UNKNOWN_CALLER' });
    },
  );

  it.each(['a', '0', 'alice', 'a.b-c_d', 'x'.repeat(40)])('looks for the name %j', async (name) => {
    expect(await new SignerRegistry('service', (caller) => Promise.resolve(caller)).signerOf(name)).toBe(name);
  });
});
