import { X509Certificate } from 'node:crypto';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { CertificateNotes } from '../../../signers/certificate-notes.js';
import { callerNameFault } from '../../../signers/signer-registry.js';
import { DataDirectory } from '../store/data-directory.js';
import { IdentityStore } from '../store/identity-store.js';

/** Whose certificate is to be renewed, and of which ledger. */
export interface CallerRenewal {
  readonly dataDir: string;
  readonly name: string;
  /** Directory with the records of the callers' certificates; an identity file that was lost is replaced from there. */
  readonly certificatesDir?: string;
}

/** The new certificate of a caller. */
export interface RenewedCaller {
  readonly commonName: string;
  /** When the certificate ends, ISO 8601. */
  readonly ends: string;
}

/**
 * Gives a caller a new key and certificate. The ledger may be in use, and takes them within a second; the certificate that
 * the caller had is kept, so that a write which is repeated under its key is still found.
 * @throws `LEDGER.MISCONFIGURED` when there is no such caller's identity, no ledger or no `ca.key.pem`,
 * `LEDGER.DAMAGED` when what is there cannot be read
 */
export async function renewCaller({ dataDir, name, certificatesDir }: CallerRenewal): Promise<RenewedCaller> {
  const fault = callerNameFault(name);
  if (fault !== undefined) throw new LedgerError('LEDGER.MISCONFIGURED', fault);
  const directory = new DataDirectory(dataDir);
  const identities = new IdentityStore(directory.identities, directory.names().mspId);
  const { certificate, commonName } = await identities.renewCaller(
    name,
    new CertificateNotes(certificatesDir).textOf(name),
  );
  return { commonName, ends: new X509Certificate(certificate).validToDate.toISOString() };
}
