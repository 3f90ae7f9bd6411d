import {
  makeCertificate,
  type CertificateRequest,
  type IssuedIdentity,
} from '../../libs/fabric-codec/src/certificates/certificate-authority.js';

const DAY_MS = 86_400_000;

/** An authority for one test, and what it issues for localhost. */
export class ThrowawayAuthority {
  readonly root: IssuedIdentity;

  private constructor(root: IssuedIdentity) {
    this.root = root;
  }

  static async create(name: string): Promise<ThrowawayAuthority> {
    return new ThrowawayAuthority(await makeCertificate(request(name, 'authority')));
  }

  async issue(name: string): Promise<IssuedIdentity> {
    return makeCertificate({ ...request(name, 'signing'), hosts: ['localhost', '127.0.0.1'] }, this.root);
  }
}

function request(name: string, use: CertificateRequest['use']): CertificateRequest {
  const now = Date.now();
  return { subject: `CN=${name}`, use, validFrom: new Date(now - DAY_MS), validUntil: new Date(now + DAY_MS) };
}
