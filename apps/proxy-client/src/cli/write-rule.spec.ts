import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRule } from './write-rule.js';

let directory: string;
let file: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'write-rule-')));
  file = join(directory, 'gate.yaml');
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Writes a rule to a file with this content, and returns the new content. */
function after(content: string, target = 'a.example:443', rule?: number): string {
  writeFileSync(file, content);
  expect(writeRule({ file, to: 'upstream', writable: [] }, target, rule)).toBeUndefined();
  return readFileSync(file, 'utf8');
}

const RULE = '{ hosts: [ a.example ], ports: [ 443 ], to: upstream }';

describe('writeRule', () => {
  it('adds the rule as the last one, or before the one that asks, and changes nothing else', () => {
    const rules =
      '# ours\nrules:\n  # first\n  - { hosts: [ b ], to: reject } # no\n  - { hosts: [ c ], to: ask }\ndefault: ask\n';
    expect(after(rules)).toBe(rules.replace('default', `  - ${RULE}\ndefault`));
    expect(after(rules, 'a.example:443', 2)).toBe(rules.replace('  - { hosts: [ c', `  - ${RULE}\n  - { hosts: [ c`));
    expect(after('default: ask\n')).toBe(`default: ask\nrules:\n  - ${RULE}\n`);
    expect(after('default: ask\nrules: []\n')).toContain('a.example');
    expect(after('')).toContain('a.example');
  });

  it('writes hosts that YAML would read as something else as text', () => {
    for (const [target, host] of [
      ['*.example:443', '"*.example"'],
      ['[2001:db8::1]:443', '"[2001:db8::1]"'],
      ['10.0.0.1:443', '10.0.0.1'],
      ['1e3:443', '"1e3"'],
      ['null:443', '"null"'],
    ] as const) {
      expect(after('default: ask\n', target).replaceAll("'", '"')).toContain(`hosts: [ ${host} ]`);
    }
  });

  it('leaves a file in JSON in JSON', () => {
    const content = JSON.stringify({ default: 'ask', rules: [{ hosts: ['b'], to: 'ask' }] }, null, 2);
    expect(JSON.parse(after(content, '*.example:443', 1))).toEqual({
      default: 'ask',
      rules: [
        { hosts: ['*.example'], ports: [443], to: 'upstream' },
        { hosts: ['b'], to: 'ask' },
      ],
    });
    expect(JSON.parse(after('{"default":"ask"}'))).toMatchObject({ rules: [{ hosts: ['a.example'] }] });
  });

  it('replaces the file as a whole, with its permissions, also through a link', () => {
    writeFileSync(file, 'default: ask\n', { mode: 0o600 });
    const link = join(directory, 'link.yaml');
    symlinkSync(file, link);
    const { ino } = statSync(file);
    expect(writeRule({ file: link, to: 'upstream', writable: [] }, 'a.example:443', undefined)).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toContain('a.example');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(file).ino).not.toBe(ino);
    expect(readdirSync(directory).sort()).toEqual(['gate.yaml', 'link.yaml']);
  });

  it('writes nothing where the command could change it', () => {
    mkdirSync(join(directory, 'project'));
    const inside = join(directory, 'project/gate.yaml');
    writeFileSync(inside, 'default: ask\n');
    symlinkSync(inside, file);
    const problem = `${inside} is in a directory that the command may change. Move it outside`;
    const writable = [join(directory, 'project')];
    expect(writeRule({ file, to: 'upstream', writable }, 'a.example:443', undefined)).toBe(problem);
    expect(readFileSync(inside, 'utf8')).toBe('default: ask\n');
  });

  it('states why it cannot write, and leaves the file as it is', () => {
    const to = { to: 'upstream', writable: [] };
    expect(writeRule({ file: undefined, ...to }, 'a:1', undefined)).toBe('the configuration is not in a file');
    expect(writeRule({ file, ...to }, 'a:1', undefined)).toBe(`${file} (ENOENT)`);
    for (const [content, problem] of [
      ['rules: [', 'it is not valid YAML any more'],
      ['- a', 'it is not a configuration any more'],
      ['rules: 7', 'it is not a configuration any more'],
    ] as const) {
      writeFileSync(file, content);
      expect(writeRule({ file, ...to }, 'a:1', undefined)).toBe(`${file} (${problem})`);
      expect(readFileSync(file, 'utf8')).toBe(content);
    }
    // A file of an earlier process that was killed is removed, so that the next answer succeeds.
    writeFileSync(file, 'default: ask\n');
    writeFileSync(`${file}.${process.pid}.tmp`, '');
    expect(writeRule({ file, ...to }, 'a:1', undefined)).toBe(`${file} (EEXIST)`);
    expect(readFileSync(file, 'utf8')).toBe('default: ask\n');
    expect(writeRule({ file, ...to }, 'a:1', undefined)).toBeUndefined();
    if (process.getuid?.() !== 0) {
      chmodSync(directory, 0o500);
      expect(writeRule({ file, ...to }, 'a:1', undefined)).toBe(`${file} (EACCES)`);
      chmodSync(directory, 0o700);
    }
  });
});
