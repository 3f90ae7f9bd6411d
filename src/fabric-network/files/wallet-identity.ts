/** An identity in the form of fabric-network's file-system wallet (version 1 of its X.509 identities). */
export function walletIdentity(mspId: string, certificate: string, privateKey: string): string {
  return JSON.stringify({ credentials: { certificate, privateKey }, mspId, type: 'X.509', version: 1 });
}
