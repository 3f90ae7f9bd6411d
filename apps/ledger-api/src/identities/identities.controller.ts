import { Controller, Get, Module, Param, Res } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type LedgerChannel, LedgerError } from '#ledger-gateway';
import { requireCapability } from '../gateway/capabilities.js';
import { Needs } from '../access/access.decorators.js';
import { OfChannel, onEveryChannel } from '../gateway/channels.js';
import { attachment } from '../http/downloads.js';
import { ApiError } from '../http/errors.js';
import { LEDGER_CALL, Operation } from '../http/operation.decorator.js';

const PEM = 'application/x-pem-file';
const NO_CONFIGURATION = "the peer does not have the block with the channel's configuration";
const noOrganization = (): ApiError => new ApiError('API.NOT_FOUND', 'No organization of the channel has this MSP id.');

/** The organizations of the channel. */
@Controller(onEveryChannel('identities'))
@Needs('reader')
export class IdentitiesController {
  @Get(':mspId/ca')
  @ApiTags('receipts')
  @Operation(
    {
      id: 'getAuthorities',
      summary: "Returns the certificates of an organization's authorities",
      description:
        "A PEM file with the root and intermediate certificates in the channel's present configuration, which " +
        'verify-receipt reads. The ledger itself states them: compare their fingerprints with those of another source.',
      otherContent: { [PEM]: { schema: { type: 'string' } } },
      errors: ['API.PATH_TOO_LONG', noOrganization(), new LedgerError('LEDGER.NOT_SUPPORTED', NO_CONFIGURATION)],
    },
    {
      parameters: [ApiParam({ name: 'mspId', description: 'The MSP id, such as creatorMspId.', example: 'Org1MSP' })],
    },
    LEDGER_CALL,
  )
  async authorities(
    @OfChannel() ledger: LedgerChannel,
    @Param('mspId') mspId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const pem = await requireCapability(ledger, 'authorities')(mspId);
    if (pem === undefined) throw noOrganization();
    void reply.type(PEM).header('content-disposition', attachment(`${mspId}-ca.pem`));
    return pem;
  }
}

/** The endpoints for the CA certificates of organizations. */
@Module({ controllers: [IdentitiesController] })
export class IdentitiesModule {}
