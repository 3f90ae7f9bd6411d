import { Readable } from 'node:stream';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BodyLines, LINE_LIMITS } from '#bulk-data';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { CallSlots } from '#threads';
import { operationOf } from '../access/login.js';
import { clientAddress } from '../http/client-address.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { type ErrorCode } from '../http/error-table.js';
import { ApiError } from '../http/errors.js';
import { answerOf, ERROR_CODE } from '../http/error-answers.js';
import { NDJSON } from '../http/json-body.js';
import { isPreferred, varyBy } from '../http/preconditions.js';
import type { WriteOptions } from '../http/writes.js';
import { errorAnswer, LineUpload, type ReadLine, type UploadTarget } from './line-upload.js';
import { MAX_LISTED_REFUSALS, UPLOAD_TOO_SLOW, type LineAnswer, type UploadReport } from './upload.dto.js';

/** Batches of all uploads that are processed at the same time, so that other writes wait for few of them. */
const MAX_BATCHES = 4;

/** What an upload creates, and where. */
export interface Upload<T extends ReadLine> {
  readonly channel: string;
  readonly target: UploadTarget<T>;
  /** For the answer. */
  readonly message: string;
  /** Most bytes of the lines of a transaction. */
  readonly batchBytes?: number;
}

/** Answers requests that create many things, one on each line. */
@Injectable()
export class Uploads {
  /** Each upload waits for few batches, so that the queue is as short as there are uploads. */
  readonly #slots = new CallSlots({ limit: MAX_BATCHES, queueLimit: Infinity });

  constructor(@Inject(PROGRAM_LOG) private readonly log: ProgramLog) {}

  /** Reads the body of a request and creates what its lines name; answers with counts, or line by line. */
  async answer<T extends ReadLine>(
    { channel, target, message, batchBytes = LINE_LIMITS.batchBytes }: Upload<T>,
    reply: FastifyReply,
    { caller, idempotencyKey }: WriteOptions,
  ): Promise<ResponseEnvelope<UploadReport> | StreamableFile> {
    const { request } = reply;
    const check = (): void => {
      request.requireAccess();
    };
    const traceOfWrite = request.trace?.ofWrite;
    const options = { caller, idempotencyKey, check, traceOfWrite };
    const upload = new LineUpload({ channel, target, slots: this.#slots }, options);
    const tally = new UploadTally();
    const lines = new BodyLines(request.raw, { ...LINE_LIMITS, batchBytes }, () => UPLOAD_TOO_SLOW);
    const answers = this.#watched(upload.answers(lines), tally, request);
    void reply.code(200);
    varyBy(reply, 'Accept');
    if (isPreferred(request, NDJSON)) {
      // Proxies would collect the answers otherwise.
      void reply.header('x-accel-buffering', 'no');
      return new StreamableFile(Readable.from(linesOf(answers), { objectMode: false }), { type: NDJSON });
    }
    try {
      while ((await answers.next()).done !== true);
    } catch (error) {
      throw tally.describe(error);
    }
    return success(message, tally.report());
  }

  /** Counts the answers of an upload, and logs the counts when either side ends it. */
  async *#watched(
    answers: AsyncIterable<readonly LineAnswer[]>,
    tally: UploadTally,
    request: FastifyRequest,
  ): AsyncGenerator<readonly LineAnswer[], void, undefined> {
    try {
      for await (const batch of answers) {
        for (const answer of batch) tally.add(answer);
        yield batch;
      }
    } finally {
      const { lines, created, replayed, refused } = tally.report();
      const facts = { address: clientAddress(request), operation: operationOf(request), requestId: request.id };
      const { name: caller } = request.caller ?? {};
      this.log.logger.info(
        { ...(caller !== undefined && { caller }), ...facts, ...{ lines, created, replayed, refused } },
        'upload',
      );
    }
  }
}

/** Encodes answers. A failure becomes the last one, because the status was sent long before. */
async function* linesOf(answers: AsyncIterable<readonly LineAnswer[]>): AsyncGenerator<Uint8Array> {
  try {
    for await (const batch of answers) yield Buffer.from(batch.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
  } catch (error) {
    yield Buffer.from(`${JSON.stringify(errorAnswer(error))}\n`);
  }
}

/** The counts of an upload. */
class UploadTally {
  readonly #report: UploadReport = { lines: 0, created: 0, replayed: 0, refused: 0, refusals: [] };

  add({ line = 0, id, status, code = '', message = '', replayed }: LineAnswer): void {
    const report = this.#report;
    report.lines += 1;
    if (status === 201) report.created += 1;
    else report.refused += 1;
    if (replayed === true) report.replayed += 1;
    if (status === 201 || report.refusals.length === MAX_LISTED_REFUSALS) return;
    report.refusals.push({ line, ...(id !== undefined && { id }), code, message });
  }

  report(): UploadReport {
    return this.#report;
  }

  /** Creates the error of an upload that stopped, which states the number of created assets. */
  describe(error: unknown): unknown {
    const { lines, created } = this.#report;
    const { status, headers, body } = answerOf(error);
    if (lines === 0) return error;
    const text = `${created} of the first ${lines} lines were created, then the upload stopped. ${body.message}`;
    return new ApiError(headers[ERROR_CODE] as ErrorCode, text, { status, headers, cause: error });
  }
}
