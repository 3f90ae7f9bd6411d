import { Controller, Get, Inject, Module } from '@nestjs/common';
import { ApiExcludeController, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { Ledger } from '#ledger-gateway';
import type { Trees } from '#signed-tree';
import { Open } from '../access/access.decorators.js';
import { CallerRegistry } from '../access/caller-registry.js';
import { TOKEN_LOGIN } from '../access/login.js';
import type { TokenLogin } from '../access/token-login.js';
import { type Capability, missingCapabilities } from '../gateway/capabilities.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { TREES } from '../tree/tree.controller.js';
import { ApiError } from '../http/errors.js';
import { ALL_ERRORS, Fails } from '../http/operation.decorator.js';

/** The response of the health check. */
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

/** The answer of /readyz. */
interface Readiness {
  readonly status: 'ready';
  /** The channels that are not ready, while others are. */
  readonly channels?: Readonly<Record<string, string>>;
  readonly note?: string;
  /** What channels cannot do, by their names: their operations answer 501. */
  readonly notSupported?: Readonly<Record<string, readonly Capability[]>>;
  /** The channels whose trees are no longer signed, or lack blocks, with the reasons. */
  readonly trees?: Readonly<Record<string, string>>;
}

/** The readiness check for load balancers and orchestrators, outside the API's prefix and document. */
@Controller('readyz')
@ApiExcludeController()
export class ReadinessController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    private readonly callers: CallerRegistry,
    @Inject(TOKEN_LOGIN) private readonly tokens: TokenLogin | undefined,
    @Inject(TREES) private readonly trees: Trees | undefined,
  ) {}

  @Get()
  @Open()
  async ready(): Promise<Readiness> {
    const faults = await this.#faults();
    // Other channels can be served without each other, but most paths are those of the default channel.
    if (faults.some(({ name }) => name === this.ledger.channel)) {
      throw new ApiError('API.NOT_READY', faults.map(({ text }) => text).join(' '));
    }
    const note = this.tokens?.fault();
    // Callers with an API key can still log in.
    if (note !== undefined && !this.callers.hasKeys) throw new ApiError('API.NOT_READY', note);
    const channels = Object.fromEntries(faults.map(({ name, text }) => [name, text]));
    const trees = this.#treeFaults();
    const notSupported = this.#notSupported();
    return {
      status: 'ready',
      ...(faults.length > 0 && { channels }),
      ...(note !== undefined && { note }),
      ...(Object.keys(trees).length > 0 && { trees }),
      ...(Object.keys(notSupported).length > 0 && { notSupported }),
    };
  }

  /** Returns the channels whose trees need an operator. One that is being built does not. */
  #treeFaults(): Readonly<Record<string, string>> {
    const entries = [...(this.trees ?? [])].flatMap(([name, tree]) => {
      const { status, reason = '' } = tree.status();
      return status === 'forked' || status === 'incomplete' ? [[name, `${status}: ${reason}`] as const] : [];
    });
    return Object.fromEntries(entries);
  }

  #notSupported(): Readonly<Record<string, readonly Capability[]>> {
    const entries = [...this.ledger.channels].map(([name, channel]) => [name, missingCapabilities(channel)] as const);
    return Object.fromEntries(entries.filter(([, missing]) => missing.length > 0));
  }

  /** Returns the channels that are not ready, with the reasons. */
  async #faults(): Promise<readonly { readonly name: string; readonly text: string }[]> {
    const { channels } = this.ledger;
    const states = [...channels.values()].map(async (channel) => {
      const state = await channel.connectionState();
      if (state.status === 'ready') return [];
      const name = channel.channel;
      const what = channels.size === 1 ? 'The ledger' : `The channel ${name}`;
      return [{ name, text: `${what} is ${state.status}: ${state.reason}` }];
    });
    return (await Promise.all(states)).flat();
  }
}

/** The health check and the readiness check. */
@Module({ controllers: [HealthController, ReadinessController] })
export class HealthModule {}
