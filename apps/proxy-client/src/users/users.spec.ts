import { deriveKey, hashPassword, readPasswordHash, looksHashed, type ScryptCost } from './password-hash.js';
import { PasswordChecks } from './password-checks.js';
import { Users } from './users.js';

const CHEAP: ScryptCost = { logN: 4, blockSize: 1, parallel: 1 };
const hashed = async (name: string, password: string, cost = CHEAP) => ({
  name,
  password: await hashPassword(password, cost),
});

const HERE = '127.0.0.1';

describe('a hash of a password', () => {
  it('is read as it was written, with its own salt', async () => {
    const [one, other] = [await hashPassword('secret'), await hashPassword('secret')];
    expect(one).toMatch(/^scrypt:14:8:5:[\w-]{22}:[\w-]{43}$/);
    expect(one).not.toBe(other);
    const { salt, cost, key } = readPasswordHash(one)!;
    expect(await deriveKey('secret', salt, cost)).toEqual(key);
    expect(await deriveKey('Secret', salt, cost)).not.toEqual(key);
  });

  it('is that of RFC 7914, section 12', async () => {
    const key = await deriveKey('pleaseletmein', Buffer.from('SodiumChloride'), {
      logN: 14,
      blockSize: 8,
      parallel: 1,
    });
    expect(key.toString('hex')).toBe('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2');
  });

  it('may have the largest cost for its block size', async () => {
    const { salt, cost, key } = readPasswordHash(
      await hashPassword('secret', { logN: 15, blockSize: 1, parallel: 16 }),
    )!;
    expect(await deriveKey('secret', salt, cost)).toEqual(key);
  });

  const salt = 'A'.repeat(22);
  const key = 'A'.repeat(43);
  it.each([
    ['a password', 'secret'],
    ['nothing behind the word', 'scrypt:'],
    ['no key', `scrypt:14:8:5:${salt}`],
    ['a short key', `scrypt:14:8:5:${salt}:${key.slice(1)}`],
    ['a cost of nothing', `scrypt:0:8:5:${salt}:${key}`],
    ['no blocks', `scrypt:14:0:5:${salt}:${key}`],
    ['no parallel', `scrypt:14:8:0:${salt}:${key}`],
    ['over 256 MiB', `scrypt:19:8:1:${salt}:${key}`],
    // One wrong password of anyone ended the process.
    ['a cost that scrypt refuses', `scrypt:16:1:1:${salt}:${key}`],
    ['a larger cost that scrypt refuses', `scrypt:17:1:1:${salt}:${key}`],
    ['too many parallel', `scrypt:14:8:17:${salt}:${key}`],
    ['signs of another alphabet', `scrypt:14:8:5:${salt}:${key.slice(1)}+`],
  ])('is none with %s', (_, text) => {
    expect(readPasswordHash(text)).toBeUndefined();
    expect(looksHashed(text)).toBe(text !== 'secret');
  });
});

describe('Users', () => {
  it('lets users in with their password only, hashed or not', async () => {
    const users = new Users([await hashed('ann', 'one'), { name: 'bob', password: 'two' }], new PasswordChecks());
    const verdicts = await Promise.all(
      [
        ['ann', 'one'],
        ['bob', 'two'],
        ['ann', 'two'],
        ['bob', 'one'],
        ['ann', ''],
        ['', ''],
        ['eve', 'one'],
        ['annone', ''],
        ['an', 'none'],
        ['__proto__', 'one'],
      ].map(async ([username = '', password = '']) => users.check({ username, password }, HERE)),
    );
    expect(verdicts).toEqual(['right', 'right', ...Array<string>(8).fill('wrong')]);
  });

  it('checks the last correct password and plain passwords without a delay', async () => {
    const users = new Users([await hashed('ann', 'one'), { name: 'bob', password: 'two' }], new PasswordChecks());
    const [ann, bob] = [
      { username: 'ann', password: 'one' },
      { username: 'bob', password: 'two' },
    ];
    expect([users.knows(ann), users.knows(bob)]).toEqual([false, true]);
    await users.check(ann, HERE);
    expect(users.knows(ann)).toBe(true);
    await users.check({ ...ann, password: 'two' }, HERE);
    expect([users.knows(ann), users.knows({ ...ann, password: 'two' })]).toEqual([true, false]);
    expect(new Users([await hashed('ann', 'one')], new PasswordChecks()).knows(ann)).toBe(false);
  });

  it('remembers correct passwords after a reload, unless they have changed', async () => {
    const [ann, eve] = [await hashed('ann', 'one'), await hashed('eve', 'three')];
    const users = new Users([ann, eve], new PasswordChecks());
    const [one, three] = [
      { username: 'ann', password: 'one' },
      { username: 'eve', password: 'three' },
    ];
    await Promise.all([users.check(one, HERE), users.check(three, HERE)]);
    const reloaded = new Users([ann, await hashed('eve', 'four')], new PasswordChecks(), users);
    expect([reloaded.knows(one), reloaded.knows(three), await reloaded.check(three, HERE)]).toEqual([
      true,
      false,
      'wrong',
    ]);
    expect(new Users([eve], new PasswordChecks(), reloaded).knows(one)).toBe(false);
  });

  it('treats names and passwords in both forms of Unicode as equal', async () => {
    const users = new Users(
      [await hashed('Jos\u00e9', 'na\u00efve'), { name: 'Rene\u0301', password: 'e\u0301' }],
      new PasswordChecks(),
    );
    expect(await users.check({ username: 'Jose\u0301', password: 'nai\u0308ve' }, HERE)).toBe('right');
    expect(users.knows({ username: 'Ren\u00e9', password: '\u00e9' })).toBe(true);
  });

  it('makes one hash of equal attempts, one at a time, and lets 64 wait', async () => {
    const users = new Users([await hashed('ann', 'one')], new PasswordChecks());
    const attempt = async (password: string) => users.check({ username: 'ann', password }, HERE);
    const equal = Array.from({ length: 200 }, async () => attempt('one'));
    const others = Array.from({ length: 66 }, async (_, index) => attempt(`wrong ${index}`));
    const verdicts = await Promise.all([...equal, ...others]);
    expect(verdicts).toEqual([...Array<string>(200).fill('right'), ...Array<string>(64).fill('wrong'), 'busy', 'busy']);
    expect(await attempt('wrong 65')).toBe('wrong');
  });
});
