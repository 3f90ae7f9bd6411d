import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNameOfMachine, MachineNames } from './machine-names.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'of-hosts-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function namesIn(content: string): MachineNames {
  const file = join(directory, 'hosts');
  writeFileSync(file, content);
  return new MachineNames(file);
}

describe('MachineNames', () => {
  it('has the names that the hosts file maps to local addresses', () => {
    const names = namesIn(
      [
        '127.0.1.1\tBox.corp.example  box # this machine',
        '::1 six',
        '0.0.0.0 blocked.example',
        '169.254.169.254 cloud',
        '192.0.2.7 server.example',
        '# 127.0.0.1 comment.example',
        '127.0.0.1',
        'nonsense more',
      ].join('\r\n'),
    );
    for (const name of ['box.corp.example', 'box', 'six', 'blocked.example', 'cloud']) {
      expect([name, names.has(name)]).toEqual([name, true]);
    }
    for (const name of ['server.example', 'comment.example', 'more', '127.0.0.1', '']) {
      expect([name, names.has(name)]).toEqual([name, false]);
    }
  });

  it.each(['missing', '.'])('has the host name and well-known names if the hosts file is %s', (file) => {
    const names = new MachineNames(join(directory, file));
    const own = hostname().toLowerCase();
    for (const name of [own, `${own.split('.')[0]}.local`, 'host.docker.internal', 'metadata.google.internal']) {
      expect([name, names.has(name)]).toEqual([name, true]);
    }
    expect(names.has('example.com')).toBe(false);
  });
});

it('isNameOfMachine uses the hosts file of this machine', () => {
  expect([hostname().toLowerCase(), 'example.com'].map(isNameOfMachine)).toEqual([true, false]);
});
