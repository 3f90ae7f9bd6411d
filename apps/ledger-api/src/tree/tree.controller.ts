import { Controller, Get, Global, Inject, Module, Param, Req, Res, type OnApplicationShutdown } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallersConfig, TreeConfig, WitnessConfig } from '#ledger-config';
import { type Ledger, type LedgerChannel, LedgerError } from '#ledger-gateway';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import type { ChannelTree, Trees } from '#signed-tree';
import { Needs } from '../access/access.decorators.js';
import { callersConfig, treeConfig, witnessConfig } from '../config/config.module.js';
import { invalidNumber, noBlock, parseBlockNumber } from '../chain/chain.controller.js';
import { OfChannel, onEveryChannel } from '../gateway/channels.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { LEDGER_CALL, Operation } from '../http/operation.decorator.js';
import { nothingAt } from '../http/request-hooks.js';

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

const NO_TREE = 'This service signs no tree over its blocks: LEDGER_TREE is off.';
/** How long a request waits for the signature of a new block. */
const SIGNATURE_TIMEOUT_MS = 5000;
const BLOCK_NUMBER = { name: 'number', description: 'The block number; 0 is the first block.' };

/** Proofs that a block is in the tree of its channel. */
@Controller(onEveryChannel('blocks/:number/proof'))
@Needs('reader')
@ApiTags('chain')
export class BlockProofController {
  constructor(@Inject(TREES) private readonly trees: Trees | undefined) {}

  @Get()
  @RouteConfig({ isTree: true })
  @ApiParam({ ...BLOCK_NUMBER, schema: { type: 'integer', minimum: 0, example: 1 } })
  @Operation(
    {
      id: 'getBlockProof',
      summary: "Returns the proof that a block is in the channel's tree, as text",
      description:
        'A tlog-proof of C2SP: the path from the entry of the block to the root in a signed checkpoint. A new block waits ' +
        'for its signature, at most 5 s.',
      otherContent: { 'text/plain': { schema: { type: 'string' } } },
      errors: [invalidNumber(), noBlock(), new LedgerError('LEDGER.NOT_SUPPORTED', NO_TREE), 'LEDGER.TREE_INCOMPLETE'],
    },
    LEDGER_CALL,
  )
  async proof(
    @OfChannel() ledger: LedgerChannel,
    @Param('number') text: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const number = parseBlockNumber(text);
    const tree = this.trees?.get(ledger.channel);
    if (tree === undefined) throw new LedgerError('LEDGER.NOT_SUPPORTED', NO_TREE);
    const { height } = await ledger.chainInfo();
    if (number >= height) throw noBlock();
    const proof = await tree.blockProof(number, AbortSignal.timeout(SIGNATURE_TIMEOUT_MS));
    // A later one is under a newer checkpoint.
    void reply.type('text/plain; charset=utf-8').header('cache-control', 'private, no-cache');
    return proof;
  }
}

/** Opens the {@link Trees} of the channels if they are configured, and closes them at shutdown. */
@Global()
@Module({
  controllers: [TreeController, BlockProofController],
  providers: [
    {
      provide: TREES,
      inject: [LEDGER, treeConfig.KEY, witnessConfig.KEY, PROGRAM_LOG],
      useFactory: async (
        ledger: Ledger,
        config: TreeConfig,
        { policyFile }: WitnessConfig,
        { logger }: ProgramLog,
      ): Promise<Trees | undefined> => {
        if (!config.isOn) return undefined;
        // Loaded only if it is configured, for a faster start.
        const { openTrees } = await import('#signed-tree');
        return openTrees(ledger, { ...config, hasWitnesses: policyFile !== undefined }, logger);
      },
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
