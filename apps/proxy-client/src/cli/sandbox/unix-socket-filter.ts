interface Architecture {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly audit: number;
  readonly socket: number;
  readonly socketpair: number;
}

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: { audit: 0xc000003e, socket: 41, socketpair: 53 },
  arm64: { audit: 0xc00000b7, socket: 198, socketpair: 199 },
};
/** The same on every architecture. */
const IO_URING_SETUP = 425;
/** System calls of x32, which have other numbers. */
const X32 = 0x40000000;
const AF_UNIX = 1;
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

/** An instruction: code, value, and the instructions that follow a comparison that is true and one that is false. */
type Instruction = readonly [code: number, value: number, ifTrue?: number, ifFalse?: number];

/**
 * Returns the program, or undefined for an architecture without one. It denies socket(AF_UNIX), socketpair() of datagram sockets, which
 * can be connected to other addresses, io_uring, which creates sockets without these calls, and the calls of other architectures.
 * Other pairs of sockets stay allowed: programs talk to their children by them.
 */
export function unixSocketFilter(architecture: string = process.arch): Buffer | undefined {
  const known = ARCHITECTURES[architecture];
  if (known === undefined) return undefined;
  const [PAIR, FAMILY, ALLOWED, DENIED] = [7, 10, 12, 13];
  return assemble([
    [LOAD, AT.architecture],
    [EQUAL, known.audit, 2, DENIED],
    [LOAD, AT.number],
    [AT_LEAST, X32, DENIED, 4],
    [EQUAL, IO_URING_SETUP, DENIED, 5],
    [EQUAL, known.socket, FAMILY, 6],
    [EQUAL, known.socketpair, PAIR, ALLOWED],
    [LOAD, AT.type],
    [AND, TYPE_MASK],
    [EQUAL, SOCK_DGRAM, FAMILY, ALLOWED],
    [LOAD, AT.family],
    [EQUAL, AF_UNIX, DENIED, ALLOWED],
    [RETURN, ALLOW],
    [RETURN, DENY],
  ]);
}

/** Encodes instructions as struct sock_filter, in which jumps are relative to the next instruction. */
function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  program.forEach(([code, value, ifTrue = 0, ifFalse = 0], index) => {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(Math.max(ifTrue - index - 1, 0), at + 2);
    bytes.writeUInt8(Math.max(ifFalse - index - 1, 0), at + 3);
    bytes.writeUInt32LE(value, at + 4);
  });
  return bytes;
}
