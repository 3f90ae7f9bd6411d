import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import { bytesToSign } from '../encode/block-encoder.js';
import type { BlockHeader } from '../hash/block-hash.js';
import type { BlockReport } from './report.js';
import { Metadata, OrdererBlockMetadata, SignatureHeader } from './strict/fabric-messages.js';
import { scanMessage } from './strict/scan-message.js';
import type { ChannelTrust } from './trust/channel-trust.js';
import { isSignedBy, type Member } from './trust/member.js';
import { readMessage } from '../decode/read-message.js';

const BLOCK_VALIDATION = '/Channel/Orderer/BlockValidation';
const STRICT = { allowDefaults: false };

/** A block's SIGNATURES metadata and what they are to be true of. */
export interface SignedBlock {
  readonly header: BlockHeader;
  readonly signatures: Uint8Array;
  /** Number of the newest configuration block, this one included. */
  readonly lastConfig: number;
}

/**
 * Checks that orderers whom the channel trusts signed the block (protoutil.BlockSignatureVerifier), and that they name
 * the newest configuration block.
 */
export function checkBlockSignature(block: SignedBlock, trust: ChannelTrust, report: BlockReport): void {
  const fault = scanMessage(block.signatures, Metadata, STRICT);
  if (fault !== undefined) {
    report.add('METADATA', `the signatures are not in their canonical form: ${fault}`);
    return;
  }
  const metadata = readMessage(common.Metadata, block.signatures);
  checkValue(metadata.getValue_asU8(), block.lastConfig, report);
  const signers = metadata
    .getSignaturesList()
    .map((signature) => signerOf(block.header, metadata.getValue_asU8(), signature, trust))
    .filter((signer) => report.accept('BLOCK_SIGNATURE', signer));
  // Block 0 is signed by nobody: whoever trusts it pins its hash.
  if (block.header.number === 0 && metadata.getSignaturesList().length === 0) return;
  if (trust.satisfies(BLOCK_VALIDATION, signers) !== true) {
    report.add('BLOCK_SIGNATURE', `the block has not the signatures that ${BLOCK_VALIDATION} asks for`);
  }
}

function checkValue(value: Uint8Array, lastConfig: number, report: BlockReport): void {
  const fault = scanMessage(value, OrdererBlockMetadata, STRICT);
  if (fault !== undefined) {
    report.add('METADATA', `the orderer's metadata are not in their canonical form: ${fault}`);
    return;
  }
  const named = readMessage(common.OrdererBlockMetadata, value).getLastConfig()?.getIndex();
  if (named !== lastConfig) {
    report.add('METADATA', `the orderer names block ${named ?? 'none'} as the newest configuration, not ${lastConfig}`);
  }
}

/** The orderer whose signature it is, or why it is none. */
function signerOf(
  header: BlockHeader,
  value: Uint8Array,
  signature: common.MetadataSignature,
  trust: ChannelTrust,
): Member | string {
  const signatureHeader = signature.getSignatureHeader_asU8();
  if (signature.getIdentifierHeader_asU8().length > 0) return 'signatures of BFT orderers cannot be checked';
  const fault = scanMessage(signatureHeader, SignatureHeader, STRICT);
  if (fault !== undefined) return `a signature header is not in its canonical form: ${fault}`;
  const signer = trust.member(readMessage(common.SignatureHeader, signatureHeader).getCreator_asU8());
  if (typeof signer === 'string') return signer;
  const signed = bytesToSign({ value, signatureHeader }, header);
  return isSignedBy(signer, signed, signature.getSignature_asU8())
    ? signer
    : 'a signature is not that of the orderer it names';
}
