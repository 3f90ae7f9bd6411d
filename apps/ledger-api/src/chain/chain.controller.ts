import { hash } from 'node:crypto';
import { Controller, Get, Module, Param, Res, type StreamableFile } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { describeTransaction } from '#fabric-codec';
import type { ChainPosition, LedgerChannel } from '#ledger-gateway';
import { Needs } from '../access/access.decorators.js';
import { OfChannel, onEveryChannel } from '../gateway/channels.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { answerCount } from '../http/counts.js';
import { CSV_LIST, csvAnswer, prefersCsv } from '../http/downloads.js';
import { EXAMPLE_TRANSACTION_ID } from '../http/error-table.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { LEDGER_CALL, Operation, type OperationPart } from '../http/operation.decorator.js';
import {
  BEFORE_BLOCK,
  BEFORE_TRANSACTION,
  paged,
  PageQuery,
  TIME_FILTERS,
  type PageFilter,
  type PageRequest,
  type PageRules,
} from '../http/paging.js';
import { answerWithTag, IF_NONE_MATCH, isPreferred, varyBy } from '../http/preconditions.js';
import { CHANGED_KEY_COLUMNS, changedKeys } from './changed-keys.js';
import { Block, BlockHeightResponse, ChainInfoResponse, TransactionDetail, TransactionSummary } from './chain.dto.js';

const BYTES = 'application/octet-stream';
const BLOCK_PAGES: PageRules<number, 'since' | 'until'> = {
  cursor: BEFORE_BLOCK,
  most: 200,
  isCountable: true,
  filters: TIME_FILTERS,
};
const ID_PREFIX: PageFilter = {
  description: 'Only transactions whose id begins with these hexadecimal characters.',
  form: '1 to 64 hexadecimal characters',
  schema: { type: 'string', pattern: '^[0-9a-fA-F]{1,64}$' },
  read: (text) => (/^[0-9a-f]{1,64}$/i.test(text) ? text.toLowerCase() : undefined),
};
/** What a row of the CSV is. */
const ROWS: PageFilter = {
  description:
    'With Accept: text/csv, keys: one row for each key that a transaction changed. The default is one for each transaction.',
  form: 'keys',
  schema: { type: 'string', enum: ['keys'] },
  read: (text) => (text === 'keys' ? text : undefined),
};
const rowsWithoutCsv = (): ApiError => invalidRequest('The query parameter rows applies to CSV only.');
type TransactionFilters = 'creator' | 'function' | 'prefix' | 'since' | 'until' | 'rows';
const TRANSACTION_PAGES: PageRules<ChainPosition, TransactionFilters> = {
  cursor: BEFORE_TRANSACTION,
  most: 1000,
  isCountable: true,
  filters: {
    creator: 'Only transactions of this creator: the common name of its certificate, creatorId in the answer.',
    function:
      'Only calls of this function, compared exactly: UpdateAsset does not include UpdateAssetIfMatch, which updates ' +
      'with If-Match record.',
    prefix: ID_PREFIX,
    ...TIME_FILTERS,
    rows: ROWS,
  },
};

const BLOCK_COLUMNS = ['number', 'hash', 'previousHash', 'dataHash', 'timestamp', 'transactions'] as const;
const TRANSACTION_COLUMNS = [
  ...(['transactionId', 'blockNumber', 'timestamp', 'type', 'creatorId', 'creatorMspId', 'chaincodeId'] as const),
  ...(['function', 'firstArgument', 'validationCode'] as const),
];

export const noBlock = (): ApiError => new ApiError('API.NOT_FOUND', 'There is no block with this number.');
export const invalidNumber = (): ApiError =>
  new ApiError('API.INVALID_REQUEST', 'A block number is an integer of at least 0.');
/** It may still be recorded: the client of an asynchronous write may request it earlier. */
export const noTransaction = (): ApiError =>
  new ApiError('API.NOT_FOUND', 'There is no transaction with this id.', { headers: { 'retry-after': '1' } });
const invalidId = (): ApiError =>
  new ApiError('API.INVALID_REQUEST', 'A transaction id has 64 hexadecimal characters.');

