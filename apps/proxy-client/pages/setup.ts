import type { ListenerStatus } from './api.ts';

/** How to configure a program. */
export interface Program {
  readonly name: string;
  /** Commands and settings to copy, by their file or purpose. */
  readonly snippets: Readonly<Record<string, string>>;
  readonly hint?: string | undefined;
}

/** The address of a listener. */
export interface ListenerAddress {
  /** Empty for a Unix socket. */
  readonly host: string;
  /** `host:port`, with IPv6 addresses in brackets, or the path of a Unix socket. */
  readonly authority: string;
}

/** Local hosts, which programs should reach directly. */
const NO_PROXY = 'localhost,127.0.0.1,::1';

/**
 * Returns the address of a listener.
 * @param dashboardHost - the host of the dashboard's URL, which also reaches a listener on all addresses
 */
export function addressOf(
  { host, port, socket }: Pick<ListenerStatus, 'host' | 'port' | 'socket'>,
  dashboardHost: string,
): ListenerAddress {
  if (host === null || port === null) return { host: '', authority: socket ?? '' };
  const bare = dashboardHost.replace(/^\[(.*)\]$/, '$1');
  const reachable = host === '0.0.0.0' || host === '::' ? bare : host;
  return { host: reachable, authority: `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}` };
}

/** Returns how to configure programs for a listener. */
export function programsFor(listener: ListenerStatus, address: ListenerAddress): readonly Program[] {
  const isSocks = listener.mode === 'socks5';
  const isTls = listener.tls === 'required';
  // No program of this list speaks SOCKS5 inside TLS.
  if (listener.mode === 'tunnel' || (isSocks && isTls)) return [];
  const login = listener.asks_for_password ? 'USER:PASSWORD@' : '';
  if (address.host === '') return [curlForSocket(listener.mode, address.authority, login)];
  if (isSocks) return commonPrograms({ login, ...address, scheme: 'socks5h' });
  const scheme = isTls ? 'https' : 'http';
  return [
    ...commonPrograms({ login, ...address, scheme }),
    ...httpPrograms(`${scheme}://${login}${address.authority}`, address.host),
  ];
}

interface ProxyAddress extends ListenerAddress {
  readonly scheme: 'http' | 'https' | 'socks5h';
  /** Empty if no password is required. */
  readonly login: string;
}

/** Returns the programs that support HTTP proxies and SOCKS. */
function commonPrograms({ authority, scheme, login }: ProxyAddress): readonly Program[] {
  const isSocks = scheme === 'socks5h';
  const url = `${scheme}://${login}${authority}`;
  const variables = isSocks ? `all_proxy=${url}` : `http_proxy=${url} https_proxy=${url}`;
  return [
    {
      name: 'Browser',
      snippets: {
        [isSocks ? 'SOCKS v5 host and port' : 'All traffic: HTTP proxy, also for HTTPS']: authority,
        'Chromium, Chrome or Edge, for one session': `chromium --proxy-server=${isSocks ? 'socks5' : scheme}://${authority}`,
      },
      hint: isSocks
        ? 'Firefox: SOCKS v5, and “Proxy DNS when using SOCKS v5”.'
        : 'Firefox: Settings, Network Settings, Manual proxy configuration, “Also use this proxy for HTTPS”.',
    },
    {
      name: 'Terminal',
      snippets: {
        [isSocks ? 'Programs that support SOCKS' : 'curl, wget and most others']:
          `export ${variables} no_proxy=${NO_PROXY}`,
        Test: `curl --proxy ${url} https://example.com/`,
      },
    },
    {
      name: 'git',
      snippets: {
        Permanent: `git config --global http.proxy ${url}`,
        Undo: 'git config --global --unset http.proxy',
      },
    },
  ];
}

/** Returns how curl uses a Unix socket: hardly any other program can. */
function curlForSocket(mode: ListenerStatus['mode'], path: string, login: string): Program {
  const socks = { 'By SOCKS5': `curl --proxy socks5h://${login}localhost${path} https://example.com/` };
  const http = { 'Requests for http': `curl --unix-socket ${path} http://example.com/` };
  return { name: 'curl', snippets: { ...(mode !== 'http' && socks), ...(mode !== 'socks5' && http) } };
}

/** Returns the programs that do not support SOCKS. */
function httpPrograms(url: string, host: string): readonly Program[] {
  const isLoopback = host === 'localhost' || host === '::1' || host.startsWith('127.');
  return [
    {
      name: 'npm',
      snippets: {
        Permanent: `npm config set proxy ${url}\nnpm config set https-proxy ${url}`,
        Undo: 'npm config delete proxy\nnpm config delete https-proxy',
      },
    },
    { name: 'pip', snippets: { Permanent: `pip config set global.proxy ${url}` } },
    {
      name: 'apt',
      snippets: {
        '/etc/apt/apt.conf.d/95proxy': `Acquire::http::Proxy "${url}";\nAcquire::https::Proxy "${url}";`,
      },
    },
    {
      name: 'docker',
      snippets: {
        '/etc/systemd/system/docker.service.d/proxy.conf, for pulls': `[Service]\nEnvironment="HTTP_PROXY=${url}" "HTTPS_PROXY=${url}" "NO_PROXY=${NO_PROXY}"`,
        'Restart docker': 'sudo systemctl daemon-reload && sudo systemctl restart docker',
      },
      hint: isLoopback
        ? 'Containers cannot reach 127.0.0.1 of this machine. Add a listener on the address of docker0.'
        : undefined,
    },
  ];
}
