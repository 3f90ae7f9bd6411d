import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { HealthResponse } from '../dto/health.dto.js';

/** Whether the process serves; whether the ledger does is said by /readyz. */
@Controller('health')
@ApiTags('health')
export class HealthController {
  @Get()
  @ApiOperation({ operationId: 'getHealth', summary: 'Says that the service answers' })
  @ApiOkResponse({ type: HealthResponse, example: { status: 'healthy' } })
  health(): HealthResponse {
    return { status: 'healthy' };
  }
}
