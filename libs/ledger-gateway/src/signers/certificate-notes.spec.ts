import { X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganisation, type StandInSigner } from '#fabric-ledger/testing';
import type { LedgerLogger } from '../ports/ledger.port.js';
import { CertificateNotes } from './certificate-notes.js';

describe('CertificateNotes', () => {
  let signers: StandInSigner[];
  beforeAll(async () => {
    const organisation = await createOrganisation();
    signers = await Promise.all(['a', 'b', 'c'].map((name) => organisation.issueClient(name)));
  });
  let directory: string;
  let warned: string[];
  beforeEach(() => {
    directory = join(mkdtempSync(join(tmpdir(), 'notes-')), 'certificates');
    warned = [];
  });
  afterEach(() => {
    rmSync(join(directory, '..'), { recursive: true });
  });
  const logger: LedgerLogger = {
    info: () => undefined,
    warn: (_, text) => warned.push(text),
    error: () => undefined,
  };
  /** Records certificates of one caller in turn, and returns the indices of those before the last. */
  const read = (notes: CertificateNotes, ...chosen: readonly number[]): number[] => {
    // In the normal form of node:crypto, as drivers parse it.
    const pems = chosen.map((index) => new X509Certificate(signers[index]!.certificate).toString());
    for (const pem of pems) notes.note('alice', pem);
    const [, ...previous] = notes.certificatesOf('alice');
    return previous.map((it) => signers.findIndex(({ certificate }) => certificate.trim() === it.certificate.trim()));
  };

  it('record each certificate before it signs, readable by the owner only', () => {
    expect(read(new CertificateNotes(directory, logger), 0)).toEqual([]);
    expect(readFileSync(join(directory, 'alice.pem'), 'utf8').trim()).toBe(signers[0]!.certificate.trim());
    expect(statSync(join(directory, 'alice.pem')).mode & 0o777).toBe(0o600);
    expect(read(new CertificateNotes(directory, logger), 1, 1, 2)).toEqual([1, 0]);
    expect(readFileSync(join(directory, 'alice.pem'), 'utf8').match(/^Ended: \d{4}-\d\d-\d\dT.*Z$/gm)).toHaveLength(2);
    expect(warned).toEqual([]);
  });

  it('list a certificate once if it is used again', () => {
    expect(read(new CertificateNotes(directory, logger), 0, 1, 0)).toEqual([1]);
  });

  it('are stored in memory without a directory', () => {
    const notes = new CertificateNotes(undefined, logger);
    expect(read(notes, 0, 1)).toEqual([0]);
    expect(read(notes, 1)).toEqual([0]);
  });

  it('log a warning if they cannot be read or written, and signing continues', () => {
    expect(read(new CertificateNotes(directory, logger), 0)).toEqual([]);
    writeFileSync(join(directory, 'alice.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    expect(read(new CertificateNotes(directory, logger), 1)).toEqual([]);
    writeFileSync(directory.replace('certificates', 'file'), '');
    chmodSync(directory, 0o700);
    expect(read(new CertificateNotes(directory.replace('certificates', 'file'), logger), 0, 1)).toEqual([0]);
    expect(existsSync(directory)).toBe(true);
    expect(new Set(warned)).toEqual(new Set([expect.stringContaining('could not record the certificates of alice')]));
  });
});
