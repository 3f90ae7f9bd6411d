import { SERVICE_SIGNER, type WriteRequest, type WriteRequestColumns } from './messages.js';

/** Writes in the form that goes to the other thread, gathered one by one. */
export class WriteBatch {
  #columns = emptyColumns();

  get length(): number {
    return this.#columns.ticket.length;
  }

  add({ ticket, function: name, arguments: args, signer, nonce, transactionId }: WriteRequest): void {
    const columns = this.#columns;
    columns.ticket.push(ticket);
    columns.function.push(name);
    columns.arguments.push(args);
    columns.signer.push(signer);
    columns.nonce.push(nonce);
    columns.transactionId.push(transactionId);
  }

  /** Gives what was gathered and begins anew. */
  take(): WriteRequestColumns {
    const columns = this.#columns;
    this.#columns = emptyColumns();
    return columns;
  }
}

type Columns = { readonly [K in keyof WriteRequest]: WriteRequest[K][] };

function emptyColumns(): Columns {
  return { ticket: [], function: [], arguments: [], signer: [], nonce: [], transactionId: [] };
}

/** The writes again. */
export function requestsOf(columns: WriteRequestColumns): WriteRequest[] {
  return columns.ticket.map((ticket, index) => ({
    ticket,
    function: columns.function[index] ?? '',
    arguments: columns.arguments[index] ?? [],
    signer: columns.signer[index] ?? SERVICE_SIGNER,
    nonce: columns.nonce[index] ?? '',
    transactionId: columns.transactionId[index] ?? '',
  }));
}
