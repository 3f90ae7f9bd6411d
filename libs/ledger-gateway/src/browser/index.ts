// The verification of receipts for browsers, with the same rules as the command `verify-receipt`.
export { escapeInvisible } from '../fabric-blocks/messages/text.js';
export { conclusionOf } from '../fabric-blocks/receipt/report-text.js';
export { readRoots, TrustedRoots } from '../fabric-blocks/receipt/trusted-roots.js';
export { needsOf } from '../fabric-blocks/receipt/receipt-signers.js';
export { verifyReceipt, type ReceiptReport } from '../fabric-blocks/receipt/verify-receipt.js';
export { readWebCertificate } from './web-certificate.js';
export { verifyWebSignature } from './web-signature.js';
export { parsePolicy, type Policy } from '#tlog/verify';
