import { IsIn, IsInt, IsNotEmpty, Matches, Max, Min, ValidateIf } from 'class-validator';
import { DecimalDigits, Variable } from './variable.decorator.js';

const TIMEOUT = { message: 'use a whole number of milliseconds from 100 to 600000' };
const CALLS = { message: 'use a whole number from 1 to 10000' };
const BOTH = { message: 'FABRIC_TLS_CLIENT_CERT and FABRIC_TLS_CLIENT_KEY are needed together' };
const ENDPOINT = String.raw`([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}`;
const NAME = '[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?';

type Pair = Pick<FabricEnvironment, 'FABRIC_TLS_CLIENT_CERT' | 'FABRIC_TLS_CLIENT_KEY'>;
const isEitherSet = ({ FABRIC_TLS_CLIENT_CERT: certificate, FABRIC_TLS_CLIENT_KEY: key }: Pair): boolean =>
  (certificate ?? key) !== undefined;

/** The environment variables of the two Fabric drivers; which of them are needed hangs on LEDGER_DRIVER. */
export class FabricEnvironment {
  @Variable('LEDGER_DRIVER=fabric: file with the connection profile, JSON or YAML.')
  FABRIC_CONNECTION_PROFILE?: string;

  @Variable("LEDGER_DRIVER=fabric: directory of fabric-network's file-system wallet.")
  FABRIC_WALLET_DIR?: string;

  @Variable('LEDGER_DRIVER=fabric: name of the identity in the wallet; read again when it changes.')
  @ValidateIf((_, value) => value !== undefined)
  @Matches(/^[^/\\\0]+$/, { message: 'use the name of an identity, without slashes' })
  FABRIC_IDENTITY?: string;

  @Variable(
    'LEDGER_DRIVER=fabric: true when the network runs in containers on this machine, so that peers are reached at localhost.',
  )
  @IsIn(['true', 'false'], { message: 'use true or false' })
  FABRIC_DISCOVERY_AS_LOCALHOST: 'true' | 'false' = 'false';

  @Variable('npm run identity: name of the certificate authority, when the server has several.')
  FABRIC_CA_NAME?: string;

  @Variable(
    'LEDGER_DRIVER=fabric-gateway: peers as host:port, separated by commas; the others are asked when one fails.',
  )
  @ValidateIf((_, value) => value !== undefined)
  @Matches(new RegExp(`^${ENDPOINT}(,${ENDPOINT})*$`), { message: 'use host:port, several separated by commas' })
  FABRIC_PEER_ENDPOINTS?: string;

  @Variable(
    'LEDGER_DRIVER=fabric-gateway: name in the TLS certificates of the peers when it is not their host; one for all, or one each.',
  )
  @ValidateIf((_, value) => value !== undefined)
  @Matches(new RegExp(`^${NAME}(,${NAME})*$`), { message: 'use host names, several separated by commas' })
  FABRIC_PEER_HOST_ALIAS?: string;

  @Variable(
    'LEDGER_DRIVER=fabric-gateway: PEM file with the TLS roots of the peers; without it connections are in clear text.',
  )
  FABRIC_TLS_ROOT_CERT?: string;

  @Variable('PEM file with the certificate that is shown to peers and orderers that ask for one (mutual TLS).')
  @ValidateIf(isEitherSet)
  @IsNotEmpty(BOTH)
  FABRIC_TLS_CLIENT_CERT?: string;

  @Variable('PEM file with the private key of that certificate.')
  @ValidateIf(isEitherSet)
  @IsNotEmpty(BOTH)
  FABRIC_TLS_CLIENT_KEY?: string;

  @Variable(
    'LEDGER_DRIVER=fabric-gateway: PEM file with the certificate that signs transactions, or an MSP directory signcerts; read again when it changes.',
  )
  FABRIC_CERT?: string;

  @Variable(
    'LEDGER_DRIVER=fabric-gateway: PEM file with the private key of that certificate, or an MSP directory keystore.',
  )
  FABRIC_KEY?: string;

  @Variable('Milliseconds that a read may take.')
  @DecimalDigits()
  @IsInt(TIMEOUT)
  @Min(100, TIMEOUT)
  @Max(600_000, TIMEOUT)
  FABRIC_EVALUATE_TIMEOUT_MS = 10_000;

  @Variable('Milliseconds that the endorsement of a write may take.')
  @DecimalDigits()
  @IsInt(TIMEOUT)
  @Min(100, TIMEOUT)
  @Max(600_000, TIMEOUT)
  FABRIC_ENDORSE_TIMEOUT_MS = 30_000;

  @Variable('Milliseconds that handing a write to the orderers may take.')
  @DecimalDigits()
  @IsInt(TIMEOUT)
  @Min(100, TIMEOUT)
  @Max(600_000, TIMEOUT)
  FABRIC_SUBMIT_TIMEOUT_MS = 10_000;

  @Variable('Milliseconds that the commit of an ordered write is waited for; after that its outcome is unknown.')
  @DecimalDigits()
  @IsInt(TIMEOUT)
  @Min(100, TIMEOUT)
  @Max(600_000, TIMEOUT)
  FABRIC_COMMIT_TIMEOUT_MS = 60_000;

  @Variable(
    'Calls under way at once; more wait. A peer takes 500 from all its clients unless it is configured otherwise.',
  )
  @DecimalDigits()
  @IsInt(CALLS)
  @Min(1, CALLS)
  @Max(10_000, CALLS)
  FABRIC_MAX_CALLS = 400;
}
