export { handshakeProblem, type TestedCertificate } from './handshake-problem.js';
