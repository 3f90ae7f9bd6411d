import {
  BadRequestException,
  Body,
  ConflictException,
  Controller,
  Get,
  HttpCode,
  HttpStatus,
  Inject,
  Param,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiAccessChecks, TEXT } from './api/documentation.js';
import { AnswerRequest, Question, QuestionList } from './api/gate.responses.js';
import { sendText } from './access.guard.js';
import { parseJsonBody } from './json-body.js';
import { readAnswer } from './read-answer.js';
import { PROXY_VIEW, type RemoteView } from './remote-view.js';

/** The pages of requests that wait for the answer of a person. */
@ApiTags('gate')
@ApiAccessChecks()
@Controller('asks')
export class AsksController {
  readonly #view: RemoteView;

  constructor(@Inject(PROXY_VIEW) view: RemoteView) {
    this.#view = view;
  }

  @Get()
  @ApiOperation({ operationId: 'getAsks', summary: 'The questions that wait for the answer of a person' })
  @ApiOkResponse({ type: QuestionList, description: 'OK' })
  async asks(): Promise<QuestionList> {
    return this.#view.asks();
  }

  @Post(':id')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'answerAsk',
    summary: 'Answers a question',
    description:
      'A yes adds a grant, by which the requests that wait continue. A no refuses them, and is remembered for gate.ask.refusedFor. ' +
      'Refused to pages of other origins.',
  })
  @ApiParam({ name: 'id', description: 'The id of GET /asks.' })
  @ApiBody({ type: AnswerRequest })
  @ApiOkResponse({ type: Question, description: 'The question, as it was before the answer.' })
  @ApiBadRequestResponse({ description: 'The body is invalid.', content: TEXT })
  @ApiNotFoundResponse({ description: 'No question has this id.', content: TEXT })
  @ApiConflictResponse({
    description: 'It was answered before or has expired, there are too many grants, or the rule cannot be written.',
    content: TEXT,
  })
  async answer(
    @Param('id') id: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const answer = readAnswer(parseJsonBody(body, ['answer', 'for', 'host'], '{"answer": "yes", "for": "1h"}'));
    if (typeof answer === 'string') throw new BadRequestException(answer);
    const result = await this.#view.answerAsk(id, answer, request.ip);
    if (result === 'unknown') {
      sendText(reply, HttpStatus.NOT_FOUND, 'There is no such question.');
      return;
    }
    if ('invalid' in result) throw new BadRequestException(result.invalid);
    if ('conflict' in result) throw new ConflictException(result.conflict);
    await reply.send(result.question);
  }
}
