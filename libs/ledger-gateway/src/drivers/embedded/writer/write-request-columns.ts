import type { WriteRequest, WriteRequestColumns } from './messages.js';

/** Writes in the form that goes to the other thread. */
export function columnsOf(requests: readonly WriteRequest[]): WriteRequestColumns {
  return {
    ticket: requests.map(({ ticket }) => ticket),
    function: requests.map((request) => request.function),
    arguments: requests.map((request) => request.arguments),
    nonce: requests.map(({ nonce }) => nonce),
    transactionId: requests.map(({ transactionId }) => transactionId),
  };
}

/** The writes again. */
export function requestsOf(columns: WriteRequestColumns): WriteRequest[] {
  return columns.ticket.map((ticket, index) => ({
    ticket,
    function: columns.function[index] ?? '',
    arguments: columns.arguments[index] ?? [],
    nonce: columns.nonce[index] ?? '',
    transactionId: columns.transactionId[index] ?? '',
  }));
}
