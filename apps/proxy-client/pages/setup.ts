import type { ListenerStatus } from './api.ts';

/** A text to copy. */
export interface Snippet {
  readonly text: string;
  /** Where it goes, or what it does. */
  readonly note: string;
}

/** How one program is told to use the proxy. */
export interface Program {
  readonly name: string;
  readonly snippets: readonly Snippet[];
  readonly hint?: string;
}

/** Where a listener is reached. */
export interface Place {
  readonly host: string;
  readonly port: number;
  /** `host:port`, IPv6 addresses in brackets. */
  readonly authority: string;
}

/** Hosts that are this machine's own, which most programs are better off reaching themselves. */
const NO_PROXY = 'localhost,127.0.0.1,::1';

/** @param shownBy - the host by which the dashboard was reached: a listener on every address is reached by it, too */
export function placeOf({ host, port }: Pick<ListenerStatus, 'host' | 'port'>, shownBy: string): Place {
  const bare = shownBy.replace(/^\[(.*)\]$/, '$1');
  const reached = host === '0.0.0.0' || host === '::' ? bare : host;
  return { host: reached, port, authority: `${reached.includes(':') ? `[${reached}]` : reached}:${port}` };
}

/** What a listener is called where there are several: `http 127.0.0.1:8080`. */
export function listenerName(listener: ListenerStatus, place: Place): string {
  return `${listener.mode} ${place.authority}`;
}

/** How programs are set up for a listener. */
export function programsFor(listener: ListenerStatus, place: Place): readonly Program[] {
  if (listener.mode === 'tunnel') return [];
  const login = listener.asks_for_password ? 'USER:PASSWORD@' : '';
  const at = `${login}${place.authority}`;
  return listener.mode === 'socks5' ? socksPrograms(at, place) : httpPrograms(at, place);
}

function httpPrograms(at: string, place: Place): readonly Program[] {
  const url = `http://${at}`;
  return [
    {
      name: 'Browser',
      snippets: [
        { text: place.authority, note: 'For everything: HTTP proxy, for https too' },
        { text: `chromium --proxy-server=http://${place.authority}`, note: 'Chromium, Chrome and Edge, this once' },
      ],
      hint: 'Firefox: Settings, Network Settings, Manual proxy configuration, “Also use this proxy for HTTPS”.',
    },
    {
      name: 'Terminal',
      snippets: [
        {
          text: `export http_proxy=${url} https_proxy=${url} no_proxy=${NO_PROXY}`,
          note: 'curl, wget and most others',
        },
        { text: `curl --proxy ${url} https://example.com/`, note: 'To try it' },
      ],
    },
    {
      name: 'git',
      snippets: [
        { text: `git config --global http.proxy ${url}`, note: 'For good' },
        { text: 'git config --global --unset http.proxy', note: 'Undo' },
      ],
    },
    {
      name: 'npm',
      snippets: [
        { text: `npm config set proxy ${url}\nnpm config set https-proxy ${url}`, note: 'For good' },
        { text: 'npm config delete proxy\nnpm config delete https-proxy', note: 'Undo' },
      ],
    },
    {
      name: 'pip',
      snippets: [{ text: `pip config set global.proxy ${url}`, note: 'For good' }],
    },
    {
      name: 'apt',
      snippets: [
        {
          text: `Acquire::http::Proxy "${url}";\nAcquire::https::Proxy "${url}";`,
          note: '/etc/apt/apt.conf.d/95proxy',
        },
      ],
    },
    {
      name: 'docker',
      snippets: [
        {
          text: `[Service]\nEnvironment="HTTP_PROXY=${url}" "HTTPS_PROXY=${url}" "NO_PROXY=${NO_PROXY}"`,
          note: '/etc/systemd/system/docker.service.d/proxy.conf, for pulls',
        },
        { text: 'sudo systemctl daemon-reload && sudo systemctl restart docker', note: 'Then' },
      ],
      ...(isOwnMachine(place) && {
        hint: 'Containers themselves do not reach 127.0.0.1 of this machine: give the proxy a listener on the address of docker0.',
      }),
    },
  ];
}

function socksPrograms(at: string, place: Place): readonly Program[] {
  const url = `socks5h://${at}`;
  return [
    {
      name: 'Browser',
      snippets: [
        { text: place.authority, note: 'SOCKS v5 host and port' },
        { text: `chromium --proxy-server=socks5://${place.authority}`, note: 'Chromium, Chrome and Edge, this once' },
      ],
      hint: 'Firefox: SOCKS v5, and “Proxy DNS when using SOCKS v5”.',
    },
    {
      name: 'Terminal',
      snippets: [
        { text: `export all_proxy=${url} no_proxy=${NO_PROXY}`, note: 'Programs that know SOCKS' },
        { text: `curl --proxy ${url} https://example.com/`, note: 'To try it' },
      ],
    },
    {
      name: 'git',
      snippets: [
        { text: `git config --global http.proxy ${url}`, note: 'For good' },
        { text: 'git config --global --unset http.proxy', note: 'Undo' },
      ],
    },
  ];
}

function isOwnMachine({ host }: Place): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
