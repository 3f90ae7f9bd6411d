import { Controller, createParamDecorator, Get, Module, type ExecutionContext } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { valueFault } from '#contract-kit';
import type { LedgerChannel, SearchQuery } from '#ledger-gateway';
import { CurrentCaller, Needs } from '../access/access.decorators.js';
import { HASH } from '../chain/chain.dto.js';
import { OfChannel, onEveryChannel } from '../gateway/channels.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { invalidRequest } from '../http/errors.js';
import { CONTRACT_READ, Operation } from '../http/operation.decorator.js';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;
const KINDS = ['block', 'transaction', 'asset', 'owner', 'caller', 'function'] as const;

const badText = (fault: string): Error => invalidRequest(`The query parameter text ${fault}.`);
const badLimit = (): Error =>
  invalidRequest(`The query parameter limit must be a whole number from 1 to ${MAX_LIMIT}.`);

/** Something in the ledger that a search found. */
export class Suggestion {
  @ApiProperty({
    enum: KINDS,
    example: 'asset',
    description: 'A caller is the creatorId of transactions, an owner that of assets.',
  })
  kind!: (typeof KINDS)[number];

  @ApiProperty({ example: 'asset7', description: 'The id, the name, or the number of the block.' })
  value!: string;

  @ApiPropertyOptional({ ...HASH, description: 'The hash of a block that was found by it.' })
  hash?: string;
}

/** @throws `API.INVALID_REQUEST` for an unknown, missing, repeated or invalid parameter */
export function readSearch(query: Readonly<Record<string, unknown>>): SearchQuery {
  const unknown = Object.keys(query).find((name) => name !== 'text' && name !== 'limit');
  if (unknown !== undefined) {
    throw invalidRequest(`Unknown query parameter ${JSON.stringify(unknown.slice(0, 64))}; use text and limit.`);
  }
  const { text = '', limit = String(DEFAULT_LIMIT) } = query;
  if (typeof text !== 'string') throw badText('appears more than once');
  const fault = valueFault(text);
  if (fault !== undefined) throw badText(fault);
  if (typeof limit !== 'string' || !/^[0-9]{1,2}$/.test(limit)) throw badLimit();
  const most = Number(limit);
  if (most < 1 || most > MAX_LIMIT) throw badLimit();
  return { text, limit: most };
}

const RequestedSearch = createParamDecorator((_: unknown, context: ExecutionContext) =>
  readSearch(context.switchToHttp().getRequest<FastifyRequest>().query as Record<string, unknown>),
);

/** Suggestions while typing. */
@Controller(onEveryChannel('search'))
@Needs('reader')
export class SearchController {
  @Get()
  @ApiTags('search')
  @ApiQuery({
    name: 'text',
    description:
      'The first characters of an id, an owner, a caller, a function, a transaction id, a block number or a block hash.',
    schema: { type: 'string', minLength: 1, example: 'asset' },
  })
  @ApiQuery({
    name: 'limit',
    required: false,
    description: 'The maximum number of suggestions.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
  })
  @Operation(
    {
      id: 'search',
      summary: 'Suggests what begins with a text',
      description:
        'Grouped by kind. When nothing begins with the text, letters match in upper and lower case. On Hyperledger Fabric ' +
        'without a complete index of the channel, only blocks by number, transactions by their whole id, and assets with ' +
        'the same case are found.',
      data: [Suggestion],
      errors: [badText('must not be empty'), badLimit()],
    },
    CONTRACT_READ,
  )
  async search(
    @OfChannel() ledger: LedgerChannel,
    @RequestedSearch() query: SearchQuery,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<readonly Suggestion[]>> {
    return success('Suggestions found.', await ledger.lists.search(query, { caller }));
  }
}

/** The endpoint that suggests search results. */
@Module({ controllers: [SearchController] })
export class SearchModule {}
