import { organisationDomain } from './organisation-domain.js';

describe('organisationDomain', () => {
  it.each([
    ['Org1MSP', 'org1.example.com'],
    ['AcmeCorpMSP', 'acmecorp.example.com'],
    ['acme.north', 'acme-north.example.com'],
    ['MSP', 'org.example.com'],
    ['.-.', 'org.example.com'],
  ])('of %s is %s', (mspId, domain) => {
    expect(organisationDomain(mspId)).toBe(domain);
  });
});
