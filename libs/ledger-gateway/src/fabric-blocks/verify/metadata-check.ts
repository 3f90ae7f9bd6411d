import { Buffer } from 'node:buffer';
import type { DecodedBlock } from '../decode/decode-block.js';
import { bytesField } from '../encode/proto-fields.js';
import type { BlockReport } from './report.js';

/** `common.BlockMetadataIndex` */
export const SIGNATURES = 0;
const LAST_CONFIG = 1;
const ORDERER = 3;
const COMMIT_HASH = 4;
const ENTRIES = 5;
const HASH_BYTES = 32;

/**
 * Checks the metadata that no signature covers as far as their form goes. LAST_CONFIG and ORDERER are empty since
 * Fabric 2.0, which put both under the orderer's signature.
 */
export function checkMetadata(block: DecodedBlock, report: BlockReport): void {
  const { metadata, validationCodes, envelopes } = block;
  if (metadata.length !== ENTRIES)
    report.add('METADATA', `there are ${metadata.length} metadata entries, not ${ENTRIES}`);
  for (const index of [LAST_CONFIG, ORDERER]) {
    if ((metadata[index]?.length ?? 0) > 0) report.add('METADATA', `metadata entry ${index} is not empty`);
  }
  if (validationCodes.length !== envelopes.length) {
    report.add('METADATA', `there are ${validationCodes.length} validation codes for ${envelopes.length} transactions`);
  }
  checkCommitHashForm(block, report);
}

/** A peer writes nothing but a hash there: none in block 0, a SHA-256 in every other. */
function checkCommitHashForm({ header, metadata, commitHash }: DecodedBlock, report: BlockReport): void {
  const hasItsLength = commitHash.length === (header.number === 0 ? 0 : HASH_BYTES);
  const canonical = bytesField(1, commitHash);
  if (hasItsLength && Buffer.compare(metadata[COMMIT_HASH] ?? canonical, canonical) === 0) return;
  report.add('METADATA', 'the commit hash is not written as a peer writes it');
}
