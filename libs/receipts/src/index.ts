export { readOpensslCertificate } from './openssl-certificate.js';
export { blockPosition, readReceipt, receiptText, sealedBlock, statementOf, witnessedReceiptText } from './receipt.js';
export { conclusionOf } from './report-text.js';
export { readRoots, type TrustedRoot, TrustedRoots } from './trusted-roots.js';
export { type ReceiptReport, type ReceiptStep, verifyReceipt } from './verify-receipt.js';
