export { certificateBlocks, hasUnsentIssuer } from './certificate-blocks.js';
export { handshakeProblem, type TestedCertificate } from './handshake-problem.js';
