import { ApiProperty } from '@nestjs/swagger';

/** Every success but the health check's. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the type of `data`, for those who build it
export class ResponseEnvelope<T = unknown> {
  @ApiProperty({ enum: [true] })
  success!: true;

  @ApiProperty({ example: 'Asset found.' })
  message!: string;

  data!: T;
}

/** Every error of every route, also those of unknown routes and unreadable requests. */
export class ErrorResponse {
  @ApiProperty({ enum: [false] })
  success!: false;

  @ApiProperty({ example: 'There is no asset "asset7".' })
  message!: string;
}

export function success<T>(message: string, data: T): ResponseEnvelope<T> {
  return { success: true, message, data };
}
