import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';

const base64 = { format: 'byte' } as const;

/** A statement of the peer of an embedded ledger. */
export class PeerStatement {
  @ApiProperty({ enum: ['statement'] })
  kind!: 'statement';

  @ApiProperty({
    description: 'JSON with the position and the validation code of the transaction. Exactly these bytes are signed.',
  })
  statement!: string;

  @ApiProperty({ ...base64, description: "The peer's msp.SerializedIdentity." })
  endorser!: string;

  @ApiProperty({ ...base64, description: 'ECDSA signature (DER) over the SHA-256 of statement followed by endorser.' })
  signature!: string;
}

/** The endorsed response of a Fabric peer. */
export class PeerAnswer {
  @ApiProperty({ enum: ['qscc'] })
  kind!: 'qscc';

  @ApiProperty({
    ...base64,
    description: "The common.Payload with the query to the system chaincode qscc and the peer's endorsed response.",
  })
  payload!: string;
}

/** A receipt, which proves a transaction without access to the ledger (docs/receipts.md). */
@ApiExtraModels(PeerStatement, PeerAnswer)
export class Receipt {
  @ApiProperty({ enum: ['ledger-receipt'] })
  format!: 'ledger-receipt';

  @ApiProperty({ type: 'integer', enum: [1] })
  version!: 1;

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

  @ApiProperty({
    ...base64,
    description: 'The common.Block as the orderers created it, without the unsigned validation codes and commit hash.',
  })
  block!: string;

  @ApiProperty({
    oneOf: [{ $ref: getSchemaPath(PeerStatement) }, { $ref: getSchemaPath(PeerAnswer) }],
    description: "A peer's signed attestation of the validation code.",
  })
  attestation!: PeerStatement | PeerAnswer;
}
