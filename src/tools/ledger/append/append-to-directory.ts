import type { BodyLine } from '#bulk-data';
import { ContractError } from '#contract-kit';
import { createEmbeddedLedger } from '#embedded-ledger';
import { contractRefusal } from '#ledger-gateway';
import { type DocumentText, RecordCalls } from '#ledger-library/record-calls';
import { idInDocument } from '#records-contract';
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
        const read = readText(line, key);
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
function readText(
  { number: line, bytes }: BodyLine,
  key: string | undefined,
): Omit<DocumentText, 'index'> | LineEffect {
  try {
    if (bytes === undefined) return { line, code: 'LEDGER.RECORD_INVALID', message: 'The line is too long.' };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, id: idInDocument(text, key) };
  } catch (error) {
    if (error instanceof ContractError) {
      const { code, message } = contractRefusal(error);
      return { line, code, message };
    }
    return { line, code: 'LEDGER.RECORD_INVALID', message: (error as Error).message };
  }
}
