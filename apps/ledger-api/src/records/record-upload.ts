import { ContractError } from '#contract-kit';
import { contractRefusal, LedgerError, type CallOptions } from '#ledger-gateway';
import { DocumentIdError, idInDocument } from '#records-contract';
import { invalidRequest } from '../http/errors.js';
import { decodeText } from '../http/json-body.js';
import type { Creation, Effect, ReadLine, UploadTarget } from '../uploads/line-upload.js';
import type { ChannelRecords } from './channel-records.js';

/** A line with a document. */
interface DocumentLine extends ReadLine {
  /** The document as it was sent: the contract parses it. */
  readonly text: string;
}

/** The documents of an upload, one on each line. */
export class RecordUpload implements UploadTarget<DocumentLine> {
  /** @param key - the member of each document that is its id; by default the contract makes ids */
  constructor(
    private readonly records: ChannelRecords,
    private readonly type: string,
    private readonly key: string | undefined,
  ) {}

  read(line: number, bytes: Buffer): DocumentLine {
    const text = decodeText(bytes);
    return { line, text, id: readDocumentId(text, this.key) };
  }

  async createTogether(read: readonly DocumentLine[], options: CallOptions): Promise<readonly Effect[]> {
    const records = read.map(({ id, text }) => {
      return id === undefined ? `{"document":${text}}` : `{"document":${text},"id":${JSON.stringify(id)}}`;
    });
    const { value, ...creation } = await this.records.createMany(this.type, records, options);
    const refusals = new Map(value.refused.map((refusal) => [refusal.index, contractRefusal(refusal)]));
    const ids = value.created.values();
    return read.map((_, index): Effect => {
      const refusal = refusals.get(index);
      if (refusal !== undefined) return refusal;
      const { value: id } = ids.next();
      return id === undefined
        ? new LedgerError('LEDGER.DAMAGED', 'The contract returned too few ids.')
        : { ...creation, id };
    });
  }

  async createOne({ id = '', text }: DocumentLine, options: CallOptions): Promise<Creation> {
    const { transactionId, isReplay, value } = await this.records.create({ type: this.type, id }, text, options);
    return { transactionId, isReplay, id: value.id };
  }
}

/**
 * Parses a document, and returns the member of it that is its id.
 * @param key - the name of the member; undefined for none
 * @throws the refusal of the document
 */
export function readDocumentId(text: string, key: string | undefined): string | undefined {
  try {
    return idInDocument(text, key);
  } catch (error) {
    if (error instanceof DocumentIdError) throw invalidRequest(error.message);
    throw error instanceof ContractError ? contractRefusal(error) : error;
  }
}
