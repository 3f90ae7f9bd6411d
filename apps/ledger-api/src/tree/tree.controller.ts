import { Controller, Get, Global, Inject, Module, Param, Req, Res, type OnApplicationShutdown } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ledger } from '#ledger-gateway';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { Needs } from '../access/access.decorators.js';
import type { CallersConfig, TreeConfig } from '../config/config.js';
import { callersConfig, treeConfig } from '../config/config.module.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { nothingAt } from '../http/request-hooks.js';
import type { ChannelTree } from './channel-tree.js';
import type { Trees } from './channel-trees.js';

/** Injection token of the {@link Trees}; undefined without LEDGER_TREE. */
export const TREES = Symbol('TREES');

/** Seconds of a year: a tile never changes. */
const YEAR = 31_536_000;

/** The trees as static files (https://c2sp.org/tlog-tiles), outside the API's prefix and document. */
@Controller('tree/:channel')
@Needs('reader')
@ApiExcludeController()
export class TreeController {
  constructor(
    @Inject(TREES) private readonly trees: Trees | undefined,
    @Inject(callersConfig.KEY) private readonly callers: CallersConfig,
  ) {}

  @Get('checkpoint')
  @RouteConfig({ isTree: true })
  checkpoint(
    @Param('channel') channel: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string {
    const tree = this.#treeOf(channel, request);
    const checkpoint = tree.witnessed() ?? tree.checkpoint();
    if (checkpoint === undefined) throw nothingAt(request);
    void reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache');
    return checkpoint.text;
  }

  @Get('tile/*')
  @RouteConfig({ isTree: true })
  tile(
    @Param('channel') channel: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Uint8Array {
    const { '*': path = '' } = request.params as Readonly<Record<string, string | undefined>>;
    const bytes = this.#treeOf(channel, request).tile(`tile/${path}`);
    if (bytes === undefined) throw nothingAt(request);
    const isPublic = this.callers.hasOpenTrees || !this.callers.isOn;
    void reply.type('application/octet-stream');
    void reply.header('cache-control', `${isPublic ? 'public' : 'private'}, max-age=${YEAR}, immutable`);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #treeOf(channel: string, request: FastifyRequest): ChannelTree {
    const tree = this.trees?.get(channel);
    if (tree === undefined) throw nothingAt(request);
    return tree;
  }
}

/** Opens the {@link Trees} of the channels if they are configured, and closes them at shutdown. */
@Global()
@Module({
  controllers: [TreeController],
  providers: [
    {
      provide: TREES,
      inject: [LEDGER, treeConfig.KEY, PROGRAM_LOG],
      // Loaded only if it is configured, for a faster start.
      useFactory: async (ledger: Ledger, config: TreeConfig, { logger }: ProgramLog): Promise<Trees | undefined> =>
        config.isOn ? (await import('./channel-trees.js')).openTrees(ledger, config, logger) : undefined,
    },
  ],
  exports: [TREES],
})
export class TreeModule implements OnApplicationShutdown {
  constructor(@Inject(TREES) private readonly trees: Trees | undefined) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...(this.trees?.values() ?? [])].map((tree) => tree.close()));
  }
}
