import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';

const BASE64 = { format: 'byte' };

/** A statement of the peer of an embedded ledger. */
export class PeerStatement {
  @ApiProperty({ enum: ['statement'] })
  kind!: 'statement';

  @ApiProperty({
    description: 'JSON with the position and the validation code of the transaction. Exactly these bytes are signed.',
  })
  statement!: string;

  @ApiProperty({ ...BASE64, description: "The peer's msp.SerializedIdentity." })
  endorser!: string;

  @ApiProperty({ ...BASE64, description: 'ECDSA signature (DER) over the SHA-256 of statement followed by endorser.' })
  signature!: string;
}

/** The endorsed response of a Fabric peer. */
export class PeerAnswer {
  @ApiProperty({ enum: ['qscc'] })
  kind!: 'qscc';

  @ApiProperty({
    ...BASE64,
    description: "The common.Payload with the query to the system chaincode qscc and the peer's endorsed response.",
  })
  payload!: string;
}

/** A receipt, which proves a transaction without access to the ledger (docs/receipts.md). */
@ApiExtraModels(PeerStatement, PeerAnswer)
export class Receipt {
  @ApiProperty({ enum: ['ledger-receipt'] })
  format!: 'ledger-receipt';

  @ApiProperty({
    type: 'integer',
    enum: [1, 2],
    description:
      '2 where the server has a tree and a policy of witnesses: with entry, envelope, path, proof and checksum.',
  })
  version!: 1 | 2;

  @ApiProperty()
  channel!: string;

  @ApiProperty({ description: '64 hexadecimal characters.' })
  transactionId!: string;

  @ApiProperty({ type: 'integer', minimum: 0 })
  blockNumber!: number;

  @ApiProperty({ description: "Hexadecimal hash of the block's header." })
  blockHash!: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Index of the transaction in the block.' })
  position!: number;

  @ApiProperty({ description: "Fabric's name of the validation code; only VALID changed the ledger." })
  validationCode!: string;

  @ApiPropertyOptional({
    ...BASE64,
    description: 'The common.Block as the orderers created it, without the unsigned validation codes and commit hash.',
  })
  block?: string;

  @ApiPropertyOptional({
    oneOf: [{ $ref: getSchemaPath(PeerStatement) }, { $ref: getSchemaPath(PeerAnswer) }],
    description: "Version 1: a peer's signed attestation of the validation code.",
  })
  attestation?: PeerStatement | PeerAnswer;

  @ApiPropertyOptional({ ...BASE64, description: "Version 2: the block's entry in the log." })
  entry?: string;

  @ApiPropertyOptional({ ...BASE64, description: 'Version 2: the common.Envelope of the transaction.' })
  envelope?: string;

  @ApiPropertyOptional({ type: [String], description: 'Version 2: the hashes from the transaction to the entry.' })
  path?: string[];

  @ApiPropertyOptional({ description: 'Version 2: that the log contains the entry (https://c2sp.org/tlog-proof).' })
  proof?: string;

  @ApiPropertyOptional({ description: 'Version 2: SHA-256 over the other members, which shows damage.' })
  checksum?: string;
}
