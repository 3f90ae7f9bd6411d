import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';

/** The archive that `peer lifecycle chaincode install` accepts, and the id that the peer derives from it. */
export interface ChaincodePackage {
  readonly id: string;
  readonly archive: Buffer;
}

/** How a peer reaches a chaincode that runs as a service. */
export interface ServiceConnection {
  /** `host:port` as the peer reaches it. */
  readonly address: string;
  /** PEM texts. The peer verifies the service with the roots, and shows the certificate if there is one. */
  readonly tls?: {
    readonly rootCert: string;
    readonly client?: { readonly cert: string; readonly key: string };
  };
}

/** A contract as a program. */
export interface NodeProgram {
  /** The name in its package.json. */
  readonly name: string;
  readonly description: string;
  /** The text of the bundled program. */
  readonly program: string;
}

/** One file of an archive; its path has `/` between the parts and at most 100 bytes. */
interface ArchiveFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** The chaincode cannot be served or packaged; the message is one line for the user. */
export class ChaincodeCommandError extends Error {
  override readonly name = 'ChaincodeCommandError';
}

/** Options that do not fit together, or that lack one; the message is one line for the user. */
export class ChaincodeUsageError extends ChaincodeCommandError {}

/** The file that a peer starts. */
const ENTRY = 'peer/start.js';
/** Fabric's own rule for labels (core/chaincode/persistence). */
const LABEL = /^[a-zA-Z0-9][a-zA-Z0-9_.+-]*$/;
/** Bytes of a block of a tar archive. */
const BLOCK = 512;

/**
 * Packages the address of any chaincode that runs as a service.
 * @throws {@link ChaincodeUsageError} for a label that Fabric refuses
 */
export function servicePackage(label: string, { address, tls }: ServiceConnection): ChaincodePackage {
  const connection = {
    address,
    dial_timeout: '10s',
    tls_required: tls !== undefined,
    client_auth_required: tls?.client !== undefined,
    client_key: tls?.client?.key ?? '',
    client_cert: tls?.client?.cert ?? '',
    root_cert: tls?.rootCert ?? '',
  };
  return chaincodePackage(label, 'ccaas', [{ path: 'connection.json', content: json(connection) }]);
}

/**
 * Packages a contract as a Node program that a peer builds and starts itself: its bundle, and a package.json that requires
 * fabric-shim in the version tested here.
 * @throws {@link ChaincodeUsageError} for a label that Fabric refuses
 */
export function nodePackage(label: string, { name, description, program }: NodeProgram): ChaincodePackage {
  const { version } = createRequire(import.meta.url)('fabric-shim/package.json') as { version: string };
  const facts = {
    name,
    version: '1.0.0',
    description,
    license: 'Apache-2.0',
    private: true,
    type: 'module',
    main: ENTRY,
    engines: { node: '>=20' },
    scripts: { start: `node ${ENTRY}` },
    dependencies: { 'fabric-shim': version },
  };
  return chaincodePackage(label, 'node', [
    { path: 'src/package.json', content: json(facts) },
    { path: `src/${ENTRY}`, content: program },
  ]);
}

function chaincodePackage(label: string, type: string, code: readonly ArchiveFile[]): ChaincodePackage {
  if (!LABEL.test(label)) {
    const shown = JSON.stringify(label);
    throw new ChaincodeUsageError(`${shown} is no chaincode label: use letters, digits and _ . + -, like basic_1.0`);
  }
  const archive = tarArchive([
    { path: 'metadata.json', content: json({ path: '', type, label }) },
    { path: 'code.tar.gz', content: tarArchive(code) },
  ]);
  return { id: `${label}:${createHash('sha256').update(archive).digest('hex')}`, archive };
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/**
 * Creates a gzipped tar archive (POSIX ustar) that depends on its files only: no times, no owners, no compression. The same
 * files make the same bytes, and thus the same Fabric package id, on every machine.
 */
export function tarArchive(files: readonly ArchiveFile[]): Buffer {
  const parts = files.flatMap(({ path, content }) => {
    const bytes = Buffer.from(content);
    const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK);
    return [tarHeader(path, bytes.length), bytes, padding];
  });
  const archive = gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 0 });
  // Byte 9 of the gzip header (RFC 1952) names the operating system; 255 is unknown.
  archive[9] = 255;
  return archive;
}

/** name 100 | mode 8 | uid 8 | gid 8 | size 12 | mtime 12 | checksum 8 | type 1 | link 100 | "ustar\0" "00" | … */
function tarHeader(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new RangeError(`The path is too long for an archive: ${path}`);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  const facts = `${octal(0o644, 7)}${octal(0, 7)}${octal(0, 7)}${octal(size, 11)}${octal(0, 11)}`;
  const block = Buffer.alloc(BLOCK);
  block.write(path, 0);
  // The checksum is computed with blanks in its own place.
  block.write(`${facts}${' '.repeat(8)}0`, 100);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)} `, 148);
  return block;
}
