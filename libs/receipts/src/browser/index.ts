// The verification of receipts for browsers, with the same rules as the command `verify-receipt`.
export { escapeInvisible } from '#fabric-codec';
export { conclusionOf } from '../report-text.js';
export { readRoots, TrustedRoots } from '../trusted-roots.js';
export { needsOf } from '../receipt-signers.js';
export type { GivenDocument } from '../outside-document.js';
export { verifyReceipt, type ReceiptReport } from '../verify-receipt.js';
export { readWebCertificate } from './web-certificate.js';
export { verifyWebSignature } from './web-signature.js';
export { parsePolicy, type Policy } from '#tlog/verify';
