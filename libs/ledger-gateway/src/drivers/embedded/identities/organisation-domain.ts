/**
 * The domain of an organisation, as the samples pair them: `Org1MSP` is `org1.example.com`.
 * Characters that no host name holds become hyphens.
 */
export function organisationDomain(mspId: string): string {
  const label = mspId
    .replace(/MSP$/i, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `${label === '' ? 'org' : label}.example.com`;
}
