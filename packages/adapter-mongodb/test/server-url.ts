/** A server that speaks MongoDB's wire and has transactions. The suites make databases of their own and drop them. */
export function serverUrl(): string {
  const { MONGODB_URL } = process.env
  if (!MONGODB_URL) throw new Error('MONGODB_URL names no server')
  return MONGODB_URL
}
