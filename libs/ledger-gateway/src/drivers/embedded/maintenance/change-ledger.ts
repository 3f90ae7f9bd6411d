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

/** Options of {@link convertLedger}. */
export interface LedgerConversion {
  readonly dataDir: string;
  /** The format that the store shall have. */
  readonly format: StoreFormat;
  readonly progress?: Progress;
}

/** The result of a conversion. */
export interface ConvertedLedger extends ChainHead {
  /** The format that the store had before. */
  readonly previousFormat: StoreFormat;
}

/**
 * Converts the store of a ledger that is not in use to another format: to an older one for an older program, whose blocks,
 * keys and later writes remain.
 * @throws `LEDGER.MISCONFIGURED` when the ledger is in use or there is not enough free space, `LEDGER.DAMAGED`
 */
export async function convertLedger({ dataDir, format, progress }: LedgerConversion): Promise<ConvertedLedger> {
  const directory = new DataDirectory(dataDir);
  const { channel, chaincode: namespace } = directory.names();
  return directory.locked(async () => {
    directory.finishRebuild(channel);
    const path = directory.store(channel);
    const { db, format: from, head } = openProven(path, readPin(directory.pin(channel)));
    db.close();
    if (from !== format) await convertStore(path, { from, to: format, namespace, progress });
    return { ...head, previousFormat: from };
  });
}

/** The caller whose certificate is renewed, and the ledger. */
export interface CallerRenewal {
  readonly dataDir: string;
  readonly name: string;
  /** Directory with the records of the callers' certificates; an identity file that was lost is replaced from there. */
  readonly certificatesDir?: string;
}

/** The new certificate of a caller. */
export interface RenewedCaller {
  readonly commonName: string;
  /** When the certificate expires, ISO 8601. */
  readonly ends: string;
}

/**
 * Issues a caller a new key and certificate. The ledger may be in use, and reads them within a second; the previous
 * certificate is retained, so that a write which is repeated under its key is still found.
 * @throws `LEDGER.MISCONFIGURED` when the caller has no identity, or the directory no ledger or no `ca.key.pem`,
 * `LEDGER.DAMAGED` when a file cannot be read
 */
export async function renewCaller({ dataDir, name, certificatesDir }: CallerRenewal): Promise<RenewedCaller> {
  const fault = callerNameFault(name);
  if (fault !== undefined) throw misconfigured(fault);
  const directory = new DataDirectory(dataDir);
  const store = new IdentityStore(directory.identities, directory.names().mspId);
  const { certificate, commonName } = await store.renewCaller(name, new CertificateNotes(certificatesDir).textOf(name));
  return { commonName, ends: new X509Certificate(certificate).validToDate.toISOString() };
}
