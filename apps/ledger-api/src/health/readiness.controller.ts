import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { NotReadyError } from '../http/api.errors.js';
import { ReadinessService } from './readiness.service.js';

/** For load balancers and orchestrators; outside the API's prefix and document. */
@Controller('readyz')
@ApiExcludeController()
export class ReadinessController {
  readonly #readiness: ReadinessService;

  constructor(readiness: ReadinessService) {
    this.#readiness = readiness;
  }

  @Get()
  async ready(): Promise<{ status: 'ready' }> {
    const state = await this.#readiness.state();
    if (state.status === 'ready') return { status: 'ready' };
    throw new NotReadyError(`The ledger is ${state.status}: ${state.reason}`);
  }
}
