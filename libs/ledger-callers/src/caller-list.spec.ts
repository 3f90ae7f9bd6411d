import { createHash } from 'node:crypto';
import { addCaller, enrolCaller, revokeCaller, rotateKeys, type CallerList } from './caller-list.js';
import { formatCallers, parseCallers } from './callers-file.js';

const NOW = new Date('2026-11-22T12:00:00.000Z');
const HOUR = 3_600_000;
const later = (milliseconds: number) => new Date(NOW.getTime() + milliseconds);

function added(name: string, more: Partial<Parameters<typeof addCaller>[1]> = {}, list: CallerList = []) {
  return addCaller(list, { name, role: 'writer', withKey: true, ...more }, NOW);
}

describe('addCaller', () => {
  it('adds an entry that keeps the hash of its key, and not the key', () => {
    const { callers, key } = added('alice', { expires: later(HOUR) });
    const sha256 = createHash('sha256').update(key!.text).digest('hex');
    expect(callers).toEqual([
      {
        name: 'alice',
        role: 'writer',
        added: NOW.toISOString(),
        keys: [{ id: key!.id, sha256, made: NOW.toISOString(), expires: later(HOUR).toISOString() }],
      },
    ]);
    expect(formatCallers(callers)).not.toContain(key!.text.slice(12));
  });

  it('adds one for tokens, without a key', () => {
    const { callers, key } = added('ci', { withKey: false, subject: 'repo:acme/ledger' });
    expect(key).toBeUndefined();
    expect(callers).toMatchObject([{ name: 'ci', subject: 'repo:acme/ledger', keys: [] }]);
  });

  it.each(['a', '0', 'a.b-c_d', 'x'.repeat(40), 'users', 'cat', 'peers', 'ca-team'])('accepts the name %j', (name) => {
    expect(added(name).callers).toMatchObject([{ name }]);
  });

  it.each(['', 'Alice', '.a', '-a', 'a b', 'a/b', '../ca', 'ä', 'a\n', 'x'.repeat(41)])(
    'refuses the name %j',
    (name) => {
      expect(() => added(name)).toThrow('A name has 1 to 40');
    },
  );

  it.each(['service', 'admin', 'ca', 'peer0.org1', 'orderer1', 'user1'])(
    'keeps the name %j for those who run a ledger',
    (name) => {
      expect(() => added(name)).toThrow('reserved');
    },
  );

  it('refuses a name and a subject that are taken', () => {
    const { callers } = added('alice', { subject: 'a' });
    expect(() => added('alice', {}, callers)).toThrow('alice is already a caller');
    expect(() => added('bob', { subject: 'a' }, callers)).toThrow('the subject a appears more than once');
    expect(() => added('bob', { subject: '' }, callers)).toThrow('A subject must have 1 to 256 characters');
  });
});

it('refuses attributes that no certificate can have', () => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`a${index}`, 'x']));
  expect(() => added('ana', { attributes: many })).toThrow('not have more than 16 names');
  for (const attributes of [{ 'a b': 'x' }, { _a: 'x' }, { a: 'x\n' }, { a: 'x'.repeat(257) }]) {
    expect(() => added('ana', { attributes })).toThrow('Attributes must have names of 1 to 64');
  }
});

