import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The body of every success except the health check's. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the type of `data`, for callers of `success`
export class ResponseEnvelope<T = unknown> {
  @ApiProperty({ enum: [true] })
  success!: true;

  @ApiProperty({ example: 'Asset found.' })
  message!: string;

  data!: T;
}

/** The body of every error, including those of unknown routes and unreadable requests. */
export class ErrorResponse {
  @ApiProperty({ enum: [false] })
  success!: false;

  @ApiProperty({ example: 'The asset asset7 does not exist.' })
  message!: string;
}

/** The body of errors of a call of a chaincode. */
export class ContractErrorResponse extends ErrorResponse {
  @ApiPropertyOptional({
    type: 'integer',
    example: 500,
    description: 'With API.CHAINCODE_REFUSED: the status with which the chaincode refused.',
  })
  chaincodeStatus?: number;
}

/** Creates the body of a success. */
export function success<T>(message: string, data: T): ResponseEnvelope<T> {
  return { success: true, message, data };
}
