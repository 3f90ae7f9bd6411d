import { Controller, Get, Inject, Module, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { includesRole, roleOn } from '#ledger-callers';
import type { CallersConfig } from '#ledger-config';
import type { Ledger, LedgerChannel } from '#ledger-gateway';
import { Needs, type Caller } from '../access/access.decorators.js';
import { isAccessDenied } from '../access/access.plugin.js';
import { callersConfig } from '../config/config.module.js';
import { CAPABILITIES, type Capability, missingCapabilities } from '../gateway/capabilities.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { Operation } from '../http/operation.decorator.js';

const STATES = ['ready', 'read-only', 'unavailable'] as const;
const INDEX_STATES = ['ready', 'building', 'reading', 'stopped'] as const;

/** The index of a channel. */
export class ChannelIndexState {
  @ApiProperty({
    enum: INDEX_STATES,
    example: 'building',
    description:
      'ready: lists are read from it. building: it follows the chain, and lists search the newest blocks. reading: another ' +
      'process writes it. stopped: it cannot be written or continued, and lists search the newest blocks.',
  })
  status!: (typeof INDEX_STATES)[number];

  @ApiProperty({ type: 'integer', minimum: 0, example: 40, description: 'The number after its newest block.' })
  blocks!: number;

  @ApiProperty({ minimum: 0, maximum: 1, example: 0.4, description: 'The part of the chain that it has.' })
  progress!: number;

  @ApiPropertyOptional({ example: 'database or disk is full', description: 'Why it has stopped.' })
  reason?: string;
}

/** A channel and its state. */
export class ChannelState {
  @ApiProperty({ example: 'mychannel' })
  name!: string;

  @ApiProperty({ example: true, description: 'Whether it is the channel of paths without one (LEDGER_CHANNEL).' })
  isDefault!: boolean;

  @ApiProperty({ enum: STATES, example: 'ready' })
  status!: (typeof STATES)[number];

  @ApiPropertyOptional({
    example:
      'The peer peer0.org1.example.com:7051 has no channel payments: check the name, and that the peer has joined.',
    description: 'Why it is not ready.',
  })
  reason?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, example: 8, description: 'Absent while it cannot be read.' })
  height?: number;

  @ApiPropertyOptional({ type: ChannelIndexState, description: 'On Fabric, unless LEDGER_INDEX_DIR is off.' })
  index?: ChannelIndexState;

  @ApiPropertyOptional({
    isArray: true,
    enum: CAPABILITIES,
    example: ['receipt'],
    description:
      'What the channel cannot do: its operations answer 501 LEDGER.NOT_SUPPORTED. Absent if it can do everything.',
  })
  notSupported?: readonly Capability[];
}

/** The channels of the configuration. */
@Controller('channels')
@Needs('reader')
@ApiTags('blockchain')
export class ChannelsController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(callersConfig.KEY) private readonly config: Pick<CallersConfig, 'sign'>,
  ) {}

  @Get()
  @RouteConfig({ readsNoLedger: true, roleOn: 'any channel' })
  @Operation({
    id: 'listChannels',
    summary: 'Lists the channels that the caller may read, each with its height and state',
    description: 'The default channel first, then those of LEDGER_CHANNELS. The embedded ledger has one.',
    data: [ChannelState],
    errors: ['API.INTERNAL'],
  })
  async list(@Req() { caller }: FastifyRequest): Promise<ResponseEnvelope<readonly ChannelState[]>> {
    const channels = [...this.ledger.channels.values()];
    const states = await Promise.all(channels.map((channel) => this.#stateFor(caller, channel)));
    return success(
      'Channels listed.',
      states.filter((state) => state !== undefined),
    );
  }

  /** Returns undefined for a channel that the caller may not read. */
  async #stateFor(caller: Caller | undefined, channel: LedgerChannel): Promise<ChannelState | undefined> {
    if (!(await this.#mayRead(caller, channel))) return undefined;
    const state = await channel.connectionState();
    const readable = state.status === 'unavailable' ? undefined : channel.chainInfo().catch(() => undefined);
    const height = (await readable)?.height;
    const name = channel.channel;
    const index = channel.indexState?.();
    const notSupported = missingCapabilities(channel);
    return {
      name,
      isDefault: name === this.ledger.channel,
      ...state,
      ...(height !== undefined && { height }),
      ...(index !== undefined && { index }),
      ...(notSupported.length > 0 && { notSupported }),
    };
  }

  async #mayRead(caller: Caller | undefined, channel: LedgerChannel): Promise<boolean> {
    if (caller === undefined) return true;
    if (!includesRole(roleOn(caller.role, channel.channel), 'reader')) return false;
    if (!this.config.sign) return true;
    return channel.authorize(caller.name).then(
      () => true,
      (error: unknown) => !isAccessDenied(error),
    );
  }
}

/** The endpoint that lists the channels. */
@Module({ controllers: [ChannelsController] })
export class ChannelsModule {}