describe('enrolCaller', () => {
  const enrolled = (subject: string, callers: CallerList = []) =>
    enrolCaller(callers, { subject, role: 'writer' }, NOW).callers;

  it('creates a caller for a subject, once', async () => {
    const callers = enrolled('ci.build-7');
    expect(callers).toEqual([
      { name: 'ci.build-7', role: 'writer', added: NOW.toISOString(), subject: 'ci.build-7', enrolled: true, keys: [] },
    ]);
    expect(enrolled('ci.build-7', callers)).toEqual(callers);
    expect(await parseCallers(formatCallers(callers))).toEqual(callers);
    expect(added('other').callers).toHaveLength(1);
  });

  it.each([
    ['Alice Smith <alice@example.com>', /^alice-smith-alice-examp-[0-9a-f]{16}$/],
    ['auth0|5f7c8ec7c33c6c004bbafe82', /^auth0-5f7c8ec7c33c6c004-[0-9a-f]{16}$/],
    ['admin', /^admin-[0-9a-f]{16}$/],
    ['__proto__', /^proto-[0-9a-f]{16}$/],
    ['愛', /^caller-[0-9a-f]{16}$/],
  ])('creates a similar name for the subject %s', async (subject, name) => {
    expect(enrolled(subject)[0]!.name).toMatch(name);
    expect(await parseCallers(formatCallers(enrolled(subject)))).toEqual(enrolled(subject));
  });

  it('creates unique names for subjects that equal names of others', async () => {
    const taken = enrolled('Bob')[0]!.name;
    const callers = enrolled('Bob', enrolled(taken));
    expect(callers.map(({ name }) => name)).toEqual([taken, expect.stringMatching(/^bob-[0-9a-f]{16}$/)]);
    expect(await parseCallers(formatCallers(callers))).toEqual(callers);
  });

  it('never assigns the name of another caller, and never restores a revoked one', () => {
    const { callers } = added('alice');
    expect(enrolled('alice', callers).map(({ name }) => name)).toEqual([
      'alice',
      expect.stringMatching(/^alice-[0-9a-f]{16}$/),
    ]);
    const revoked = revokeCaller(enrolled('bob'), { name: 'bob' }, NOW).callers;
    expect(enrolled('bob', revoked)).toBe(revoked);
    expect(enrolled('x'.repeat(257), revoked)).toBe(revoked);
  });
});

describe('revokeCaller', () => {
  it('leaves the name, without anything to log in with, until it is given again', () => {
    const { callers } = added('alice', { subject: 'a' });
    const revoked = revokeCaller(callers, { name: 'alice' }, later(HOUR)).callers;
    expect(revoked).toEqual([
      {
        name: 'alice',
        role: 'writer',
        added: NOW.toISOString(),
        revoked: later(HOUR).toISOString(),
        subject: 'a',
        keys: [],
      },
    ]);
    expect(() => revokeCaller(revoked, { name: 'alice' })).toThrow('alice was revoked at 2026-11-22T13');
    expect(() => rotateKeys(revoked, { name: 'alice' })).toThrow('was revoked');
    expect(added('alice', { role: 'reader' }, revoked).callers).toMatchObject([{ role: 'reader', keys: [{}] }]);
    expect(added('bob', { subject: 'a' }, revoked).callers).toHaveLength(2);
  });

  it('removes one key', () => {
    const first = added('alice');
    const second = rotateKeys(first.callers, { name: 'alice', overlap: HOUR }, NOW);
    const { callers } = revokeCaller(second.callers, { name: 'alice', keyId: first.key!.id }, NOW);
    expect(callers).toMatchObject([{ keys: [{ id: second.key!.id }] }]);
    expect(() => revokeCaller(callers, { name: 'alice', keyId: first.key!.id })).toThrow('alice has no key');
  });

  it('refuses unknown names', () => {
    expect(() => revokeCaller([], { name: 'nobody' })).toThrow('There is no caller "nobody"');
  });
});

describe('rotateKeys', () => {
  it('ends the old keys at once', () => {
    const first = added('alice');
    const { callers, key } = rotateKeys(first.callers, { name: 'alice' }, NOW);
    expect(key!.text).not.toBe(first.key!.text);
    expect(callers).toMatchObject([{ keys: [{ id: key!.id }] }]);
    expect(callers[0]!.keys).toHaveLength(1);
  });

  it('lets them live through an overlap, no longer than they would, and drops those that have ended', () => {
    let { callers } = added('alice', { expires: later(HOUR) });
    ({ callers } = rotateKeys(callers, { name: 'alice', overlap: 2 * HOUR }, NOW));
    ({ callers } = rotateKeys(callers, { name: 'alice', overlap: 3 * HOUR, expires: later(9 * HOUR) }, NOW));
    expect(callers[0]!.keys.map(({ expires }) => expires)).toEqual(
      [1, 3, 9].map((hours) => later(hours * HOUR).toISOString()),
    );
    const rest = rotateKeys(callers, { name: 'alice', overlap: HOUR }, later(2 * HOUR)).callers;
    expect(rest[0]!.keys).toHaveLength(3);
  });
});

