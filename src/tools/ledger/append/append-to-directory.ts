import { createEmbeddedLedger } from '#embedded-ledger';
import { isLedgerError } from '#ledger-gateway';
import { type DocumentText, RecordCalls } from '#ledger-library/record-calls';
import type { BodyLine } from '../../../../apps/ledger-api/src/http/body-lines.js';
import { configured } from '../../configured.js';
import type { AppendOptions, Appender, LineEffect } from './appender.js';

/** Opens the ledger of a directory, or creates one, to append to it. An unknown type is defined by its first record. */
export async function appendToDirectory(dataDir: string, { type, key }: AppendOptions): Promise<Appender> {
  const {
    LEDGER_CHANNEL: channel,
    LEDGER_CHAINCODE: chaincode,
    LEDGER_MSP_ID: mspId,
  } = configured('LEDGER_CHANNEL', 'LEDGER_CHAINCODE', 'LEDGER_MSP_ID');
  const ledger = await createEmbeddedLedger({ dataDir, channel, chaincode, mspId });
  const calls = new RecordCalls(ledger);
  return {
    async append(lines) {
      const texts: DocumentText[] = [];
      const effects: LineEffect[] = [];
      for (const line of lines) {
        const read = await readText(line, key);
        if ('text' in read) texts.push({ index: line.number, ...read });
        else effects.push(read);
      }
      const { refused } = texts.length === 0 ? { refused: [] } : await calls.appendTexts(type, texts);
      return [...effects, ...refused.map(({ index, code, message }) => ({ line: index, code, message }))];
    },
    close: () => ledger.close(),
  };
}

/** Reads the document of a line, and its id. */
async function readText(
  { number: line, bytes }: BodyLine,
  key: string | undefined,
): Promise<Omit<DocumentText, 'index'> | LineEffect> {
  const { idIn } = await import('../../../../apps/ledger-api/src/records/record-upload.js');
  try {
    if (bytes === undefined) return { line, code: 'LEDGER.RECORD_INVALID', message: 'The line is too long.' };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, id: idIn(text, key) };
  } catch (error) {
    const code = isLedgerError(error) ? error.code : 'LEDGER.RECORD_INVALID';
    return { line, code, message: (error as Error).message };
  }
}
