import { execFileSync } from 'node:child_process';
import { ChaincodeCommandError, nodePackage, servicePackage, tarArchive } from './chaincode-package.js';

const names = (archive: Buffer): string[] => tar(archive, 'tz').split('\n').filter(Boolean);
const tar = (archive: Buffer, ...args: string[]): string =>
  execFileSync('tar', args, { input: archive, encoding: 'utf8' });
const bytesOf = (archive: Buffer, path: string): Buffer => execFileSync('tar', ['xzO', path], { input: archive });

describe('tarArchive', () => {
  it.each([0, 1, 511, 512, 513, 100_000])('keeps a file of %d bytes', (size) => {
    const content = Buffer.alloc(size, 'x');
    const archive = tarArchive([
      { path: 'a/b.bin', content },
      { path: 'c.txt', content: 'grün' },
    ]);
    expect(names(archive)).toEqual(['a/b.bin', 'c.txt']);
    expect(bytesOf(archive, 'a/b.bin').equals(content)).toBe(true);
    expect(bytesOf(archive, 'c.txt').toString()).toBe('grün');
  });

  it('accepts paths of up to 100 bytes', () => {
    const path = 'p'.repeat(100);
    expect(names(tarArchive([{ path, content: '' }]))).toEqual([path]);
    expect(() => tarArchive([{ path: `${path}p`, content: '' }])).toThrow(RangeError);
  });
});

describe('servicePackage', () => {
  it('contains the address, and has the id that a peer computes', () => {
    const { id, archive } = servicePackage('basic_1.0', { address: '127.0.0.1:7052' });
    // The id that peers 2.5.16 and 3.1.5 assigned to the same bytes.
    expect(id).toBe('basic_1.0:77623749db6717a4286307b9e527eefc6e033ecdd7d4fc95ae891241f804ab40');
    expect(names(archive)).toEqual(['metadata.json', 'code.tar.gz']);
    expect(JSON.parse(bytesOf(archive, 'metadata.json').toString())).toEqual({
      path: '',
      type: 'ccaas',
      label: 'basic_1.0',
    });
    const connection = bytesOf(bytesOf(archive, 'code.tar.gz'), 'connection.json').toString();
    expect(JSON.parse(connection)).toMatchObject({
      address: '127.0.0.1:7052',
      tls_required: false,
      client_auth_required: false,
    });
  });

  it('asks for TLS when it is given roots', () => {
    const { archive } = servicePackage('a', { address: 'a:1', tls: { rootCert: 'root' } });
    const connection = bytesOf(bytesOf(archive, 'code.tar.gz'), 'connection.json').toString();
    expect(JSON.parse(connection)).toMatchObject({
      tls_required: true,
      client_auth_required: false,
      root_cert: 'root',
    });
  });

  it.each(['', '_a', 'a b', 'a:b', 'a/b', 'ä'])('refuses the label %j', (label) => {
    expect(() => servicePackage(label, { address: 'a:1' })).toThrow(ChaincodeCommandError);
  });
});

describe('nodePackage', () => {
  it('contains the program and a package.json that starts it under src/', () => {
    const { archive } = nodePackage('a', {
      name: 'asset-contract',
      description: 'Assets on a Fabric channel',
      program: 'shim.start();',
    });
    expect(JSON.parse(bytesOf(archive, 'metadata.json').toString())).toMatchObject({ type: 'node' });
    const code = bytesOf(archive, 'code.tar.gz');
    expect(names(code)).toEqual(['src/package.json', 'src/peer/start.js']);
    expect(JSON.parse(bytesOf(code, 'src/package.json').toString())).toMatchObject({
      scripts: { start: 'node peer/start.js' },
    });
    expect(bytesOf(code, 'src/peer/start.js').toString()).toBe('shim.start();');
  });
});
