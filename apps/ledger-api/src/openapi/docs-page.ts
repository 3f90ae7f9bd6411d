/** A document that the page can show. */
export interface ShownDocument {
  readonly name: string;
  readonly url: string;
}

/** A request of Swagger UI. */
interface PageRequest {
  readonly loadSpec?: boolean;
  headers?: Record<string, string>;
}

/** A response of Swagger UI. */
interface PageResponse {
  readonly url: string;
  ok: boolean;
  status: number;
  text: string;
}

interface SwaggerUi {
  readonly authSelectors: {
    authorized(): { toJS(): Readonly<Record<string, { readonly value?: unknown } | undefined>> };
  };
}

/**
 * Sends the key or token of the page with the request for a document, which Swagger UI does for operations only. The page gets the
 * text of this function, so it uses nothing outside it.
 */
function withLogin(request: PageRequest): PageRequest {
  if (request.loadSpec !== true) return request;
  const { ui } = globalThis as { readonly ui?: SwaggerUi };
  const { apiKey, bearer } = ui?.authSelectors.authorized().toJS() ?? {};
  if (typeof apiKey?.value === 'string') request.headers = { ...request.headers, 'X-API-Key': apiKey.value };
  else if (typeof bearer?.value === 'string')
    request.headers = { ...request.headers, Authorization: `Bearer ${bearer.value}` };
  return request;
}

/**
 * Makes the server that the page came from, under any name that a proxy uses for it, the only one of a document: the
 * Content-Security-Policy permits no other. In the place of a document that there is not, as of a chaincode without metadata, it
 * returns one with the reason, where Swagger UI would only show the status. The page gets the text of this function, so it uses
 * nothing outside it.
 */
function withOwnServer(response: PageResponse): PageResponse {
  if (!/\/(docs-json|openapi\.json)$/.test(response.url)) return response;
  try {
    const found = JSON.parse(response.text) as { readonly message?: string; readonly openapi?: string };
    const servers = [{ url: '/api/v1', description: 'The server of this document' }];
    const info = { title: 'No document', version: String(response.status), description: found.message ?? '' };
    const shown = response.ok ? { ...found, servers } : { openapi: '3.1.0', info, paths: {} };
    response.text = JSON.stringify(shown);
    if (!response.ok) Object.assign(response, { ok: true, status: 200 });
  } catch {
    // Not an answer of the API: Swagger UI shows its status.
  }
  return response;
}

/** The payload of Swagger UI's action that replaces the keys of the page. */
interface Logins {
  readonly authorized: object;
}

/**
 * Keeps the key of the page when another document is chosen. Swagger UI would forget it, because it expects documents of different
 * servers. The page gets the text of this function, so it uses nothing outside it.
 */
function keepLogin(): object {
  const restoreAuthorization = (original: (logins: Logins) => void) => (logins: Logins) => {
    if (Object.keys(logins.authorized).length > 0) original(logins);
  };
  return { statePlugins: { auth: { wrapActions: { restoreAuthorization } } } };
}

/** Swagger UI's own plugin that loads documents. The page gets the text of this function, so it uses nothing outside it. */
function downloadUrl(...parameters: readonly unknown[]): unknown {
  const { SwaggerUIBundle: bundle } = globalThis as unknown as {
    readonly SwaggerUIBundle: { readonly plugins: { DownloadUrl(...parameters: readonly unknown[]): unknown } };
  };
  return bundle.plugins.DownloadUrl(...parameters);
}

/** Returns the options of Swagger UI with which its page shows several documents. */
export function pageOptions(documents: readonly ShownDocument[]): object {
  return {
    urls: documents,
    plugins: [downloadUrl, keepLogin],
    requestInterceptor: withLogin,
    responseInterceptor: withOwnServer,
  };
}
