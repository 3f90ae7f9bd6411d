import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ChaincodeCommandError } from './chaincode.errors.js';
import { nodePackage, nodePackageFiles, servicePackage } from './chaincode-package.js';
import { tarArchive } from './tar-archive.js';

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

  it('takes paths of up to 100 bytes', () => {
    const path = 'p'.repeat(100);
    expect(names(tarArchive([{ path, content: '' }]))).toEqual([path]);
    expect(() => tarArchive([{ path: `${path}p`, content: '' }])).toThrow(RangeError);
  });
});

describe('servicePackage', () => {
  it('holds the address, and has the id that a peer gives it', () => {
    const { id, archive } = servicePackage('basic_1.0', { address: '127.0.0.1:7052' });
    // The id that peers 2.5.16 and 3.1.5 gave to these very bytes.
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
  it('has the program under src/', () => {
    const { archive } = nodePackage('a', [{ path: 'package.json', content: '{}' }]);
    expect(JSON.parse(bytesOf(archive, 'metadata.json').toString())).toMatchObject({ type: 'node' });
    expect(names(bytesOf(archive, 'code.tar.gz'))).toEqual(['src/package.json']);
  });
});

describe('nodePackageFiles', () => {
  let built: string;
  beforeEach(() => {
    built = mkdtempSync(join(tmpdir(), 'chaincode-files-'));
  });
  afterEach(() => {
    rmSync(built, { recursive: true });
  });
  const write = (files: Readonly<Record<string, string>>): void => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(built, path)), { recursive: true });
      writeFileSync(join(built, path), content);
    }
  };

  it('are what the program imports, however far away, and nothing else', () => {
    write({
      'peer/start.js': "import shim from 'fabric-shim';\nimport { a } from '../contract/a.js';\nimport './side.js';\n",
      'peer/side.js': "const late = () => import('../late.js');\n",
      'peer/start.js.map': '',
      'contract/a.js': "import {\n  b,\n} from './deep/b.js';\nexport * from './c.js';\n",
      'contract/deep/b.js': "import { c } from '../c.js';\n",
      'contract/c.js': "export { a } from './a.js';\n",
      'contract/other.js': '',
      'late.js': '',
    });
    const files = nodePackageFiles(built);
    expect(files.map(({ path }) => path)).toEqual([
      'package.json',
      'contract/a.js',
      'contract/c.js',
      'contract/deep/b.js',
      'late.js',
      'peer/side.js',
      'peer/start.js',
    ]);
  });

  it('are not packaged while one of them is missing', () => {
    write({ 'peer/start.js': "import './gone.js';\n" });
    expect(() => nodePackageFiles(built)).toThrow('gone.js');
  });
});
