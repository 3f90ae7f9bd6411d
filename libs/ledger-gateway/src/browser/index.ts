// The verification of receipts for browsers, with the same rules as the command `verify-receipt`.
export { conclusionOf } from '../fabric-blocks/receipt/report-text.js';
export { readRoots, TrustedRoots, type TrustedRoot } from '../fabric-blocks/receipt/trusted-roots.js';
export { ReceiptFault } from '../fabric-blocks/receipt/receipt.js';
export {
  organisationsIn,
  verifyReceipt,
  type ReceiptReport,
  type ReceiptTerms,
} from '../fabric-blocks/receipt/verify-receipt.js';
export { readWebCertificate } from './web-certificate.js';