/** An operation with the id of a transaction in its path. */
export const TRANSACTION_ID: OperationPart = {
  parameters: [
    ApiParam({
      name: 'txid',
      description: 'The transaction: 64 hexadecimal characters, as in the X-Transaction-Id of a write.',
      schema: { type: 'string', pattern: '^[0-9a-fA-F]{64}$', example: EXAMPLE_TRANSACTION_ID },
    }),
  ],
  errors: [invalidId(), noTransaction()],
};

/** The chain: its head, its blocks and its transactions. */
@Controller(onEveryChannel())
@Needs('reader')
export class ChainController {
  @Get('blockchain/height')
  @ApiTags('blockchain')
  @Operation({ id: 'getHeight', summary: 'Returns the number of blocks', data: BlockHeightResponse }, LEDGER_CALL)
  async height(@OfChannel() ledger: LedgerChannel): Promise<ResponseEnvelope<BlockHeightResponse>> {
    const { height } = await ledger.chainInfo();
    return success('Height read.', { height });
  }

  @Get('blockchain/info')
  @ApiTags('blockchain')
  @Operation(
    {
      id: 'getChainInfo',
      summary: "Returns the channel's name, its height and the hash of its newest block",
      data: ChainInfoResponse,
    },
    LEDGER_CALL,
  )
  async info(@OfChannel() ledger: LedgerChannel): Promise<ResponseEnvelope<ChainInfoResponse>> {
    const { currentBlockHash: blockHash, channel: chainName, height } = await ledger.chainInfo();
    return success('Chain information read.', { blockHash, chainName, height });
  }

