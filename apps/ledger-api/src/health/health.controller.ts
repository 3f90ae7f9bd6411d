import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Open } from '../callers/access.decorators.js';
import { LedgerGateway } from '../gateway/ledger.gateway.js';
import { NotReadyError } from '../http/api.errors.js';
import { HealthResponse } from './health.dto.js';

/** Whether the process serves; whether the ledger does is said by /readyz. */
@Controller('health')
@ApiTags('health')
export class HealthController {
  @Get()
  @Open()
  @ApiOperation({ operationId: 'getHealth', summary: 'Says that the service answers' })
  @ApiOkResponse({ type: HealthResponse, example: { status: 'healthy' } })
  health(): HealthResponse {
    return { status: 'healthy' };
  }
}

/** For load balancers and orchestrators; outside the API's prefix and document. */
@Controller('readyz')
@ApiExcludeController()
export class ReadinessController {
  readonly #ledger: LedgerGateway;

  constructor(ledger: LedgerGateway) {
    this.#ledger = ledger;
  }

  @Get()
  @Open()
  async ready(): Promise<{ status: 'ready' }> {
    const state = await this.#ledger.connectionState();
    if (state.status === 'ready') return { status: 'ready' };
    throw new NotReadyError(`The ledger is ${state.status}: ${state.reason}`);
  }
}
