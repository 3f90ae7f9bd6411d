export {
  type CertificateAttributes,
  type CertificateRequest,
  createRoot,
  hasAttributes,
  type IssuedIdentity,
  issueLeaf,
  loadX509,
  makeCertificate,
  type NodeRole,
} from './certificate-authority.js';
export { signLowS } from './sign-low-s.js';
