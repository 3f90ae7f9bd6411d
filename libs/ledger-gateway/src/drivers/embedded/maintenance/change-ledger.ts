import { X509Certificate } from 'node:crypto';
import { misconfigured } from '../../../errors/ledger.errors.js';
import { CertificateNotes } from '../../../signers/certificate-notes.js';
import { callerNameFault } from '../../../signers/signer-registry.js';
import { convertStore } from '../store/convert-store.js';
import { DataDirectory } from '../store/data-directory.js';
import { readPin } from '../store/head-pin.js';
import { IdentityStore } from '../store/identity-store.js';
import { openProven } from '../store/open-store.js';
import type { StoreFormat } from '../store/schema.js';
import type { ChainHead } from '../store/store-reader.js';
import type { Progress } from './chain-source.js';

/**
 * Converts the store of a ledger that is not in use to another format: to an older one for an older program, whose blocks,
 * keys and later writes remain.
 * @returns the head, and the format that the store had before
 * @throws `LEDGER.MISCONFIGURED` when the ledger is in use or there is not enough free space, `LEDGER.DAMAGED`
 */
export async function convertLedger(options: {
  readonly dataDir: string;
  readonly format: StoreFormat;
  readonly progress?: Progress;
}): Promise<ChainHead & { readonly previousFormat: StoreFormat }> {
  const { format: to, progress } = options;
  const directory = new DataDirectory(options.dataDir);
  const { channel, chaincode: namespace } = directory.names();
  return directory.locked(async () => {
    directory.finishRebuild(channel);
    const path = directory.store(channel);
    const { db, format: from, head } = openProven(path, readPin(directory.pin(channel)));
    db.close();
    if (from !== to) await convertStore(path, { from, to, namespace, progress });
    return { ...head, previousFormat: from };
  });
}

/**
 * Issues a caller a new key and certificate. The ledger may be in use, and reads them within a second; the previous
 * certificate is retained, so that a write which is repeated under its key is still found.
 * @param options - `certificatesDir` has the records of the callers' certificates, from which a lost identity file is replaced
 * @returns the common name of the certificate, and when it expires (ISO 8601)
 * @throws `LEDGER.MISCONFIGURED` when the caller has no identity, or the directory no ledger or no `ca.key.pem`,
 * `LEDGER.DAMAGED` when a file cannot be read
 */
export async function renewCaller(options: {
  readonly dataDir: string;
  readonly name: string;
  readonly certificatesDir?: string;
}): Promise<{ readonly commonName: string; readonly ends: string }> {
  const { dataDir, name, certificatesDir } = options;
  const fault = callerNameFault(name);
  if (fault !== undefined) throw misconfigured(fault);
  const directory = new DataDirectory(dataDir);
  const store = new IdentityStore(directory.identities, directory.names().mspId);
  const { certificate, commonName } = await store.renewCaller(name, new CertificateNotes(certificatesDir).textOf(name));
  return { commonName, ends: new X509Certificate(certificate).validToDate.toISOString() };
}
