import { X509Certificate } from 'node:crypto';
import type { CaIdentity } from '#ledger-gateway';

const DAY_MS = 24 * 60 * 60 * 1000;

/** One line about an identity: who it is, of which MSP, and how long it is valid yet. */
export function describeIdentity(name: string, { mspId, certificate }: CaIdentity, now = Date.now()): string {
  const parsed = new X509Certificate(certificate);
  const commonName = /^CN=(.*)$/m.exec(parsed.subject)?.[1] ?? parsed.subject.replaceAll('\n', ', ');
  const ends = Date.parse(parsed.validTo);
  const date = new Date(ends).toISOString().slice(0, 10);
  const days = Math.floor(Math.abs(ends - now) / DAY_MS);
  const validity = ends > now ? `valid until ${date} (${days} days)` : `EXPIRED on ${date} (${days} days ago)`;
  return `${name}  ${commonName}  ${mspId}  ${validity}`;
}
