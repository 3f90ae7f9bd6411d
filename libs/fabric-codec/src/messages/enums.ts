// The numbers of fabric-protos that blocks contain, by their names there.

/** `common.HeaderType` */
export const HeaderType = {
  MESSAGE: 0,
  CONFIG: 1,
  CONFIG_UPDATE: 2,
  ENDORSER_TRANSACTION: 3,
  ORDERER_TRANSACTION: 4,
  DELIVER_SEEK_INFO: 5,
  CHAINCODE_PACKAGE: 6,
} as const;

/** `protos.TxValidationCode` */
export const TxValidationCode = {
  VALID: 0,
  NIL_ENVELOPE: 1,
  BAD_PAYLOAD: 2,
  BAD_COMMON_HEADER: 3,
  BAD_CREATOR_SIGNATURE: 4,
  INVALID_ENDORSER_TRANSACTION: 5,
  INVALID_CONFIG_TRANSACTION: 6,
  UNSUPPORTED_TX_PAYLOAD: 7,
  BAD_PROPOSAL_TXID: 8,
  DUPLICATE_TXID: 9,
  ENDORSEMENT_POLICY_FAILURE: 10,
  MVCC_READ_CONFLICT: 11,
  PHANTOM_READ_CONFLICT: 12,
  UNKNOWN_TX_TYPE: 13,
  TARGET_CHAIN_NOT_FOUND: 14,
  MARSHAL_TX_ERROR: 15,
  NIL_TXACTION: 16,
  EXPIRED_CHAINCODE: 17,
  CHAINCODE_VERSION_CONFLICT: 18,
  BAD_HEADER_EXTENSION: 19,
  BAD_CHANNEL_HEADER: 20,
  BAD_RESPONSE_PAYLOAD: 21,
  BAD_RWSET: 22,
  ILLEGAL_WRITESET: 23,
  INVALID_WRITESET: 24,
  INVALID_CHAINCODE: 25,
  NOT_VALIDATED: 254,
  INVALID_OTHER_REASON: 255,
} as const;

/** `common.BlockMetadataIndex` */
export const MetadataIndex = {
  SIGNATURES: 0,
  LAST_CONFIG: 1,
  TRANSACTIONS_FILTER: 2,
  ORDERER: 3,
  COMMIT_HASH: 4,
} as const;
/** Number of metadata entries of a block. */
export const METADATA_ENTRIES = 5;

/** `common.Policy.PolicyType` */
export const PolicyType = { SIGNATURE: 1, IMPLICIT_META: 3 } as const;
/** `common.ImplicitMetaPolicy.Rule` */
export const PolicyRule = { ANY: 0, ALL: 1, MAJORITY: 2 } as const;
/** `common.MSPPrincipal.Classification` */
export const Classification = { ROLE: 0, ORGANIZATION_UNIT: 1, IDENTITY: 2, ANONYMITY: 3, COMBINED: 4 } as const;
/** `common.MSPRole.MSPRoleType` */
export const RoleType = { MEMBER: 0, ADMIN: 1, CLIENT: 2, PEER: 3, ORDERER: 4 } as const;
