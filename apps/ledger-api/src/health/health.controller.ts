import { Controller, Get, Inject, Module } from '@nestjs/common';
import { ApiExcludeController, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Open } from '../access/access.decorators.js';
import { CallerRegistry } from '../access/caller-registry.js';
import { TOKEN_LOGIN } from '../access/login.js';
import type { TokenLogin } from '../access/token-login.js';
import type { Ledger } from '#ledger-gateway';
import { LEDGER } from '../gateway/gateway.module.js';
import { ApiError } from '../http/errors.js';
import { ALL_ERRORS, Fails } from '../http/operation.decorator.js';

export class HealthResponse {
  @ApiProperty({ enum: ['healthy'], example: 'healthy' })
  status!: 'healthy';
}

/** Reports that the process serves requests. The state of the ledger is at /readyz. */
@Controller('health')
@ApiTags('health')
export class HealthController {
  @Get()
  @Open()
  @ApiOperation({ operationId: 'getHealth', summary: 'Reports that the service answers', security: [] })
  @ApiOkResponse({ description: 'OK', type: HealthResponse })
  @Fails(ALL_ERRORS)
  health(): HealthResponse {
    return { status: 'healthy' };
  }
}

/** The readiness check for load balancers and orchestrators, outside the API's prefix and document. */
@Controller('readyz')
@ApiExcludeController()
export class ReadinessController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    private readonly callers: CallerRegistry,
    @Inject(TOKEN_LOGIN) private readonly tokens: TokenLogin | undefined,
  ) {}

  @Get()
  @Open()
  async ready(): Promise<{ status: 'ready'; note?: string }> {
    const state = await this.ledger.connectionState();
    if (state.status === 'ready') {
      const note = this.tokens?.fault();
      // Callers with an API key can still log in.
      if (note !== undefined && !this.callers.hasKeys) throw new ApiError('API.NOT_READY', note);
      return { status: 'ready', ...(note !== undefined && { note }) };
    }
    throw new ApiError('API.NOT_READY', `The ledger is ${state.status}: ${state.reason}`);
  }
}

@Module({ controllers: [HealthController, ReadinessController] })
export class HealthModule {}
