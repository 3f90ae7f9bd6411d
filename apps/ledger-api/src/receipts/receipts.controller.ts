import { Controller, Get, Inject, Module, Param, Query, Res, type OnApplicationShutdown } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { WitnessConfig } from '#ledger-config';
import { type LedgerChannel, LedgerError } from '#ledger-gateway';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import type { Trees, WitnessedLogs } from '#signed-tree';
import { requireCapability } from '../gateway/capabilities.js';
import { Needs } from '../access/access.decorators.js';
import { noTransaction, parseTransactionId, TRANSACTION_ID } from '../chain/chain.controller.js';
import { witnessConfig } from '../config/config.module.js';
import { OfChannel, onEveryChannel } from '../gateway/channels.js';
import { ApiError } from '../http/errors.js';
import { LEDGER_CALL, Operation } from '../http/operation.decorator.js';
import { TREES } from '../tree/tree.controller.js';
import { Receipt } from './receipt.dto.js';

/** Injection token of the {@link WitnessedLogs}; undefined without LEDGER_WITNESS_POLICY. */
const WITNESSED_LOGS = Symbol('WITNESSED_LOGS');

const NO_KEYS = 'a receipt requires a peer that signs it, and the data directory contains no keys';
const invalidBlock = (): ApiError =>
  new ApiError('API.INVALID_REQUEST', 'The query parameter block must be true or false.');

/** Receipts of transactions: with the proof of a log where witnesses are configured, else with a peer's attestation. */
@Controller(onEveryChannel())
@Needs('reader')
export class ReceiptsController {
  constructor(@Inject(WITNESSED_LOGS) private readonly logs: WitnessedLogs | undefined) {}

  @Get('transactions/:txid/receipt')
  @ApiTags('receipts')
  @Operation(
    {
      id: 'getReceipt',
      summary: 'Returns a receipt, which proves a transaction to others',
      description:
        "Version 1: a file with the transaction's block and a peer's signed attestation of the validation code. " +
        'Version 2, where the server has LEDGER_TREE and LEDGER_WITNESS_POLICY: the transaction with a proof of the log ' +
        'and the cosignatures of witnesses, for which a new transaction waits up to 15 seconds. ' +
        '`ledger-tool verify-receipt` verifies it on any machine, without the ledger.',
      file: Receipt,
      errors: [
        invalidBlock(),
        new LedgerError('LEDGER.NOT_SUPPORTED', NO_KEYS),
        new LedgerError('LEDGER.TREE_INCOMPLETE', 'the tree of the channel is being built, or no longer signed'),
      ],
    },
    {
      parameters: [
        ApiQuery({
          name: 'block',
          required: false,
          description:
            'true: version 2 contains the block too, whose orderers can be checked then. Version 1 has it always.',
          schema: { type: 'boolean', default: false },
        }),
      ],
    },
    TRANSACTION_ID,
    LEDGER_CALL,
  )
  async receipt(
    @OfChannel() ledger: LedgerChannel,
    @Param('txid') text: string,
    @Query('block') block: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const id = parseTransactionId(text);
    if (block !== undefined && block !== 'true' && block !== 'false') throw invalidBlock();
    const receipt =
      this.logs === undefined
        ? await requireCapability(ledger, 'receipt')(id)
        : await this.logs.receipt(ledger, id, block === 'true');
    if (receipt === undefined) throw noTransaction();
    void reply.header('content-type', 'application/json; charset=utf-8');
    void reply.header('content-disposition', `attachment; filename="receipt-${id}.json"`);
    return receipt;
  }
}

/** Starts to request confirmations from witnesses if they are configured, and stops at shutdown. */
@Module({
  controllers: [ReceiptsController],
  providers: [
    {
      provide: WITNESSED_LOGS,
      inject: [TREES, witnessConfig.KEY, PROGRAM_LOG],
      // Loaded only if it is configured, for a faster start.
      useFactory: async (trees: Trees | undefined, config: WitnessConfig, { logger }: ProgramLog) => {
        if (trees === undefined || config.policyFile === undefined) return undefined;
        const { WitnessedLogs: Logs } = await import('#signed-tree');
        return new Logs(trees, { ...config, policyFile: config.policyFile }, logger);
      },
    },
  ],
})
export class ReceiptsModule implements OnApplicationShutdown {
  constructor(@Inject(WITNESSED_LOGS) private readonly logs: WitnessedLogs | undefined) {}

  async onApplicationShutdown(): Promise<void> {
    await this.logs?.close();
  }
}