  @Get('blocks')
  @ApiTags('chain')
  @Operation(
    {
      id: 'listBlocks',
      summary: 'Lists blocks, newest first',
      description:
        'A page may be shorter than its limit if its blocks have thousands of transactions, and with since or until also ' +
        'empty: follow the Link. The time of a block is the timestamp of its last transaction. With Accept: text/csv the ' +
        'whole list is one table, with the number of transactions of each block.',
      data: [Block],
    },
    paged(BLOCK_PAGES),
    CSV_LIST,
    LEDGER_CALL,
  )
  async blocks(
    @OfChannel() ledger: LedgerChannel,
    @PageQuery(BLOCK_PAGES) page: PageRequest<number, 'since' | 'until'>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<readonly Block[]> | StreamableFile> {
    if (prefersCsv(reply)) {
      return csvAnswer(reply, page, {
        file: 'blocks.csv',
        columns: BLOCK_COLUMNS,
        row: (block) => ({ ...block, transactions: block.transactions.length }),
        read: (before?: number) => ledger.lists.blocks({ limit: BLOCK_PAGES.most, before, ...page.filters }),
      });
    }
    const { items, next } = await ledger.lists.blocks({ limit: page.limit, before: page.cursor, ...page.filters });
    page.linkNext(reply, next);
    if (page.isCounted) {
      await answerCount<number>(reply, ledger, {
        filters: page.filters,
        total: async () => (await ledger.chainInfo()).height,
        read: ({ limit, from }) => ledger.lists.blocks({ limit, before: from, ...page.filters }),
      });
    }
    return success('Blocks listed.', items);
  }

  @Get('blocks/:number')
  @ApiTags('chain')
  @ApiParam({
    name: 'number',
    description: 'The block number; 0 is the first block.',
    schema: { type: 'integer', minimum: 0, example: 1 },
  })
  @Operation(
    {
      id: 'readBlock',
      summary: "Returns one block, decoded or as bytes in Hyperledger Fabric's format",
      description: `With Accept: ${BYTES} it is the serialized common.Block, which Fabric's own tools read.`,
      data: Block,
      otherContent: { [BYTES]: { schema: { type: 'string', format: 'binary' } } },
      errors: [invalidNumber(), noBlock()],
    },
    IF_NONE_MATCH,
    LEDGER_CALL,
  )
  async block(
    @OfChannel() ledger: LedgerChannel,
    @Param('number') text: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<Block> | Uint8Array> {
    const number = parseBlockNumber(text);
    // Revalidated each time: another ledger at this address has other blocks with the same numbers.
    void reply.header('cache-control', 'private, no-cache');
    varyBy(reply, 'Accept');
    return isPreferred(reply.request, BYTES) ? bytesOf(ledger, number, reply) : decoded(ledger, number, reply);
  }

  @Get('transactions')
  @ApiTags('chain')
  @Operation(
    {
      id: 'listTransactions',
      summary: 'Lists transactions, newest first',
      description:
        'Transactions of every kind and validation code. A page examines at most 200 blocks: with a filter it may be short ' +
        'or empty and still have a Link to the next page. With Accept: text/csv the whole list is one table, in which ' +
        'rows=keys adds the columns namespace, key, change (written, deleted, or unknown if the block is no longer ' +
        'available), value and valueEncoding (utf8 or base64); they are empty for a transaction that changed no key.',
      data: [TransactionSummary],
      errors: [rowsWithoutCsv()],
    },
    paged(TRANSACTION_PAGES),
    CSV_LIST,
    LEDGER_CALL,
  )
  async transactions(
    @OfChannel() ledger: LedgerChannel,
    @PageQuery(TRANSACTION_PAGES) page: PageRequest<ChainPosition, TransactionFilters>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<readonly TransactionSummary[]> | StreamableFile> {
    const { limit, cursor: before } = page;
    const { rows, ...filters } = page.filters;
    if (prefersCsv(reply)) {
      const { most } = TRANSACTION_PAGES;
      const read = (next?: ChainPosition) => ledger.lists.transactions({ limit: most, before: next, ...filters });
      const table = { file: 'transactions.csv', row: <Row>(row: Row) => row, read };
      if (rows === undefined) return csvAnswer(reply, page, { ...table, columns: TRANSACTION_COLUMNS });
      return csvAnswer(reply, page, {
        ...table,
        columns: [...TRANSACTION_COLUMNS, ...CHANGED_KEY_COLUMNS],
        expand: (transactions: readonly TransactionSummary[]) => changedKeys(ledger, transactions),
      });
    }
    if (rows !== undefined) throw rowsWithoutCsv();
    const { items, next } = await ledger.lists.transactions({ limit, before, ...filters });
    page.linkNext(reply, next);
    if (page.isCounted) {
      await answerCount<ChainPosition>(reply, ledger, {
        filters,
        total: (totals) => totals.transactions,
        read: (part) => ledger.lists.transactions({ limit: part.limit, before: part.from, ...filters }),
      });
    }
    return success('Transactions listed.', items);
  }

  @Get('transactions/:txid')
  @ApiTags('transactions')
  @Operation(
    { id: 'getTransaction', summary: 'Returns one recorded transaction, decoded', data: TransactionDetail },
    TRANSACTION_ID,
    LEDGER_CALL,
  )
  async transaction(
    @OfChannel() ledger: LedgerChannel,
    @Param('txid') text: string,
  ): Promise<ResponseEnvelope<TransactionDetail>> {
    const transaction = await ledger.transactionById(parseTransactionId(text));
    if (transaction === undefined) throw noTransaction();
    return success('Transaction found.', describeTransaction(transaction));
  }
}

/** @throws {@link invalidNumber} */
export function parseBlockNumber(text: string): number {
  if (!/^(0|[1-9][0-9]{0,14})$/.test(text)) throw invalidNumber();
  return Number(text);
}

async function decoded(ledger: LedgerChannel, number: number, reply: FastifyReply): Promise<ResponseEnvelope<Block>> {
  const { items } = await ledger.lists.blocks({ limit: 1, before: number + 1 });
  const block = items.find((each) => each.number === number);
  if (block === undefined) throw noBlock();
  answerWithTag(reply, hash('sha256', JSON.stringify(block), 'base64url'));
  return success('Block found.', block);
}

async function bytesOf(ledger: LedgerChannel, number: number, reply: FastifyReply): Promise<Uint8Array> {
  const block = await ledger.blockByNumber(number);
  if (block === undefined) throw noBlock();
  answerWithTag(reply, hash('sha256', block.bytes, 'base64url'));
  // The name that `peer channel fetch` uses.
  const file = `${ledger.channel}_${number}.block`;
  void reply.type(BYTES).header('content-disposition', `attachment; filename="${file}"`);
  return Buffer.from(block.bytes);
}

/** Parses the id of a transaction. @returns it in lower case */
export function parseTransactionId(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw invalidId();
  return text.toLowerCase();
}

/** The endpoints for blocks and transactions. */
@Module({ controllers: [ChainController] })
export class ChainModule {}
