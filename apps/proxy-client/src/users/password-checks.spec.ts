import { deriveKey, type PasswordHash } from './password-hash.js';
import { PasswordChecks } from './password-checks.js';

const HASH: PasswordHash = {
  cost: { logN: 4, blockSize: 1, parallel: 1 },
  salt: Buffer.alloc(16),
  key: Buffer.alloc(32),
};

/** Adds the checks of a client, and returns which of them were hashed, in the order in which they ended. */
class Clients {
  readonly ended: string[] = [];
  readonly #checks = new PasswordChecks();
  readonly #all: Promise<void>[] = [];

  add(address: string, count = 1, cost = HASH.cost): void {
    for (let index = 0; index < count; index += 1) {
      const check = this.#checks.derive(address, 'wrong', { ...HASH, cost });
      this.#all.push(
        check.then((key) => {
          this.ended.push(key === undefined ? `${address} busy` : address);
        }),
      );
    }
  }

  async all(): Promise<readonly string[]> {
    await Promise.all(this.#all);
    return this.ended;
  }
}

describe('PasswordChecks', () => {
  it('derives the key of a password', async () => {
    const key = await deriveKey('right', HASH.salt, HASH.cost);
    expect(await new PasswordChecks().derive('a', 'right', HASH)).toEqual(key);
  });

  it('gives the clients turns: 80 wrong passwords of one do not delay the check of another', async () => {
    const clients = new Clients();
    clients.add('192.0.2.1', 80);
    clients.add('192.0.2.2', 2);
    clients.add('192.0.2.3');
    const ended = (await clients.all()).filter((entry) => !entry.endsWith('busy'));
    expect(ended.slice(0, 6)).toEqual([
      ...['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.3'],
      ...['192.0.2.1', '192.0.2.2'],
    ]);
    expect(ended).toHaveLength(68);
  });

  it('lets 64 checks of a client wait', async () => {
    const clients = new Clients();
    clients.add('a', 67);
    clients.add('b', 64);
    const ended = await clients.all();
    expect(ended.filter((entry) => entry === 'a busy')).toHaveLength(2);
    expect(ended.filter((entry) => entry === 'b')).toHaveLength(64);
  });

  it('counts the addresses of an IPv6 network of 64 bits as one client, and IPv4 addresses each', async () => {
    const clients = new Clients();
    clients.add('2001:db8::1', 40);
    clients.add('2001:db8:0:0:ffff::2', 40);
    clients.add('2001:db8:0:1::1', 40);
    clients.add('::ffff:192.0.2.1', 40);
    clients.add('::ffff:192.0.2.2', 40);
    const busy = (await clients.all()).filter((entry) => entry.endsWith('busy'));
    expect(busy).toEqual(Array<string>(15).fill('2001:db8:0:0:ffff::2 busy'));
  });

  it('lets 512 checks wait in all, and drops those of the client with the most for another one', async () => {
    const clients = new Clients();
    for (let client = 0; client < 8; client += 1) clients.add(`192.0.2.${client}`, client === 0 ? 65 : 64);
    clients.add('198.51.100.1', 2);
    const ended = await clients.all();
    expect(ended.filter((entry) => entry === '198.51.100.1')).toHaveLength(2);
    expect(ended.filter((entry) => entry.endsWith('busy'))).toHaveLength(2);
  });

  it('refuses a check of one of many clients when the queue is full of single ones', async () => {
    const clients = new Clients();
    for (let client = 0; client < 513; client += 1) clients.add(`client ${client}`);
    clients.add('late');
    expect((await clients.all()).filter((entry) => entry.endsWith('busy'))).toEqual(['late busy']);
  });

  it('continues after a hash that cannot be computed', async () => {
    const checks = new PasswordChecks();
    // Node refuses it. What OpenSSL refuses leaves an error in its queue, of which the next private key that is read in this thread dies.
    const invalid = { ...HASH, cost: { logN: 1.5, blockSize: 1, parallel: 1 } };
    const [first, second] = [checks.derive('a', 'x', invalid), checks.derive('a', 'x', HASH)];
    await expect(first).rejects.toThrow('"N" is out of range');
    expect(await second).toHaveLength(32);
  });

  it('shares nothing with the queue of another proxy', async () => {
    const [one, other] = [new Clients(), new Clients()];
    one.add('a', 80);
    other.add('a');
    expect(await other.all()).toEqual(['a']);
    expect(one.ended.length).toBeLessThan(80);
    await one.all();
  });
});
