export { createOrganisation, type StandInSigner } from './stand-in-identities.js';
