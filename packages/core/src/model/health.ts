/** `unknown`: it could not be asked, or nothing says so. */
export type PartHealth = 'healthy' | 'unhealthy' | 'unknown'

export const healthParts = ['storage', 'secrets', 'blobs', 'queue', 'worker', 'upkeep'] as const
export type HealthPart = (typeof healthParts)[number]

/** What works now, and what does not. It holds names, and never a value. */
export type Health = {
  /** `unhealthy`: calls are refused. `degraded`: calls are answered, but another part does not work. */
  readonly status: 'healthy' | 'degraded' | 'unhealthy'
  /** What is wrong with the parts that are not healthy, and what to do. */
  readonly problems: readonly HealthProblem[]
} & { readonly [Part in HealthPart]: PartHealth }

export interface HealthProblem {
  readonly part: HealthPart
  readonly message: string
  /** What exactly was refused, where that is known: for operators. `GET /health`, which anybody may ask, leaves it out. */
  readonly cause?: string
}
