// The verification of receipts for browsers, with the same rules as the command `verify-receipt`.
export { escapeInvisible } from '../fabric-blocks/messages/text.js';
export { conclusionOf } from '../fabric-blocks/receipt/report-text.js';
export { readRoots, TrustedRoots } from '../fabric-blocks/receipt/trusted-roots.js';
export { organisationsIn, verifyReceipt, type ReceiptReport } from '../fabric-blocks/receipt/verify-receipt.js';
export { readWebCertificate } from './web-certificate.js';
