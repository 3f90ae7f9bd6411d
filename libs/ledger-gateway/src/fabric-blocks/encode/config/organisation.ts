import { Buffer } from 'node:buffer';
import { bytesField, elementField, integerField, messageField, stringField } from '../proto-fields.js';
import { item, type ConfigGroup } from './config-group.js';
import { rolePolicy, type Role } from './policies.js';

/** An organisation of the channel and how its members are known. */
export interface OrganisationDefinition {
  readonly mspId: string;
  /** PEM; members' certificates are signed by it and name their role as organisational unit (Fabric's node OUs). */
  readonly rootCertificate: string;
}

/** `FabricNodeOUs`: field number and organisational unit of each role. */
const NODE_OUS = [
  [2, 'client'],
  [3, 'peer'],
  [4, 'admin'],
  [5, 'orderer'],
] as const;

/** An organisation whose clients write and whose peers endorse. */
export function applicationOrganisation(organisation: OrganisationDefinition): ConfigGroup {
  return organisationGroup(organisation, {
    Admins: ['ADMIN'],
    Endorsement: ['PEER'],
    Readers: ['ADMIN', 'PEER', 'CLIENT'],
    Writers: ['ADMIN', 'CLIENT'],
  });
}

/** An organisation whose orderers sign blocks; their role is asked for, since its clients may share the root. */
export function ordererOrganisation(organisation: OrganisationDefinition): ConfigGroup {
  return organisationGroup(organisation, { Admins: ['ADMIN'], Readers: ['MEMBER'], Writers: ['ORDERER'] });
}

function organisationGroup(
  organisation: OrganisationDefinition,
  policies: Readonly<Record<string, readonly Role[]>>,
): ConfigGroup {
  const named = Object.entries(policies).map(
    ([name, roles]) => [name, item(...rolePolicy(organisation.mspId, roles))] as const,
  );
  return { values: { MSP: item(...mspFields(organisation)) }, policies: Object.fromEntries(named) };
}

/** Message `msp.MSPConfig`, of the type FABRIC (0), with a `FabricMSPConfig` in it. */
function mspFields({ mspId, rootCertificate }: OrganisationDefinition): Buffer[] {
  const root = Buffer.from(rootCertificate);
  const roles = NODE_OUS.map(([number, unit]) => messageField(number, bytesField(1, root), stringField(2, unit)));
  return [
    messageField(
      2,
      stringField(1, mspId),
      elementField(2, root),
      messageField(8, stringField(1, 'SHA2'), stringField(2, 'SHA256')),
      messageField(11, integerField(1, 1), ...roles),
    ),
  ];
}
