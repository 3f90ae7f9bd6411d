import { parentPort } from 'node:worker_threads';
import type { TicketRequest } from '../config/proxy-client-config.js';
import type { TicketReply } from './tickets.js';

// The thread that asks the Kerberos library (MIT) of this machine for tokens: it blocks while a Kerberos server is silent. The
// optional package koffi calls the library.

/** The object identifiers of GSS-API: RFC 4178, RFC 4121, and RFC 2743 for names of services. */
const SPNEGO = oid('2b0601050502');
const KRB5 = oid('2a864886f712010202');
const HOSTBASED_SERVICE = oid('2a864886f71201020104');
/** Of `gss_acquire_cred_from`: the credentials are used to initiate connections. */
const INITIATE = 1;
/** Of `gss_display_status`: the text of the mechanism. */
const MECHANISM_CODE = 2;
const LIBRARY = 'libgssapi_krb5.so.2';

interface Oid {
  readonly length: number;
  readonly elements: Buffer;
}

interface OutBuffer {
  readonly length?: bigint | number;
  readonly value?: unknown;
}

/** A parameter that the library writes. */
type Out<T> = [T];
type Handle = Out<unknown>;

/** The functions of the library. Each returns a status, whose upper half is an error. */
interface Gss {
  importName(minor: Out<number>, text: object, type: Oid, name: Handle): number;
  initContext(
    ...args: readonly [
      Out<number>,
      unknown,
      Handle,
      unknown,
      Oid,
      number,
      number,
      null,
      null,
      null,
      Out<OutBuffer>,
      null,
      null,
    ]
  ): number;
  acquire(...args: readonly [Out<number>, null, number, null, number, object, Handle, null, null]): number;
  displayStatus(
    minor: Out<number>,
    code: number,
    type: number,
    mechanism: Oid,
    next: Out<number>,
    text: Out<OutBuffer>,
  ): number;
  releaseBuffer(minor: Out<number>, buffer: Out<OutBuffer>): number;
  releaseName(minor: Out<number>, name: Handle): number;
  releaseCredentials(minor: Out<number>, credentials: Handle): number;
  deleteContext(minor: Out<number>, context: Handle, token: null): number;
  bytesOf(buffer: OutBuffer): Buffer;
}

function oid(hex: string): Oid {
  const elements = Buffer.from(hex, 'hex');
  return { length: elements.length, elements };
}

async function load(): Promise<Gss> {
  const { default: koffi } = await import('koffi').catch((error: unknown) => {
    throw new LoadError('koffi', { cause: error });
  });
  try {
    const library = koffi.load(LIBRARY);
    koffi.struct('GssBuffer', { length: 'size_t', value: 'void *' });
    koffi.struct('GssOid', { length: 'uint32_t', elements: 'void *' });
    koffi.struct('GssKeyValue', { key: 'str', value: 'str' });
    koffi.struct('GssKeyValues', { count: 'uint32_t', elements: 'GssKeyValue *' });
    const declare = (name: string, parameters: string): never =>
      library.func(`uint32_t ${name}(_Out_ uint32_t *, ${parameters})`) as never;
    return {
      importName: declare('gss_import_name', 'GssBuffer *, GssOid *, _Out_ void **'),
      initContext: declare(
        'gss_init_sec_context',
        'void *, _Inout_ void **, void *, GssOid *, uint32_t, uint32_t, void *, void *, void *, _Out_ GssBuffer *, void *, void *',
      ),
      acquire: declare(
        'gss_acquire_cred_from',
        'void *, uint32_t, void *, int, GssKeyValues *, _Out_ void **, void *, void *',
      ),
      displayStatus: declare('gss_display_status', 'uint32_t, int, GssOid *, _Inout_ uint32_t *, _Out_ GssBuffer *'),
      releaseBuffer: declare('gss_release_buffer', '_Inout_ GssBuffer *'),
      releaseName: declare('gss_release_name', '_Inout_ void **'),
      releaseCredentials: declare('gss_release_cred', '_Inout_ void **'),
      deleteContext: declare('gss_delete_sec_context', '_Inout_ void **, void *'),
      bytesOf: ({ length = 0, value }) => {
        return value === null || value === undefined
          ? Buffer.alloc(0)
          : Buffer.from(koffi.decode(value, 'uint8_t', Number(length)) as Uint8Array);
      },
    };
  } catch (error) {
    throw new LoadError('library', { cause: error });
  }
}

class LoadError extends Error {
  readonly reason: 'koffi' | 'library';

  constructor(reason: LoadError['reason'], options: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

let library: Promise<Gss> | undefined;

async function answer(request: TicketRequest | 'load'): Promise<TicketReply> {
  try {
    library ??= load();
    const gss = await library;
    return request === 'load' ? { token: '' } : tokenFor(gss, request);
  } catch (error) {
    if (error instanceof LoadError) return { error: error.reason, text: String(error.cause) };
    return { error: 'other', text: String(error) };
  }
}

function tokenFor(gss: Gss, { service, keytab }: TicketRequest): TicketReply {
  const minor: Out<number> = [0];
  const name: Handle = [null];
  const credentials: Handle = [null];
  const value = Buffer.from(service);
  try {
    let status = gss.importName(minor, { length: value.length, value }, HOSTBASED_SERVICE, name);
    if (isError(status)) return failed(gss, minor[0]);
    if (keytab !== undefined) {
      status = gss.acquire(minor, null, 0, null, INITIATE, storeOf(keytab), credentials, null, null);
      if (isError(status)) return failed(gss, minor[0]);
    }
    const first = initiate(gss, credentials[0], name[0], SPNEGO);
    // Only the mechanism itself names the cause.
    return 'token' in first ? first : initiate(gss, credentials[0], name[0], KRB5);
  } finally {
    gss.releaseName(minor, name);
    if (credentials[0] !== null) gss.releaseCredentials(minor, credentials);
  }
}

/** The tickets of a keytab are stored in memory, not in those of the user. */
function storeOf(keytab: string): object {
  const cache = Buffer.from(keytab).toString('hex');
  const elements = [
    { key: 'client_keytab', value: keytab },
    { key: 'ccache', value: `MEMORY:${cache}` },
  ];
  return { count: elements.length, elements };
}

function initiate(gss: Gss, credentials: unknown, name: unknown, mechanism: Oid): TicketReply {
  const minor: Out<number> = [0];
  const context: Handle = [null];
  const output: Out<OutBuffer> = [{}];
  const status = gss.initContext(
    minor,
    credentials,
    context,
    name,
    mechanism,
    0,
    0,
    null,
    null,
    null,
    output,
    null,
    null,
  );
  const code = minor[0];
  const token = gss.bytesOf(output[0]).toString('base64');
  gss.releaseBuffer(minor, output);
  if (context[0] !== null) gss.deleteContext(minor, context, null);
  return isError(status) ? failed(gss, code) : { token };
}

function isError(status: number): boolean {
  return status >>> 16 !== 0;
}

function failed(gss: Gss, code: number): TicketReply {
  const minor: Out<number> = [0];
  const text: Out<OutBuffer> = [{}];
  gss.displayStatus(minor, code, MECHANISM_CODE, KRB5, [0], text);
  const shown = gss.bytesOf(text[0]).toString();
  gss.releaseBuffer(minor, text);
  return { error: 'kerberos', text: shown };
}

parentPort?.on('message', (request: TicketRequest | 'load') => {
  void answer(request).then((reply) => {
    parentPort?.postMessage(reply);
  });
});
