import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectionProfile } from '../files/connection-profile.js';
import { environmentFile } from '../files/environment-file.js';
import { walletIdentity } from '../files/wallet-identity.js';
import { ORG1, ORG2, PEER_ORGANISATIONS } from '../plan/network-plan.js';
import { write } from './make-files.js';
import type { NetworkContext } from './network-context.js';

/** Writes what clients need: connection profiles, a wallet, PEM files and an environment for ledger-api. */
export function writeClientFiles({ plan, layout, progress }: NetworkContext): void {
  const roots = {
    orderer: readFileSync(layout.ordererTlsRoot, 'utf8'),
    Org1: readFileSync(layout.tlsRoot(ORG1), 'utf8'),
    Org2: readFileSync(layout.tlsRoot(ORG2), 'utf8'),
    ...(plan.ca && { ca: readFileSync(layout.caIdentity.cert, 'utf8') }),
  };
  for (const organisation of PEER_ORGANISATIONS) {
    write(layout.connectionProfile(organisation), connectionProfile(plan, organisation, roots));
  }
  for (const user of ['User1', 'Admin'] as const) {
    const { msp } = layout.user(ORG1, user);
    const certificate = onlyFileIn(join(msp, 'signcerts'));
    const key = onlyFileIn(join(msp, 'keystore'));
    write(join(layout.wallet, `${user}.id`), walletIdentity(ORG1.mspId, certificate, key));
    write(join(layout.pem, `${user}.cert.pem`), certificate);
    write(join(layout.pem, `${user}.key.pem`), key);
  }
  write(join(layout.pem, 'tls-root.pem'), roots.Org1);
  write(layout.environment, environmentFile(plan, layout));
  progress(`connection profiles, wallet, PEM files and .env written to ${layout.directory}`);
}

function onlyFileIn(folder: string): string {
  const [name = ''] = readdirSync(folder);
  return readFileSync(join(folder, name), 'utf8');
}
