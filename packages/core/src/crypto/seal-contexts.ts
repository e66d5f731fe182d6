/** The context that the Secrets port seals something to, by the kind of the row that holds it. */
export const sealContexts = {
  serviceKey: (id: string) => `service-key:${id}`,
  connectionSecret: (key: string) => `connection:${key}`,
  requestKey: (requestId: string) => `privacy-request:${requestId}`,
  legalHold: (id: string) => `legal-hold:${id}`,
  policyWebhooks: (id: string, webhook: string) => `policy-webhook:${id}/${webhook}`,
} as const

/** Kinds of rows that hold something the Secrets port has sealed. */
export type SealedKind = keyof typeof sealContexts
