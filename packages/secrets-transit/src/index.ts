export type { TransitSecretsOptions } from './transit-options.js'
export { transitSecrets } from './transit-secrets.js'