describe('parseCallers', () => {
  it('reads what was written', async () => {
    let { callers } = added('alice', { expires: later(HOUR), subject: 'a|b' });
    ({ callers } = added('bob', { role: 'admin', attributes: { role: 'auditor', 'a.b': 'ü =' } }, callers));
    ({ callers } = revokeCaller(callers, { name: 'bob' }, NOW));
    expect(await parseCallers(formatCallers(callers))).toEqual(callers);
    expect(await parseCallers(formatCallers([]))).toEqual([]);
  });

  const KEY = { id: 'abcdefgh', sha256: '0'.repeat(64), made: NOW.toISOString() };
  const ALICE = { name: 'alice', role: 'writer', added: NOW.toISOString(), keys: [KEY] };
  const file = (...callers: unknown[]) => JSON.stringify({ format: 1, callers });
  it.each([
    ['nothing', '', 'is not valid JSON'],
    ['half of it', file(ALICE).slice(0, -9), 'is not valid JSON'],
    ['a list alone', '[]', 'the file is not a JSON object'],
    ['null', 'null', 'the file is not a JSON object'],
    ['another format', JSON.stringify({ format: 2, callers: [] }), 'use the newer program'],
    ['no format', JSON.stringify({ callers: [] }), 'it is not a list of callers'],
    ['more', JSON.stringify({ format: 1, callers: [], x: 1 }), 'the unknown field "x"'],
    ['an entry that is none', file(ALICE, 7), 'entry 2 is not a JSON object'],
    ['a name that is none', file({ ...ALICE, name: 'Alice' }), 'entry 1: name: A name has 1 to 40'],
    ['a reserved name', file({ ...ALICE, name: 'admin' }), 'reserved'],
    ['a role that is none', file({ ...ALICE, role: 'root' }), 'entry 1: role: must be one of reader, writer, admin'],
    ['no role', file({ ...ALICE, role: undefined }), 'role: must be one of'],
    ['a field that is misspelt', file({ ...ALICE, expires: 'x' }), 'entry 1 has the unknown field "expires"'],
    [
      'a key with one',
      file({ ...ALICE, keys: [{ ...KEY, expire: 'x' }] }),
      'the caller alice: key 1 has the unknown field "expire"',
    ],
    ['a key that is none', file({ ...ALICE, keys: ['x'] }), 'the caller alice: key 1 is not a JSON object'],
    ['a key without an id', file({ ...ALICE, keys: [{ ...KEY, id: 'A' }] }), 'id: must be'],
    ['a key without a hash', file({ ...ALICE, keys: [{ ...KEY, sha256: 'lk_x' }] }), 'sha256: must be'],
    ['keys that are none', file({ ...ALICE, keys: {} }), 'keys: must be a list'],
    ['a subject that is none', file({ ...ALICE, subject: 7 }), 'subject: must have 1 to 256'],
    ['a day', file({ ...ALICE, keys: [{ ...KEY, expires: '2026-11-22' }] }), 'alice: key 1: expires: must be a time'],
    ['a day that there is not', file({ ...ALICE, added: '2026-02-30T00:00:00.000Z' }), 'added: must be a time'],
    ['attributes that are a list', file({ ...ALICE, attributes: [] }), 'attributes: must be an object'],
    ['an attribute that is no text', file({ ...ALICE, attributes: { role: 7 } }), 'attributes: must have names'],
    ['an empty attribute', file({ ...ALICE, attributes: { role: '' } }), 'attributes: must have names'],
    ['an attribute without a name', file({ ...ALICE, attributes: { '': 'x' } }), 'attributes: must have names'],
    ['a revocation without a time', file({ ...ALICE, revoked: true }), 'revoked: must be a time'],
    ['a field twice', '{"format":1,"callers":[],"callers":[]}', 'an object in it names a field twice'],
    ['a name twice', file(ALICE, { ...ALICE, keys: [] }), 'the name alice appears more than once'],
    ['a key twice', file(ALICE, { ...ALICE, name: 'bob' }), 'the key abcdefgh appears more than once'],
  ])('refuses %s, and states the reason', async (_, text, message) => {
    await expect(parseCallers(text)).rejects.toThrow(message);
  });

  it('defect: 5,000 entries were validated without letting requests in between', async () => {
    const keys = (index: number) => [{ ...KEY, id: index.toString(36).padStart(8, '0') }];
    const text = file(
      ...Array.from({ length: 5000 }, (_, index) => ({ ...ALICE, name: `a${index}`, keys: keys(index) })),
    );
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await parseCallers(text);
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(150);
  });
});
