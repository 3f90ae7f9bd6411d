import { describe, expect, it } from '@jest/globals';
import { parseCheckpoint } from './checkpoint.js';
import { cosignatureLine } from './cosignature.js';
import { checkSigners, isQuorum, parsePolicy } from './policy.js';
import { SignatureType, verifierKeyText } from './signed-note.js';
import { generateKey, isSignedBy } from './signing-keys.js';
import { TestLog } from './testing/test-log.js';
import { TlogFault } from './text.js';

const log = new TestLog();
const names = ['x1', 'x2', 'x3', 'y1', 'y2'] as const;
const keys = names.map((name) => generateKey(`${name}.example.org`, SignatureType.COSIGNATURE));
const vkeys = keys.map(verifierKeyText);
const witnessLines = names.map((name, index) => `witness ${name} ${vkeys[index]!}\n`).join('');
const policyText = `# Two operators of witnesses.
log ${verifierKeyText(log.key)} https://ledger.example.org/tree/assets
${witnessLines}
\tgroup X  2 x1\tx2 x3\x20
group Y any y1 y2
group both all X Y
quorum both
`;
const policy = parsePolicy(policyText);

describe('a policy', () => {
  it('is parsed with logs, witnesses and groups of groups', () => {
    expect(policy.logs).toMatchObject([{ key: { name: log.key.name }, url: 'https://ledger.example.org/tree/assets' }]);
    expect(policy.witnesses.map(({ name }) => name)).toEqual(names);
    const isEnough = (...witnesses: string[]) => isQuorum(policy, witnesses);
    expect(isEnough('x1', 'x3', 'y2')).toBe(true);
    expect(isEnough('x1', 'x2', 'x3')).toBe(false);
    expect(isEnough('x1', 'y1', 'y2')).toBe(false);
    expect(isEnough('X', 'Y')).toBe(true);
    expect(isEnough()).toBe(false);
  });

  it('needs no witness with the quorum "none"', () => {
    expect(isQuorum(parsePolicy('quorum none'), [])).toBe(true);
    expect(isQuorum(parsePolicy(`witness a ${vkeys[0]!}\nquorum a\n`), ['a'])).toBe(true);
  });

  it.each([
    ['no quorum', witnessLines],
    ['two quorums', 'quorum none\nquorum none\n'],
    ['an undefined quorum', `quorum x1\n${witnessLines}`],
    ['an unknown line', 'logs none\nquorum none'],
    ['a control character', 'quorum\u000cnone'],
    ['a carriage return', 'quorum none\r\n'],
    ['a witness without a key', 'witness a\nquorum none'],
    ['a witness with the key of a log', `witness a ${verifierKeyText(log.key)}\nquorum none`],
    ['a log with the key of a witness', `log ${vkeys[0]!}\nquorum none`],
    ['a witness called "none"', `witness none ${vkeys[0]!}\nquorum none`],
    ['two witnesses of one name', `${witnessLines}${witnessLines}quorum none`],
    ['a key under two names', `${witnessLines}witness z ${vkeys[0]!}\nquorum none`],
    ['a group without members', 'group a all\nquorum none'],
    ['a group of undefined members', `${witnessLines}group a any z\nquorum none`],
    ['a group that contains itself', `${witnessLines}group a any a\nquorum none`],
    ['a member of two groups', `${witnessLines}group a any x1\ngroup b any x1\nquorum none`],
    ['a member twice', `${witnessLines}group a 2 x1 x1\nquorum none`],
    ['a threshold of 0', `${witnessLines}group a 0 x1\nquorum none`],
    ['a threshold above the number of members', `${witnessLines}group a 2 x1\nquorum none`],
    ['a threshold that is no number', `${witnessLines}group a 01 x1\nquorum none`],
    ['a word too many', `log ${verifierKeyText(log.key)} https://example.org more\nquorum none`],
  ])('is refused with %s', (_, text) => {
    expect(() => parsePolicy(text)).toThrow(TlogFault);
  });

  it('is parsed in linear time', () => {
    const groups = Array.from(
      { length: 50_000 },
      (_, index) => `group g${index} all ${index === 0 ? 'x1' : `g${index - 1}`}\n`,
    );
    const deep = parsePolicy(`${witnessLines}${groups.join('')}quorum g49999\n${' '.repeat(100_000)}`);
    expect(isQuorum(deep, ['x1'])).toBe(true);
    expect(isQuorum(deep, ['x2'])).toBe(false);
  });
});

describe('the signers of a checkpoint', () => {
  const cosigned = (...indexes: number[]) => {
    const text = log.checkpoint(7);
    return (
      text +
      indexes.map((index) => cosignatureLine(keys[index]!, parseCheckpoint(text), 1_800_000_000 + index)).join('')
    );
  };
  const check = (text: string) => checkSigners(parseCheckpoint(text), policy, isSignedBy);

  it('are those whose signatures are valid', async () => {
    const enough = await check(cosigned(0, 2, 4));
    expect(enough).toMatchObject({ isSigned: true, isWitnessed: true });
    expect([...enough.witnesses]).toEqual([
      ['x1', 1_800_000_000],
      ['x3', 1_800_000_002],
      ['y2', 1_800_000_004],
    ]);
    expect(await check(cosigned(0, 4))).toMatchObject({ isSigned: true, isWitnessed: false });
  });

  it('do not include unknown keys, nor a log of another name', async () => {
    const stranger = generateKey('stranger', SignatureType.COSIGNATURE);
    const line = cosignatureLine(stranger, parseCheckpoint(log.checkpoint(7)), 1);
    expect((await check(log.checkpoint(7) + line)).witnesses.size).toBe(0);
    const other = new TestLog('other.example.org');
    expect(await check(other.checkpoint(7))).toMatchObject({ isSigned: false });
    expect(await check(other.checkpoint(7, { origin: log.key.name }))).toMatchObject({ isSigned: false });
  });

  it('make a note malformed when a signature is not that of the key that it names', async () => {
    const good = cosigned(0, 1, 3);
    await expect(check(good.replace('\n7\n', '\n8\n'))).rejects.toThrow(TlogFault);
    const [text, lines] = [cosigned(), cosignatureLine(keys[0]!, parseCheckpoint(log.checkpoint(8)), 1)];
    await expect(check(text + lines)).rejects.toThrow(TlogFault);
  });
});
