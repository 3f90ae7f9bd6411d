import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findRelease, parseVersion, REQUIRED_BINARIES } from './find-binaries.js';

describe('a release', () => {
  let root: string;
  const bin = (): string => join(root, 'bin');

  const file = (path: string, mode = 0o644): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '#!/bin/sh\n');
    chmodSync(join(root, path), mode);
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'release-'));
    for (const name of REQUIRED_BINARIES) file(`bin/${name}`, 0o755);
    for (const name of ['detect', 'build', 'release']) file(`builders/ccaas/bin/${name}`, 0o755);
    for (const name of ['core.yaml', 'orderer.yaml']) file(`config/${name}`);
  });

  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it('is found next to its programs', () => {
    const release = findRelease({ FABRIC_BIN: bin() });
    expect(release.binaries.peer).toBe(join(root, 'bin', 'peer'));
    expect(release.binaries).not.toHaveProperty('ca');
    expect(release.ccaasBuilder).toBe(join(root, 'builders', 'ccaas'));
    expect(release.coreYaml).toBe('#!/bin/sh\n');
  });

  it('is found in several folders and on PATH, the first one first', () => {
    file('other/fabric-ca-server', 0o755);
    file('other/peer', 0o755);
    const { binaries } = findRelease({
      FABRIC_BIN: join(root, 'other'),
      PATH: [join(root, 'nothing'), bin()].join(delimiter),
      FABRIC_CFG: join(root, 'config'),
      FABRIC_CCAAS: join(root, 'builders', 'ccaas'),
    });
    expect(binaries.peer).toBe(join(root, 'other', 'peer'));
    expect(binaries.orderer).toBe(join(root, 'bin', 'orderer'));
    expect(binaries.ca).toBe(join(root, 'other', 'fabric-ca-server'));
  });

  it('lacks every program that is not there or cannot be run', () => {
    chmodSync(join(root, 'bin', 'peer'), 0o644);
    rmSync(join(root, 'bin', 'cryptogen'));
    expect(() => findRelease({ PATH: bin() })).toThrow(/^peer, cryptogen not found in FABRIC_BIN or on PATH: /);
  });

  it('lacks a file by its name and the variable that helps', () => {
    rmSync(join(root, 'config', 'orderer.yaml'));
    expect(() => findRelease({ FABRIC_BIN: bin() })).toThrow(
      `${join(root, 'config', 'orderer.yaml')} is missing or cannot be used: set FABRIC_CFG to`,
    );
    rmSync(join(root, 'builders', 'ccaas', 'bin', 'build'));
    expect(() => findRelease({ FABRIC_BIN: bin() })).toThrow(/build is missing or cannot be used: set FABRIC_CCAAS to/);
  });

  it('uses configuration and builder from the given folders', () => {
    for (const name of ['core.yaml', 'orderer.yaml']) file(`elsewhere/${name}`);
    for (const name of ['detect', 'build', 'release']) file(`builder/bin/${name}`, 0o755);
    rmSync(join(root, 'config'), { recursive: true });
    rmSync(join(root, 'builders'), { recursive: true });
    const places = { FABRIC_CFG: join(root, 'elsewhere'), FABRIC_CCAAS: join(root, 'builder') };
    expect(findRelease({ FABRIC_BIN: bin(), ...places }).ccaasBuilder).toBe(join(root, 'builder'));
  });
});

describe('parseVersion', () => {
  it.each([
    ['peer:\n Version: v2.5.16\n Commit SHA: ab\n', { text: '2.5.16', isSupported: true }],
    ['peer:\n Version: 3.1.5\n', { text: '3.1.5', isSupported: true }],
    ['peer:\n Version: v10.0.0-beta\n', { text: '10.0.0-beta', isSupported: true }],
    ['peer:\n Version: v2.4.9\n', { text: '2.4.9', isSupported: false }],
    ['peer:\n Version: 1.4.12\n', { text: '1.4.12', isSupported: false }],
    ['peer:\n Version: latest\n', undefined],
    ['', undefined],
  ])('reads %j', (output, version) => {
    expect(parseVersion(output)).toEqual(version);
  });
});
