/** An architecture whose programs a kernel runs, with the numbers of its system calls. */
interface Architecture {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly audit: number;
  readonly socket: number;
  readonly socketpair: number;
  /** socketcall, whose arguments a filter cannot read; add_key, request_key and keyctl. */
  readonly denied: readonly number[];
}

/** For each architecture of Node: that of its own programs, and that of 32-bit programs. */
const ARCHITECTURES: Readonly<Record<string, readonly Architecture[]>> = {
  x64: [
    { audit: 0xc000003e, socket: 41, socketpair: 53, denied: [248, 249, 250] },
    { audit: 0x40000003, socket: 359, socketpair: 360, denied: [102, 286, 287, 288] },
  ],
  arm64: [
    { audit: 0xc00000b7, socket: 198, socketpair: 199, denied: [217, 218, 219] },
    { audit: 0x40000028, socket: 281, socketpair: 288, denied: [309, 310, 311] },
  ],
};
/** The same on every architecture. It creates sockets without these calls. */
const IO_URING_SETUP = 425;
/** System calls of x32, which have other numbers. */
const X32 = 0x40000000;

const AF_UNIX = 1;
/** AF_INET, AF_INET6, and AF_NETLINK, by which programs list their interfaces. */
const NETWORK_FAMILIES = [2, 10, 16];
const SOCK_DGRAM = 2;
const TYPE_MASK = 0xf;

const INSTRUCTION_BYTES = 8;

/** Offsets in struct seccomp_data; those of the arguments are of their lower half. */
const AT = { number: 0, architecture: 4, family: 16, type: 24 } as const;
const LOAD = 0x20;
const AND = 0x54;
const EQUAL = 0x15;
const AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
/** SECCOMP_RET_ERRNO with EPERM. */
const DENY = 0x00050001;

/** An instruction: code, value, and the label at which a comparison that is true continues. A text is the label of what follows. */
type Line = readonly [code: number, value: number, ifTrue?: string] | string;

/**
 * Returns a seccomp program that denies what is not confined by namespaces, or undefined for an architecture without one.
 *
 * - socket() of families other than IP, netlink and Unix sockets: VM sockets (AF_VSOCK), for example, lead to the host of a virtual machine.
 * - io_uring, which creates sockets without that call, and calls of other architectures.
 * - The keyrings of the kernel, which may contain the Kerberos tickets of the user.
 *
 * @param unixSockets - if false, it also denies socket(AF_UNIX), and socketpair() of datagram sockets, which can be connected to other
 * addresses. Other pairs of sockets stay allowed: programs communicate with their children through them.
 */
export function systemCallFilter(unixSockets: boolean, architecture: string = process.arch): Buffer | undefined {
  const known = ARCHITECTURES[architecture];
  if (known === undefined) return undefined;
  const families = unixSockets ? [AF_UNIX, ...NETWORK_FAMILIES] : NETWORK_FAMILIES;
  return assemble([
    [LOAD, AT.architecture],
    ...known.map(({ audit }): Line => [EQUAL, audit, `calls of ${audit}`]),
    [RETURN, DENY],
    ...known.flatMap(callsOf),
    'pair',
    ...(unixSockets
      ? []
      : ([
          [LOAD, AT.type],
          [AND, TYPE_MASK],
          [EQUAL, SOCK_DGRAM, 'family'],
        ] as const)),
    [RETURN, ALLOW],
    'family',
    [LOAD, AT.family],
    ...families.map((family): Line => [EQUAL, family, 'allow']),
    'deny',
    [RETURN, DENY],
    'allow',
    [RETURN, ALLOW],
  ]);
}

function callsOf({ audit, socket, socketpair, denied }: Architecture): readonly Line[] {
  return [
    `calls of ${audit}`,
    [LOAD, AT.number],
    [AT_LEAST, X32, 'deny'],
    ...[...denied, IO_URING_SETUP].map((call): Line => [EQUAL, call, 'deny']),
    [EQUAL, socket, 'family'],
    [EQUAL, socketpair, 'pair'],
    [RETURN, ALLOW],
  ];
}

/** Encodes a program as struct sock_filter, in which jumps are relative to the next instruction. */
function assemble(lines: readonly Line[]): Buffer {
  const labels = new Map<string, number>();
  const program: Exclude<Line, string>[] = [];
  for (const line of lines) {
    if (typeof line === 'string') labels.set(line, program.length);
    else program.push(line);
  }
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  program.forEach(([code, value, label], index) => {
    const at = index * INSTRUCTION_BYTES;
    const target = label === undefined ? index + 1 : (labels.get(label) ?? 0);
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(target - index - 1, at + 2);
    bytes.writeUInt32LE(value, at + 4);
  });
  return bytes;
}
